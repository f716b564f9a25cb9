#include "protocol/verdict.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace onceswap::protocol;

constexpr std::array phases{
    Phase::prepared,
    Phase::dispatching,
    Phase::committed,
    Phase::set_aside_dispatching,
    Phase::cleanup_dispatching,
    Phase::retiring,
    Phase::completed,
    Phase::abandoned,
};
constexpr std::array standings{
    RecordStanding::absent,
    RecordStanding::lost,
    RecordStanding::invalid,
    RecordStanding::foreign,
    RecordStanding::valid,
};
constexpr std::array holder_results{
    HolderResult::none,
    HolderResult::acknowledged,
    HolderResult::host_failed,
    HolderResult::rejected,
    HolderResult::not_sent,
    HolderResult::outcome_unknown,
};
constexpr std::array evidences{
    QueueEvidence::none,
    QueueEvidence::in_progress,
    QueueEvidence::success,
    QueueEvidence::failure,
    QueueEvidence::several,
    QueueEvidence::unreadable,
    QueueEvidence::changed,
    QueueEvidence::gone,
    QueueEvidence::unknown_rows,
    QueueEvidence::diverged,
};
constexpr std::array states{
    State::pending,
    State::committed,
    State::aside,
    State::cleaned,
    State::kept_old,
    State::foreign,
    State::unavailable,
};
constexpr std::array words{
    Word::no_record,           Word::authority_lost,
    Word::authority_invalid,   Word::authority_foreign,
    Word::abandoned,           Word::drifted,
    Word::completed,           Word::outcome_unknown,
    Word::retire_in_progress,  Word::retire_unknown,
    Word::retire_lost,         Word::retire_incomplete,
    Word::retired_mixed,       Word::retirable,
    Word::inventory_drift,     Word::ready,
    Word::not_dispatched,      Word::in_progress,
    Word::awaiting_receipt,    Word::partial_in_progress,
    Word::committed,           Word::not_committed,
    Word::partial_terminal,    Word::completable,
    Word::set_aside_required,  Word::drop_required,
    Word::cleanup_in_progress, Word::cleanup_unknown,
    Word::cleanup_lost,        Word::cleanup_incomplete,
};

/// Every multiset of states for two and for three members.
std::vector<std::vector<State>> member_multisets() {
    std::vector<std::vector<State>> all;
    for (std::size_t a = 0; a < states.size(); ++a)
        for (std::size_t b = a; b < states.size(); ++b) {
            all.push_back({states[a], states[b]});
            for (std::size_t c = b; c < states.size(); ++c)
                all.push_back({states[a], states[b], states[c]});
        }
    return all;
}

std::string cell(const VerdictInput& in) {
    std::string out = "record " + std::to_string(static_cast<int>(in.record)) + ", phase " +
                      std::to_string(static_cast<int>(in.phase)) + ", predecessor " +
                      std::to_string(in.has_predecessor) + ", token " +
                      std::to_string(in.has_publication_token) + ", holder " +
                      std::to_string(static_cast<int>(in.holder_result)) + ", evidence " +
                      std::string(text(in.evidence)) + ", receipt " + std::to_string(in.has_receipt) +
                      ", inventory " + std::to_string(in.inventory_matches) + ", members";
    for (const State state : in.members)
        out += " " + std::string(text(state));
    return out;
}

/// Calls `check` for every cell of the table; returns how many there were.
template <class Check>
std::size_t for_every_cell(const Check& check) {
    std::size_t cells = 0;
    const auto multisets = member_multisets();
    for (const RecordStanding record : standings)
        for (const Phase phase : phases)
            for (const bool predecessor : {true, false})
                for (const bool token : {true, false})
                    for (const HolderResult holder : holder_results)
                        for (const QueueEvidence evidence : evidences)
                            for (const bool receipt : {true, false})
                                for (const bool inventory : {true, false})
                                    for (const auto& members : multisets) {
                                        check(VerdictInput{
                                            record,
                                            phase,
                                            predecessor,
                                            token,
                                            holder,
                                            evidence,
                                            receipt,
                                            inventory,
                                            members
                                        });
                                        ++cells;
                                    }
    return cells;
}

