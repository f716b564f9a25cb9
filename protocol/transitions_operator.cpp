// What an operator's command may do, from what a pass read.
#include "protocol/transitions_operator.hpp"

#include "protocol/mutant.hpp"

#include <algorithm>

namespace onceswap::protocol {

namespace {

Failure refused(std::string why) {
    return {Code::transition_refused, std::move(why)};
}

bool is_listed(const std::vector<NamedTable>& tables, const NamedTable& table) {
    return std::ranges::find(tables, table) != tables.end();
}

bool lists_name(const std::vector<NamedTable>& tables, const std::string& name) {
    return std::ranges::find(tables, name, &NamedTable::name) != tables.end();
}

bool is_settled(Phase phase) {
    return phase == Phase::completed || phase == Phase::abandoned;
}

/// What applies where `close` does not.
Refusal wrong_phase_to_close(const AuthorityRecord& record) {
    switch (record.phase) {
    case Phase::prepared:
        return refused("nothing was dispatched: `abandon` ends it");
    case Phase::dispatching:
        return refused("it is not committed: `resume` commits it where the evidence allows");
    case Phase::retiring:
        return refused("it is being retired: `resume` goes on with that");
    case Phase::completed:
    case Phase::abandoned:
        return refused("the operation is settled: " + std::string(text(record.phase)));
    case Phase::committed:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
        break;
    }
    if (!record.predecessor)
        return refused("the target had no predecessor to keep: `resume` completes it");
    return std::nullopt;
}

/// A statement that may still move or drop what is to be kept.
Refusal unfinished_cleanup(QueueEvidence evidence) {
    switch (evidence) {
    case QueueEvidence::in_progress:
        return Failure(Code::cleanup_in_progress, "a cleanup statement is still in the queue");
    case QueueEvidence::unreadable:
    case QueueEvidence::unknown_rows:
    case QueueEvidence::diverged:
        return Failure(
            Code::cleanup_unknown,
            "what became of a cleanup statement cannot be told: " + std::string(text(evidence))
        );
    case QueueEvidence::none:
    case QueueEvidence::several:
    case QueueEvidence::changed:
    case QueueEvidence::gone:
    case QueueEvidence::success:
    case QueueEvidence::failure:
        break;
    }
    return std::nullopt;
}

/// Evidence that does not exclude that the statement still takes effect. An entry that left the queue cannot.
bool may_still_arrive(QueueEvidence evidence) {
    return evidence == QueueEvidence::none || evidence == QueueEvidence::several ||
           evidence == QueueEvidence::changed;
}

/// Nobody shows the predecessor any more, and the statement that was to drop it has no end that anybody can
/// see: its receipt never comes, so that nothing but `close` ends this operation.
bool is_gone_without_receipt(const AuthorityRecord& record, QueueEvidence evidence) {
    return record.phase == Phase::cleanup_dispatching && !is_terminal(evidence);
}

Refusal target_not_desired(const AuthorityRecord& record, std::span<const MemberState> members) {
    if (members.size() != record.members.size())
        return Failure(Code::outcome_unknown, "not every member of the record was asked");
    for (const MemberState& member : members) {
        if (member.state == State::unavailable)
            return Failure(
                Code::outcome_unknown, text(member.at) + " does not show its target: " + member.reason
            );
        if (member.state != State::committed && member.state != State::aside &&
            member.state != State::cleaned)
            return refused(
                text(member.at) + " is " + std::string(text(member.state)) +
                ", it does not hold the new generation beside the old one"
            );
    }
    return std::nullopt;
}

} // namespace

Refusal
check_pin(const AuthorityRecord& record, std::int32_t at, std::string_view operation, std::int32_t version) {
    if ((record.operation_id == operation && at == version) || mutated(Mutant::stale_pin_accepted))
        return std::nullopt;
    return Failure(Code::cas_conflict, "the slot is no longer at the operation and version that were named");
}

Refusal may_abandon(const AuthorityRecord& record, const Verdict& verdict) {
    switch (record.phase) {
    case Phase::prepared:
        return std::nullopt;
    case Phase::dispatching:
        if (verdict.word == Word::not_dispatched || mutated(Mutant::abandoned_without_proof))
            return std::nullopt;
        return Failure(verdict.reason, "something may have been dispatched: only `retire` settles it");
    case Phase::committed:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
        return refused("it is committed: `resume` finishes it");
    case Phase::retiring:
        return refused("it is being retired: `resume` goes on with that");
    case Phase::completed:
    case Phase::abandoned:
        return refused("the operation is settled: " + std::string(text(record.phase)));
    }
    return refused("unknown phase");
}

Refusal may_retire(const AuthorityRecord& record, std::span<const MemberState> members) {
    switch (record.phase) {
    case Phase::dispatching:
    case Phase::committed:
        break;
    case Phase::retiring:
        return std::nullopt;
    case Phase::prepared:
        return refused("nothing was dispatched: `abandon` ends it");
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
        return refused("it is committed and its candidate's name is being freed: `resume` or `close` ends it"
        );
    case Phase::completed:
    case Phase::abandoned:
        return refused("the operation is settled: " + std::string(text(record.phase)));
    }
    for (const MemberState& member : members)
        if (member.candidate.role == Role::other)
            return refused(
                text(member.at) + " shows under " + record.candidate +
                " a table that is not of this publication; the statement would move it"
            );
    return std::nullopt;
}

Closing may_close(
    const AuthorityRecord& record,
    std::span<const MemberState> members,
    QueueEvidence evidence,
    const Verdict& verdict
) {
    Closing closing;
    closing.refused = wrong_phase_to_close(record);
    if (!closing.refused && verdict.word == Word::inventory_drift)
        closing.refused = Failure(verdict.reason, "the members are not those that the record names");
    const auto not_desired = closing.refused ? std::nullopt : target_not_desired(record, members);
    if (not_desired && !mutated(Mutant::closed_without_target))
        closing.refused = not_desired;
    const bool cleaning = record.phase != Phase::committed;
    const auto unfinished = closing.refused || !cleaning ? std::nullopt : unfinished_cleanup(evidence);
    if (unfinished && !mutated(Mutant::closed_during_cleanup))
        closing.refused = unfinished;
    if (closing.refused)
        return closing;
    for (const std::string& name : {record.candidate, record.aside}) {
        const bool shown = std::ranges::any_of(members, [&](const MemberState& member) {
            const NameHolding& held = name == record.candidate ? member.candidate : member.aside;
            return held.role == Role::predecessor;
        });
        if (shown)
            closing.remaining.emplace_back(name, record.predecessor->uuid);
    }
    if (closing.remaining.empty()) {
        if (!is_gone_without_receipt(record, evidence)) {
            closing.refused = refused("nothing remains of the predecessor: `resume` completes it");
            return closing;
        }
        closing.remaining.emplace_back(record.aside, record.predecessor->uuid);
        closing.warnings.push_back(
            "no member shows the predecessor any more and no receipt says who dropped it: nothing is kept, "
            "and the record goes on listing " +
            record.aside
        );
        return closing;
    }
    if (closing.remaining.front().name == record.candidate)
        closing.warnings.push_back(
            "the predecessor keeps the name " + record.candidate +
            ": a late duplicate of the EXCHANGE could swap it back; `retire` takes that name away"
        );
    if (cleaning && may_still_arrive(evidence))
        closing.warnings.push_back(
            "a cleanup statement was permitted and its end is not known: it could still move or drop what is "
            "kept"
        );
    return closing;
}

namespace {

Refusal no_orphan(const AuthorityRecord& record, const NamedTable& orphan) {
    if (!is_listed(record.orphans, orphan))
        return refused(
            lists_name(record.orphans, orphan.name)
                ? "the record lists " + orphan.name + " with another uuid"
                : "the record does not list " + orphan.name + " as an orphan"
        );
    if (lists_name(record.retained, orphan.name))
        return refused("the record keeps " + orphan.name + " on purpose");
    const bool named = orphan.name == record.candidate || orphan.name == record.aside;
    if (named && !is_settled(record.phase))
        return refused(orphan.name + " is in use by the operation that holds the slot");
    const bool is_generation =
        orphan.uuid == record.desired.uuid || (record.predecessor && orphan.uuid == record.predecessor->uuid);
    if (is_generation && record.phase != Phase::abandoned)
        return refused(orphan.uuid.text() + " is a generation of the operation that holds the slot");
    if (record.predecessor && orphan.uuid == record.predecessor->uuid)
        return refused(orphan.uuid.text() + " is the target's generation");
    return std::nullopt;
}

} // namespace

Refusal may_drop_orphan(const AuthorityRecord& record, const NamedTable& orphan) {
    auto refusal = no_orphan(record, orphan);
    if (refusal && !mutated(Mutant::orphan_admitted_anyhow))
        return refusal;
    return std::nullopt;
}

} // namespace onceswap::protocol
