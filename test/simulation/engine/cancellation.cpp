#include "simulation/bench.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

// A publication is cancelled at its n-th step of the loop, for n over the whole run: nothing of it is left,
// the slot is not stranded, and the same command goes on.

using namespace onceswap;
using namespace onceswap::simulation;

namespace {

struct Cancelled {
    std::optional<protocol::Report> report;
    std::uint64_t steps = 0;
    std::vector<std::string> left; ///< calls and waits when the call returned
};

boost::asio::awaitable<protocol::Report> cancellable(
    engine::Context& context, engine::PublishRequest request, boost::asio::cancellation_signal& signal
) {
    auto executor = co_await boost::asio::this_coro::executor;
    auto work = engine::publish(context, std::move(request), loader(20));
    auto report = co_await boost::asio::co_spawn(
        executor,
        std::move(work),
        boost::asio::bind_cancellation_slot(signal.slot(), boost::asio::use_awaitable)
    );
    co_return report;
}

/// Runs a publication and emits the signal after `at` steps (never, if it ends before).
Cancelled run_and_cancel(Bench& bench, std::uint64_t at) {
    boost::asio::cancellation_signal signal;
    auto& process = bench.process();
    auto started = bench.world.start<protocol::Report>(
        process, cancellable(bench.context_of(process), bench.request("run-1"), signal)
    );
    Cancelled cancelled;
    while (!started.done()) {
        if (cancelled.steps == at) {
            signal.emit(boost::asio::cancellation_type::terminal);
        }
        if (!bench.world.step()) {
            break;
        }
        ++cancelled.steps;
    }
    cancelled.report = started.result();
    cancelled.left = bench.world.leftovers();
    bench.world.run_until_idle(); // an emitted signal may still be on its way to a coroutine that has ended
    std::erase_if(cancelled.left, [](const std::string& line) { return line.ends_with("ready handlers"); });
    return cancelled;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cancelled)

BOOST_AUTO_TEST_CASE(at_every_step_and_run_again) {
    constexpr std::uint64_t never = ~std::uint64_t{0};
    std::uint64_t steps = 0;
    {
        Bench bench(sim::simple_scenario(2), 1);
        const auto whole = run_and_cancel(bench, never);
        check_published(bench, whole.report, "undisturbed");
        steps = whole.steps;
    }
    BOOST_TEST_MESSAGE("steps of one publication: " << steps);
    std::size_t cancelled = 0;
    const std::uint64_t stride = std::max<std::uint64_t>(1, steps / 400);
    for (std::uint64_t at = 0; at < steps; at += stride) {
        Bench bench(sim::simple_scenario(2), 1);
        const auto first = run_and_cancel(bench, at);
        const std::string what = "cancelled at step " + std::to_string(at) + ": " + describe(first.report);
        BOOST_TEST_CONTEXT(what) {
            BOOST_REQUIRE(first.report.has_value());
            BOOST_TEST(first.left == std::vector<std::string>(), boost::test_tools::per_element());
            BOOST_TEST(bench.world.leftovers().empty());
            if (first.report->stopped_by == protocol::Code::cancelled) {
                ++cancelled;
            }
        }
        check_invariants(bench, what);
        const auto again = bench.publish("run-1");
        check_published(bench, again, what + ", then: " + describe(again));
    }
    BOOST_TEST(cancelled > 100U);
}

BOOST_AUTO_TEST_SUITE_END()