/// Collects violations and fails once, with the first cells and the count: a BOOST_TEST for each cell would
/// take hours.
class Violations {
  public:
    void expect(bool holds, const VerdictInput& in, const std::string& what) {
        if (holds)
            return;
        if (count_++ < 5)
            first_ += "\n  " + what + ": " + cell(in);
    }

    ~Violations() { BOOST_TEST(count_ == 0U, count_ << " cells" << first_); }

  private:
    std::size_t count_ = 0;
    std::string first_;
};

// A second formulation: for each word the closed condition under which it is said, without any order of rows.
class Oracle {
  public:
    explicit Oracle(const VerdictInput& in) : in_(in), n_(in.members.size()) {
        for (const State state : in.members)
            ++count_[static_cast<std::size_t>(state)];
        misfits_ = of(State::foreign) + (in.has_predecessor ? 0 : of(State::aside) + of(State::cleaned));
    }

    bool says(Word word) const {
        const std::size_t pending = of(State::pending), committed = of(State::committed);
        const std::size_t cleaned = of(State::cleaned), aside = of(State::aside), kept = of(State::kept_old);
        const bool terminal = evidence({QueueEvidence::success, QueueEvidence::failure});
        const bool open = evidence({QueueEvidence::in_progress});
        const bool absent = evidence({QueueEvidence::none, QueueEvidence::gone});
        const bool puzzling = !terminal && !open && !absent;
        const bool seen = of(State::unavailable) == 0;
        const bool retiring = valid() && phase(Phase::retiring);
        const bool live = valid() && seen && misfits_ == 0 && in_.inventory_matches && unsettled();
        const bool forward = live && pending + kept == 0; // past the commit and nobody went back
        const bool setting = phase(Phase::set_aside_dispatching),
                   dropping = phase(Phase::cleanup_dispatching);
        const bool never_left =
            in_.holder_result == HolderResult::not_sent || in_.holder_result == HolderResult::rejected;
        const bool candidate_there = pending > 0 || (in_.has_predecessor && committed > 0);
        const bool mixed_targets = pending + kept > 0 && pending + kept < n_;
        const bool settled_retire = retiring && seen && misfits_ == 0 && terminal && !candidate_there;
        const bool swap = live && phase(Phase::dispatching) && pending + committed == n_;
        const bool cleanup = forward && (setting || (dropping && committed == 0));
        switch (word) {
        case Word::no_record:
            return in_.record == RecordStanding::absent;
        case Word::authority_lost:
            return in_.record == RecordStanding::lost;
        case Word::authority_foreign:
            return in_.record == RecordStanding::foreign;
        case Word::authority_invalid:
            return in_.record == RecordStanding::invalid ||
                   (in_.record == RecordStanding::valid && !coherent());
        case Word::abandoned:
            return valid() && phase(Phase::abandoned);
        case Word::drifted:
            return valid() && phase(Phase::completed) && pending + kept + misfits_ > 0;
        case Word::completed:
            return valid() && phase(Phase::completed) && seen && pending + kept + misfits_ == 0;
        case Word::retire_in_progress:
            return retiring && seen && misfits_ == 0 && open;
        case Word::retire_unknown:
            return retiring && seen && misfits_ == 0 && puzzling;
        case Word::retire_lost:
            return retiring && seen && misfits_ == 0 && absent;
        case Word::retire_incomplete:
            return retiring && seen && misfits_ == 0 && terminal && candidate_there;
        case Word::retired_mixed:
            return settled_retire && mixed_targets;
        case Word::retirable:
            return settled_retire && !mixed_targets;
        case Word::inventory_drift:
            return valid() && unsettled() && !in_.inventory_matches;
        case Word::ready:
            return live && phase(Phase::prepared) && pending == n_ && evidence({QueueEvidence::none});
        case Word::not_dispatched:
            return swap && pending == n_ && evidence({QueueEvidence::none}) && never_left;
        case Word::in_progress:
            return swap && open && committed == 0;
        case Word::awaiting_receipt:
            return swap && open && pending == 0;
        case Word::partial_in_progress:
            return swap && open && pending > 0 && committed > 0;
        case Word::committed:
            return swap && terminal && pending == 0;
        case Word::not_committed:
            return swap && evidence({QueueEvidence::failure}) && committed == 0;
        case Word::partial_terminal:
            return swap && terminal && pending > 0 && committed > 0;
        case Word::completable:
            return forward && ((phase(Phase::committed) && (cleaned == n_ || !in_.has_predecessor)) ||
                               (dropping && cleaned == n_ && terminal));
        case Word::set_aside_required:
            return forward && phase(Phase::committed) && in_.has_predecessor && committed + aside > 0;
        case Word::cleanup_in_progress:
            return cleanup && open;
        case Word::cleanup_unknown:
            return cleanup && puzzling;
        case Word::cleanup_lost:
            return cleanup && absent;
        case Word::drop_required:
            return cleanup && terminal && setting && committed == 0;
        case Word::cleanup_incomplete:
            return cleanup && terminal && ((setting && committed > 0) || (dropping && aside > 0));
        case Word::outcome_unknown:
            return valid() &&
                   ((phase(Phase::completed) && !seen && pending + kept + misfits_ == 0) ||
                    (phase(Phase::retiring) && (!seen || misfits_ > 0)) ||
                    (unsettled() && in_.inventory_matches && (!seen || misfits_ > 0)) ||
                    (live && phase(Phase::prepared) && !(pending == n_ && evidence({QueueEvidence::none}))) ||
                    (live && phase(Phase::dispatching) && pending + committed < n_) ||
                    (swap && (puzzling || evidence({QueueEvidence::gone}))) ||
                    (swap && evidence({QueueEvidence::none}) && !(never_left && pending == n_)) ||
                    (swap && evidence({QueueEvidence::success}) && pending == n_) ||
                    (live && (phase(Phase::committed) || setting || dropping) && pending + kept > 0) ||
                    (forward && dropping && committed > 0));
        }
        return false;
    }

