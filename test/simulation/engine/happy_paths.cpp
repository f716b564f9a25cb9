#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap;
using namespace onceswap::simulation;

BOOST_AUTO_TEST_SUITE(happy_paths)

BOOST_AUTO_TEST_CASE(existing_target_is_replaced_and_cleaned_up) {
    for (std::size_t members = 2; members <= 8; ++members) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            Bench bench(sim::simple_scenario(members), seed);
            const std::string before = bench.target_uuid(0);
            const auto report = bench.publish("run-1");
            check_published(bench, report, "members " + std::to_string(members));
            BOOST_TEST(bench.target_uuid(0) != before);
            BOOST_TEST(bench.world.truth().executed(sim::StatementClass::exchange) == members);
            BOOST_TEST(bench.world.truth().drops.size() == members);
            for (const auto& drop : bench.world.truth().drops) {
                BOOST_TEST(drop.uuid == before);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(absent_target_appears) {
    for (std::size_t members = 2; members <= 4; ++members) {
        Bench bench(sim::absent_target_scenario(members), members);
        const auto report = bench.publish("run-1");
        check_published(bench, report, "members " + std::to_string(members));
        BOOST_TEST(bench.world.truth().drops.empty());
    }
}

BOOST_AUTO_TEST_CASE(empty_candidate_is_valid) {
    Bench bench;
    const auto report = bench.publish("run-1", 0);
    check_published(bench, report, "empty");
}

BOOST_AUTO_TEST_CASE(same_invocation_is_answered_from_the_record) {
    Bench bench;
    const auto first = bench.publish("run-1");
    check_published(bench, first, "first");
    const auto sends = bench.world.truth().sends.size();
    const auto again = bench.publish("run-1");
    check_published(bench, again, "again");
    std::size_t mutations = 0;
    for (std::size_t i = sends; i < bench.world.truth().sends.size(); ++i) {
        mutations += sim::is_mutation(bench.world.truth().sends[i].statement_class) ? 1U : 0U;
    }
    BOOST_TEST(mutations == 0U);
}

BOOST_AUTO_TEST_CASE(next_operation_takes_the_slot_and_an_old_retry_is_answered) {
    Bench bench;
    for (const char* run : {"run-1", "run-2", "run-3"}) {
        const auto report = bench.publish(run);
        BOOST_TEST_CONTEXT(describe(report)) {
            BOOST_REQUIRE(report.has_value());
            BOOST_TEST(protocol::text(report->verdict.word) == "COMPLETED");
        }
    }
    const auto uuid = bench.target_uuid(0);
    for (const char* run : {"run-1", "run-2"}) {
        const auto report = bench.publish(run);
        BOOST_TEST_CONTEXT(run << ": " << describe(report)) {
            BOOST_REQUIRE(report.has_value());
            BOOST_TEST(protocol::text(report->verdict.word) == "COMPLETED");
        }
    }
    BOOST_TEST(bench.target_uuid(0) == uuid);
    BOOST_TEST(bench.world.truth().entries_with("-publish-") == 3U);
    check_invariants(bench, "three operations", 3);
}

BOOST_AUTO_TEST_CASE(observing_sends_no_mutation) {
    Bench bench;
    const auto none = bench.observe();
    BOOST_REQUIRE(none.has_value());
    BOOST_TEST(protocol::text(none->verdict.word) == "NO_RECORD");
    bench.publish("run-1");
    const auto before = bench.process().transport().sends();
    const auto report = bench.observe();
    BOOST_TEST(before == 0U);
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_REQUIRE(report.has_value());
        BOOST_TEST(protocol::text(report->verdict.word) == "COMPLETED");
        BOOST_TEST(report->members.size() == 2U);
    }
}

BOOST_AUTO_TEST_CASE(stops_at_committed_when_asked) {
    Bench bench;
    auto request = bench.request("run-1");
    request.cleanup = false;
    const auto report = bench.publish(bench.process(), request);
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_REQUIRE(report.has_value());
        BOOST_TEST(protocol::text(report->verdict.word) == "COMMITTED");
        BOOST_TEST(bench.world.truth().drops.empty());
    }
    const auto resumed = bench.resume();
    check_published(bench, resumed, "resumed");
}

BOOST_AUTO_TEST_SUITE_END()
