#include "protocol/admission.hpp"
#include "protocol/mutant.hpp"

namespace onceswap::protocol {

namespace {

SlotDecision decide_own(Phase phase) {
    switch (phase) {
    case Phase::completed:
        return SlotDecision::answer_completed;
    case Phase::abandoned:
        return SlotDecision::refuse_abandoned;
    case Phase::prepared:
    case Phase::dispatching:
    case Phase::committed:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
    case Phase::retiring:
        return SlotDecision::resume;
    }
    return SlotDecision::resume;
}

} // namespace

SlotDecision decide_slot(const std::optional<AuthorityRecord>& record, std::string_view operation_id) {
    if (!record)
        return SlotDecision::create;
    if (record->operation_id == operation_id)
        return decide_own(record->phase);
    // An operation that the slot remembers is answered from it and never prepared again, whoever holds the
    // slot now.
    bool was_abandoned = false;
    for (const RecentOperation& recent : record->recent) {
        if (recent.operation_id != operation_id || mutated(Mutant::settled_operation_prepared_again))
            continue;
        if (recent.outcome == Phase::completed)
            return SlotDecision::answer_completed;
        was_abandoned = true;
    }
    if (was_abandoned)
        return SlotDecision::refuse_abandoned;
    switch (record->phase) {
    case Phase::completed:
    case Phase::abandoned:
        return SlotDecision::prepare;
    case Phase::prepared:
    case Phase::dispatching:
    case Phase::committed:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
    case Phase::retiring:
        return mutated(Mutant::unfinished_slot_taken) ? SlotDecision::prepare
                                                      : SlotDecision::resume_other_first;
    }
    return SlotDecision::resume_other_first;
}

} // namespace onceswap::protocol
