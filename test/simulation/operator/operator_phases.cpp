#include "simulation/operator_calls.hpp"

#include <boost/test/unit_test.hpp>

// Every state of the slot that an operator's command may and may not be given in.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::Phase;

namespace {

constexpr Phase all_phases[] = {
    Phase::prepared,
    Phase::dispatching,
    Phase::committed,
    Phase::set_aside_dispatching,
    Phase::cleanup_dispatching,
    Phase::retiring,
    Phase::completed,
    Phase::abandoned,
};

/// The verdict at the end, or the code of the refusal.
struct Expected {
    std::string_view word; ///< empty: refused
    std::string_view code;
};

constexpr Expected refused{"", "ONCESWAP_TRANSITION_REFUSED"};

Expected expected(Command command, Phase phase) {
    switch (command) {
    case Command::abandon:
        // Nobody knows what became of the DISPATCHING one's statement.
        if (phase == Phase::dispatching)
            return {"", "ONCESWAP_DDL_UNBOUND"};
        return phase == Phase::prepared ? Expected{"ABANDONED", ""} : refused;
    case Command::retire:
        if (phase == Phase::dispatching || phase == Phase::retiring)
            return {"ABANDONED", ""};
        return phase == Phase::committed ? Expected{"COMPLETED", ""} : refused;
    case Command::close:
        if (phase == Phase::committed || phase == Phase::set_aside_dispatching ||
            phase == Phase::cleanup_dispatching)
            return {"COMPLETED", ""};
        return refused;
    case Command::resume:
        break;
    }
    switch (phase) {
    case Phase::prepared:
        return {"READY", ""};
    case Phase::dispatching:
        return {"OUTCOME_UNKNOWN", ""};
    case Phase::committed:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
    case Phase::completed:
        return {"COMPLETED", ""};
    case Phase::retiring:
    case Phase::abandoned:
        return {"ABANDONED", ""};
    }
    return {};
}

std::string client_of(Bench& bench) {
    return bench.world.truth().sends.back().client;
}

} // namespace

BOOST_AUTO_TEST_SUITE(operator_phases)

BOOST_AUTO_TEST_CASE(each_command_in_each_phase) {
    for (const Command command : {Command::abandon, Command::retire, Command::close, Command::resume}) {
        for (const Phase phase : all_phases) {
            auto bench = bench_in(phase, sim::simple_scenario(2), 11);
            const std::string before = bench->target_uuid(0);
            const auto report = run(*bench, command);
            const Expected wanted = expected(command, phase);
            const std::string what = std::string(text(command)) + " in " +
                                     std::string(protocol::text(phase)) + ": " + describe(report);
            check_invariants(*bench, what);
            BOOST_TEST_CONTEXT(what << bench->facts()) {
                if (!wanted.word.empty())
                    BOOST_TEST(word(report) == wanted.word);
                BOOST_TEST(stopped_by(report) == wanted.code);
                if (!wanted.code.empty())
                    BOOST_TEST(mutations_of(*bench, client_of(*bench)) == 0U);
                if (command != Command::resume) {
                    BOOST_TEST(bench->target_uuid(0) == before);
                    BOOST_TEST(bench->target_uuid(1) == before);
                }
                BOOST_TEST(bench->world.leftovers().empty());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_slot_that_has_moved_on_is_left_alone) {
    for (const Command command : {Command::abandon, Command::retire, Command::close}) {
        for (const Phase phase : all_phases) {
            auto bench = bench_in(phase, sim::simple_scenario(2), 12);
            const engine::Pin pin = pin_of(*bench);
            for (const engine::Pin& other :
                 {engine::Pin(pin.operation_id, pin.version + 1),
                  engine::Pin(pin.operation_id, pin.version - 1),
                  engine::Pin(std::string(64, '0'), pin.version)}) {
                const auto report = run(*bench, command, other);
                BOOST_TEST_CONTEXT(
                    text(command) << " in " << protocol::text(phase) << ": " << describe(report)
                ) {
                    BOOST_TEST(stopped_by(report) == "ONCESWAP_CAS_CONFLICT");
                    BOOST_TEST(mutations_of(*bench, client_of(*bench)) == 0U);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_listed_and_stands_there) {
    struct Row {
        Command command;
        Phase phase;
        bool desired_kept; ///< else the predecessor
        bool aside;        ///< under the aside name, else under the candidate's
    };

    for (const Row& row :
         {Row{Command::retire, Phase::dispatching, true, true},
          Row{Command::retire, Phase::committed, false, true},
          Row{Command::close, Phase::committed, false, false},
          Row{Command::close, Phase::set_aside_dispatching, false, false},
          Row{Command::close, Phase::cleanup_dispatching, false, true}}) {
        auto bench = bench_in(row.phase, sim::simple_scenario(3), 13);
        const auto report = run(*bench, row.command);
        BOOST_TEST_CONTEXT(
            text(row.command) << " in " << protocol::text(row.phase) << ": " << describe(report)
        ) {
            BOOST_REQUIRE(report.has_value());
            BOOST_REQUIRE(report->retained.size() == 1U);
            const auto& kept = report->retained.front();
            BOOST_TEST(kept.name.ends_with("__aside") == row.aside);
            for (sim::MemberIndex member = 0; member < bench->members(); ++member)
                BOOST_TEST(uuid_of(*bench, member, kept.name) == kept.uuid.text());
            BOOST_TEST(bench->world.truth().drops.empty());
            BOOST_TEST((protocol::text(*report->phase) == (row.desired_kept ? "ABANDONED" : "COMPLETED")));
            // What may still happen to it is said: a late swap, or a statement that was permitted.
            BOOST_TEST(!report->warnings.empty() == (row.command == Command::close));
        }
        // The slot is free for the next run.
        const auto next = bench->publish("run-2");
        check_invariants(*bench, describe(next), 2);
        BOOST_TEST(word(next) == "COMPLETED");
    }
}

BOOST_AUTO_TEST_CASE(an_absent_target_is_retired_too) {
    auto bench = bench_in(Phase::committed, sim::absent_target_scenario(2), 14);
    const auto done = run(*bench, Command::retire);
    check_settled(*bench, done, "committed");
    BOOST_TEST(word(done) == "COMPLETED");
    BOOST_TEST(done->retained.empty());

    auto closed = bench_in(Phase::committed, sim::absent_target_scenario(2), 15);
    const auto refusal = run(*closed, Command::close);
    BOOST_TEST(stopped_by(refusal) == "ONCESWAP_TRANSITION_REFUSED");
    const auto completed = run(*closed, Command::resume);
    check_settled(*closed, completed, "resumed");
}

BOOST_AUTO_TEST_SUITE_END()
