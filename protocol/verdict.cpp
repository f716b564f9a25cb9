#include "protocol/verdict.hpp"

#include "protocol/mutant.hpp"

#include <algorithm>
#include <initializer_list>

namespace onceswap::protocol {

namespace {

/// Successes have none; the field has a value all the same.
constexpr Code no_reason = Code::outcome_unknown;

/// The questions that the table asks of the members.
class Members {
  public:
    Members(std::span<const State> states, bool has_predecessor)
        : states_(states), has_predecessor_(has_predecessor) {}

    bool some(std::initializer_list<State> wanted) const {
        return std::any_of(states_.begin(), states_.end(), [&](State state) {
            return std::find(wanted.begin(), wanted.end(), meant(state)) != wanted.end();
        });
    }

    bool all(std::initializer_list<State> wanted) const {
        return !states_.empty() && std::all_of(states_.begin(), states_.end(), [&](State state) {
            return std::find(wanted.begin(), wanted.end(), meant(state)) != wanted.end();
        });
    }

    bool some_unavailable() const { return states_.empty() || some({State::unavailable}); }

    bool some_foreign() const { return some({State::foreign}); }

    bool some_target_not_desired() const { return some({State::pending, State::kept_old, State::foreign}); }

    bool all_targets_desired() const { return all({State::committed, State::aside, State::cleaned}); }

    bool no_target_desired() const { return all({State::pending, State::kept_old}); }

    /// Some member's candidate name still holds one of the two generations, so that a late statement could
    /// swap it. A committed member of an absent target has moved its only one away.
    bool some_candidate_there() const {
        return some({State::pending}) || (has_predecessor_ && some({State::committed}));
    }

    /// `members 1, 3: FOREIGN; member 2: PENDING`, numbered in inventory order.
    std::string describe() const {
        if (states_.empty())
            return "no member answered";
        std::string out;
        for (const State state :
             {State::pending,
              State::committed,
              State::aside,
              State::cleaned,
              State::kept_old,
              State::foreign,
              State::unavailable}) {
            std::string numbers;
            std::size_t count = 0;
            for (std::size_t i = 0; i < states_.size(); ++i)
                if (states_[i] == state) {
                    numbers += (count++ == 0 ? " " : ", ") + std::to_string(i + 1);
                }
            if (count != 0)
                out += (out.empty() ? "member" : "; member") + std::string(count > 1 ? "s" : "") + numbers +
                       ": " + std::string(text(state));
        }
        return out;
    }

  private:
    /// An absent target has no predecessor to set aside or to drop: who shows that is not one of its states.
    State meant(State state) const {
        return !has_predecessor_ && (state == State::aside || state == State::cleaned) ? State::foreign
                                                                                       : state;
    }

    std::span<const State> states_;
    bool has_predecessor_;
};

bool has_dispatched(Phase phase) {
    switch (phase) {
    case Phase::dispatching:
    case Phase::committed:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
    case Phase::retiring:
        return true;
    case Phase::prepared:
    case Phase::completed:
    case Phase::abandoned:
        return false;
    }
    return false;
}

/// Fields that no write of ours puts together.
bool contradicts_itself(const VerdictInput& in) {
    const bool needs_predecessor =
        in.phase == Phase::set_aside_dispatching || in.phase == Phase::cleanup_dispatching;
    return (in.phase == Phase::prepared && in.has_publication_token) ||
           (has_dispatched(in.phase) && !in.has_publication_token) ||
           (needs_predecessor && !in.has_predecessor);
}

/// Whether the same question can bring a better answer by itself.
bool is_transient(QueueEvidence evidence) {
    switch (evidence) {
    case QueueEvidence::none:
    case QueueEvidence::in_progress:
    case QueueEvidence::unreadable:
    case QueueEvidence::unknown_rows:
        return true;
    case QueueEvidence::success:
    case QueueEvidence::failure:
    case QueueEvidence::several:
    case QueueEvidence::changed:
    case QueueEvidence::gone:
    case QueueEvidence::diverged:
        return false;
    }
    return false;
}

/// Neither progress nor an end nor absence.
bool is_unusable(QueueEvidence evidence) {
    switch (evidence) {
    case QueueEvidence::several:
    case QueueEvidence::unreadable:
    case QueueEvidence::changed:
    case QueueEvidence::unknown_rows:
    case QueueEvidence::diverged:
        return true;
    case QueueEvidence::none:
    case QueueEvidence::in_progress:
    case QueueEvidence::success:
    case QueueEvidence::failure:
    case QueueEvidence::gone:
        return false;
    }
    return false;
}

Code reason_of(QueueEvidence evidence) {
    switch (evidence) {
    case QueueEvidence::none:
    case QueueEvidence::gone:
        return Code::ddl_unbound;
    case QueueEvidence::several:
        return Code::ddl_ambiguous;
    case QueueEvidence::unreadable:
        return Code::queue_unreadable;
    case QueueEvidence::changed:
        return Code::ddl_changed;
    case QueueEvidence::diverged:
        return Code::queue_diverged;
    case QueueEvidence::in_progress:
    case QueueEvidence::success:
    case QueueEvidence::failure:
    case QueueEvidence::unknown_rows:
        return Code::outcome_unknown;
    }
    return Code::outcome_unknown;
}

Next again_or(QueueEvidence evidence, Next otherwise) {
    return is_transient(evidence) ? Next::read_again : otherwise;
}

/// What the row says, before the words for people.
struct Fit {
    Fit(int row_, Word word_, Next next_, Code reason_, std::string_view why_ = {})
        : row(row_), word(word_), next(next_), reason(reason_), why(why_) {}

