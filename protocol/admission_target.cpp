#include "protocol/admission_checks.hpp"

#include <algorithm>
#include <map>

namespace onceswap::protocol {

namespace {

const ReplicaRow* find_replica(const KeeperFacts& keeper, const std::string& table) {
    const auto found =
        std::find_if(keeper.replicas.begin(), keeper.replicas.end(), [&table](const ReplicaRow& row) {
            return row.table == table;
        });
    return found == keeper.replicas.end() ? nullptr : &*found;
}

/// The target on one member; nullopt with a finding where it cannot be established.
std::optional<Generation> target_of(const NamedEndpoint& endpoint, const TableRow& row, Check& check) {
    if (!is_replicated_merge_tree(row.engine)) {
        check.refuse(
            Rule::target_engine,
            endpoint.host,
            row.name + " has engine " + row.engine + ", needed is one of Replicated*MergeTree"
        );
        return std::nullopt;
    }
    if (!endpoint.facts->keeper) {
        check.refuse(
            Rule::target_answers, endpoint.host, problem_text(*endpoint.facts, "the Keeper-backed part")
        );
        return std::nullopt;
    }
    const ReplicaRow* replica = find_replica(*endpoint.facts->keeper, row.name);
    if (replica != nullptr && (replica->is_readonly || replica->is_session_expired)) {
        check.refuse(
            Rule::target_healthy,
            endpoint.host,
            row.name + (replica->is_session_expired ? ": the Keeper session is expired"
                                                    : ": the replica is read-only")
        );
        return std::nullopt;
    }
    auto generation = generation_of(*endpoint.facts->catalogue, endpoint.facts->keeper->replicas, row.name);
    if (!generation || generation->uuid.is_nil() || generation->zookeeper_path.empty()) {
        check.refuse(
            Rule::target_identity,
            endpoint.host,
            row.name + ": uuid, columns or Keeper path could not be read"
        );
        return std::nullopt;
    }
    if (!path_argument_has_uuid(generation->engine_full)) {
        check.refuse(
            Rule::target_path,
            endpoint.host,
            row.name + ": the path in " + generation->engine_full +
                " does not contain {uuid}, so it would be met again by the next candidate"
        );
        return std::nullopt;
    }
    return generation;
}

void check_replicas(std::span<const NamedEndpoint> endpoints, const std::string& table, Check& check) {
    std::map<std::string, std::string> host_by_replica;
    for (const NamedEndpoint& endpoint : endpoints) {
        const ReplicaRow* replica =
            endpoint.facts->keeper ? find_replica(*endpoint.facts->keeper, table) : nullptr;
        if (replica == nullptr)
            continue;
        const auto [at, is_new] = host_by_replica.emplace(replica->replica_name, endpoint.host);
        if (!is_new)
            check.refuse(
                Rule::replica_names,
                endpoint.host,
                table + ": replica name '" + replica->replica_name + "' is also that of " + at->second
            );
        if (!replica->is_session_expired && replica->total_replicas != endpoints.size())
            check.refuse(
                Rule::replica_count,
                endpoint.host,
                table + " has " + std::to_string(replica->total_replicas) + " replicas in Keeper, and " +
                    std::to_string(endpoints.size()) + " endpoints are given"
            );
    }
}

} // namespace

void check_target(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
) {
    Check check(admission.findings, "target");
    const NamedEndpoint* first = nullptr;
    std::vector<const NamedEndpoint*> without;
    bool is_present = false;
    for (const NamedEndpoint& endpoint : endpoints) {
        if (!endpoint.facts->catalogue)
            continue;
        const TableRow* row = find_table(*endpoint.facts->catalogue, facts.target);
        if (row == nullptr) {
            without.push_back(&endpoint);
            continue;
        }
        is_present = true;
        auto generation = target_of(endpoint, *row, check);
        if (!generation)
            continue;
        if (!admission.target) {
            admission.target = std::move(generation);
            first = &endpoint;
        } else if (*generation != *admission.target) {
            check.refuse(
                Rule::target_equal,
                endpoint.host,
                row->name + ": " + describe_difference(*generation, *admission.target, first->host)
            );
        }
    }
    if (!is_present)
        return; // absent on all members: there will be no predecessor
    for (const NamedEndpoint* endpoint : without)
        check.refuse(
            Rule::target_everywhere,
            endpoint->host,
            "does not have " + facts.target.table + ", other members do"
        );
    check_replicas(endpoints, facts.target.table, check);
}

} // namespace onceswap::protocol
