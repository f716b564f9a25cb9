#include "engine/keeper_gate.hpp"
#include "engine/task_group.hpp"
#include "loop.hpp"
#include "seeded_entropy.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace onceswap;
using engine::KeeperGate;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

http::Endpoint endpoint(const std::string& host) {
    return *http::Endpoint::parse("http://" + host + ":8123");
}

struct Journal {
    int inside = 0;
    int most = 0;
    int refused = 0;
    std::vector<int> order;
};

asio::awaitable<void> visit(
    KeeperGate& gate,
    engine::Clock& clock,
    http::Endpoint where,
    engine::TimePoint deadline,
    engine::Duration stay,
    int number,
    Journal& journal
) {
    auto turn = co_await gate.enter(clock, where, deadline);
    if (!turn) {
        ++journal.refused;
        co_return;
    }
    journal.order.push_back(number);
    ++journal.inside;
    journal.most = std::max(journal.most, journal.inside);
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await clock.wait_until(clock.now() + stay);
    --journal.inside;
}

asio::awaitable<void> visitors(KeeperGate& gate, engine::Clock& clock, Journal& journal, int count) {
    auto executor = co_await asio::this_coro::executor;
    engine::TaskGroup group(executor);
    for (int i = 0; i < count; ++i)
        group.spawn(visit(gate, clock, endpoint("a"), engine::TimePoint::max(), 1s, i, journal));
    co_await group.join();
}

asio::awaitable<void> impatient(KeeperGate& gate, engine::Clock& clock, Journal& journal) {
    auto executor = co_await asio::this_coro::executor;
    engine::TaskGroup group(executor);
    group.spawn(visit(gate, clock, endpoint("a"), engine::TimePoint::max(), 10s, 0, journal));
    group.spawn(visit(gate, clock, endpoint("a"), clock.now() + 2s, 1s, 1, journal));
    group.spawn(visit(gate, clock, endpoint("a"), clock.now() + 30s, 1s, 2, journal));
    group.spawn(visit(gate, clock, endpoint("b"), clock.now() + 1s, 1s, 3, journal));
    co_await group.join();
}

asio::awaitable<void> passer_by(KeeperGate& gate, engine::Clock& clock, Journal& journal) {
    co_await visit(gate, clock, endpoint("a"), clock.now() + 100s, 1s, 9, journal);
}

} // namespace

BOOST_AUTO_TEST_SUITE(keeper_gate)

BOOST_AUTO_TEST_CASE(one_at_a_time_in_the_order_of_arrival) {
    testing::Loop loop;
    KeeperGate gate;
    Journal journal;
    const auto begin = loop.clock.now();
    BOOST_TEST(loop.run(visitors(gate, loop.clock, journal, 5)).what() == "");
    BOOST_TEST(journal.most == 1);
    BOOST_TEST(journal.order == std::vector<int>({0, 1, 2, 3, 4}), boost::test_tools::per_element());
    BOOST_TEST((loop.clock.now() - begin == 5s));
}

BOOST_AUTO_TEST_CASE(a_deadline_leaves_the_line_and_endpoints_do_not_wait_for_each_other) {
    testing::Loop loop;
    KeeperGate gate;
    Journal journal;
    BOOST_TEST(loop.run(impatient(gate, loop.clock, journal)).what() == "");
    BOOST_TEST(journal.refused == 1);
    BOOST_TEST(journal.order == std::vector<int>({0, 3, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(cancelled_at_any_step_the_gate_stays_usable) {
    const unsigned cancelled = testing::sweep_cancellation([](unsigned cancel_at) {
        testing::Loop loop;
        KeeperGate gate;
        Journal journal;
        const auto ending = loop.run(visitors(gate, loop.clock, journal, 3), cancel_at);
        BOOST_TEST_CONTEXT("cancelled at step " << cancel_at) {
            BOOST_TEST(journal.most <= 1);
            BOOST_TEST(ending.leftovers == 0U);
            Journal later;
            BOOST_TEST(loop.run(passer_by(gate, loop.clock, later)).what() == "");
            BOOST_TEST(later.order.size() == 1U, "the turn was lost");
        }
        return ending;
    });
    BOOST_TEST(cancelled > 10U);
}

BOOST_AUTO_TEST_SUITE_END()
