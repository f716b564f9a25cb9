#include "protocol/admission_checks.hpp"
#include "protocol/own_answers.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace onceswap::protocol {

namespace {

constexpr std::int64_t most_clock_difference_s = 300;

Result<Inventory> inventory_of(const AdmissionFacts& facts, const CatalogueFacts& catalogue) {
    const std::string name = Inventory::canonical_name(facts.cluster, catalogue.clusters);
    return Inventory::from_rows(name, catalogue.clusters);
}

/// Which rule a list of members breaks.
Rule rule_of(const Failure& failure, const AdmissionFacts& facts, const CatalogueFacts& catalogue) {
    if (failure.code == Code::inventory_incomplete)
        return Rule::cluster_known;
    if (failure.code == Code::inventory_invalid)
        return Rule::members_unique;
    const std::string name = Inventory::canonical_name(facts.cluster, catalogue.clusters);
    std::vector<ClusterRow> rows = catalogue.clusters;
    for (ClusterRow& row : rows)
        row.internal_replication = true;
    return Inventory::from_rows(name, rows) ? Rule::internal_replication : Rule::cluster_shape;
}

/// The inventory that the first endpoint with a valid one shows; the rest is compared with it.
std::optional<Inventory> reference_inventory(const AdmissionFacts& facts) {
    for (const EndpointFacts& endpoint : facts.endpoints)
        if (endpoint.catalogue)
            if (auto inventory = inventory_of(facts, *endpoint.catalogue))
                return *std::move(inventory);
    return std::nullopt;
}

/// Member index by server UUID. `_shard_num` of clusterAllReplicas counts the members in inventory order
/// from 1.
using Roster = std::map<Uuid, std::size_t>;

std::optional<Roster> read_roster(const AdmissionFacts& facts, const Inventory& inventory, Check& check) {
    if (!facts.roster_problem.empty() || facts.roster.empty()) {
        check.refuse(
            Rule::roster_answers,
            {},
            "the members could not be listed through clusterAllReplicas: " +
                (facts.roster_problem.empty() ? "no row" : facts.roster_problem)
        );
        return std::nullopt;
    }
    bool complete = true;
    std::vector<const RosterRow*> rows(inventory.size(), nullptr);
    for (const RosterRow& row : facts.roster) {
        if (row.shard_num == 0 || row.shard_num > inventory.size()) {
            check.refuse(
                Rule::roster_equal,
                row.host_name,
                "clusterAllReplicas shows more members than system.clusters: position " +
                    std::to_string(row.shard_num) + " of " + std::to_string(inventory.size())
            );
            complete = false;
            continue;
        }
        const RosterRow*& place = rows[row.shard_num - 1];
        if (place != nullptr) {
            check.refuse(
                Rule::roster_equal,
                text(inventory.members()[row.shard_num - 1].at),
                "clusterAllReplicas shows this member twice: " + place->host_name + ", " + row.host_name
            );
            complete = false;
        }
        place = &row;
    }
    Roster roster;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string host = text(inventory.members()[i].at);
        if (rows[i] == nullptr) {
            check.refuse(Rule::roster_complete, host, "clusterAllReplicas shows no row of this member");
            complete = false;
        } else if (rows[i]->server_uuid.is_nil()) {
            check.refuse(Rule::servers_differ, host, "the server has no UUID");
            complete = false;
        } else if (const auto [at, is_new] = roster.emplace(rows[i]->server_uuid, i); !is_new) {
            check.refuse(
                Rule::servers_differ,
                host,
                "has the server UUID of " + text(inventory.members()[at->second].at) + ", " +
                    rows[i]->server_uuid.text() + ": one server listed twice, or a cloned one"
            );
            complete = false;
        }
    }
    return complete ? std::optional(std::move(roster)) : std::nullopt;
}

