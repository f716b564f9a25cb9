#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

// A publication that stops once it is staged and recorded, and the one that goes on from there: killed
// between any two requests, run again, without rows, by another invocation.

using namespace onceswap;
using namespace onceswap::simulation;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

engine::PublishRequest to_stage(const Bench& bench, std::string invocation) {
    auto request = bench.request(std::move(invocation));
    request.dispatch = false;
    return request;
}

/// `publish` without rows and without a digest: both are the record's.
engine::PublishRequest staged(const Bench& bench, std::string invocation) {
    auto request = bench.request(std::move(invocation));
    request.only_staged = true;
    request.plan_digest.clear();
    return request;
}

std::optional<protocol::Report> run(Bench& bench, engine::PublishRequest request) {
    return bench.publish(bench.process(), std::move(request));
}

std::string stop(const std::optional<protocol::Report>& report) {
    return report && report->stopped_by ? std::string(protocol::stable_name(*report->stopped_by)) : "";
}

std::size_t mutations(const Bench& bench) {
    std::size_t count = 0;
    for (const auto& send : bench.world.truth().sends) {
        count += sim::is_mutation(send.statement_class) ? 1U : 0U;
    }
    return count;
}

std::size_t inserts(const Bench& bench) {
    return bench.world.truth().sends_of(sim::StatementClass::insert_rows);
}

/// The table that the rows went into.
std::string candidate_of(const Bench& bench) {
    std::string sql;
    for (const auto& send : bench.world.truth().sends) {
        if (send.statement_class == sim::StatementClass::insert_rows) {
            sql = send.sql;
        }
    }
    const auto begin = sql.find("`onceswap_");
    return begin == std::string::npos ? "" : sql.substr(begin + 1, sql.find('`', begin + 1) - begin - 1);
}

void check_staged(Bench& bench, const std::optional<protocol::Report>& report, std::string_view what) {
    check_invariants(bench, what);
    BOOST_TEST_CONTEXT(what << ": " << describe(report) << "\n" << bench.facts()) {
        BOOST_REQUIRE(report.has_value());
        BOOST_TEST(word(report) == "READY");
        BOOST_TEST(stop(report) == "");
        BOOST_REQUIRE(report->phase.has_value());
        BOOST_TEST(protocol::text(*report->phase) == "PREPARED");
        BOOST_TEST(bench.world.truth().entries_with("-publish-") == 0U);
        BOOST_TEST(bench.world.truth().sends_of(sim::StatementClass::exchange) == 0U);
    }
}

