#include "protocol/verdict.hpp"

namespace onceswap::protocol {

std::string_view text(Word word) {
    switch (word) {
    case Word::no_record:
        return "NO_RECORD";
    case Word::authority_lost:
        return "AUTHORITY_LOST";
    case Word::authority_invalid:
        return "AUTHORITY_INVALID";
    case Word::authority_foreign:
        return "AUTHORITY_FOREIGN";
    case Word::abandoned:
        return "ABANDONED";
    case Word::drifted:
        return "DRIFTED";
    case Word::completed:
        return "COMPLETED";
    case Word::outcome_unknown:
        return "OUTCOME_UNKNOWN";
    case Word::retire_in_progress:
        return "RETIRE_IN_PROGRESS";
    case Word::retire_unknown:
        return "RETIRE_UNKNOWN";
    case Word::retire_lost:
        return "RETIRE_LOST";
    case Word::retire_incomplete:
        return "RETIRE_INCOMPLETE";
    case Word::retired_mixed:
        return "RETIRED_MIXED";
    case Word::retirable:
        return "RETIRABLE";
    case Word::inventory_drift:
        return "INVENTORY_DRIFT";
    case Word::ready:
        return "READY";
    case Word::not_dispatched:
        return "NOT_DISPATCHED";
    case Word::in_progress:
        return "IN_PROGRESS";
    case Word::awaiting_receipt:
        return "AWAITING_RECEIPT";
    case Word::partial_in_progress:
        return "PARTIAL_IN_PROGRESS";
    case Word::committed:
        return "COMMITTED";
    case Word::not_committed:
        return "NOT_COMMITTED";
    case Word::partial_terminal:
        return "PARTIAL_TERMINAL";
    case Word::completable:
        return "COMPLETABLE";
    case Word::set_aside_required:
        return "SET_ASIDE_REQUIRED";
    case Word::drop_required:
        return "DROP_REQUIRED";
    case Word::cleanup_in_progress:
        return "CLEANUP_IN_PROGRESS";
    case Word::cleanup_unknown:
        return "CLEANUP_UNKNOWN";
    case Word::cleanup_lost:
        return "CLEANUP_LOST";
    case Word::cleanup_incomplete:
        return "CLEANUP_INCOMPLETE";
    }
    return "OUTCOME_UNKNOWN";
}

std::string_view text(Next next) {
    switch (next) {
    case Next::none:
        return "none";
    case Next::report:
        return "report";
    case Next::read_again:
        return "read_again";
    case Next::wait_for_entry:
        return "wait_for_entry";
    case Next::dispatch:
        return "dispatch";
    case Next::back_to_prepared:
        return "back_to_prepared";
    case Next::persist_receipt:
        return "persist_receipt";
    case Next::set_aside:
        return "set_aside";
    case Next::drop:
        return "drop";
    case Next::redispatch_set_aside:
        return "redispatch_set_aside";
    case Next::redispatch_cleanup:
        return "redispatch_cleanup";
    case Next::redispatch_retire:
        return "redispatch_retire";
    case Next::complete:
        return "complete";
    case Next::settle_retired:
        return "settle_retired";
    case Next::operator_retire:
        return "operator_retire";
    case Next::operator_abandon:
        return "operator_abandon";
    case Next::operator_repair:
        return "operator_repair";
    }
    return "none";
}

int exit_code(Word word) {
    switch (word) {
    case Word::committed:
    case Word::completable:
    case Word::completed:
        return 0;
    case Word::ready:
    case Word::in_progress:
    case Word::partial_in_progress:
    case Word::awaiting_receipt:
    case Word::set_aside_required:
    case Word::drop_required:
    case Word::cleanup_in_progress:
    case Word::cleanup_lost:
    case Word::retire_in_progress:
    case Word::retire_lost:
    case Word::retirable:
        return 3;
    case Word::outcome_unknown:
    case Word::inventory_drift:
    case Word::authority_lost:
    case Word::authority_invalid:
    case Word::authority_foreign:
    case Word::cleanup_unknown:
    case Word::retire_unknown:
        return 4;
    case Word::partial_terminal:
    case Word::retired_mixed:
        return 5;
    case Word::not_committed:
    case Word::not_dispatched:
    case Word::abandoned:
    case Word::no_record:
        return 6;
    case Word::drifted:
        return 7;
    case Word::cleanup_incomplete:
    case Word::retire_incomplete:
        return 9;
    }
    return 4;
}

bool ends_watch(Word word) {
    switch (word) {
    // Reached, or nothing is going on.
    case Word::committed:
    case Word::completable:
    case Word::completed:
    case Word::no_record:
    case Word::abandoned:
    // Only a person changes these.
    case Word::authority_lost:
    case Word::authority_invalid:
    case Word::authority_foreign:
    case Word::drifted:
    case Word::inventory_drift:
    case Word::not_committed:
    case Word::partial_terminal:
    case Word::retired_mixed:
    case Word::cleanup_incomplete:
    case Word::retire_incomplete:
        return true;
    // A reading, an entry or a live publisher can change these.
    case Word::outcome_unknown:
    case Word::ready:
    case Word::not_dispatched:
    case Word::in_progress:
    case Word::awaiting_receipt:
    case Word::partial_in_progress:
    case Word::set_aside_required:
    case Word::drop_required:
    case Word::cleanup_in_progress:
    case Word::cleanup_unknown:
    case Word::cleanup_lost:
    case Word::retire_in_progress:
    case Word::retire_unknown:
    case Word::retire_lost:
    case Word::retirable:
        return false;
    }
    return false;
}

} // namespace onceswap::protocol
