#include "engine/backoff.hpp"
#include "seeded_entropy.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <set>

using namespace onceswap;
using engine::backoff_bounds;
using engine::DelayBounds;
using std::chrono::milliseconds;

BOOST_AUTO_TEST_SUITE(backoff)

BOOST_AUTO_TEST_CASE(bounds_by_attempt) {
    struct Row {
        int initial;
        int max;
        unsigned attempt;
        int lowest;
        int highest;
    };

    const Row rows[] = {
        {250, 5000, 0, 125, 250},
        {250, 5000, 1, 250, 500},
        {250, 5000, 2, 500, 1000},
        {250, 5000, 4, 2000, 4000},
        {250, 5000, 5, 2500, 5000},
        {250, 5000, 6, 2500, 5000},
        {250, 5000, std::numeric_limits<unsigned>::max(), 2500, 5000},
        {1, 1, 0, 1, 1},
        {1, 3, 1, 1, 2},
        {1, 3, 2, 2, 3},
        {0, 100, 0, 1, 1}, // not a busy loop
        {-5, 100, 1, 1, 2},
        {500, 100, 3, 250, 500}, // max below initial counts as initial
        {0, 0, 9, 1, 1},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT("initial " << row.initial << " max " << row.max << " attempt " << row.attempt) {
            const DelayBounds bounds =
                backoff_bounds(milliseconds(row.initial), milliseconds(row.max), row.attempt);
            BOOST_TEST(bounds.lowest.count() == row.lowest);
            BOOST_TEST(bounds.highest.count() == row.highest);
        }
    }
    const auto huge = milliseconds::max();
    BOOST_TEST((backoff_bounds(milliseconds(250), huge, 10'000).highest == huge));
}

BOOST_AUTO_TEST_CASE(waits_stay_in_their_bounds_grow_and_differ) {
    std::set<milliseconds::rep> first_waits;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        testing::SeededEntropy entropy(seed);
        engine::Backoff backoff(milliseconds(250), milliseconds(5000));
        for (unsigned attempt = 0; attempt < 12; ++attempt) {
            const DelayBounds bounds = backoff_bounds(milliseconds(250), milliseconds(5000), attempt);
            const milliseconds wait = backoff.next(entropy);
            BOOST_REQUIRE_MESSAGE(
                bounds.lowest <= wait && wait <= bounds.highest,
                "seed " << seed << " attempt " << attempt << " waits " << wait.count() << " ms"
            );
            if (attempt == 0)
                first_waits.insert(wait.count());
        }
        backoff.reset();
        BOOST_REQUIRE_LE(backoff.next(entropy).count(), 250);
    }
    BOOST_TEST(first_waits.size() > 50U); // jitter is there
}

BOOST_AUTO_TEST_SUITE_END()
