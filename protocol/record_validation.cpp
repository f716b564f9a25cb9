#include "protocol/record_validation.hpp"

#include "protocol/first_violation.hpp"
#include "protocol/hex.hpp"
#include "protocol/mutant.hpp"
#include "protocol/record_forms.hpp"
#include "protocol/utf8.hpp"

#include <algorithm>
#include <set>

namespace onceswap::protocol {

namespace {

bool is_text(std::string_view text) {
    return valid_utf8_prefix(text) == text.size();
}

bool is_own_candidate(const AuthorityRecord& record) {
    const std::string own = candidate_prefix(record.target_key) + record.operation_id.substr(0, 8) + "_";
    return is_candidate_name(record.target_key, record.candidate) &&
           (record.candidate.starts_with(own) || mutated(Mutant::candidate_name_reused_by_next_operation));
}

/// A table that an operator may be told to drop: only names that this project made for this target.
bool is_listable(const AuthorityRecord& record, std::string_view name) {
    constexpr std::string_view tail = "__aside";
    if (name.ends_with(tail))
        name.remove_suffix(tail.size());
    return is_candidate_name(record.target_key, name);
}

void check_identity(const AuthorityRecord& record, FirstViolation& violation) {
    violation.demand(is_recorded_name(record.cluster), "cluster", "empty, too long or not UTF-8");
    violation.demand(is_recorded_name(record.target.database), "database", "empty, too long or not UTF-8");
    violation.demand(is_recorded_name(record.target.table), "target", "empty, too long or not UTF-8");
    if (violation.found())
        return;
    violation.demand(
        record.target_key == target_key(record.cluster, record.target),
        "target_key",
        "not the digest of cluster, database and target"
    );
    violation.demand(is_sha256(record.operation_id), "operation_id", "not a SHA-256");
    violation.demand(is_sha256(record.plan_digest), "plan_digest", "not a SHA-256");
    violation.demand(is_sha256(record.inventory_digest), "inventory_digest", "not a SHA-256");
    violation.demand(is_random_128(record.fence_token), "fence_token", "not 128 bits in hex");
    violation.demand(is_random_128(record.write_id), "write_id", "not 128 bits in hex");
    violation.demand(is_own_candidate(record), "candidate", "not a name of this target and operation");
    violation.demand(record.aside == aside_name(record.candidate), "aside", "not the candidate's aside name");
    violation.demand(is_recorded_time(record.created_at), "created_at", "out of range");
    violation.demand(is_recorded_time(record.updated_at), "updated_at", "out of range");
}

void check_members(const std::vector<RecordedMember>& members, FirstViolation& violation) {
    violation.demand(members.size() >= 2, "members", "fewer than two");
    violation.demand(members.size() <= limits::members, "members", "too many");
    std::set<HostPort> places;
    std::set<Uuid> servers;
    std::optional<std::uint32_t> before;
    for (const RecordedMember& member : members) {
        violation.demand(
            is_recorded_name(member.at.host) && member.at.port != 0, "members", "malformed host or port"
        );
        violation.demand(!member.server_uuid.is_nil(), "members", "nil server uuid");
        violation.demand(places.insert(member.at).second, "members", "host and port twice");
        violation.demand(servers.insert(member.server_uuid).second, "members", "server uuid twice");
        violation.demand(!before || *before < member.replica_num, "members", "replica numbers do not ascend");
        before = member.replica_num;
    }
}

void check_generation(const Generation& generation, std::string_view where, FirstViolation& violation) {
    violation.demand(!generation.uuid.is_nil(), where, "nil uuid");
    violation.demand(
        !generation.engine_full.empty() && is_text(generation.engine_full),
        where,
        "engine_full empty or not UTF-8"
    );
    violation.demand(is_sha256(generation.schema_digest), where, "schema_digest not a SHA-256");
    violation.demand(
        !generation.zookeeper_name.empty() && is_text(generation.zookeeper_name),
        where,
        "zookeeper_name empty or not UTF-8"
    );
    violation.demand(
        !generation.zookeeper_path.empty() && is_text(generation.zookeeper_path),
        where,
        "zookeeper_path empty or not UTF-8"
    );
}

void check_generations(const AuthorityRecord& record, FirstViolation& violation) {
    check_generation(record.desired, "desired", violation);
    if (!record.predecessor)
        return;
    check_generation(*record.predecessor, "predecessor", violation);
    violation.demand(record.predecessor->uuid != record.desired.uuid, "desired", "the predecessor's uuid");
    violation.demand(
        record.predecessor->zookeeper_name != record.desired.zookeeper_name ||
            record.predecessor->zookeeper_path != record.desired.zookeeper_path,
        "desired",
        "the predecessor's zookeeper_path"
    );
}

void check_tables(
    const AuthorityRecord& record,
    const std::vector<NamedTable>& tables,
    std::string_view where,
    FirstViolation& violation
) {
    violation.demand(tables.size() <= limits::listed_tables, where, "too many");
    std::set<std::string_view> names;
    for (const NamedTable& table : tables) {
        violation.demand(is_listable(record, table.name), where, "not a name that is made for this target");
        violation.demand(!table.uuid.is_nil(), where, "nil uuid");
        violation.demand(names.insert(table.name).second, where, "a name twice");
    }
}

/// A table of the live publication is nobody's leftover.
void check_live_names(const AuthorityRecord& record, FirstViolation& violation) {
    if (record.phase == Phase::completed || record.phase == Phase::abandoned)
        return;
    for (const auto* tables : {&record.orphans, &record.retained})
        for (const NamedTable& table : *tables)
            violation.demand(
                table.name != record.candidate && table.name != record.aside,
                "orphans, retained",
                "a name of the live publication"
            );
}

void check_recent(const AuthorityRecord& record, FirstViolation& violation) {
    violation.demand(record.recent.size() <= limits::recent_operations, "recent", "too many");
    std::set<std::string_view> ids{record.operation_id};
    std::optional<std::uint64_t> before;
    for (const RecentOperation& operation : record.recent) {
        violation.demand(is_sha256(operation.operation_id), "recent", "not a SHA-256");
        violation.demand(
            ids.insert(operation.operation_id).second || mutated(Mutant::settled_operation_prepared_again),
            "recent",
            "an operation twice"
        );
        violation.demand(
            operation.outcome == Phase::completed || operation.outcome == Phase::abandoned ||
                mutated(Mutant::unfinished_slot_taken),
            "recent",
            "an outcome that settles nothing"
        );
        violation.demand(operation.epoch < record.dispatch_epoch, "recent", "an epoch that is not past");
        violation.demand(!before || *before < operation.epoch, "recent", "epochs do not ascend");
        before = operation.epoch;
    }
}

void check_canary(const CanaryReceipt& canary, FirstViolation& violation) {
    violation.demand(
        canary.versions.size() == canary.servers.size(), "canary", "versions and servers differ in number"
    );
    violation.demand(
        canary.servers.size() >= 2 && canary.servers.size() <= limits::members,
        "canary",
        "wrong number of servers"
    );
    violation.demand(is_entry_name(canary.entry), "canary", "malformed entry");
    for (const std::string& version : canary.versions)
        violation.demand(
            !version.empty() && version.size() <= limits::version_bytes && is_text(version),
            "canary",
            "malformed version"
        );
    std::set<Uuid> servers(canary.servers.begin(), canary.servers.end());
    violation.demand(
        servers.size() == canary.servers.size() && !servers.contains(Uuid()),
        "canary",
        "a server uuid nil or twice"
    );
}

void check_error(const RecordedError& error, FirstViolation& violation) {
    const auto is_code_letter = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    violation.demand(
        !error.code.empty() && error.code.size() <= limits::error_code_bytes &&
            std::all_of(error.code.begin(), error.code.end(), is_code_letter),
        "error",
        "malformed code"
    );
    violation.demand(
        error.summary.size() <= limits::error_summary_bytes && is_text(error.summary),
        "error",
        "summary too long or not UTF-8"
    );
}

} // namespace

std::optional<std::string> find_violation(const AuthorityRecord& record) {
    FirstViolation violation;
    check_identity(record, violation);
    check_members(record.members, violation);
    check_generations(record, violation);
    check_tables(record, record.orphans, "orphans", violation);
    check_tables(record, record.retained, "retained", violation);
    check_live_names(record, violation);
    check_recent(record, violation);
    if (record.canary)
        check_canary(*record.canary, violation);
    if (record.error)
        check_error(*record.error, violation);
    if (!violation.found())
        violation.adopt(find_attempt_violation(record));
    return violation.take();
}

} // namespace onceswap::protocol
