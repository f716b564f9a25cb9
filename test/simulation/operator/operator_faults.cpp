#include "simulation/operator_calls.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

// An operator's command dies at every request, loses its answers, and meets late statements: afterwards
// `resume` or the same command settles the slot, and nothing was dropped or swapped that should not be.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::Phase;
using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

struct Start {
    Command command;
    Phase phase;
};

constexpr Start starts[] = {
    {Command::abandon, Phase::prepared},
    {Command::retire, Phase::dispatching},
    {Command::retire, Phase::committed},
    {Command::retire, Phase::retiring},
    {Command::close, Phase::committed},
    {Command::close, Phase::set_aside_dispatching},
    {Command::close, Phase::cleanup_dispatching},
};

/// The same command again with what `status` says now, or where it does not apply any more, `resume`.
std::optional<protocol::Report> finish(Bench& bench, Command command) {
    auto again = run(bench, command);
    if (stopped_by(again) == "ONCESWAP_TRANSITION_REFUSED")
        again = run(bench, Command::resume);
    return again;
}

std::string name_of(const Start& start) {
    return std::string(text(start.command)) + " in " + std::string(protocol::text(start.phase));
}

bool kept_everything(Bench& bench) {
    return bench.world.truth().drops.empty();
}

} // namespace

BOOST_AUTO_TEST_SUITE(operator_faults)

