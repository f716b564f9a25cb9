#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

// Two publishers at once, late duplicates, an old operation's retry in between: nothing is published twice.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

bool ended_well(const std::optional<protocol::Report>& report) {
    return word(report) == "COMPLETED" || word(report) == "COMMITTED";
}

} // namespace

BOOST_AUTO_TEST_SUITE(races)

BOOST_AUTO_TEST_CASE(two_workers_of_one_operation_publish_once) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Bench bench(sim::simple_scenario(2), seed);
        auto one = bench.start_publish(bench.process(), bench.request("run-1"));
        auto two = bench.start_publish(bench.process(), bench.request("run-1"));
        bench.world.run();
        const std::string what = "one: " + describe(one.result()) + "; two: " + describe(two.result());
        check_invariants(bench, what);
        BOOST_TEST_CONTEXT("seed " << seed << " " << what) {
            BOOST_TEST((ended_well(one.result()) || ended_well(two.result())));
            BOOST_TEST(bench.world.truth().entries_with("-publish-") == 1U);
        }
        const auto last = bench.publish("run-1");
        check_published(bench, last, "afterwards: " + what);
    }
}

BOOST_AUTO_TEST_CASE(two_operations_follow_each_other) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Bench bench(sim::simple_scenario(2), seed);
        auto one = bench.start_publish(bench.process(), bench.request("run-1"));
        auto two = bench.start_publish(bench.process(), bench.request("run-2"));
        bench.world.run();
        const std::string what = "one: " + describe(one.result()) + "; two: " + describe(two.result());
        check_invariants(bench, what, 2);
        BOOST_TEST_CONTEXT("seed " << seed << " " << what) {
            BOOST_TEST((ended_well(one.result()) || ended_well(two.result())));
        }
        for (const char* run : {"run-1", "run-2"}) {
            const auto last = bench.publish(run);
            BOOST_TEST_CONTEXT("seed " << seed << " " << run << " " << describe(last) << "; " << what) {
                BOOST_TEST(word(last) == "COMPLETED");
            }
        }
        check_invariants(bench, what, 2);
        BOOST_TEST(bench.world.truth().entries_with("-publish-") == 2U);
    }
}

BOOST_AUTO_TEST_CASE(a_late_duplicate_of_the_exchange_changes_nothing_that_is_proven) {
    // Right after the original, between set-aside and drop, and after the drop.
    const std::pair<const char*, StatementKind> moments[] = {
        {"before set-aside", StatementKind::rename_aside},
        {"before drop", StatementKind::drop_aside},
    };
    for (const auto& [name, kind] : moments) {
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            auto scenario = sim::simple_scenario(2);
            Fault copy(Point::arrive, Match(StatementKind::exchange), Effect::copy);
            copy.text = "exchange";
            Fault replay(Point::send, Match(kind), Effect::replay);
            replay.text = "exchange";
            scenario.faults.push_back(copy);
            scenario.faults.push_back(replay);
            Bench bench(scenario, seed);
            const std::string before = bench.target_uuid(0);
            const auto report = bench.publish("run-1");
            bench.world.run_until_idle();
            const std::string what = std::string("duplicate ") + name + ": " + describe(report);
            check_invariants(bench, what);
            BOOST_TEST_CONTEXT("seed " << seed << " " << what << bench.world.truth().describe()) {
                for (const auto& drop : bench.world.truth().drops) {
                    BOOST_TEST(drop.uuid == before);
                    BOOST_TEST(ended_well(report));
                }
                if (word(report) == "COMPLETED") {
                    BOOST_TEST(bench.target_uuid(0) != before);
                    BOOST_TEST(bench.target_uuid(1) != before);
                }
            }
        }
    }
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        auto scenario = sim::simple_scenario(2);
        Fault copy(Point::arrive, Match(StatementKind::exchange), Effect::copy);
        copy.text = "exchange";
        scenario.faults.push_back(copy);
        Bench bench(scenario, seed);
        const auto report = bench.publish("run-1");
        Fault replay(bench.world.now() + std::chrono::seconds(1), Effect::replay);
        replay.text = "exchange";
        bench.world.add(replay);
        bench.world.run_until_idle();
        const auto uuid = bench.target_uuid(0);
        const auto seen = bench.observe();
        BOOST_TEST_CONTEXT("seed " << seed << " after the drop: " << describe(seen)) {
            BOOST_TEST(word(seen) == "COMPLETED");
            BOOST_TEST(bench.target_uuid(1) == uuid);
        }
        check_invariants(bench, "duplicate after the drop: " + describe(report));
    }
}

BOOST_AUTO_TEST_CASE(a_duplicated_mutation_of_any_kind_is_harmless) {
    for (const StatementKind kind :
         {StatementKind::create_facade,
          StatementKind::create_candidate,
          StatementKind::authority_insert,
          StatementKind::authority_update,
          StatementKind::rename_aside,
          StatementKind::drop_aside}) {
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            auto scenario = sim::simple_scenario(2);
            Fault twice(Point::arrive, Match(kind), Effect::duplicate);
            twice.delay = std::chrono::milliseconds(30);
            twice.times = 0;
            twice.match.client = "p1"; // the duplicates are nobody's any more
            scenario.faults.push_back(twice);
            Bench bench(scenario, seed);
            auto report = bench.publish("run-1");
            bench.world.run_until_idle();
            const std::string what =
                "duplicated " + std::string(protocol::text(kind)) + ": " + describe(report);
            check_invariants(bench, what);
            // Two entries with one token are never told apart: the publication stands, its cleanup is open.
            const bool cleanup = kind == StatementKind::rename_aside || kind == StatementKind::drop_aside;
            BOOST_TEST_CONTEXT("seed " << seed << " " << what) {
                BOOST_TEST(
                    (ended_well(report) || report->verdict.word == protocol::Word::outcome_unknown ||
                     report->stopped_by.has_value() || (cleanup && word(report) == "CLEANUP_UNKNOWN"))
                );
            }
        }
    }
}

/// The record of a killed try lands when the next try of the same operation has looked at everything and
/// found only its candidate, a leftover: it takes that candidate over and publishes it.
BOOST_AUTO_TEST_CASE(a_late_first_record_of_the_same_operation) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        auto scenario = sim::simple_scenario(2);
        const auto strike = [&scenario](const char* client, sim::Effect effect) -> sim::Fault& {
            sim::Match match(sim::StatementClass::authority_insert);
            match.client = client;
            scenario.faults.emplace_back(sim::Point::arrive, match, effect);
            return scenario.faults.back();
        };
        strike("p1", sim::Effect::copy).text = "first record";
        strike("p1", sim::Effect::lose);
        strike("p1", sim::Effect::crash_client);
        strike("p2", sim::Effect::replay).text = "first record";
        strike("p2", sim::Effect::delay).delay = std::chrono::seconds(1);
        Bench bench(scenario, seed);
        BOOST_TEST(!bench.publish("run-1"));
        const auto report = bench.publish("run-1");
        check_invariants(bench, describe(report));
        BOOST_TEST_CONTEXT("seed " << seed << ": " << describe(report) << "\n" << bench.facts()) {
            BOOST_REQUIRE(report);
            BOOST_TEST(protocol::text(report->verdict.word) == "COMPLETED");
            BOOST_TEST(report->orphans.size() == 1U); // what the second try staged itself
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
