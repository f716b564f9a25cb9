#include "fixtures/harness/exhaustive.hpp"
#include "fixtures/harness/exhaustive_choices.hpp"
#include "fixtures/harness/plan_json.hpp"
#include "fixtures/harness/state_digest.hpp"
#include "fixtures/harness/story.hpp"
#include "fixtures/harness/witness.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

// The exhaustive worlds, a small part of each: the whole is run by tools/check --all.

using namespace onceswap;
using namespace onceswap::harness;

namespace {

constexpr const char* record_text = "operation 0123456789abcdef at 1760000123 entry query-0000000007";

Bound part(unsigned jobs) {
    Bound bound;
    bound.deviations = 2;
    bound.most_runs = 40; // a part: the whole is a run of its own (onceswap-sim --exhaustive)
    bound.jobs = jobs;
    return bound;
}

std::string told(const Enumerated& result) {
    std::string text = std::to_string(result.runs) + " runs, " + std::to_string(result.states) + " states, " +
                       std::to_string(result.branchings) + " branchings, " + std::to_string(result.pruned) +
                       " pruned, " + std::to_string(result.steps) + " steps, " +
                       std::to_string(result.publications) + " publications";
    for (const std::uint64_t runs : result.depth) {
        text += " " + std::to_string(runs);
    }
    return text;
}

std::vector<Branching> branchings_of(const Plan& plan) {
    Witness witness;
    StoryOptions options;
    options.witness = &witness;
    run(plan, options);
    return witness.branchings();
}

} // namespace

BOOST_AUTO_TEST_SUITE(exhaustive)

BOOST_AUTO_TEST_CASE(counts_are_the_same_on_every_run_and_with_any_number_of_threads) {
    for (const SmallWorld& world : small_worlds()) {
        const Enumerated one = enumerate(world, part(1));
        const Enumerated three = enumerate(world, part(3));
        BOOST_TEST_CONTEXT(world.name) {
            BOOST_TEST(told(one) == told(three));
            BOOST_TEST(one.runs == 40U);
            BOOST_TEST(one.states > 80U);
            BOOST_TEST(one.publications > one.runs);
            BOOST_TEST(!one.complete);
            BOOST_TEST(one.failed == 0U);
            BOOST_TEST(one.unfired == 0U);
            BOOST_TEST(one.contradictions == 0U);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_statement_that_matters_is_met_at_every_point) {
    for (const SmallWorld& world : small_worlds()) {
        const std::vector<Branching> met = branchings_of(world.plan);
        std::set<std::pair<std::string, std::string>> seen;
        for (const Branching& one : met) {
            seen.emplace(sim::text(one.statement_class), sim::text(one.point));
        }
        const std::string move = world.plan.target_exists ? "exchange" : "rename";
        BOOST_TEST_CONTEXT(world.name) {
            for (const char* point :
                 {"send",
                  "arrive",
                  "before_commit",
                  "after_commit",
                  "effect",
                  "reply",
                  "worker_before_active",
                  "worker_after_active",
                  "worker_after_execute",
                  "worker_before_status",
                  "worker_after_status"}) {
                BOOST_TEST(seen.contains({move, point}), move << " at " << point);
            }
            BOOST_TEST(seen.contains({"authority_update", "between_phases"}));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_deviation_strikes_where_it_is_to_strike) {
    const SmallWorld world = small_worlds().front();
    const std::vector<Branching> met = branchings_of(world.plan);
    for (std::size_t at = 0; at < met.size(); at += 17) {
        for (const sim::Fault& choice : choices_at(met, at, false)) {
            Plan plan = world.plan;
            plan.faults = {choice};
            const std::vector<Branching> again = branchings_of(plan);
            BOOST_TEST_CONTEXT(to_text(plan)) {
                BOOST_REQUIRE(again.size() > at);
                for (std::size_t i = 0; i <= at; ++i) {
                    BOOST_TEST(again[i].state == met[i].state);
                }
                const bool goes_on_alike =
                    again.size() == met.size() &&
                    std::equal(again.begin(), again.end(), met.begin(), [](const auto& a, const auto& b) {
                        return a.state == b.state;
                    });
                BOOST_TEST(!goes_on_alike);
            }
            break;
        }
    }
}

BOOST_AUTO_TEST_CASE(drawn_words_count_by_their_first_appearance_and_times_do_not) {
    struct Row {
        const char* first;
        const char* other;
        bool same;
    };

    const Row rows[] = {
        {record_text, "operation fedcba9876543210 at 1760999999 entry query-0000000007", true},
        {record_text, "operation fedcba9876543210 at 1760999999 entry query-0000000008", false},
        {"aaaaaaaa aaaaaaaa", "bbbbbbbb bbbbbbbb", true},
        {"aaaaaaaa aaaaaaaa", "bbbbbbbb cccccccc", false},
        {"1b4e28ba-2fa1-41d2-883f-0016d3cca427", "9f4e28ba-2fa1-41d2-883f-0016d3cca427", true},
        {"phase DISPATCHING", "phase COMMITTED", false},
        {"epoch 1", "epoch 2", false},
    };
    for (const Row& row : rows) {
        Vocabulary one;
        Vocabulary two;
        BOOST_TEST(
            (one.digest(row.first) == two.digest(row.other)) == row.same, row.first << " | " << row.other
        );
    }
}

BOOST_AUTO_TEST_SUITE_END()
