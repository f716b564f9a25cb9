#include "operator_record.hpp"
#include "protocol/transitions.hpp"
#include "protocol/transitions_operator.hpp"
#include "record_generator.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

// Every phase with every pair of member states and every evidence, against rules that are written down here a
// second time and without an order.

namespace {

using namespace onceswap::protocol;
using namespace onceswap::testing;

bool is_cleaning(Phase phase) {
    return phase == Phase::set_aside_dispatching || phase == Phase::cleanup_dispatching;
}

BOOST_AUTO_TEST_SUITE(transitions_operator)

BOOST_AUTO_TEST_CASE(a_pin_is_operation_and_version) {
    const auto record = operator_record(Phase::dispatching);
    BOOST_TEST(!check_pin(record, 7, record.operation_id, 7));
    for (const auto& refusal :
         {check_pin(record, 7, record.operation_id, 6),
          check_pin(record, 7, record.operation_id, 8),
          check_pin(record, 7, std::string(64, 'b'), 7),
          check_pin(record, 7, "", 7)}) {
        BOOST_REQUIRE(refusal);
        BOOST_TEST((refusal->code == Code::cas_conflict));
    }
}

BOOST_AUTO_TEST_CASE(abandon_needs_that_nothing_was_dispatched) {
    for (const Phase phase : all_phases) {
        for (int number = 0; number <= static_cast<int>(Word::cleanup_incomplete); ++number) {
            Verdict verdict;
            verdict.word = static_cast<Word>(number);
            verdict.reason = Code::ddl_unbound;
            const auto refusal = may_abandon(operator_record(phase), verdict);
            const bool allowed = phase == Phase::prepared ||
                                 (phase == Phase::dispatching && verdict.word == Word::not_dispatched);
            BOOST_TEST(!refusal == allowed, text(phase) << ' ' << text(verdict.word));
            if (refusal) {
                const bool by_phase = phase != Phase::dispatching;
                BOOST_TEST((refusal->code == (by_phase ? Code::transition_refused : Code::ddl_unbound)));
                BOOST_TEST(!refusal->detail.empty());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(retire_needs_a_phase_and_no_foreign_candidate) {
    for (const bool existing : {true, false})
        for (const Phase phase : all_phases)
            for (const State first : all_states)
                for (const State second : all_states) {
                    const auto record = operator_record(phase, existing);
                    const std::vector<MemberState> members{
                        shown_state(record, 0, first), shown_state(record, 1, second)
                    };
                    const auto refusal = may_retire(record, members);
                    const bool foreign = first == State::foreign || second == State::foreign;
                    const bool begins =
                        (phase == Phase::dispatching || phase == Phase::committed) && !foreign;
                    BOOST_TEST(
                        !refusal == (begins || phase == Phase::retiring),
                        text(phase) << ' ' << text(first) << ' ' << text(second)
                    );
                    if (refusal)
                        BOOST_TEST((refusal->code == Code::transition_refused));
                }
}

BOOST_AUTO_TEST_CASE(close_needs_the_new_generation_everywhere_and_something_to_list) {
    std::size_t allowed_cells = 0;
    for (const bool existing : {true, false})
        for (const bool drift : {true, false})
            for (const Phase phase : all_phases)
                for (const QueueEvidence evidence : all_evidence)
                    for (const State first : all_states)
                        for (const State second : all_states) {
                            const auto record = operator_record(phase, existing);
                            const std::vector<MemberState> members{
                                shown_state(record, 0, first), shown_state(record, 1, second)
                            };
                            Verdict verdict;
                            verdict.word = drift ? Word::inventory_drift : Word::outcome_unknown;
                            const Closing closing = may_close(record, members, evidence, verdict);
                            const std::set<State> states{first, second};
                            const auto has = [&](State state) { return states.contains(state); };
                            const bool desired_everywhere = !has(State::pending) && !has(State::kept_old) &&
                                                            !has(State::foreign) && !has(State::unavailable);
                            const bool open = evidence == QueueEvidence::in_progress ||
                                              evidence == QueueEvidence::unreadable ||
                                              evidence == QueueEvidence::unknown_rows ||
                                              evidence == QueueEvidence::diverged;
                            const bool something = has(State::committed) || has(State::aside);
                            const bool terminal =
                                evidence == QueueEvidence::success || evidence == QueueEvidence::failure;
                            // Nobody shows it, and nobody will ever see a receipt.
                            const bool vanished =
                                phase == Phase::cleanup_dispatching && !something && !terminal;
                            const bool allowed = existing && !drift && desired_everywhere &&
                                                 (something || vanished) &&
                                                 (phase == Phase::committed || (is_cleaning(phase) && !open));
                            BOOST_TEST_CONTEXT(
                                text(phase)
                                << ' ' << text(first) << ' ' << text(second) << ' ' << text(evidence)
                            ) {
                                BOOST_TEST(!closing.refused == allowed);
                                if (!allowed) {
                                    BOOST_TEST(closing.remaining.empty());
                                    continue;
                                }
                                ++allowed_cells;
                                const std::size_t names =
                                    (has(State::committed) ? 1U : 0U) + (has(State::aside) ? 1U : 0U);
                                BOOST_TEST(closing.remaining.size() == (vanished ? 1U : names));
                                if (vanished)
                                    BOOST_TEST((closing.remaining.front().name == record.aside));
                                const bool may_come =
                                    is_cleaning(phase) &&
                                    (evidence == QueueEvidence::none || evidence == QueueEvidence::several ||
                                     evidence == QueueEvidence::changed);
                                BOOST_TEST(
                                    closing.warnings.size() ==
                                    (has(State::committed) ? 1U : 0U) + (may_come || vanished ? 1U : 0U)
                                );
                                // What is allowed is a step of the phase table.
                                const WriteStamp stamp(std::string(32, 'f'), 1);
                                const auto next = close_keeping_predecessor(record, closing.remaining, stamp);
                                BOOST_TEST(is_allowed_transition(record, next));
                                BOOST_TEST((next.retained == closing.remaining));
                            }
                        }
    BOOST_TEST(allowed_cells > 0U);
}

BOOST_AUTO_TEST_CASE(close_does_not_take_a_part_for_all) {
    const auto record = operator_record(Phase::committed);
    const std::vector<MemberState> one{shown_state(record, 0, State::committed)};
    const Closing closing = may_close(record, one, QueueEvidence::none, Verdict());
    BOOST_REQUIRE(closing.refused);
    BOOST_TEST((closing.refused->code == Code::outcome_unknown));
}

BOOST_AUTO_TEST_CASE(only_a_recorded_orphan_is_dropped) {
    const NamedTable orphan("onceswap_old", numbered_uuid(7));
    for (const Phase phase : all_phases) {
        BOOST_TEST_CONTEXT(text(phase)) {
            auto record = operator_record(phase);
            const auto code_of = [&](const NamedTable& table) {
                const auto refusal = may_drop_orphan(record, table);
                return refusal ? refusal->code : Code::ready;
            };
            const bool settled = phase == Phase::completed || phase == Phase::abandoned;
            BOOST_TEST((code_of(orphan) == Code::transition_refused)); // not listed
            record.orphans = {orphan};
            BOOST_TEST((code_of(orphan) == Code::ready));
            BOOST_TEST((code_of(NamedTable(orphan.name, numbered_uuid(8))) == Code::transition_refused));
            BOOST_TEST((code_of(NamedTable("onceswap_other", orphan.uuid)) == Code::transition_refused));
            record.retained = {orphan};
            BOOST_TEST((code_of(orphan) == Code::transition_refused));
            record.retained.clear();

            // A name that the open operation uses is not dropped, and no generation of it, whatever a list
            // says.
            const NamedTable candidate(record.candidate, numbered_uuid(9));
            record.orphans = {candidate};
            BOOST_TEST((code_of(candidate) == (settled ? Code::ready : Code::transition_refused)));
            const NamedTable desired(record.candidate, record.desired.uuid);
            record.orphans = {desired};
            BOOST_TEST(
                (code_of(desired) == (phase == Phase::abandoned ? Code::ready : Code::transition_refused))
            );
            const NamedTable predecessor("onceswap_old", record.predecessor->uuid);
            record.orphans = {predecessor};
            BOOST_TEST((code_of(predecessor) == Code::transition_refused));
        }
    }
}

BOOST_AUTO_TEST_CASE(an_error_of_its_own_is_written_in_the_dispatching_phases_only) {
    RecordGenerator random(5);
    for (const Phase phase : all_phases) {
        for (unsigned round = 0; round < 20; ++round) {
            const auto record = random.record(phase);
            const WriteStamp stamp(random.hex(32), record.updated_at + 1);
            const auto next = set_error(record, "ONCESWAP_READY", "why", stamp);
            BOOST_TEST(is_allowed_transition(record, next) == is_dispatching(phase), text(phase));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_retirement_lists_what_remains) {
    auto record = operator_record(Phase::retiring);
    record.retire.emplace_back().receipt.emplace();
    const WriteStamp stamp(std::string(32, 'f'), 1);
    BOOST_TEST(
        (retire_to_completed(record, stamp).retained ==
         std::vector<NamedTable>{NamedTable(record.aside, record.predecessor->uuid)})
    );
    const auto nothing_left = retire_to_completed(record, stamp, false);
    BOOST_TEST(nothing_left.retained.empty());
    BOOST_TEST(is_allowed_transition(record, nothing_left));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
