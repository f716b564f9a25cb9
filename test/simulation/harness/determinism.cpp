#include "fixtures/harness/plan_json.hpp"
#include "fixtures/harness/story.hpp"
#include "fixtures/harness/swarm.hpp"
#include "fixtures/sim/select_memory.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

// The same plan gives the same run, and another seed another one.

using namespace onceswap;
using namespace onceswap::harness;

BOOST_AUTO_TEST_SUITE(determinism)

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_trace) {
    std::set<std::uint64_t> hashes;
    constexpr std::uint64_t seeds = 24;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Plan plan = plan_of(seed);
        const Outcome first = run(plan);
        const Outcome second = run(plan_from_json(to_json(plan)));
        BOOST_TEST_CONTEXT("onceswap-sim --replay " << seed) {
            BOOST_TEST(first.trace_hash == second.trace_hash);
            BOOST_TEST(first.steps == second.steps);
            BOOST_TEST(first.fired == second.fired);
            BOOST_TEST(first.endings.size() == second.endings.size());
        }
        hashes.insert(first.trace_hash);
    }
    BOOST_TEST(hashes.size() == seeds);
}

BOOST_AUTO_TEST_CASE(a_kept_answer_is_what_evaluating_gives) {
    sim::SelectMemory& memory = sim::SelectMemory::of_this_thread();
    const std::uint64_t found = memory.found();
    for (std::uint64_t seed = 101; seed <= 200; ++seed) {
        const Plan plan = plan_of(seed);
        memory.check(true);
        const Outcome checked = run(plan);
        memory.check(false);
        BOOST_TEST_CONTEXT("onceswap-sim --replay " << seed) {
            for (const Violation& violation : checked.violations)
                BOOST_TEST((violation.invariant != Invariant::harness), violation.detail);
        }
    }
    BOOST_TEST(memory.found() > found + 1000);
}

BOOST_AUTO_TEST_CASE(what_is_recorded_changes_nothing) {
    StoryOptions everything;
    everything.trace = true;
    everything.labels = true;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Plan plan = plan_of(seed);
        const Outcome silent = run(plan);
        const Outcome loud = run(plan, everything);
        BOOST_TEST_CONTEXT("onceswap-sim --replay " << seed) {
            BOOST_TEST(silent.trace_hash == loud.trace_hash);
            BOOST_TEST(silent.trace.empty());
            BOOST_TEST(!loud.trace.empty());
        }
    }
}

BOOST_AUTO_TEST_CASE(only_the_scheduler_seed_differs_and_the_order_differs) {
    Plan plan;
    plan.processes.resize(1);
    plan.processes.front().client = "p1";
    plan.processes.front().invocation = "run-1";
    std::set<std::uint64_t> hashes;
    for (plan.scheduler_seed = 1; plan.scheduler_seed <= 8; ++plan.scheduler_seed) {
        const Outcome outcome = run(plan);
        hashes.insert(outcome.trace_hash);
        BOOST_TEST_CONTEXT(to_text(plan)) {
            BOOST_TEST(outcome.violations.empty());
            BOOST_TEST(outcome.publications == 2U); // run-1 and the successor
            BOOST_TEST(outcome.unknowns.empty());
            BOOST_TEST(outcome.fired == 0U);
        }
    }
    BOOST_TEST(hashes.size() == 8U);
}

BOOST_AUTO_TEST_CASE(profiles_and_host_forms_all_publish) {
    for (const sim::Version version :
         {sim::Version::v24_8, sim::Version::v25_8, sim::Version::v25_11, sim::Version::v26_7}) {
        for (const HostForm hosts : {HostForm::name, HostForm::ipv4, HostForm::ipv6, HostForm::escaped}) {
            Plan plan;
            plan.profile = version;
            plan.hosts = hosts;
            plan.members = 3;
            plan.target_exists = hosts != HostForm::ipv4;
            plan.clock_offsets = {std::chrono::seconds(-40), std::chrono::seconds(75)};
            plan.processes.resize(1);
            plan.processes.front().client = "p1";
            plan.processes.front().invocation = "run-1";
            plan.processes.front().rows = 3;
            const Outcome outcome = run(plan);
            BOOST_TEST_CONTEXT(to_text(plan)) {
                BOOST_TEST(outcome.publications == 2U);
                BOOST_TEST(outcome.unknowns.empty());
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