BOOST_AUTO_TEST_CASE(killed_at_every_request_and_settled_by_the_next) {
    for (const Start& start : starts) {
        for (const Point point : {Point::send, Point::effect}) {
            std::uint64_t requests = 0;
            for (std::uint64_t nth = 1;; ++nth) {
                auto bench = bench_in(start.phase, sim::simple_scenario(2), 21);
                const engine::Pin pin = pin_of(*bench);
                auto& process = bench->process();
                Fault death(point, Match(), Effect::crash_client);
                death.match.client = process.name();
                death.nth = static_cast<unsigned>(nth);
                bench->world.add(death);
                auto started = simulation::start(*bench, start.command, pin, process);
                bench->world.run();
                if (!process.crashed()) {
                    requests = nth - 1;
                    break;
                }
                bench->world.run_until_idle();
                const auto after = finish(*bench, start.command);
                const std::string what = name_of(start) + " killed at " + std::string(sim::text(point)) +
                                         " of request " + std::to_string(nth);
                check_settled(*bench, after, what);
                BOOST_TEST_CONTEXT(what) {
                    BOOST_TEST((start.command == Command::close || kept_everything(*bench)));
                }
            }
            BOOST_TEST_MESSAGE(name_of(start) << ", " << sim::text(point) << ": " << requests << " requests");
            BOOST_TEST(requests > 5U);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_lost_answer_of_the_write_brings_no_permit_and_is_settled) {
    for (const Start& start : starts) {
        if (start.phase == Phase::retiring)
            continue;
        for (const Point point : {Point::arrive, Point::effect}) {
            auto bench = bench_in(start.phase, sim::simple_scenario(2), 22);
            const engine::Pin pin = pin_of(*bench);
            auto& process = bench->process();
            Fault loss(point, Match(StatementKind::authority_update), Effect::lose);
            loss.match.client = process.name();
            bench->world.add(loss);
            auto started = simulation::start(*bench, start.command, pin, process);
            bench->world.run();
            const auto report = started.result();
            const std::string what =
                name_of(start) + ", write lost at " + std::string(sim::text(point)) + ": " + describe(report);
            check_invariants(*bench, what);
            BOOST_TEST_CONTEXT(what << bench->facts()) {
                const bool took_effect = point == Point::effect;
                BOOST_TEST(stopped_by(report) == (took_effect ? "" : "ONCESWAP_CAS_OUTCOME_UNKNOWN"));
                if (took_effect)
                    BOOST_TEST((word(report) == "COMPLETED" || word(report) == "ABANDONED"));
                BOOST_TEST(kept_everything(*bench));
            }
            const auto after = stopped_by(report).empty() ? report : finish(*bench, start.command);
            check_settled(*bench, after, what + ", afterwards");
        }
    }
}

BOOST_AUTO_TEST_CASE(a_late_exchange_fails_after_a_retirement) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        auto scenario = sim::simple_scenario(3);
        // The statement hangs on its way, its sender is gone.
        Fault hang(Point::arrive, Match(StatementKind::exchange), Effect::hold);
        scenario.faults.push_back(hang);
        Fault death(Point::arrive, Match(StatementKind::exchange), Effect::crash_client);
        scenario.faults.insert(scenario.faults.begin(), death);
        Bench bench(scenario, seed);
        const std::string before = bench.target_uuid(0);
        bench.publish("run-1");
        const auto report = run(bench, Command::retire);
        bench.world.release();
        bench.world.run_until_idle();
        const auto seen = bench.observe();
        const std::string what = "late exchange: " + describe(report) + "; then " + describe(seen);
        check_settled(bench, report, what);
        BOOST_TEST_CONTEXT(what << bench.facts()) {
            BOOST_TEST(word(seen) == "ABANDONED");
            for (sim::MemberIndex member = 0; member < bench.members(); ++member)
                BOOST_TEST(bench.target_uuid(member) == before);
            // It did arrive, and failed everywhere.
            BOOST_TEST(bench.world.truth().entries_with("-publish-") == 1U);
            BOOST_TEST(bench.world.truth().executed(sim::StatementClass::exchange) == 0U);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_partial_publication_is_retired_repaired_and_settled) {
    for (const bool forward : {true, false}) {
        auto scenario = sim::simple_scenario(3);
        Fault failure(Point::worker_after_active, Match(StatementKind::exchange), Effect::host_error);
        failure.match.member = 1;
        failure.code = 60;
        failure.text = "Table does not exist";
        scenario.faults.push_back(failure);
        Bench bench(scenario, 31);
        const std::string before = bench.target_uuid(0);
        const auto partial = bench.publish("run-1");
        BOOST_TEST(word(partial) == "PARTIAL_TERMINAL");
        const auto mixed = run(bench, Command::retire);
        BOOST_TEST_CONTEXT(describe(mixed) << bench.facts()) {
            BOOST_REQUIRE(word(mixed) == "RETIRED_MIXED");
            BOOST_TEST(bench.world.truth().drops.empty());
            // One host lags behind the new generation, two are ahead of the old one.
            BOOST_REQUIRE(mixed->repairs.size() == 3U);
            const auto same = bench.observe();
            BOOST_TEST(same->repairs.size() == 3U);
        }
        for (const auto& step : mixed->repairs) {
            if ((step.serve == protocol::Role::desired) != forward)
                continue;
            Fault by_hand(bench.world.now() + std::chrono::milliseconds(1), Effect::run_sql);
            by_hand.on = static_cast<sim::MemberIndex>(step.at.host.back() - '1');
            by_hand.text = step.sql;
            BOOST_TEST(bench.target_uuid(by_hand.on) == step.before.text());
            bench.world.add(by_hand);
            bench.world.run_until_idle();
            BOOST_TEST(bench.target_uuid(by_hand.on) == step.after.text());
        }
        const auto settled = run(bench, Command::resume);
        check_settled(bench, settled, "repaired");
        BOOST_TEST(word(settled) == (forward ? "COMPLETED" : "ABANDONED"));
        BOOST_TEST((bench.target_uuid(0) == before) == !forward);
        const auto next = bench.publish("run-2");
        check_invariants(bench, describe(next), 2);
        BOOST_TEST(word(next) == "COMPLETED");
    }
}

BOOST_AUTO_TEST_CASE(a_host_that_fails_the_retiring_statement_gets_it_again) {
    auto bench = bench_in(Phase::dispatching, sim::simple_scenario(3), 32);
    Fault failure(Point::worker_after_active, Match(StatementKind::rename_retire), Effect::host_error);
    failure.match.member = 2;
    failure.code = 999;
    failure.text = "Coordination::Exception: Connection loss";
    bench->world.add(failure);
    const auto report = run(*bench, Command::retire);
    check_settled(*bench, report, "failed once");
    BOOST_TEST(bench->world.truth().entries_with("-retire-") == 2U);

    // A host that refuses for good is told, and what it said.
    auto stuck = bench_in(Phase::dispatching, sim::simple_scenario(3), 33);
    failure.code = 630;
    failure.text = "Cannot rename, some tables depend on it";
    failure.times = 0;
    stuck->world.add(failure);
    const auto refused = run(*stuck, Command::retire);
    BOOST_TEST_CONTEXT(describe(refused) << stuck->facts()) {
        BOOST_TEST(word(refused) == "RETIRE_INCOMPLETE");
        BOOST_TEST(stuck->world.truth().entries_with("-retire-") == 1U);
        BOOST_TEST(refused->members.at(2).queue_code == 630);
    }
    // Each later call tries once, so that what an operator has repaired goes on.
    const auto still = run(*stuck, Command::resume);
    BOOST_TEST(word(still) == "RETIRE_INCOMPLETE");
    BOOST_TEST(stuck->world.truth().entries_with("-retire-") == 2U);
    stuck->world.heal();
    const auto repaired = run(*stuck, Command::resume);
    check_settled(*stuck, repaired, "repaired");
    BOOST_TEST(stuck->world.truth().entries_with("-retire-") == 3U);
}

BOOST_AUTO_TEST_CASE(nothing_is_sent_again_before_a_whole_visibility_wait) {
    // The entry was removed from the queue before its receipt was kept: evidence `gone`.
    auto bench = bench_in(Phase::dispatching, sim::simple_scenario(2), 34);
    Fault death(Point::send, Match(StatementKind::authority_update), Effect::crash_client);
    death.match.sql = "phase = 'ABANDONED', dispatch_epoch";
    bench->world.add(death);
    Fault stop(Point::enqueued, Match(StatementKind::rename_retire), Effect::stop_worker);
    stop.on = 1;
    stop.lasts = std::chrono::seconds(20);
    bench->world.add(stop);
    bench->limits.distributed_ddl_task_timeout =
        std::chrono::seconds(3); // the entry is seen while it is open
    run(*bench, Command::retire);
    bench->world.run_until_idle();
    Fault clean(bench->world.now() + std::chrono::milliseconds(1), Effect::remove_entries);
    clean.text = "-retire-";
    bench->world.add(clean);
    bench->world.run_until_idle();
    const auto seen = bench->observe();
    BOOST_TEST(word(seen) == "RETIRE_LOST");
    BOOST_TEST_CONTEXT(describe(seen) << bench->facts()) {
        BOOST_TEST((seen->evidence == protocol::QueueEvidence::gone));
    }
    const auto began = bench->world.now();
    const auto report = run(*bench, Command::resume);
    check_settled(*bench, report, "entry gone");
    const auto& entries = bench->world.truth().entries;
    BOOST_REQUIRE(bench->world.truth().entries_with("-retire-") == 2U);
    BOOST_TEST((entries.back().at - began >= sim::Time(bench->limits.visibility_wait)));
}

BOOST_AUTO_TEST_SUITE_END()