  private:
    std::size_t of(State state) const { return count_[static_cast<std::size_t>(state)]; }

    bool phase(Phase phase) const { return in_.phase == phase; }

    bool evidence(std::initializer_list<QueueEvidence> any) const {
        return std::find(any.begin(), any.end(), in_.evidence) != any.end();
    }

    bool coherent() const {
        const bool settled = phase(Phase::completed) || phase(Phase::abandoned);
        const bool token_fits = settled || in_.has_publication_token != phase(Phase::prepared);
        const bool cleanup = phase(Phase::set_aside_dispatching) || phase(Phase::cleanup_dispatching);
        return token_fits && (in_.has_predecessor || !cleanup);
    }

    bool valid() const { return in_.record == RecordStanding::valid && coherent(); }

    /// A phase of which the inventory is asked.
    bool unsettled() const {
        return !phase(Phase::completed) && !phase(Phase::abandoned) && !phase(Phase::retiring);
    }

    const VerdictInput& in_;
    std::size_t n_;
    std::array<std::size_t, 7> count_{};
    std::size_t misfits_ = 0;
};

BOOST_AUTO_TEST_SUITE(verdict)

BOOST_AUTO_TEST_CASE(every_cell_has_exactly_one_word_and_it_is_the_oracles) {
    Violations violations;
    std::map<int, std::size_t> hits;
    std::set<Word> said;
    const std::size_t cells = for_every_cell([&](const VerdictInput& in) {
        const Verdict verdict = classify(in);
        const Oracle oracle(in);
        std::size_t claims = 0;
        for (const Word word : words)
            claims += oracle.says(word);
        violations.expect(claims == 1, in, std::to_string(claims) + " words claim the cell");
        violations.expect(oracle.says(verdict.word), in, "said " + std::string(text(verdict.word)));
        ++hits[verdict.row];
        said.insert(verdict.word);
    });
    BOOST_TEST(cells == 5U * 8 * 2 * 2 * 6 * 10 * 2 * 2 * (28 + 84));
    for (int row = 1; row <= 28; ++row)
        BOOST_TEST(hits[row] > 0U, "row " << row << " is dead");
    BOOST_TEST(hits.size() == 28U);
    for (const Word word : words)
        BOOST_TEST(said.contains(word), text(word) << " is never said");
}

