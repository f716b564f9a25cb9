#pragma once

#include "protocol/failure.hpp"
#include "protocol/uuid.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace onceswap::protocol {

/// How ClickHouse names a member in `remote_servers`, in the DDL queue and in the answers of ON CLUSTER:
/// the configured host (a DNS name or an address) and the native port. It is a name, not an address to
/// connect to.
struct HostPort {
    std::string host;
    std::uint16_t port = 0;
    friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

/// `host:port`, with `[...]` around an IPv6 literal.
std::string text(const HostPort& host_port);

/// One row of system.clusters on one member.
struct ClusterRow {
    std::string cluster;
    std::uint32_t shard_num = 0;
    std::uint32_t replica_num = 0;
    std::string host_name;
    std::string host_address;
    std::uint16_t port = 0;
    bool is_local = false;
    bool internal_replication = false;
    friend bool operator==(const ClusterRow&, const ClusterRow&) = default;
};

struct Member {
    HostPort at;
    std::uint32_t shard_num = 1;
    std::uint32_t replica_num = 0;
    bool internal_replication = true;
    friend bool operator==(const Member&, const Member&) = default;
};

/// The members of one cluster, ordered by replica number. One shard, two or more members, all unique: by
/// construction.
class Inventory {
  public:
    /// Builds the inventory of `cluster` from the rows that one member shows.
    /// Errors: topology_unsupported (several shards, one member, internal_replication 0), inventory_invalid
    /// (a replica number or host:port twice), inventory_incomplete (no row of that cluster).
    static Result<Inventory> from_rows(std::string_view cluster, std::span<const ClusterRow> rows);

    /// The bytewise smallest cluster name among `rows` whose members are the same set; alias names of one
    /// cluster map to it, and it alone is used in keys.
    static std::string canonical_name(std::string_view cluster, std::span<const ClusterRow> rows);

    const std::string& cluster() const { return cluster_; }

    const std::vector<Member>& members() const { return members_; }

    std::size_t size() const { return members_.size(); }

    /// Index into members(), or nullopt.
    std::optional<std::size_t> find(const HostPort& at) const;

    /// digest{cluster, [{host_name, port, shard_num, replica_num, internal_replication}...]}, independent of
    /// row order.
    std::string digest() const;

    friend bool operator==(const Inventory&, const Inventory&) = default;

  private:
    Inventory() = default;
    std::string cluster_;
    std::vector<Member> members_;
};

} // namespace onceswap::protocol
