#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

// One thing goes wrong in one publication: a reply is lost before or after its effect, a host fails, a worker
// repeats itself, a session goes away. The end is the proven one or it says what is not known; nothing is
// ever sent twice.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

struct Row {
    const char* name;
    StatementKind kind;
    Point point;
    Effect effect;
    unsigned nth = 1;
};

Match match_of(StatementKind kind) {
    return Match(kind);
}

/// Every mutation of a publication, with its reply lost at each side of its effect.
std::vector<Row> lost_replies() {
    std::vector<Row> rows;
    const std::pair<const char*, StatementKind> kinds[] = {
        {"create_facade", StatementKind::create_facade},
        {"create_candidate", StatementKind::create_candidate},
        {"insert_rows", StatementKind::insert_rows},
        {"authority_insert", StatementKind::authority_insert},
        {"exchange", StatementKind::exchange},
        {"rename_aside", StatementKind::rename_aside},
        {"drop_aside", StatementKind::drop_aside},
    };
    const std::pair<Point, Effect> losses[] = {
        {Point::arrive, Effect::lose},
        {Point::arrive, Effect::reset},
        {Point::effect, Effect::lose},
        {Point::effect, Effect::reset},
        {Point::effect, Effect::truncate},
        {Point::reply, Effect::lose},
    };
    for (const auto& [name, kind] : kinds) {
        for (const auto& [point, effect] : losses) {
            rows.push_back(Row{name, kind, point, effect});
        }
    }
    // DISPATCHING, bind or COMMITTED, SET_ASIDE_, ..., COMPLETED: every update of the record.
    for (unsigned nth = 1; nth <= 6; ++nth) {
        for (const auto& [point, effect] : losses) {
            rows.push_back(Row{"authority_update", StatementKind::authority_update, point, effect, nth});
        }
    }
    return rows;
}

} // namespace

BOOST_AUTO_TEST_SUITE(one_fault)