// What must hold whatever the table looks like.
BOOST_AUTO_TEST_CASE(soundness) {
    Violations violations;
    for_every_cell([&](const VerdictInput& in) {
        const Verdict verdict = classify(in);
        const auto all = [&in](std::initializer_list<State> any) {
            return std::ranges::all_of(in.members, [any](State state) {
                return std::find(any.begin(), any.end(), state) != any.end();
            });
        };
        const auto none_is = [&in](State state) {
            return std::ranges::find(in.members, state) == in.members.end();
        };
        const bool unknown_evidence = !is_terminal(in.evidence) &&
                                      in.evidence != QueueEvidence::in_progress &&
                                      in.evidence != QueueEvidence::none;
        switch (verdict.word) {
        case Word::committed:
            violations.expect(
                all({State::committed}) && is_terminal(in.evidence), in, "COMMITTED without proof"
            );
            break;
        case Word::not_committed:
            violations.expect(
                all({State::pending}) && in.evidence == QueueEvidence::failure,
                in,
                "NOT_COMMITTED without proof"
            );
            break;
        case Word::not_dispatched:
            violations.expect(
                all({State::pending}) && in.evidence == QueueEvidence::none,
                in,
                "NOT_DISPATCHED without proof"
            );
            break;
        case Word::drop_required:
            violations.expect(
                all({State::aside, State::cleaned}) && is_terminal(in.evidence) && in.has_predecessor,
                in,
                "DROP_REQUIRED without proof"
            );
            violations.expect(verdict.next != Next::drop || in.has_receipt, in, "a drop without receipt");
            break;
        case Word::completable:
            violations.expect(
                in.has_predecessor ? all({State::cleaned}) : all({State::committed}),
                in,
                "COMPLETABLE without proof"
            );
            break;
        case Word::completed:
            violations.expect(
                all({State::committed, State::aside, State::cleaned}), in, "COMPLETED with another target"
            );
            break;
        case Word::retirable:
            violations.expect(is_terminal(in.evidence), in, "RETIRABLE without an end");
            violations.expect(
                all({State::kept_old}) || all({State::committed, State::aside, State::cleaned}),
                in,
                "RETIRABLE with targets that differ"
            );
            break;
        default:
            break;
        }
        // Nothing is sent while a member is unseen or odd, while the record is not ours, or in a publication
        // whose evidence cannot be read.
        const bool sends = verdict.next == Next::dispatch || verdict.next == Next::set_aside ||
                           verdict.next == Next::drop || verdict.next == Next::redispatch_set_aside ||
                           verdict.next == Next::redispatch_cleanup ||
                           verdict.next == Next::redispatch_retire;
        if (sends) {
            violations.expect(in.record == RecordStanding::valid, in, "a mutation without a record");
            violations.expect(
                none_is(State::unavailable) && none_is(State::foreign), in, "a mutation with a member unseen"
            );
            violations.expect(
                in.evidence != QueueEvidence::in_progress || in.phase == Phase::committed,
                in,
                "a mutation beside an open entry"
            );
            violations.expect(
                !unknown_evidence || in.evidence == QueueEvidence::gone || in.phase == Phase::committed,
                in,
                "a mutation on unreadable evidence"
            );
        }
        violations.expect(
            verdict.next != Next::dispatch || in.phase == Phase::prepared,
            in,
            "a second dispatch of a publication"
        );
        // An unknown thing is never a success and never a proven failure.
        if (in.record == RecordStanding::valid && in.phase == Phase::dispatching && unknown_evidence)
            violations.expect(exit_code(verdict.word) == 4, in, "a verdict from unknown evidence");
    });
}

BOOST_AUTO_TEST_CASE(the_order_of_members_means_nothing) {
    Violations violations;
    for (const Phase phase : phases)
        for (const bool predecessor : {true, false})
            for (const QueueEvidence evidence : evidences)
                for (const State a : states)
                    for (const State b : states)
                        for (const State c : states) {
                            std::array members{a, b, c};
                            VerdictInput in;
                            in.record = RecordStanding::valid;
                            in.phase = phase;
                            in.has_predecessor = predecessor;
                            in.has_publication_token = phase != Phase::prepared;
                            in.evidence = evidence;
                            in.members = members;
                            const Verdict given = classify(in);
                            std::ranges::sort(members);
                            const Verdict sorted = classify(in);
                            violations.expect(
                                given.word == sorted.word && given.row == sorted.row &&
                                    given.next == sorted.next,
                                in,
                                "order changed the verdict"
                            );
                        }
}

