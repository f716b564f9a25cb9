// The phase table as a predicate, and what no write may undo.
#include "protocol/mutant.hpp"
#include "protocol/record_step.hpp"
#include "protocol/transitions.hpp"

#include <algorithm>
#include <limits>

namespace onceswap::protocol {

namespace {

bool stays(EpochStep step) {
    return step == EpochStep::same;
}

bool rises(EpochStep step) {
    return step == EpochStep::plus_one;
}

bool from_prepared(Phase to, EpochStep step) {
    switch (to) {
    case Phase::prepared:
    case Phase::abandoned:
        return stays(step);
    case Phase::dispatching:
        return rises(step);
    case Phase::committed:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
    case Phase::retiring:
    case Phase::completed:
        return false;
    }
    return false;
}

bool from_dispatching(Phase to, EpochStep step) {
    switch (to) {
    case Phase::prepared:
    case Phase::dispatching:
    case Phase::committed:
    case Phase::abandoned:
        return stays(step);
    case Phase::retiring:
        return rises(step);
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
    case Phase::completed:
        return false;
    }
    return false;
}

bool from_committed(Phase to, EpochStep step) {
    switch (to) {
    case Phase::set_aside_dispatching:
    case Phase::retiring:
        return rises(step);
    case Phase::completed:
        return stays(step);
    case Phase::prepared:
    case Phase::dispatching:
    case Phase::committed:
    case Phase::cleanup_dispatching:
    case Phase::abandoned:
        return false;
    }
    return false;
}

/// SET_ASIDE_DISPATCHING and CLEANUP_DISPATCHING: to itself, forward, or closed.
bool from_cleanup(Phase from, Phase to, EpochStep step) {
    switch (to) {
    case Phase::set_aside_dispatching:
        return from == to && (stays(step) || rises(step));
    case Phase::cleanup_dispatching:
        return rises(step) || (from == to && stays(step));
    case Phase::completed:
        return stays(step);
    case Phase::prepared:
    case Phase::dispatching:
    case Phase::committed:
    case Phase::retiring:
    case Phase::abandoned:
        return false;
    }
    return false;
}

bool from_retiring(Phase to, EpochStep step) {
    switch (to) {
    case Phase::retiring:
        return stays(step) || rises(step);
    case Phase::completed:
    case Phase::abandoned:
        return stays(step);
    case Phase::prepared:
    case Phase::dispatching:
    case Phase::committed:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
        return false;
    }
    return false;
}

/// What was learnt stays learnt; only an older attempt's receipt is given up, when a newer attempt follows.
bool continues(const DdlAttempt& from, const DdlAttempt& to, bool is_last) {
    const bool same_entry =
        from.entry.empty() || (from.entry == to.entry && from.query_digest == to.query_digest);
    const bool same_result = from.result == HolderResult::none || from.result == to.result;
    const bool same_receipt = !is_last || !from.receipt || from.receipt == to.receipt;
    return from.epoch == to.epoch && from.token == to.token && same_entry && same_result && same_receipt;
}

bool is_fresh(const DdlAttempt& attempt, std::uint64_t epoch) {
    return attempt.epoch == epoch && attempt.entry.empty() && attempt.query_digest.empty() &&
           attempt.result == HolderResult::none && !attempt.receipt;
}

/// `grows`: whether this list is the one that the raised epoch adds an attempt to.
bool continues(
    const std::vector<DdlAttempt>& from, const std::vector<DdlAttempt>& to, bool grows, std::uint64_t epoch
) {
    if (to.size() != from.size() + (grows ? 1U : 0U))
        return false;
    for (std::size_t i = 0; i < from.size(); ++i)
        if (!continues(from[i], to[i], i + 1 == to.size()))
            return false;
    return !grows || is_fresh(to.back(), epoch);
}

std::vector<DdlAttempt> as_list(const std::optional<DdlAttempt>& attempt) {
    return attempt ? std::vector<DdlAttempt>{*attempt} : std::vector<DdlAttempt>{};
}

bool attempts_continue(const AuthorityRecord& from, const AuthorityRecord& to, EpochStep step) {
    const auto list_continues = [&](const auto& before, const auto& after, Phase phase) {
        return continues(before, after, rises(step) && to.phase == phase, to.dispatch_epoch);
    };
    const bool token_withdrawn = from.phase == Phase::dispatching && to.phase == Phase::prepared;
    const bool publication_continues =
        token_withdrawn
            ? !to.publication && step::was_not_dispatched(from.publication)
            : list_continues(as_list(from.publication), as_list(to.publication), Phase::dispatching);
    return publication_continues &&
           list_continues(from.set_aside, to.set_aside, Phase::set_aside_dispatching) &&
           list_continues(from.cleanup, to.cleanup, Phase::cleanup_dispatching) &&
           list_continues(from.retire, to.retire, Phase::retiring);
}

bool keeps(const std::vector<NamedTable>& from, const std::vector<NamedTable>& to) {
    if (to.size() == limits::listed_tables)
        return true; // the oldest may have fallen out
    return std::all_of(from.begin(), from.end(), [&to](const NamedTable& table) {
        return std::find(to.begin(), to.end(), table) != to.end();
    });
}

bool lists(const std::vector<NamedTable>& tables, const std::string& name, const Uuid& uuid) {
    return std::find(tables.begin(), tables.end(), NamedTable{name, uuid}) != tables.end();
}

bool keeps_operation(const AuthorityRecord& from, const AuthorityRecord& to) {
    return from.plan_digest == to.plan_digest && from.created_at == to.created_at && from.recent == to.recent;
}

bool keeps_generations(const AuthorityRecord& from, const AuthorityRecord& to) {
    return from.candidate == to.candidate && from.aside == to.aside &&
           from.inventory_digest == to.inventory_digest && from.members == to.members &&
           from.predecessor == to.predecessor && from.desired == to.desired &&
           from.staged_rows == to.staged_rows && from.canary == to.canary;
}

bool has_last_receipt(const std::vector<DdlAttempt>& attempts) {
    return (!attempts.empty() && attempts.back().receipt.has_value()) ||
           mutated(Mutant::receipt_not_persisted);
}

/// `close` leaves the predecessor where it is and says so.
bool keeps_predecessor(const AuthorityRecord& record) {
    return record.predecessor && (lists(record.retained, record.candidate, record.predecessor->uuid) ||
                                  lists(record.retained, record.aside, record.predecessor->uuid));
}

/// The evidence without which a phase must not be entered.
bool evidence_suffices(const AuthorityRecord& from, const AuthorityRecord& to) {
    if (from.phase == to.phase)
        return true;
    switch (to.phase) {
    case Phase::prepared:
    case Phase::dispatching:
    case Phase::retiring:
        return true;
    case Phase::committed:
        return to.publication && (to.publication->receipt || mutated(Mutant::receipt_not_persisted));
    case Phase::set_aside_dispatching:
        return to.predecessor.has_value();
    case Phase::cleanup_dispatching:
        return to.predecessor && has_last_receipt(to.set_aside);
    case Phase::completed:
        if (from.phase == Phase::retiring)
            return has_last_receipt(to.retire);
        return from.phase == Phase::committed || has_last_receipt(to.cleanup) || keeps_predecessor(to);
    case Phase::abandoned:
        if (from.phase == Phase::retiring)
            return has_last_receipt(to.retire) && lists(to.retained, to.aside, to.desired.uuid);
        return (from.phase == Phase::prepared || step::was_not_dispatched(from.publication)) &&
               lists(to.orphans, to.candidate, to.desired.uuid);
    }
    return false;
}

bool is_allowed_same_operation(const AuthorityRecord& from, const AuthorityRecord& to, EpochStep step) {
    const bool prepared_again = from.phase == Phase::prepared && to.phase == Phase::prepared;
    const bool new_name = prepared_again && from.candidate != to.candidate &&
                          lists(to.orphans, from.candidate, from.desired.uuid);
    const bool names_right = prepared_again ? new_name || mutated(Mutant::candidate_name_reused_by_next_try)
                                            : keeps_generations(from, to);
    const bool fence_right = rises(step) || prepared_again || from.fence_token == to.fence_token;
    return names_right && fence_right && keeps_operation(from, to) && attempts_continue(from, to, step) &&
           evidence_suffices(from, to);
}

bool has_attempts(const AuthorityRecord& record) {
    return record.publication || !record.set_aside.empty() || !record.cleanup.empty() ||
           !record.retire.empty();
}

bool is_allowed_next_operation(const AuthorityRecord& from, const AuthorityRecord& to) {
    const auto is_new = [&to](const RecentOperation& each) {
        return each.operation_id != to.operation_id || mutated(Mutant::settled_operation_prepared_again);
    };
    const RecentOperation settled{from.operation_id, from.phase, from.dispatch_epoch};
    return from.fence_token != to.fence_token && !has_attempts(to) && !to.recent.empty() &&
           to.recent.back() == settled && std::all_of(from.recent.begin(), from.recent.end(), is_new) &&
           std::all_of(to.recent.begin(), to.recent.end(), is_new);
}

} // namespace

EpochStep epoch_step(std::uint64_t from, std::uint64_t to) {
    if (from == to)
        return EpochStep::same;
    const bool is_next = from != std::numeric_limits<std::uint64_t>::max() && from + 1 == to;
    return is_next ? EpochStep::plus_one : EpochStep::other;
}

bool is_allowed_phase_step(Phase from, Phase to, EpochStep step, bool same_operation) {
    if (!same_operation && to == Phase::prepared && mutated(Mutant::unfinished_slot_taken))
        return true;
    switch (from) {
    case Phase::prepared:
        return same_operation && from_prepared(to, step);
    case Phase::dispatching:
        return same_operation && from_dispatching(to, step);
    case Phase::committed:
        return same_operation && from_committed(to, step);
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
        return same_operation && from_cleanup(from, to, step);
    case Phase::retiring:
        return same_operation && from_retiring(to, step);
    case Phase::completed:
    case Phase::abandoned:
        return !same_operation && to == Phase::prepared && rises(step);
    }
    return false;
}

bool is_allowed_creation(const AuthorityRecord& record) {
    return record.phase == Phase::prepared && record.dispatch_epoch == 0 && !has_attempts(record) &&
           record.recent.empty();
}

bool is_allowed_transition(const AuthorityRecord& from, const AuthorityRecord& to) {
    const bool same_operation = from.operation_id == to.operation_id;
    const EpochStep step = epoch_step(from.dispatch_epoch, to.dispatch_epoch);
    if (!is_allowed_phase_step(from.phase, to.phase, step, same_operation))
        return false;
    if (from.target_key != to.target_key || from.cluster != to.cluster || from.target != to.target)
        return false;
    if (from.write_id == to.write_id || to.updated_at < from.updated_at)
        return false;
    if (!keeps(from.orphans, to.orphans) || !keeps(from.retained, to.retained))
        return false;
    return same_operation ? is_allowed_same_operation(from, to, step) : is_allowed_next_operation(from, to);
}

} // namespace onceswap::protocol
