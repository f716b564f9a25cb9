#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/error_code.hpp"
#include "protocol/member_state.hpp"
#include "protocol/queue_evidence.hpp"

#include <span>
#include <string>
#include <string_view>

namespace onceswap::protocol {

enum class Word {
    no_record,
    authority_lost,
    authority_invalid,
    authority_foreign,
    abandoned,
    drifted,
    completed,
    outcome_unknown,
    retire_in_progress,
    retire_unknown,
    retire_lost,
    retire_incomplete,
    retired_mixed,
    retirable,
    inventory_drift,
    ready,
    not_dispatched,
    in_progress,
    awaiting_receipt,
    partial_in_progress,
    committed,
    not_committed,
    partial_terminal,
    completable,
    set_aside_required,
    drop_required,
    cleanup_in_progress,
    cleanup_unknown,
    cleanup_lost,
    cleanup_incomplete,
};
std::string_view text(Word word); ///< upper case with underscores

/// What a holder of the right role may do next. Nothing here is an order: each effect has its own admission.
/// `read_again` says that another reading can bring a better answer by itself, `none` that it cannot.
enum class Next {
    none,
    report,
    read_again,
    wait_for_entry,
    dispatch,
    back_to_prepared,
    persist_receipt,
    set_aside,
    drop,
    redispatch_set_aside,
    redispatch_cleanup,
    redispatch_retire,
    complete,
    settle_retired,
    operator_retire,
    operator_abandon,
    operator_repair,
};
std::string_view text(Next next);

enum class RecordStanding { absent, lost, invalid, foreign, valid };

/// The four axes of the verdict table, nothing else. Small enums only, so that every cell can be enumerated.
struct VerdictInput {
    RecordStanding record = RecordStanding::absent;
    Phase phase = Phase::prepared;
    bool has_predecessor = true;
    bool has_publication_token = false;
    HolderResult holder_result = HolderResult::none;
    QueueEvidence evidence = QueueEvidence::none;
    bool has_receipt = false; ///< the phase's own attempt has a persisted receipt
    bool inventory_matches = true;
    std::span<const State> members; ///< one per member; empty counts as a member that did not answer
};

struct Verdict {
    Word word = Word::outcome_unknown;
    int row = 0; ///< number of the row in docs/protocol.md that fitted
    Next next = Next::none;
    Code reason = Code::outcome_unknown; ///< meaningless for a success, that is where exit_code(word) is 0
    std::string detail;                  ///< which member, which evidence
};

/// The first row that fits. Total: defined for every input, pure, no allocation that can fail beyond the
/// detail text.
Verdict classify(const VerdictInput& input);

/// 0 ... 9 as docs/cli.md lists them; total over the words.
int exit_code(Word word);

/// A word that ends a watch: waiting longer cannot change it without an operator.
bool ends_watch(Word word);

} // namespace onceswap::protocol