/// The server with the name that it gives itself, where the list of members or another answer shows one.
std::string server_text(const AdmissionFacts& facts, const Uuid& server) {
    for (const RosterRow& row : facts.roster)
        if (row.server_uuid == server && !row.host_name.empty())
            return server.text() + " (" + row.host_name + ")";
    for (const EndpointFacts& endpoint : facts.endpoints)
        if (endpoint.catalogue && endpoint.catalogue->identity.server_uuid == server &&
            !endpoint.catalogue->identity.host_name.empty())
            return server.text() + " (" + endpoint.catalogue->identity.host_name + ")";
    return server.text();
}

void check_one_server_answers(const AdmissionFacts& facts, const EndpointFacts& endpoint, Check& check) {
    const Uuid& own = endpoint.catalogue->identity.server_uuid;
    const auto compare = [&](const Uuid& other, std::string_view part) {
        if (is_of_another_server(endpoint, other))
            check.refuse(
                Rule::one_server_per_url,
                endpoint.endpoint,
                std::string(part) + " was answered by server " + server_text(facts, other) +
                    " and the catalogue by " + server_text(facts, own) +
                    ": is there a balancer behind this URL?"
            );
    };
    if (endpoint.keeper)
        compare(endpoint.keeper->server_uuid, "the Keeper-backed part");
    if (endpoint.capabilities)
        compare(endpoint.capabilities->identity.server_uuid, "the list of capabilities");
    if (endpoint.row_policies)
        compare(endpoint.row_policies->server_uuid, "the list of row policies");
}

void bind_endpoints(
    const AdmissionFacts& facts,
    const Inventory& inventory,
    const Roster& roster,
    Check& check,
    std::vector<AdmittedMember>& members
) {
    std::vector<std::optional<std::size_t>> endpoint_of(inventory.size());
    for (std::size_t i = 0; i < facts.endpoints.size(); ++i) {
        const EndpointFacts& endpoint = facts.endpoints[i];
        if (!endpoint.catalogue || endpoint.catalogue->identity.server_uuid.is_nil())
            continue;
        const Uuid& uuid = endpoint.catalogue->identity.server_uuid;
        const auto member = roster.find(uuid);
        if (member == roster.end()) {
            check.refuse(
                Rule::endpoint_is_member,
                endpoint.endpoint,
                "server " + uuid.text() + " is no member of cluster '" + inventory.cluster() + "'"
            );
            continue;
        }
        std::optional<std::size_t>& taken = endpoint_of[member->second];
        if (taken)
            check.refuse(
                Rule::endpoints_differ,
                endpoint.endpoint,
                "is the same server as " + facts.endpoints[*taken].endpoint + ", " + uuid.text()
            );
        else
            taken = i;
    }
    bool complete = true;
    for (std::size_t i = 0; i < inventory.size(); ++i)
        if (!endpoint_of[i]) {
            check.refuse(
                Rule::member_has_endpoint,
                text(inventory.members()[i].at),
                "none of the given endpoints is this member"
            );
            complete = false;
        }
    if (!complete)
        return;
    for (std::size_t i = 0; i < inventory.size(); ++i) {
        const EndpointFacts& endpoint = facts.endpoints[*endpoint_of[i]];
        members.push_back(
            {inventory.members()[i],
             endpoint.catalogue->identity.server_uuid,
             *endpoint_of[i],
             endpoint.catalogue->identity.version}
        );
    }
}

/// Each member must find exactly itself in the list, or its DDL worker skips our entry.
void check_is_local(const EndpointFacts& endpoint, const Inventory& inventory, Check& check) {
    std::vector<std::string> local;
    for (const ClusterRow& row : endpoint.catalogue->clusters)
        if (row.cluster == inventory.cluster() && row.is_local)
            local.push_back(text(HostPort{row.host_name, row.port}));
    if (local.size() != 1) {
        std::string which;
        for (const std::string& each : local)
            which += (which.empty() ? ": " : ", ") + each;
        check.warn(
            Rule::own_row,
            endpoint.endpoint,
            "recognizes " + std::to_string(local.size()) + " rows of the cluster as itself" + which
        );
    }
}

