#include "engine/deadline.hpp"
#include "engine/system_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>

using namespace onceswap;
using namespace std::chrono_literals;
namespace asio = boost::asio;
using boost::system::error_code;

namespace {

asio::awaitable<void> wait(engine::Clock& clock, engine::TimePoint when, error_code& result) {
    result = co_await clock.wait_until(when);
}

asio::awaitable<void> cut_short(engine::Clock& clock, error_code& result, bool& by_itself) {
    auto waiting = wait(clock, clock.now() + 1h, result);
    by_itself = co_await engine::run_until(clock, clock.now(), std::move(waiting));
}

void run(asio::io_context& context, asio::awaitable<void> body) {
    std::exception_ptr error;
    asio::co_spawn(context, std::move(body), [&error](const std::exception_ptr& failure) {
        error = failure;
    });
    context.run();
    if (error)
        std::rethrow_exception(error);
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_clock)

BOOST_AUTO_TEST_CASE(it_moves_and_knows_the_year) {
    asio::io_context context;
    const auto clock = engine::make_system_clock(context.get_executor());
    const auto before = clock->now();
    BOOST_TEST((clock->now() >= before));
    BOOST_TEST(clock->wall_seconds() > 1'700'000'000);
}

BOOST_AUTO_TEST_CASE(a_time_that_has_come_completes) {
    asio::io_context context;
    const auto clock = engine::make_system_clock(context.get_executor());
    error_code result = asio::error::fault;
    run(context, wait(*clock, clock->now(), result));
    BOOST_TEST(!result);
}

BOOST_AUTO_TEST_CASE(a_cancelled_wait_ends_at_once_and_leaves_nothing) {
    asio::io_context context;
    const auto clock = engine::make_system_clock(context.get_executor());
    error_code result;
    bool by_itself = false;
    run(context, cut_short(*clock, result, by_itself)); // would take an hour otherwise
    BOOST_TEST((result == asio::error::operation_aborted));
    // The operation swallowed its cancellation and ended: an end is an end.
    BOOST_TEST(by_itself);
}

BOOST_AUTO_TEST_CASE(a_context_that_goes_away_takes_its_waits_along) {
    auto context = std::make_unique<asio::io_context>();
    const auto clock = engine::make_system_clock(context->get_executor());
    auto held = std::make_shared<int>(1);
    const std::weak_ptr<int> watched = held;
    clock->async_wait(clock->now() + 1h, [held](error_code) { BOOST_ERROR("ended"); });
    held.reset();
    context->poll();
    BOOST_TEST(!watched.expired());
    context.reset();
    BOOST_TEST(watched.expired());
}

BOOST_AUTO_TEST_SUITE_END()
