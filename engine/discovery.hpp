#pragma once

#include "engine/authority_reading.hpp"
#include "engine/bound_member.hpp"
#include "engine/context.hpp"
#include "protocol/failure.hpp"
#include "protocol/member_facts.hpp"
#include "protocol/names.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace onceswap::engine {

/// What the endpoints say of themselves and of one target's record, before anything is bound to a member.
struct Discovery {
    Discovery() = default;

    struct Speaker {
        Speaker(http::Endpoint endpoint_, protocol::CatalogueFacts facts_)
            : endpoint(std::move(endpoint_)), facts(std::move(facts_)) {}

        http::Endpoint endpoint;
        protocol::CatalogueFacts facts;
    };

    std::int64_t observed_at = 0; ///< seconds since the Unix epoch, UTC, when the first question was sent
    std::string cluster;          ///< canonical name: it alone is used in keys
    std::string target_key;
    std::vector<Speaker> speakers; ///< endpoints whose catalogue answered, in the caller's order
    AuthorityReading authority;    ///< the slot under the canonical name; with a problem, under the caller's
    std::vector<std::string> gaps; ///< endpoints that did not answer, and why
    std::optional<protocol::Failure>
        problem; ///< nothing can be begun here: nobody answers, no such cluster, or not one for this
};

static_assert(!std::is_aggregate_v<Discovery>);

/// One round: catalogue and record of every endpoint at once. The key is guessed from the cluster's name as
/// the caller wrote it; only where that name is an alias a second round asks for the canonical one. Works
/// without any record and without the authority table. Cancellation: terminal, throws operation_aborted with
/// nothing left behind.
boost::asio::awaitable<Discovery> discover(Context& context, protocol::TargetName target, TimePoint deadline);

/// The members of a record, in its order, that an endpoint speaks for: the one whose server UUID it showed.
std::vector<BoundMember> bind_members(const Discovery& discovery, const protocol::AuthorityRecord& record);

/// The names under which `rows` shows exactly the members of `cluster`; empty where there is no such cluster.
std::vector<std::string>
names_of_cluster(std::string_view cluster, const std::vector<protocol::ClusterRow>& rows);

} // namespace onceswap::engine
