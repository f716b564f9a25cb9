#include "protocol/inventory.hpp"

#include "protocol/authority_record.hpp"
#include "protocol/canonical_writer.hpp"
#include "protocol/digest.hpp"
#include "protocol/mutant.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace onceswap::protocol {

namespace {

/// Order of members everywhere: replica number first, the rest only to be total over malformed input.
auto sort_key(const Member& member) {
    return std::tie(member.shard_num, member.replica_num, member.at, member.internal_replication);
}

std::vector<Member> members_of(std::string_view cluster, std::span<const ClusterRow> rows) {
    std::vector<Member> members;
    for (const ClusterRow& row : rows)
        if (row.cluster == cluster)
            members.push_back(
                {{row.host_name, row.port}, row.shard_num, row.replica_num, row.internal_replication}
            );
    std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
        return sort_key(a) < sort_key(b);
    });
    return members;
}

Failure invalid(std::string detail) {
    return {Code::inventory_invalid, std::move(detail)};
}

Failure unsupported(std::string detail) {
    return {Code::topology_unsupported, std::move(detail)};
}

std::optional<Failure> find_malformed(const std::vector<Member>& members) {
    std::set<HostPort> places;
    std::set<std::pair<std::uint32_t, std::uint32_t>> numbers;
    for (const Member& member : members) {
        if (member.at.host.empty() || member.at.port == 0)
            return invalid("a member without host or port: '" + text(member.at) + "'");
        if (!places.insert(member.at).second)
            return invalid(text(member.at) + " is there twice");
        if (!numbers.insert({member.shard_num, member.replica_num}).second)
            return invalid("replica number " + std::to_string(member.replica_num) + " is there twice");
    }
    return std::nullopt;
}

std::optional<Failure> find_unsupported(const std::vector<Member>& members) {
    if (members.front().shard_num != members.back().shard_num)
        return unsupported("several shards");
    if (members.size() < 2)
        return unsupported("one member, a publication needs two or more replicas");
    if (members.size() > limits::members)
        return unsupported(
            std::to_string(members.size()) + " members, the limit is " + std::to_string(limits::members)
        );
    for (const Member& member : members)
        if (!member.internal_replication)
            return unsupported("internal_replication is 0 for " + text(member.at));
    return std::nullopt;
}

} // namespace

std::string text(const HostPort& host_port) {
    const bool is_ipv6 = host_port.host.find(':') != std::string::npos && !host_port.host.starts_with('[');
    const std::string host = is_ipv6 ? '[' + host_port.host + ']' : host_port.host;
    return host + ':' + std::to_string(host_port.port);
}

Result<Inventory> Inventory::from_rows(std::string_view cluster, std::span<const ClusterRow> rows) {
    Inventory inventory;
    inventory.cluster_ = std::string(cluster);
    inventory.members_ = members_of(cluster, rows);
    if (inventory.members_.empty())
        return Failure(
            Code::inventory_incomplete, "system.clusters shows no cluster '" + inventory.cluster_ + "'"
        );
    if (auto failure = find_malformed(inventory.members_))
        return *std::move(failure);
    if (auto failure = find_unsupported(inventory.members_))
        return *std::move(failure);
    return inventory;
}

std::string Inventory::canonical_name(std::string_view cluster, std::span<const ClusterRow> rows) {
    const std::vector<Member> members = members_of(cluster, rows);
    std::set<std::string_view> names;
    for (const ClusterRow& row : rows)
        names.insert(row.cluster);
    if (!members.empty())
        for (const std::string_view name : names)
            if (members_of(name, rows) == members &&
                (name == cluster || !mutated(Mutant::alias_is_another_cluster)))
                return std::string(name);
    return std::string(cluster);
}

std::optional<std::size_t> Inventory::find(const HostPort& at) const {
    for (std::size_t i = 0; i < members_.size(); ++i)
        if (members_[i].at == at)
            return i;
    return std::nullopt;
}

std::string Inventory::digest() const {
    CanonicalText identity;
    CanonicalWriter out(identity);
    out.begin_object();
    out.text("cluster", cluster_);
    out.name("members");
    out.begin_array();
    for (const Member& member : members_) {
        out.begin_object();
        out.text("host_name", member.at.host);
        out.name("internal_replication");
        out.boolean(member.internal_replication);
        out.number("port", member.at.port);
        out.number("replica_num", member.replica_num);
        out.number("shard_num", member.shard_num);
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return sha256_hex(identity.text);
}

} // namespace onceswap::protocol
