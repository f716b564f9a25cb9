#pragma once

#include "http_transport/endpoint.hpp"
#include "protocol/inventory.hpp"
#include "protocol/uuid.hpp"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace onceswap::engine {

/// A member of the inventory with the endpoint that speaks for it and the server UUID that every answer must
/// show. An answer with another UUID is no answer of this member, whatever it says: a balanced URL, a stale
/// DNS name and a swapped port are harmless because of that.
struct BoundMember {
    BoundMember() = default;

    BoundMember(protocol::Member member_, protocol::Uuid server_uuid_, http::Endpoint endpoint_)
        : member(std::move(member_)), server_uuid(server_uuid_), endpoint(std::move(endpoint_)) {}

    protocol::Member member;
    protocol::Uuid server_uuid;
    http::Endpoint endpoint;
};

static_assert(!std::is_aggregate_v<BoundMember>);

/// `host:port`, as the reports and events name a member.
std::string name(const BoundMember& member);

/// Host and port of each, in the same order: what an ON CLUSTER answer must show row by row.
std::vector<protocol::HostPort> hosts_of(const std::vector<BoundMember>& members);

} // namespace onceswap::engine