BOOST_AUTO_TEST_CASE(lost_replies_then_a_rerun) {
    for (const Row& row : lost_replies()) {
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
            auto scenario = sim::simple_scenario(2);
            Fault fault(row.point, match_of(row.kind), row.effect);
            fault.nth = row.nth;
            scenario.faults.push_back(fault);
            Bench bench(scenario, seed);
            const auto first = bench.publish("run-1");
            const std::string what = std::string(row.name) + " #" + std::to_string(row.nth) + " " +
                                     std::string(sim::text(row.point)) + " " +
                                     std::string(sim::text(row.effect)) + ", first: " + describe(first);
            check_invariants(bench, what);
            const bool dispatching_write_lost =
                row.kind == StatementKind::authority_update && row.nth == 1 && row.point != Point::arrive;
            auto last = first;
            if (word(first) != "COMPLETED") {
                last = bench.publish("run-1");
            }
            if (dispatching_write_lost) {
                // Nobody may turn it into a permit: the one documented refusal.
                check_invariants(bench, what);
                BOOST_TEST_CONTEXT(what << ", then: " << describe(last)) {
                    BOOST_TEST(word(last) == "OUTCOME_UNKNOWN");
                    BOOST_TEST(bench.world.truth().entries_with("-publish-") == 0U);
                }
            } else if (row.kind == StatementKind::exchange && row.point == Point::arrive) {
                // Sent and never executed: nothing says so, nothing is sent again.
                check_invariants(bench, what);
                BOOST_TEST_CONTEXT(what << ", then: " << describe(last)) {
                    BOOST_TEST(word(last) == "OUTCOME_UNKNOWN");
                    BOOST_TEST(bench.world.truth().entries_with("-publish-") == 0U);
                }
            } else {
                check_published(bench, last, what + ", then: " + describe(last));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(connection_refused_between_write_and_statement_does_not_strand_the_slot) {
    auto scenario = sim::simple_scenario(2);
    Fault refused(Point::connect, Match(), Effect::refuse);
    refused.match.mutations_only = true;
    for (unsigned nth = 1; nth <= 12; ++nth) {
        auto faulty = scenario;
        refused.nth = nth;
        faulty.faults.push_back(refused);
        Bench bench(faulty, nth);
        auto report = bench.publish("run-1");
        const std::string what = "refused connection " + std::to_string(nth) + ": " + describe(report);
        check_invariants(bench, what);
        if (word(report) != "COMPLETED") {
            report = bench.publish("run-1");
        }
        check_published(bench, report, what);
    }
}

BOOST_AUTO_TEST_CASE(a_host_that_fails_leaves_both_generations) {
    for (sim::MemberIndex member = 0; member < 2; ++member) {
        auto scenario = sim::simple_scenario(2);
        Fault fault(Point::worker_after_active, match_of(StatementKind::exchange), Effect::host_error);
        fault.match.member = member;
        fault.code = 36;
        fault.text = "Code: 36. DB::Exception: no. (BAD_ARGUMENTS)";
        scenario.faults.push_back(fault);
        Bench bench(scenario, 5);
        const auto report = bench.publish("run-1");
        check_invariants(bench, "host error");
        BOOST_TEST_CONTEXT(describe(report)) {
            BOOST_TEST(word(report) == "PARTIAL_TERMINAL");
            BOOST_TEST(bench.world.truth().drops.empty());
            BOOST_TEST(bench.target_uuid(0) != bench.target_uuid(1));
            BOOST_REQUIRE(report->members.size() == 2U);
            BOOST_TEST(report->members[member].queue_code == 36);
        }
        const auto again = bench.publish("run-1");
        check_invariants(bench, "host error, again");
        BOOST_TEST(word(again) == "PARTIAL_TERMINAL");
    }
}

BOOST_AUTO_TEST_CASE(all_hosts_that_fail_are_not_committed) {
    auto scenario = sim::simple_scenario(3);
    Fault fault(Point::worker_after_active, match_of(StatementKind::exchange), Effect::host_error);
    fault.times = 0;
    fault.code = 36;
    fault.text = "Code: 36. DB::Exception: no. (BAD_ARGUMENTS)";
    scenario.faults.push_back(fault);
    Bench bench(scenario, 6);
    const auto report = bench.publish("run-1");
    check_invariants(bench, "all fail");
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_TEST(word(report) == "NOT_COMMITTED");
    }
}

BOOST_AUTO_TEST_CASE(a_worker_that_repeats_the_exchange_is_never_called_success) {
    auto scenario = sim::simple_scenario(2);
    Fault fault(Point::worker_after_execute, match_of(StatementKind::exchange), Effect::rerun);
    fault.match.member = 1;
    scenario.faults.push_back(fault);
    Bench bench(scenario, 7);
    const auto report = bench.publish("run-1");
    check_invariants(bench, "re-execution");
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_TEST(word(report) == "PARTIAL_TERMINAL");
        BOOST_TEST(bench.world.truth().drops.empty());
    }
}

BOOST_AUTO_TEST_CASE(a_worker_that_repeats_a_rename_or_drop_ends_well) {
    for (const StatementKind kind : {StatementKind::rename_aside, StatementKind::drop_aside}) {
        auto scenario = sim::simple_scenario(2);
        Fault fault(Point::worker_after_execute, match_of(kind), Effect::rerun);
        fault.match.member = 1;
        scenario.faults.push_back(fault);
        Bench bench(scenario, 8);
        const auto report = bench.publish("run-1");
        check_published(bench, report, "repeated cleanup");
    }
}

BOOST_AUTO_TEST_CASE(a_worker_that_crashes_runs_the_entry_again_or_once) {
    for (const Point point :
         {Point::worker_before_active,
          Point::worker_after_active,
          Point::worker_before_status,
          Point::worker_after_status}) {
        auto scenario = sim::simple_scenario(2);
        Fault fault(point, match_of(StatementKind::exchange), Effect::crash);
        fault.match.member = 1;
        fault.lasts = std::chrono::seconds(20);
        scenario.faults.push_back(fault);
        Bench bench(scenario, 9);
        const auto report = bench.publish("run-1");
        const std::string what = "crash at " + std::string(sim::text(point)) + ": " + describe(report);
        check_invariants(bench, what);
        if (point == Point::worker_before_status) {
            BOOST_TEST_CONTEXT(what) {
                BOOST_TEST(word(report) == "PARTIAL_TERMINAL");
                BOOST_TEST(bench.world.truth().drops.empty());
            }
        } else {
            check_published(bench, report, what);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_paused_member_is_waited_for) {
    auto scenario = sim::simple_scenario(3);
    Fault fault(Point::enqueued, match_of(StatementKind::exchange), Effect::pause);
    fault.on = 2;
    fault.lasts = std::chrono::seconds(90);
    scenario.faults.push_back(fault);
    Bench bench(scenario, 10);
    const auto report = bench.publish("run-1");
    check_published(bench, report, "paused member");
}

BOOST_AUTO_TEST_CASE(a_stopped_worker_is_partial_in_progress_until_it_goes_on) {
    auto scenario = sim::simple_scenario(2);
    Fault fault(Point::enqueued, match_of(StatementKind::exchange), Effect::stop_worker);
    fault.on = 1;
    fault.lasts = std::chrono::seconds(120);
    scenario.faults.push_back(fault);
    Bench bench(scenario, 11);
    const auto report = bench.publish("run-1");
    check_published(bench, report, "stopped worker");
    bool partial = false;
    for (const auto& event : bench.recorder.events) {
        partial = partial || (event.kind == engine::EventKind::pass &&
                              event.verdict == protocol::Word::partial_in_progress);
    }
    BOOST_TEST(partial);
}

BOOST_AUTO_TEST_CASE(a_lost_keeper_session_is_a_gap_and_no_evidence) {
    for (const Point point : {Point::before_commit, Point::after_commit}) {
        for (const StatementKind kind :
             {StatementKind::authority_insert,
              StatementKind::exchange,
              StatementKind::rename_aside,
              StatementKind::drop_aside}) {
            auto scenario = sim::simple_scenario(2);
            scenario.faults.push_back(Fault(point, match_of(kind), Effect::keeper_loss));
            Bench bench(scenario, 12);
            auto report = bench.publish("run-1");
            const std::string what = std::string(protocol::text(kind)) + " " + std::string(sim::text(point)) +
                                     ": " + describe(report);
            check_invariants(bench, what);
            if (word(report) != "COMPLETED") {
                report = bench.publish("run-1");
            }
            if (kind == StatementKind::exchange && point == Point::before_commit) {
                check_invariants(bench, what);
                BOOST_TEST_CONTEXT(what << ", then " << describe(report)) {
                    BOOST_TEST(word(report) == "OUTCOME_UNKNOWN");
                }
            } else {
                check_published(bench, report, what);
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
