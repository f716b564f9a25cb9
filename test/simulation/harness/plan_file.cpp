#include "fixtures/harness/plan_json.hpp"
#include "fixtures/harness/swarm.hpp"
#include "fixtures/harness/swarm_draw.hpp"
#include "fixtures/sim/json_fields.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>
#include <string>

// A plan file says everything that a plan holds, and nothing that is not in the format.

using namespace onceswap;
using namespace onceswap::harness;

namespace {

Plan reread(const Plan& plan) {
    return plan_from_json(sim::parse_json(to_text(plan), "plan"));
}

/// Why the text is refused; empty: it is not.
std::string refusal(const std::string& text) {
    try {
        plan_from_json(sim::parse_json(text, "plan"));
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

} // namespace

BOOST_AUTO_TEST_SUITE(plan_file)

BOOST_AUTO_TEST_CASE(what_seeds_draw_comes_back_as_it_was) {
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        const Plan plan = plan_of(seed);
        BOOST_TEST_CONTEXT("seed " << seed << "\n" << to_text(plan)) {
            BOOST_REQUIRE(reread(plan) == plan);
        }
    }
}

BOOST_AUTO_TEST_CASE(what_only_directed_classes_draw_comes_back_too) {
    for (const FaultSource& source : guarded_faults())
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const Plan plan = plan_of_class(seed, source.description.name);
            BOOST_TEST_CONTEXT(source.description.name << " seed " << seed << "\n" << to_text(plan)) {
                BOOST_REQUIRE(reread(plan) == plan);
            }
        }
}

BOOST_AUTO_TEST_CASE(a_hand_written_plan_needs_little) {
    const Plan plan = plan_from_json(
        sim::parse_json(R"({"processes": [{"client": "p1", "invocation": "run-1", "crash_at": 3}]})", "plan")
    );
    BOOST_TEST(plan.members == 2U);
    BOOST_TEST_REQUIRE(plan.processes.size() == 1U);
    BOOST_TEST(text(plan.processes.front().verb) == "publish");
    BOOST_TEST(sim::text(plan.processes.front().crash_point) == "arrive");
    BOOST_TEST_REQUIRE(scenario_of(plan).faults.size() == 1U);
    BOOST_TEST(scenario_of(plan).faults.front().match.client == "p1");
}

BOOST_AUTO_TEST_CASE(what_is_not_in_the_format_is_refused_with_its_place) {
    struct Row {
        const char* text;
        const char* mentions;
    };

    static constexpr Row rows[] = {
        {R"({"members": 1})", "members"},
        {R"({"members": 17})", "members"},
        {R"({"members": "2"})", "members"},
        {R"({"member": 2})", "member"},
        {R"({"profile": "23.1"})", "profile"},
        {R"({"hosts": "ipv5"})", "hosts"},
        {R"({"clock_offsets_us": [1, 2, 3]})", "clock_offsets_us"},
        {R"({"clock_offsets_us": ["1"]})", "clock_offsets_us"},
        {R"({"processes": [{}]})", "client"},
        {R"({"processes": [{"client": "p1"}]})", "invocation"},
        {R"({"processes": [{"client": "p1", "verb": "swap"}]})", "verb"},
        {R"({"processes": [{"client": "p1", "verb": "observe", "crash_at": 1, "crash_point": "enqueued"}]})",
         "crash_point"},
        {R"({"processes": [{"client": "p1", "verb": "observe", "after": "p2"}]})", "waits for p2"},
        {R"({"processes": [{"client": "p1", "verb": "observe"}, {"client": "p1", "verb": "observe"}]})",
         "two are called p1"},
        {R"({"faults": [{"effect": "lose", "point": "arrive", "match": {"member": 2}}]})", "no member 2"},
        {R"({"faults": [{"effect": "crash", "on": 5}]})", "no member 5"},
        {R"({"faults": [{"effect": "vanish"}]})", "effect"},
        {R"([])", "plan"},
    };
    for (const Row& row : rows) {
        const std::string said = refusal(row.text);
        BOOST_TEST_CONTEXT(row.text << " -> " << said) {
            BOOST_TEST(said.find(row.mentions) != std::string::npos);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
