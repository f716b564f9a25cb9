// The small worlds that are tried exhaustively are no less awake than the swarm: one deviation is enough for
// these.
#include "fixtures/harness/exhaustive.hpp"
#include "fixtures/harness/plan_json.hpp"
#include "fixtures/harness/story.hpp"
#include "fixtures/mutants/active_mutants.hpp"
#include "fixtures/mutants/defect.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>

namespace onceswap::mutants {

namespace {

using protocol::Mutant;

struct SwitchesOff {
    ~SwitchesOff() { activate({}); }
};

const harness::SmallWorld& succession() {
    static const harness::SmallWorld world = harness::small_worlds().front();
    return world;
}

} // namespace

BOOST_AUTO_TEST_SUITE(exhaustive_world)

BOOST_AUTO_TEST_CASE(finds_what_is_taken_away_and_its_plan_shows_it_again) {
    const SwitchesOff afterwards;
    for (const Mutant mutant :
         {Mutant::lost_ddl_sent_again,
          Mutant::unanswered_taken_as_not_sent,
          Mutant::failed_host_read_as_success}) {
        const auto& lines = defects();
        const auto defect = std::find_if(lines.begin(), lines.end(), [&](const Defect& one) {
            return one.switches.size() == 1 && one.switches.front() == mutant;
        });
        BOOST_REQUIRE(defect != lines.end());
        activate(std::array{mutant});
        harness::Bound bound;
        bound.most_failures = 1;
        bound.jobs = 1; // switches belong to a thread
        const harness::Enumerated result = harness::enumerate(succession(), bound);
        BOOST_TEST_CONTEXT(text(mutant) << " after " << result.runs << " runs") {
            BOOST_TEST_REQUIRE(!result.failures.empty());
            const auto& failure = result.failures.front();
            const auto& expected = defect->expected;
            BOOST_TEST(
                (std::find(expected.begin(), expected.end(), failure.violation.invariant) != expected.end()),
                harness::text(failure.violation.invariant)
            );
            BOOST_TEST(failure.plan.faults.size() <= 1U);
            const harness::Outcome again = harness::run(failure.plan);
            BOOST_TEST_REQUIRE(again.failed());
            BOOST_TEST(again.violations.front().detail == failure.violation.detail);
            activate({});
            BOOST_TEST(!harness::run(failure.plan).failed());
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::mutants
