#include "simulation/bench.hpp"
#include "simulation/operator_calls.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

// A Keeper session that is lost for long, and a statement whose first byte never leaves after its write was
// won.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::Phase;
using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

const StatementKind dispatched_kinds[] = {
    StatementKind::exchange, StatementKind::rename_aside, StatementKind::drop_aside
};

} // namespace

BOOST_AUTO_TEST_SUITE(long_faults)

BOOST_AUTO_TEST_CASE(a_session_that_is_lost_for_minutes_delays_and_changes_nothing) {
    for (const StatementKind kind : dispatched_kinds) {
        for (const sim::MemberIndex member : {sim::MemberIndex{0}, sim::MemberIndex{1}}) {
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                auto scenario = sim::simple_scenario(3);
                Fault lost(Point::enqueued, Match(kind), Effect::lose_session);
                lost.on = member;
                lost.lasts = std::chrono::minutes(4);
                scenario.faults.push_back(lost);
                Bench bench(scenario, seed);
                const auto first = bench.publish("run-1");
                const std::string what = std::string(protocol::text(kind)) + ", session of member " +
                                         std::to_string(member) + ": " + describe(first);
                check_invariants(bench, what);
                bench.world.run_until_idle();
                const auto last = bench.publish("run-1");
                check_published(bench, last, what + ", afterwards");
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_session_that_does_not_come_back_ends_at_the_deadline_with_what_is_known) {
    auto scenario = sim::simple_scenario(3);
    Fault lost(Point::enqueued, Match(StatementKind::exchange), Effect::lose_session);
    lost.on = 2;
    lost.lasts = std::chrono::hours(2);
    scenario.faults.push_back(lost);
    Bench bench(scenario, 4);
    auto request = bench.request("run-1");
    request.deadline = bench.world.in(std::chrono::minutes(3));
    const auto report = bench.publish(bench.process(), request);
    check_invariants(bench, describe(report));
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_TEST(word(report) != "COMPLETED");
        BOOST_TEST(report->stopped_by.has_value());
        BOOST_TEST(bench.world.truth().drops.empty());
    }
    bench.world.run_until_idle();
    const auto after = bench.publish("run-1");
    check_published(bench, after, "session back");
}

BOOST_AUTO_TEST_CASE(a_statement_that_never_left_is_given_back_or_sent_again) {
    for (const StatementKind kind : dispatched_kinds) {
        for (const unsigned times : {1U, 2U}) {
            auto scenario = sim::simple_scenario(2);
            Fault cut(Point::send, Match(kind), Effect::lose);
            cut.times = times;
            scenario.faults.push_back(cut);
            Bench bench(scenario, 5);
            const auto report = bench.publish("run-1");
            check_published(
                bench, report, std::string(protocol::text(kind)) + " cut " + std::to_string(times)
            );
            // Every try had a write of its own, and its own token.
            const auto& writes = bench.world.truth().authority_writes;
            const auto epochs = writes.back().dispatch_epoch;
            BOOST_TEST(epochs == 3U + times);
        }
    }
    // It never leaves at all: the slot is not stranded on it.
    auto scenario = sim::simple_scenario(2);
    Fault cut(Point::send, Match(StatementKind::exchange), Effect::lose);
    cut.times = 0;
    cut.match.client = "p1";
    scenario.faults.push_back(cut);
    Bench bench(scenario, 6);
    const auto stuck = bench.publish("run-1");
    BOOST_TEST_CONTEXT(describe(stuck) << bench.facts()) {
        BOOST_TEST(word(stuck) == "READY");
        BOOST_TEST(stopped_by(stuck) == "ONCESWAP_DDL_NOT_SENT");
        BOOST_TEST(bench.world.truth().entries_with("-publish-") == 0U);
    }
    const auto again = bench.publish("run-1");
    check_published(bench, again, "another process");
}

BOOST_AUTO_TEST_CASE(a_retiring_statement_that_never_left_is_sent_after_its_wait) {
    auto bench = bench_in(Phase::dispatching, sim::simple_scenario(2), 7);
    Fault cut(Point::send, Match(StatementKind::rename_retire), Effect::lose);
    bench->world.add(cut);
    const auto began = bench->world.now();
    const auto report = run(*bench, Command::retire);
    check_settled(*bench, report, "retiring statement cut");
    BOOST_TEST(bench->world.truth().entries_with("-retire-") == 1U);
    BOOST_TEST((bench->world.now() - began >= sim::Time(bench->limits.visibility_wait)));
}

BOOST_AUTO_TEST_CASE(a_table_that_only_begins_like_ours_is_not_taken_for_ours) {
    // Killed before its record, and somebody copied the candidate to a name of their own.
    auto scenario = sim::simple_scenario(2);
    Fault death(Point::send, Match(StatementKind::authority_insert), Effect::crash_client);
    scenario.faults.push_back(death);
    Bench bench(scenario, 8);
    bench.publish("run-1");
    const auto listing = list(bench);
    BOOST_REQUIRE(listing.has_value());
    BOOST_REQUIRE(listing->tables.size() == 1U);
    const std::string name = listing->tables.front().table.name;
    for (sim::MemberIndex member = 0; member < bench.members(); ++member) {
        Fault by_hand(bench.world.now() + std::chrono::milliseconds(1), Effect::run_sql);
        by_hand.on = member;
        by_hand.text = "RENAME TABLE `db`.`" + name + "` TO `db`.`" + name + "_copy`";
        bench.world.add(by_hand);
        bench.world.run_until_idle();
    }
    const auto report = bench.publish("run-1");
    BOOST_TEST_CONTEXT(describe(report) << bench.facts()) {
        BOOST_TEST(word(report) == "COMPLETED");
        BOOST_TEST(report->orphans.empty());
    }
}

BOOST_AUTO_TEST_CASE(an_entry_that_is_gone_waits_as_one_that_was_never_seen) {
    auto bench = bench_in(Phase::committed, sim::simple_scenario(2), 9);
    // The set-aside's sender dies before the receipt is kept, and the cleaner takes the entry.
    Fault death(Point::send, Match(StatementKind::authority_update), Effect::crash_client);
    death.match.sql = "phase = 'CLEANUP_DISPATCHING', dispatch_epoch";
    bench->world.add(death);
    Fault slow(Point::enqueued, Match(StatementKind::rename_aside), Effect::stop_worker);
    slow.on = 1;
    slow.lasts = std::chrono::seconds(20);
    bench->world.add(slow);
    bench->limits.distributed_ddl_task_timeout =
        std::chrono::seconds(3); // the entry is seen while it is open
    run(*bench, Command::resume);
    bench->world.add(Fault(bench->world.now() + std::chrono::milliseconds(1), Effect::remove_entries));
    bench->world.run_until_idle();
    const auto seen = bench->observe();
    BOOST_TEST_CONTEXT(describe(seen)) {
        BOOST_REQUIRE(word(seen) == "CLEANUP_LOST");
        BOOST_REQUIRE((seen->evidence == protocol::QueueEvidence::gone));
    }
    const auto began = bench->world.now();
    const auto entries = bench->world.truth().entries.size();
    run(*bench, Command::resume);
    BOOST_REQUIRE(bench->world.truth().entries.size() > entries);
    const auto& again = bench->world.truth().entries[entries];
    BOOST_TEST((again.at - began >= sim::Time(bench->limits.visibility_wait)));
}

BOOST_AUTO_TEST_SUITE_END()
