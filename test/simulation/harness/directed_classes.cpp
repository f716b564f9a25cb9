#include "fixtures/harness/plan_json.hpp"
#include "fixtures/harness/story.hpp"
#include "fixtures/harness/swarm.hpp"
#include "fixtures/harness/swarm_draw.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

// The classes that only the hunt for mutants draws: without a mutant nothing comes of them, and the faults
// that they are about do fire.

using namespace onceswap;
using namespace onceswap::harness;

namespace {

std::vector<FaultSource> all_directed() {
    std::vector<FaultSource> all(directed_faults().begin(), directed_faults().end());
    all.insert(all.end(), guarded_faults().begin(), guarded_faults().end());
    return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(directed_classes)

BOOST_AUTO_TEST_CASE(without_a_defect_they_hold_every_invariant) {
    constexpr std::uint64_t seeds = 12;
    for (const FaultSource& source : all_directed()) {
        std::size_t fired = 0;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const Plan plan = plan_of_class(seed, source.description.name);
            StoryOptions options;
            options.guards = true;
            const Outcome outcome = run(plan, options);
            fired += outcome.fired;
            std::string violations;
            for (const Violation& violation : outcome.violations)
                violations += std::string(text(violation.invariant)) + ": " + violation.detail + "\n";
            BOOST_TEST(
                outcome.violations.empty(),
                source.description.name << " seed " << seed << "\n"
                                        << to_text(plan) << violations
            );
        }
        BOOST_TEST(fired != 0U, source.description.name);
    }
}

BOOST_AUTO_TEST_CASE(ordinary_seeds_do_not_draw_them) {
    for (const FaultSource& source : all_directed())
        BOOST_TEST((std::none_of(fault_classes().begin(), fault_classes().end(), [&](const FaultClass& one) {
            return one.name == source.description.name;
        })));
}

BOOST_AUTO_TEST_CASE(an_ordinary_class_can_be_had_alone_and_an_unknown_one_cannot) {
    const Plan plan = plan_of_class(7, "routes");
    BOOST_TEST(
        (!plan.faults.empty() && std::all_of(
                                     plan.faults.begin(),
                                     plan.faults.end(),
                                     [](const auto& one) { return one.effect == sim::Effect::route; }
                                 ))
    );
    BOOST_TEST((plan == plan_of_class(7, "routes")));
    BOOST_CHECK_THROW(static_cast<void>(plan_of_class(7, "no such class")), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
