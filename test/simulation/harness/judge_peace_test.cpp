#include "judged_world.hpp"

#include <boost/test/unit_test.hpp>

// The judge has nothing to say where nothing is wrong.

using namespace onceswap;
using namespace onceswap::harness_test;

BOOST_AUTO_TEST_SUITE(judge_peace)

BOOST_AUTO_TEST_CASE(publications_one_after_the_other_are_clean) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        JudgedWorld bench(sim::simple_scenario(2 + seed % 3), seed);
        for (const char* invocation : {"one", "two", "three"}) {
            const auto report = bench.publish(invocation);
            BOOST_REQUIRE(report.has_value());
            BOOST_TEST(protocol::text(report->verdict.word) == "COMPLETED");
            bench.judge.settled("p", &*report);
            bench.judge.nothing_left(invocation);
        }
        bench.observe();
        bench.idle();
        BOOST_TEST(bench.violations() == "");
    }
}

BOOST_AUTO_TEST_SUITE_END()
