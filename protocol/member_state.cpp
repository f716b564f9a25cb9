#include "protocol/member_state.hpp"

#include "protocol/differing_part.hpp"
#include "protocol/mutant.hpp"

#include <algorithm>

namespace onceswap::protocol {

std::string_view text(State state) {
    switch (state) {
    case State::pending:
        return "PENDING";
    case State::committed:
        return "COMMITTED";
    case State::aside:
        return "ASIDE";
    case State::cleaned:
        return "CLEANED";
    case State::kept_old:
        return "KEPT_OLD";
    case State::foreign:
        return "FOREIGN";
    case State::unavailable:
        return "UNAVAILABLE";
    }
    return "UNAVAILABLE";
}

std::string_view text(Role role) {
    switch (role) {
    case Role::desired:
        return "desired";
    case Role::predecessor:
        return "predecessor";
    case Role::absent:
        return "absent";
    case Role::other:
        return "other";
    }
    return "other";
}

namespace {

/// What one member shows under one name.
struct Sight {
    const TableRow* table = nullptr;
    const ReplicaRow* replica = nullptr; ///< null: the Keeper part did not answer or has no path of the table
    std::size_t rows = 0;
};

Sight look_up(const AuthorityRecord& record, const MemberEvidence& evidence, std::string_view name) {
    Sight sight;
    for (const TableRow& row : evidence.catalogue->tables)
        if (row.database == record.target.database && row.name == name) {
            sight.table = &row;
            ++sight.rows;
        }
    if (evidence.keeper)
        for (const ReplicaRow& row : evidence.keeper->replicas)
            if (row.table == name && !row.zookeeper_path.empty())
                sight.replica = &row;
    return sight;
}

/// By storage where the path is known, by uuid where it is not.
bool is_generation(const Sight& sight, const Generation& generation) {
    if (sight.table->uuid != generation.uuid || sight.table->uuid.is_nil())
        return false;
    return sight.replica == nullptr || (sight.replica->zookeeper_name == generation.zookeeper_name &&
                                        sight.replica->zookeeper_path == generation.zookeeper_path);
}

/// All fields in which the table differs from `generation`, the first one first.
std::string difference(const Sight& sight, const Generation& generation, std::string_view called) {
    std::string out;
    const auto add = [&](std::string_view field, std::string_view seen, std::string_view wanted) {
        if (seen != wanted)
            out += (out.empty() ? "" : "; ") + std::string(field) + " has " + differing_part(seen, wanted) +
                   " where " + std::string(called) + " has " + differing_part(wanted, seen);
    };
    add("uuid", sight.table->uuid.text(), generation.uuid.text());
    if (sight.replica != nullptr) {
        add("zookeeper_name", sight.replica->zookeeper_name, generation.zookeeper_name);
        add("zookeeper_path", sight.replica->zookeeper_path, generation.zookeeper_path);
    }
    add("engine_full",
        normalize_engine_full(sight.table->engine_full, sight.table->uuid),
        generation.engine_full);
    return out;
}

NameHolding holding(const AuthorityRecord& record, const Sight& sight) {
    NameHolding held;
    if (sight.table == nullptr)
        return held;
    held.uuid = sight.table->uuid;
    if (sight.replica != nullptr)
        held.zookeeper_path = sight.replica->zookeeper_path;
    held.role = Role::other;
    if (sight.rows > 1) {
        held.difference = "listed more than once";
    } else if (is_generation(sight, record.desired)) {
        held.role = Role::desired;
    } else if (record.predecessor && is_generation(sight, *record.predecessor)) {
        held.role = Role::predecessor;
    } else {
        const bool compare_with_predecessor = record.predecessor && sight.table->uuid != record.desired.uuid;
        held.difference = compare_with_predecessor
                              ? difference(sight, *record.predecessor, "the predecessor")
                              : difference(sight, record.desired, "the desired generation");
    }
    return held;
}

State state_of(bool has_predecessor, Role target, Role candidate, Role aside) {
    struct Row {
        Role target, candidate, aside;
        State state;
    };
    using enum Role;
    static constexpr Row existing[] = {
        {predecessor, desired, absent, State::pending},
        {desired, predecessor, absent, State::committed},
        {desired, absent, predecessor, State::aside},
        {desired, absent, absent, State::cleaned},
        {predecessor, absent, desired, State::kept_old},
    };
    static constexpr Row fresh[] = {
        {absent, desired, absent, State::pending},
        {desired, absent, absent, State::committed},
        {absent, absent, desired, State::kept_old},
    };
    const std::span<const Row> table = has_predecessor ? std::span<const Row>(existing) : fresh;
    for (const Row& row : table)
        if (row.target == target && row.candidate == candidate && row.aside == aside)
            return row.state;
    return State::foreign;
}

std::string foreign_reason(const AuthorityRecord& record, const MemberState& state) {
    std::string out;
    const auto add = [&out](std::string_view name, const NameHolding& held) {
        out += (out.empty() ? "" : ", ") + std::string(name) + " is " + std::string(text(held.role));
        if (!held.difference.empty())
            out += " (" + held.difference + ")";
    };
    add(record.target.table, state.target);
    add(record.candidate, state.candidate);
    add(record.aside, state.aside);
    return out;
}

/// What an ALTER since dispatch changed; it is no evidence against the generation.
void warn_of_alter(
    const AuthorityRecord& record,
    const MemberEvidence& evidence,
    const Sight& sight,
    const NameHolding& held,
    std::vector<std::string>& warnings
) {
    if (held.role != Role::desired && held.role != Role::predecessor)
        return;
    const Generation& generation = held.role == Role::desired ? record.desired : *record.predecessor;
    const TableRow& row = *sight.table;
    const std::string engine = normalize_engine_full(row.engine_full, row.uuid);
    if (engine != generation.engine_full)
        warnings.push_back(
            row.name + ": engine_full has " + differing_part(engine, generation.engine_full) +
            " where the record has " + differing_part(generation.engine_full, engine)
        );
    const auto columns = evidence.catalogue->columns.find(row.name);
    if (columns == evidence.catalogue->columns.end() || columns->second.empty())
        warnings.push_back(row.name + ": its columns could not be read");
    else if (schema_digest(columns->second, row.keys) != generation.schema_digest)
        warnings.push_back(row.name + ": the schema is not the recorded one");
}

MemberState unavailable(MemberState state, std::string reason) {
    state.state = State::unavailable;
    state.reason = std::move(reason);
    return state;
}

/// Readiness of the target and of the table that holds the desired generation.
Health health_of(const AuthorityRecord& record, const MemberEvidence& evidence, const MemberState& state) {
    Health health;
    if (!evidence.keeper) {
        health.problems.push_back(
            evidence.keeper_problem.empty() ? "no answer of the Keeper-backed part" : evidence.keeper_problem
        );
        return health;
    }
    health.known = true;
    const auto add = [&](std::string_view name, const NameHolding& held, bool wanted) {
        if (held.role == Role::absent || !wanted)
            return;
        const Health one = table_health(*evidence.keeper, name, record.members.size());
        for (const std::string& problem : one.problems)
            health.problems.push_back(std::string(name) + ": " + problem);
    };
    add(record.target.table, state.target, true);
    add(record.candidate, state.candidate, state.candidate.role == Role::desired);
    add(record.aside, state.aside, state.aside.role == Role::desired);
    health.healthy = health.problems.empty();
    return health;
}

} // namespace

MemberState member_state(const AuthorityRecord& record, const MemberEvidence& evidence) {
    MemberState state;
    state.at = evidence.at;
    const auto recorded =
        std::find_if(record.members.begin(), record.members.end(), [&evidence](const RecordedMember& member) {
            return member.at == evidence.at;
        });
    if (recorded == record.members.end())
        return unavailable(std::move(state), "no member of this publication");
    if (!evidence.catalogue)
        return unavailable(
            std::move(state), evidence.catalogue_problem.empty() ? "no answer" : evidence.catalogue_problem
        );
    const auto answered_by_another = [&](const Uuid& uuid) {
        return uuid.is_nil() || (uuid != recorded->server_uuid && !mutated(Mutant::server_uuid_not_compared));
    };
    const auto who = [&](const Uuid& uuid) {
        return "answered by another server: " + uuid.text() + " instead of " + recorded->server_uuid.text();
    };
    if (answered_by_another(evidence.catalogue->identity.server_uuid))
        return unavailable(std::move(state), who(evidence.catalogue->identity.server_uuid));
    if (evidence.keeper && answered_by_another(evidence.keeper->server_uuid))
        return unavailable(std::move(state), who(evidence.keeper->server_uuid));

    const Sight target = look_up(record, evidence, record.target.table);
    const Sight candidate = look_up(record, evidence, record.candidate);
    const Sight aside = look_up(record, evidence, record.aside);
    state.target = holding(record, target);
    state.candidate = holding(record, candidate);
    state.aside = holding(record, aside);
    warn_of_alter(record, evidence, target, state.target, state.warnings);
    warn_of_alter(record, evidence, candidate, state.candidate, state.warnings);
    warn_of_alter(record, evidence, aside, state.aside, state.warnings);
    state.health = health_of(record, evidence, state);

    // One storage cannot be both generations; nothing can be told from a record that says so.
    const bool one_for_both = record.predecessor && record.predecessor->uuid == record.desired.uuid;
    state.state =
        one_for_both
            ? State::foreign
            : state_of(
                  record.predecessor.has_value(), state.target.role, state.candidate.role, state.aside.role
              );
    if (one_for_both)
        state.reason = "the record names one table as predecessor and as desired generation";
    else if (state.state == State::foreign)
        state.reason = foreign_reason(record, state);
    return state;
}

} // namespace onceswap::protocol
