#include "fixtures/harness/minimize.hpp"
#include "fixtures/harness/plan_json.hpp"
#include "fixtures/harness/story.hpp"
#include "fixtures/harness/swarm.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

// A failing plan becomes the plan that fails for that reason and no other.

using namespace onceswap;
using namespace onceswap::harness;

namespace {

/// A plan that a seed draws, with much going on.
Plan busy_plan() {
    for (std::uint64_t seed = 1;; ++seed) {
        Plan plan = plan_of(seed);
        if (plan.faults.size() >= 5 && plan.processes.size() >= 3 && plan.members >= 3) {
            return plan;
        }
    }
}

sim::Fault host_error() {
    sim::Fault fault(
        sim::Point::worker_after_active, sim::Match(sim::StatementClass::exchange), sim::Effect::host_error
    );
    fault.code = 36;
    fault.text = "no";
    return fault;
}

bool has_host_error(const Plan& plan) {
    return std::any_of(plan.faults.begin(), plan.faults.end(), [](const sim::Fault& fault) {
        return fault.effect == sim::Effect::host_error && fault.code == 36;
    });
}

} // namespace

BOOST_AUTO_TEST_SUITE(minimizer)

BOOST_AUTO_TEST_CASE(keeps_only_what_the_failure_needs) {
    Plan plan = busy_plan();
    plan.faults.insert(plan.faults.begin() + 2, host_error());
    plan.processes[1].crash_at = 12;
    const std::string second = plan.processes[1].client;
    const StillFails needs = [&](const Plan& smaller) {
        const Process* process = smaller.find(second);
        return has_host_error(smaller) && process != nullptr && process->crash_at == 12;
    };
    const Minimized small = minimize(plan, needs, 2'000);
    BOOST_TEST_CONTEXT(to_text(small.plan)) {
        BOOST_TEST(needs(small.plan));
        BOOST_TEST(small.plan.faults.size() == 1U);
        BOOST_TEST(small.plan.processes.size() == 1U);
        BOOST_TEST(small.plan.members == least_members);
        BOOST_TEST(small.plan.seed == 0U);
        BOOST_TEST(small.tried > 0U);
    }
}

BOOST_AUTO_TEST_CASE(spends_no_more_than_its_budget_and_still_returns_a_failing_plan) {
    std::size_t asked = 0;
    const StillFails counting = [&](const Plan& plan) {
        ++asked;
        return !plan.faults.empty();
    };
    const Minimized small = minimize(busy_plan(), counting, 3);
    BOOST_TEST(asked == 3U);
    BOOST_TEST(small.tried == 3U);
    BOOST_TEST(!small.plan.faults.empty());
}

BOOST_AUTO_TEST_CASE(a_plan_that_cannot_be_smaller_stays) {
    const Plan plan = busy_plan();
    const Minimized same = minimize(plan, [](const Plan&) { return false; });
    Plan expected = plan;
    expected.seed = 0;
    BOOST_TEST((same.plan == expected));
}

BOOST_AUTO_TEST_CASE(finds_the_one_lost_statement_behind_an_unsettled_slot) {
    // The publishing statement is lost before any effect: nobody can ever tell, and nothing else is needed
    // for that.
    Plan plan = plan_of(1);
    plan.target_exists = true;
    plan.members = 3;
    plan.clock_offsets.clear();
    plan.processes.resize(1);
    plan.processes.front() = Process();
    plan.processes.front().client = "p1";
    plan.processes.front().invocation = "run-1";
    plan.processes.front().rows = 9;
    plan.faults.clear();
    for (unsigned nth = 1; nth <= 4; ++nth) {
        sim::Fault noise(sim::Point::effect, sim::Match(sim::StatementClass::catalogue), sim::Effect::delay);
        noise.nth = 3 * nth;
        noise.delay = std::chrono::milliseconds(9);
        plan.faults.push_back(noise);
    }
    sim::Fault lost(sim::Point::arrive, sim::Match(sim::StatementClass::exchange), sim::Effect::lose);
    lost.name = "the culprit";
    plan.faults.insert(plan.faults.begin() + 1, lost);
    const StillFails dispatched_and_unknown = [](const Plan& smaller) {
        const Outcome outcome = run(smaller);
        const auto& endings = outcome.endings;
        return std::any_of(endings.begin(), endings.end(), [](const Ending& ending) {
            return ending.client == "p1" && ending.report &&
                   ending.report->verdict.word == protocol::Word::outcome_unknown &&
                   ending.report->phase == protocol::Phase::dispatching;
        });
    };
    BOOST_REQUIRE(dispatched_and_unknown(plan));
    const Minimized small = minimize(plan, dispatched_and_unknown, 120);
    BOOST_TEST_CONTEXT(to_text(small.plan)) {
        BOOST_TEST_REQUIRE(small.plan.faults.size() == 1U);
        BOOST_TEST(small.plan.faults.front().name == "the culprit");
        BOOST_TEST(small.plan.members == least_members);
    }
}

BOOST_AUTO_TEST_SUITE_END()