void check_clocks(const AdmissionFacts& facts, Check& check) {
    const EndpointFacts* earliest = nullptr;
    const EndpointFacts* latest = nullptr;
    for (const EndpointFacts& endpoint : facts.endpoints) {
        if (!endpoint.catalogue)
            continue;
        const std::int64_t now = endpoint.catalogue->identity.now;
        if (earliest == nullptr || now < earliest->catalogue->identity.now)
            earliest = &endpoint;
        if (latest == nullptr || now > latest->catalogue->identity.now)
            latest = &endpoint;
    }
    if (earliest == nullptr)
        return;
    const std::int64_t difference = latest->catalogue->identity.now - earliest->catalogue->identity.now;
    if (difference > most_clock_difference_s)
        check.warn(
            Rule::clocks,
            earliest->endpoint,
            "is " + std::to_string(difference) + " s behind " + latest->endpoint
        );
}

/// What of the two lists differs first, for a finding.
std::string first_difference(const Inventory& seen, const Inventory& reference) {
    if (seen.cluster() != reference.cluster())
        return "the cluster's first name is '" + seen.cluster() + "' here and '" + reference.cluster() +
               "' there";
    for (const Member& member : seen.members())
        if (!reference.find(member.at))
            return text(member.at) + " is listed here and not there";
    for (const Member& member : reference.members())
        if (!seen.find(member.at))
            return text(member.at) + " is listed there and not here";
    for (const Member& member : seen.members()) {
        const Member& other = reference.members()[*reference.find(member.at)];
        if (member.replica_num != other.replica_num)
            return text(member.at) + " is replica " + std::to_string(member.replica_num) + " here and " +
                   std::to_string(other.replica_num) + " there";
    }
    return "the lists differ";
}

} // namespace

void check_endpoints(const AdmissionFacts& facts, Admission& admission) {
    Check check(admission.findings, "endpoints");
    if (facts.endpoints.empty())
        check.refuse(Rule::endpoint_given, {}, "no endpoint is given");
    for (const EndpointFacts& endpoint : facts.endpoints) {
        if (!endpoint.catalogue) {
            check.refuse(Rule::endpoint_answers, endpoint.endpoint, problem_text(endpoint, "the catalogue"));
            continue;
        }
        if (endpoint.catalogue->identity.server_uuid.is_nil())
            check.refuse(Rule::server_uuid, endpoint.endpoint, "the server shows no UUID");
        check_one_server_answers(facts, endpoint, check);
    }
    const std::optional<Inventory> inventory = reference_inventory(facts);
    if (!inventory)
        return; // the next check says why
    if (const auto roster = read_roster(facts, *inventory, check))
        bind_endpoints(facts, *inventory, *roster, check, admission.members);
}

void check_inventory(const AdmissionFacts& facts, Admission& admission) {
    const std::optional<Inventory> reference = reference_inventory(facts);
    {
        Check check(admission.findings, "inventory");
        const std::string* first = nullptr;
        for (const EndpointFacts& endpoint : facts.endpoints) {
            if (!endpoint.catalogue)
                continue;
            const auto inventory = inventory_of(facts, *endpoint.catalogue);
            if (!inventory) {
                check.refuse(
                    rule_of(inventory.error(), facts, *endpoint.catalogue),
                    endpoint.endpoint,
                    inventory.error().detail
                );
                continue;
            }
            if (first == nullptr)
                first = &endpoint.endpoint;
            else if (*inventory != *reference)
                check.refuse(
                    Rule::inventory_equal,
                    endpoint.endpoint,
                    "shows another list than " + *first + ": " + first_difference(*inventory, *reference)
                );
        }
        if (!reference && check.found_nothing())
            check.refuse(Rule::cluster_known, {}, "no endpoint showed the cluster");
        if (reference)
            admission.inventory = reference;
    }
    if (reference) {
        Check check(admission.findings, "own row");
        for (const EndpointFacts& endpoint : facts.endpoints)
            if (endpoint.catalogue)
                check_is_local(endpoint, *reference, check);
    }
    Check check(admission.findings, "clocks");
    check_clocks(facts, check);
}

} // namespace onceswap::protocol