void sweep(Point point, std::uint64_t seed) {
    std::uint64_t requests = 0;
    {
        Bench bench(sim::simple_scenario(2), seed);
        auto& process = bench.process();
        check_staged(bench, bench.publish(process, to_stage(bench, "run-1")), "undisturbed");
        requests = process.requests();
    }
    BOOST_TEST_REQUIRE(requests > 20U);
    for (std::uint64_t nth = 1; nth <= requests; ++nth) {
        auto scenario = sim::simple_scenario(2);
        Fault crash(point, Match(), Effect::crash_client);
        crash.match.client = "p1";
        crash.nth = static_cast<unsigned>(nth);
        scenario.faults.push_back(crash);
        Bench bench(scenario, seed);
        const std::string what = "seed " + std::to_string(seed) + ", killed at " +
                                 std::string(sim::text(point)) + " of request " + std::to_string(nth);
        run(bench, to_stage(bench, "run-1"));
        check_staged(bench, run(bench, to_stage(bench, "run-1")), what);
        const auto loaded = inserts(bench);
        check_published(bench, run(bench, staged(bench, "run-1")), what);
        BOOST_TEST(inserts(bench) == loaded, what << ": rows were loaded again");
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(stage_then_publish)

BOOST_AUTO_TEST_CASE(what_is_staged_is_published_without_rows) {
    for (std::size_t members = 2; members <= 4; ++members) {
        Bench bench(sim::simple_scenario(members), members);
        const auto before = bench.target_uuid(0);
        check_staged(bench, run(bench, to_stage(bench, "run-1")), "staged");
        BOOST_TEST(bench.target_uuid(0) == before);
        const auto loaded = inserts(bench);
        const auto report = run(bench, staged(bench, "run-1"));
        check_published(bench, report, "published");
        BOOST_TEST(bench.target_uuid(0) != before);
        BOOST_TEST(inserts(bench) == loaded);
    }
}

BOOST_AUTO_TEST_CASE(a_publication_with_its_rows_goes_on_from_there_too) {
    Bench bench(sim::absent_target_scenario(2), 3);
    check_staged(bench, run(bench, to_stage(bench, "run-1")), "staged");
    const auto loaded = inserts(bench);
    const auto report = bench.publish("run-1");
    check_published(bench, report, "published");
    BOOST_TEST(inserts(bench) == loaded);
}

BOOST_AUTO_TEST_CASE(staging_again_changes_nothing) {
    Bench bench;
    check_staged(bench, run(bench, to_stage(bench, "run-1")), "staged");
    const auto sent = mutations(bench);
    check_staged(bench, run(bench, to_stage(bench, "run-1")), "again");
    BOOST_TEST(mutations(bench) == sent);
}

BOOST_AUTO_TEST_CASE(staging_what_is_published_already_changes_nothing) {
    Bench bench;
    check_published(bench, bench.publish("run-1"), "published");
    const auto sent = mutations(bench);
    const auto report = run(bench, to_stage(bench, "run-1"));
    BOOST_TEST(word(report) == "COMPLETED", describe(report));
    BOOST_TEST(mutations(bench) == sent);
}

BOOST_AUTO_TEST_CASE(staging_what_is_under_way_answers_and_does_nothing) {
    auto scenario = sim::simple_scenario(2);
    scenario.faults.emplace_back(
        Point::effect, Match(protocol::StatementKind::exchange), Effect::crash_client
    );
    Bench bench(scenario, 5);
    bench.publish("run-1");
    const auto sent = mutations(bench);
    const auto report = run(bench, to_stage(bench, "run-1"));
    BOOST_TEST_CONTEXT(describe(report) << bench.facts()) {
        BOOST_REQUIRE(report.has_value());
        BOOST_REQUIRE(report->phase.has_value());
        BOOST_TEST(protocol::text(*report->phase) == "DISPATCHING");
        BOOST_TEST(mutations(bench) == sent);
    }
    check_published(bench, bench.resume(), "resumed");
}

BOOST_AUTO_TEST_CASE(another_invocation_cannot_take_the_slot) {
    Bench bench;
    check_staged(bench, run(bench, to_stage(bench, "run-1")), "staged");
    const auto sent = mutations(bench);
    for (const bool without_rows : {false, true}) {
        const auto other = run(bench, without_rows ? staged(bench, "run-2") : bench.request("run-2"));
        BOOST_TEST(stop(other) == "ONCESWAP_AUTHORITY_CONFLICT", describe(other));
        BOOST_TEST(mutations(bench) == sent);
    }
    check_published(bench, run(bench, staged(bench, "run-1")), "published");
}

BOOST_AUTO_TEST_CASE(without_rows_and_without_a_record_nothing_is_done) {
    Bench bench;
    const auto report = run(bench, staged(bench, "run-1"));
    BOOST_TEST(stop(report) == "ONCESWAP_NO_RECORD", describe(report));
    BOOST_TEST(mutations(bench) == 0U);
    check_published(bench, bench.publish("run-1"), "with rows");
    const auto again = run(bench, staged(bench, "run-1"));
    BOOST_TEST(word(again) == "COMPLETED", describe(again));
    const auto other = run(bench, staged(bench, "run-2"));
    BOOST_TEST(stop(other) == "ONCESWAP_AUTHORITY_CONFLICT", describe(other));
    BOOST_TEST(bench.world.truth().entries_with("-publish-") == 1U);
}

/// Somebody wrote into the staged table: it is not what was proven, and there are no rows to stage again.
BOOST_AUTO_TEST_CASE(a_staged_table_that_changed_is_refused_with_its_reason) {
    Bench bench;
    const auto report = run(bench, to_stage(bench, "run-1"));
    check_staged(bench, report, "staged");
    const std::string candidate = candidate_of(bench);
    BOOST_REQUIRE(!candidate.empty());
    Fault more(bench.world.now() + std::chrono::milliseconds(1), Effect::edit_table);
    more.on = 1;
    more.text = "db." + candidate;
    more.values = {{"rows", "51"}};
    bench.world.add(more);
    bench.world.run_until_idle();
    const auto sent = mutations(bench);
    const auto refused = run(bench, staged(bench, "run-1"));
    BOOST_TEST_CONTEXT(describe(refused) << bench.facts()) {
        BOOST_TEST(stop(refused) == "ONCESWAP_CANDIDATE_NOT_READY");
        BOOST_TEST(refused->stopped_detail.find(candidate) != std::string::npos);
        BOOST_TEST(mutations(bench) == sent);
    }
    // With rows the same invocation stages anew; what it left is an orphan of the record.
    const auto anew = bench.publish("run-1");
    BOOST_TEST(word(anew) == "COMPLETED", describe(anew));
    BOOST_REQUIRE(anew.has_value());
    BOOST_TEST(anew->orphans.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(stage_killed)

BOOST_AUTO_TEST_CASE(before_a_request_is_sent) {
    sweep(Point::send, 3);
}

BOOST_AUTO_TEST_CASE(after_a_request_had_its_effect) {
    sweep(Point::effect, 4);
}

BOOST_AUTO_TEST_SUITE_END()
