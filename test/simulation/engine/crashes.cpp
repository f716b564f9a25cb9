#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

// The publisher is killed at every request it sends, once before the request is executed and once after; then
// the same command runs again with the same invocation id.

using namespace onceswap;
using namespace onceswap::simulation;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

/// The number of requests of an undisturbed run.
std::uint64_t requests_of_a_run(const sim::Scenario& scenario, std::uint64_t seed) {
    Bench bench(scenario, seed);
    auto& process = bench.process();
    const auto report = bench.publish(process, bench.request("run-1"));
    check_published(bench, report, "undisturbed");
    return process.requests();
}

/// What the first process had sent of the dispatching write and of the statement when it died.
bool died_inside_the_dispatch(const sim::GroundTruth& truth) {
    std::size_t dispatching = 0;
    std::size_t statements = 0;
    for (const auto& send : truth.sends) {
        if (send.client != "p1") {
            continue;
        }
        const bool update = send.statement_class == sim::StatementClass::authority_update;
        dispatching += update && send.sql.find("phase = 'DISPATCHING'") != std::string::npos &&
                               send.sql.find("AND phase = 'PREPARED'") != std::string::npos
                           ? 1U
                           : 0U;
        statements += send.token.find("-publish-") != std::string::npos ? 1U : 0U;
    }
    return dispatching > 0 && statements == 0;
}

bool statement_never_arrived(const sim::GroundTruth& truth) {
    return truth.entries_with("-publish-") == 0 && [&] {
        for (const auto& send : truth.sends) {
            if (send.token.find("-publish-") != std::string::npos) {
                return true;
            }
        }
        return false;
    }();
}

void sweep(const sim::Scenario& scenario, Point point, std::uint64_t seed) {
    const std::uint64_t requests = requests_of_a_run(scenario, seed);
    BOOST_TEST_REQUIRE(requests > 30U);
    std::size_t refusals = 0;
    for (std::uint64_t nth = 1; nth <= requests; ++nth) {
        auto faulty = scenario;
        Fault crash(point, Match(), Effect::crash_client);
        crash.match.client = "p1";
        crash.nth = static_cast<unsigned>(nth);
        faulty.faults.push_back(crash);
        Bench bench(faulty, seed);
        const auto first = bench.publish(bench.process(), bench.request("run-1"));
        const bool inside = died_inside_the_dispatch(bench.world.truth());
        const auto again = bench.publish(bench.process(), bench.request("run-1"));
        const std::string what = "killed at " + std::string(sim::text(point)) + " of request " +
                                 std::to_string(nth) + ": " + describe(again);
        const bool refused =
            word(again) == "OUTCOME_UNKNOWN" && (inside || statement_never_arrived(bench.world.truth()));
        if (refused) {
            ++refusals;
            check_invariants(bench, what);
            continue;
        }
        check_published(bench, again, what);
    }
    BOOST_TEST_MESSAGE(
        sim::text(point) << ": " << requests << " requests, " << refusals << " documented refusals"
    );
    BOOST_TEST(refusals <= 2U);
}

} // namespace

BOOST_AUTO_TEST_SUITE(killed_and_run_again)

BOOST_AUTO_TEST_CASE(before_a_request_is_sent) {
    sweep(sim::simple_scenario(2), Point::send, 3);
}

BOOST_AUTO_TEST_CASE(after_a_request_had_its_effect) {
    sweep(sim::simple_scenario(2), Point::effect, 4);
}

BOOST_AUTO_TEST_CASE(after_a_reply_has_come) {
    sweep(sim::simple_scenario(2), Point::reply, 5);
}

BOOST_AUTO_TEST_CASE(absent_target) {
    sweep(sim::absent_target_scenario(2), Point::effect, 6);
}

BOOST_AUTO_TEST_SUITE_END()