    int row;
    Word word;
    Next next;
    Code reason;
    std::string_view why;
};

Fit retiring(const VerdictInput& in, const Members& members) {
    if (members.some_unavailable() || members.some_foreign())
        return {5, Word::outcome_unknown, Next::read_again, Code::outcome_unknown};
    if (in.evidence == QueueEvidence::in_progress)
        return {6, Word::retire_in_progress, Next::wait_for_entry, Code::retire_in_progress};
    if (is_unusable(in.evidence))
        return {6, Word::retire_unknown, again_or(in.evidence, Next::none), Code::retire_unknown};
    if (!is_terminal(in.evidence))
        return {6, Word::retire_lost, Next::redispatch_retire, Code::retire_lost};
    if (members.some_candidate_there() && !mutated(Mutant::retired_with_candidate_there))
        return {6, Word::retire_incomplete, Next::redispatch_retire, Code::retire_incomplete};
    if (!members.all_targets_desired() && !members.no_target_desired() &&
        !mutated(Mutant::retired_mixed_settled))
        return {7, Word::retired_mixed, Next::operator_repair, Code::retired_mixed};
    return {
        7, Word::retirable, in.has_receipt ? Next::settle_retired : Next::persist_receipt, Code::retirable
    };
}

Fit prepared(const VerdictInput& in, const Members& members) {
    if (members.all({State::pending}) && in.evidence == QueueEvidence::none)
        return {11, Word::ready, Next::dispatch, Code::ready};
    if (in.evidence == QueueEvidence::unreadable)
        return {
            12, Word::outcome_unknown, Next::read_again, Code::queue_unreadable, "the queue could not be read"
        };
    return {12, Word::outcome_unknown, Next::none, Code::outcome_unknown, "moved before any dispatch"};
}

Fit dispatching(const VerdictInput& in, const Members& members) {
    const bool never_left =
        in.holder_result == HolderResult::not_sent || in.holder_result == HolderResult::rejected;
    if (never_left && members.all({State::pending}) && in.evidence == QueueEvidence::none)
        return {13, Word::not_dispatched, Next::back_to_prepared, Code::not_dispatched};
    if (members.some({State::aside, State::cleaned, State::kept_old}))
        return {14, Word::outcome_unknown, Next::none, Code::outcome_unknown, "the candidate's name is gone"};
    if (in.evidence != QueueEvidence::in_progress && !is_terminal(in.evidence))
        return {
            15, Word::outcome_unknown, again_or(in.evidence, Next::operator_retire), reason_of(in.evidence)
        };
    if (in.evidence == QueueEvidence::in_progress) {
        if (members.all({State::pending}))
            return {16, Word::in_progress, Next::wait_for_entry, Code::in_progress};
        if (members.all({State::committed}))
            return {16, Word::awaiting_receipt, Next::wait_for_entry, Code::awaiting_receipt};
        return {16, Word::partial_in_progress, Next::wait_for_entry, Code::partial_in_progress};
    }
    if (members.all({State::committed}))
        return {17, Word::committed, Next::persist_receipt, no_reason};
    if (in.evidence == QueueEvidence::success && mutated(Mutant::catalogue_not_asked))
        return {17, Word::committed, Next::persist_receipt, no_reason};
    if (in.evidence == QueueEvidence::failure && !members.all({State::pending}) &&
        mutated(Mutant::failure_alone_decides))
        return {18, Word::not_committed, Next::operator_retire, Code::not_committed};
    if (members.all({State::pending})) {
        if (in.evidence == QueueEvidence::failure)
            return {18, Word::not_committed, Next::operator_retire, Code::not_committed};
        return {
            18,
            Word::outcome_unknown,
            Next::operator_retire,
            Code::outcome_unknown,
            "the queue says done and the catalogues do not"
        };
    }
    return {19, Word::partial_terminal, Next::operator_retire, Code::partial_terminal};
}

Fit cleaning(const VerdictInput& in, const Members& members) {
    const bool dropping = in.phase == Phase::cleanup_dispatching;
    const Next redispatch = dropping ? Next::redispatch_cleanup : Next::redispatch_set_aside;
    if (members.some({State::pending, State::kept_old}) && !mutated(Mutant::regressed_member_ignored))
        return {20, Word::outcome_unknown, Next::none, Code::outcome_unknown, "a member went back"};
    if (in.phase == Phase::committed && (!in.has_predecessor || members.all({State::cleaned})))
        return {21, Word::completable, Next::complete, no_reason};
    if (dropping && members.all({State::cleaned}) && is_terminal(in.evidence))
        return {21, Word::completable, Next::complete, no_reason};
    if (in.phase == Phase::committed)
        return {22, Word::set_aside_required, Next::set_aside, Code::set_aside_required};
    if (dropping && members.some({State::committed}))
        return {
            23, Word::outcome_unknown, Next::none, Code::outcome_unknown, "the candidate's name came back"
        };
    if (in.evidence == QueueEvidence::in_progress && !mutated(Mutant::cleanup_redispatched_in_progress))
        return {24, Word::cleanup_in_progress, Next::wait_for_entry, Code::cleanup_in_progress};
    if (is_unusable(in.evidence))
        return {25, Word::cleanup_unknown, again_or(in.evidence, Next::none), Code::cleanup_unknown};
    if (!is_terminal(in.evidence))
        return {26, Word::cleanup_lost, redispatch, Code::cleanup_lost};
    if (!dropping && members.all({State::aside, State::cleaned}))
        return {
            27, Word::drop_required, in.has_receipt ? Next::drop : Next::persist_receipt, Code::drop_required
        };
    return {28, Word::cleanup_incomplete, redispatch, Code::cleanup_incomplete};
}

/// The table of docs/protocol.md, row by row. Phases whose rows stand next to each other have a function of
/// their own.
Fit first_row_that_fits(const VerdictInput& in, const Members& members) {
    if (in.record == RecordStanding::absent)
        return {1, Word::no_record, Next::none, Code::no_record};
    if (in.record == RecordStanding::lost)
        return {1, Word::authority_lost, Next::none, Code::authority_lost};
    if (in.record == RecordStanding::foreign)
        return {2, Word::authority_foreign, Next::none, Code::authority_foreign};
    if (in.record == RecordStanding::invalid || contradicts_itself(in))
        return {2, Word::authority_invalid, Next::none, Code::authority_invalid};
    if (in.phase == Phase::abandoned)
        return {3, Word::abandoned, Next::none, Code::operation_abandoned};
    if (in.phase == Phase::completed) {
        if (members.some_target_not_desired())
            return {4, Word::drifted, Next::report, Code::drifted};
        if (members.some_unavailable())
            return {4, Word::outcome_unknown, Next::read_again, Code::outcome_unknown};
        return {4, Word::completed, Next::report, no_reason};
    }
    if (in.phase == Phase::retiring) // rows 5 to 7
        return retiring(in, members);
    if (in.phase == Phase::set_aside_dispatching && is_terminal(in.evidence) &&
        !members.all({State::aside, State::cleaned}) && mutated(Mutant::cleanup_by_name))
        return {27, Word::drop_required, Next::drop, Code::drop_required};
    if (!in.inventory_matches)
        return {8, Word::inventory_drift, Next::none, Code::inventory_drift};
    if (members.some_unavailable())
        return {9, Word::outcome_unknown, Next::read_again, Code::outcome_unknown};
    if (members.some_foreign())
        return {10, Word::outcome_unknown, Next::none, Code::outcome_unknown};
    if (in.phase == Phase::prepared) // rows 11 and 12
        return prepared(in, members);
    if (in.phase == Phase::dispatching) // rows 13 to 19
        return dispatching(in, members);
    return cleaning(in, members); // rows 20 to 28
}

} // namespace

Verdict classify(const VerdictInput& input) {
    const Members members(input.members, input.has_predecessor);
    const Fit fit = first_row_that_fits(input, members);
    Verdict verdict;
    verdict.word = fit.word;
    verdict.row = fit.row;
    verdict.next = fit.next;
    verdict.reason = fit.reason;
    if (fit.row > 3) {
        if (!fit.why.empty())
            verdict.detail = std::string(fit.why) + "; ";
        verdict.detail += members.describe() + "; queue: " + std::string(text(input.evidence));
    }
    return verdict;
}

} // namespace onceswap::protocol
