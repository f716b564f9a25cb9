#include "fixtures/sim/cluster.hpp"
#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

// Keeper servers that lag: a member shows an older record, an older queue, an older replication log, and its
// worker begins late. An older answer may delay a publication; it never makes it claim or send anything.

using namespace onceswap;
using namespace onceswap::simulation;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

using namespace std::chrono_literals;

/// The n-th mutation leaves; from then on this member's Keeper server stands still.
Fault stands_still(unsigned nth, sim::MemberIndex member, const char* session) {
    Fault fault(Point::send, Match(), Effect::lag_follower);
    fault.match.mutations_only = true;
    fault.nth = nth;
    fault.on = member;
    fault.text = session;
    return fault;
}

} // namespace

BOOST_AUTO_TEST_SUITE(stale_reads)

/// From each mutation on, at each member, whether or not its session remembers its own writes.
BOOST_AUTO_TEST_CASE(a_keeper_server_stands_still) {
    for (const char* session : {"", "new_session"}) {
        for (unsigned nth = 1; nth <= 12; ++nth) {
            for (sim::MemberIndex member = 0; member < 3; ++member) {
                auto scenario = sim::simple_scenario(3);
                scenario.faults.push_back(stands_still(nth, member, session));
                Bench bench(scenario, 20 + nth);
                const auto first = bench.publish("run-1");
                const std::string what = "mutation " + std::to_string(nth) + ", member " +
                                         std::to_string(member) + " " + session +
                                         ", first: " + describe(first);
                check_invariants(bench, what);
                bench.world.heal();
                const auto last = word(first) == "COMPLETED" ? first : bench.publish("run-1");
                check_invariants(bench, what + ", then: " + describe(last));
                if (word(last) != "OUTCOME_UNKNOWN") {
                    check_published(bench, last, what + ", then: " + describe(last));
                }
                // Nothing but a dispatching write whose row could not be read back stays unknown.
                BOOST_TEST_CONTEXT(what << ", then: " << describe(last)) {
                    BOOST_TEST(
                        (word(last) == "COMPLETED" || bench.world.truth().entries_with("-publish-") == 0U)
                    );
                }
            }
        }
    }
}

/// All Keeper servers but the leader are always a little behind.
BOOST_AUTO_TEST_CASE(steady_lag) {
    for (const auto lag : {200ms, 1000ms, 5000ms}) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            auto scenario = sim::simple_scenario(3);
            Fault fault(0s, Effect::lag_follower);
            fault.delay = lag;
            scenario.faults.push_back(fault);
            Bench bench(scenario, seed);
            const auto first = bench.publish("run-1");
            const std::string what = "lag " + std::to_string(lag.count()) + " ms, seed " +
                                     std::to_string(seed) + ": " + describe(first);
            check_published(bench, first, what);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
