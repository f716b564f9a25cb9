#include "found_plan.hpp"

#include "fixtures/harness/plan_json.hpp"
#include "fixtures/harness/story.hpp"
#include "fixtures/sim/json_fields.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

namespace onceswap::harness {

void check_found_plan(const FoundPlan& row) {
    const Plan plan = plan_from_json(sim::parse_json(row.plan, row.what));
    const Outcome outcome = run(plan);
    std::string violations;
    for (const Violation& violation : outcome.violations)
        violations += std::string(text(violation.invariant)) + ": " + violation.detail + "\n";
    BOOST_TEST_CONTEXT(row.what << "\n" << to_text(plan) << violations) {
        BOOST_TEST(outcome.violations.empty());
        BOOST_TEST(outcome.fired != 0U);
        BOOST_TEST((outcome.virtual_time <= row.within));
    }
}

} // namespace onceswap::harness