BOOST_AUTO_TEST_CASE(no_member_is_not_all_members) {
    Violations violations;
    for (const Phase phase : phases)
        for (const bool predecessor : {true, false})
            for (const bool token : {true, false})
                for (const QueueEvidence evidence : evidences) {
                    VerdictInput in;
                    in.record = RecordStanding::valid;
                    in.phase = phase;
                    in.has_predecessor = predecessor;
                    in.has_publication_token = token;
                    in.evidence = evidence;
                    const Word word = classify(in).word;
                    violations.expect(
                        word == Word::outcome_unknown || word == Word::authority_invalid ||
                            word == Word::abandoned,
                        in,
                        "a verdict about nobody: " + std::string(text(word))
                    );
                }
}

BOOST_AUTO_TEST_CASE(the_detail_names_members_and_evidence) {
    const std::array members{State::pending, State::foreign, State::foreign};
    VerdictInput in;
    in.record = RecordStanding::valid;
    in.phase = Phase::dispatching;
    in.has_publication_token = true;
    in.evidence = QueueEvidence::unreadable;
    in.members = members;
    BOOST_TEST(classify(in).detail == "member 1: PENDING; members 2, 3: FOREIGN; queue: unreadable");
}

BOOST_AUTO_TEST_CASE(words_have_their_exit_codes) {
    const std::map<int, std::set<std::string_view>> expected{
        {0, {"COMMITTED", "COMPLETABLE", "COMPLETED"}},
        {3,
         {"READY",
          "IN_PROGRESS",
          "PARTIAL_IN_PROGRESS",
          "AWAITING_RECEIPT",
          "SET_ASIDE_REQUIRED",
          "DROP_REQUIRED",
          "CLEANUP_IN_PROGRESS",
          "CLEANUP_LOST",
          "RETIRE_IN_PROGRESS",
          "RETIRE_LOST",
          "RETIRABLE"}},
        {4,
         {"OUTCOME_UNKNOWN",
          "INVENTORY_DRIFT",
          "AUTHORITY_LOST",
          "AUTHORITY_INVALID",
          "AUTHORITY_FOREIGN",
          "CLEANUP_UNKNOWN",
          "RETIRE_UNKNOWN"}},
        {5, {"PARTIAL_TERMINAL", "RETIRED_MIXED"}},
        {6, {"NOT_COMMITTED", "NOT_DISPATCHED", "ABANDONED", "NO_RECORD"}},
        {7, {"DRIFTED"}},
        {9, {"CLEANUP_INCOMPLETE", "RETIRE_INCOMPLETE"}},
    };
    std::map<int, std::set<std::string_view>> actual;
    for (const Word word : words)
        actual[exit_code(word)].insert(text(word));
    BOOST_TEST((actual == expected));
}

BOOST_AUTO_TEST_CASE(a_word_that_is_no_success_has_the_code_of_its_name) {
    std::set<Word> seen;
    for_every_cell([&seen](const VerdictInput& in) {
        const Verdict verdict = classify(in);
        if (exit_code(verdict.word) == 0 || verdict.word == Word::outcome_unknown ||
            !seen.insert(verdict.word).second)
            return;
        const std::string expected =
            verdict.word == Word::abandoned ? "OPERATION_ABANDONED" : std::string(text(verdict.word));
        BOOST_TEST(stable_name(verdict.reason) == "ONCESWAP_" + expected);
    });
}

// A watch may stop only where another reading, the open entry or a live publisher cannot change the word.
BOOST_AUTO_TEST_CASE(what_ends_a_watch) {
    Violations violations;
    for_every_cell([&](const VerdictInput& in) {
        const Verdict verdict = classify(in);
        if (verdict.next == Next::read_again || verdict.next == Next::wait_for_entry ||
            verdict.next == Next::dispatch || verdict.next == Next::set_aside || verdict.next == Next::drop ||
            verdict.next == Next::back_to_prepared)
            violations.expect(!ends_watch(verdict.word), in, "stops at " + std::string(text(verdict.word)));
        if (verdict.word == Word::completed || verdict.next == Next::operator_repair)
            violations.expect(ends_watch(verdict.word), in, "goes on at " + std::string(text(verdict.word)));
    });
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
