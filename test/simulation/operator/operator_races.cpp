#include "simulation/operator_calls.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

// Operators against a live publisher, a resume and each other; and cancelled at every step of the loop.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::Phase;

namespace {

std::optional<engine::Pin> recorded(const Bench& bench, std::string_view phase) {
    const auto& writes = bench.world.truth().authority_writes;
    const auto found = std::ranges::find(writes, phase, &sim::GroundTruth::AuthorityWrite::phase);
    if (found == writes.end())
        return std::nullopt;
    return engine::Pin(found->operation_id, found->version);
}

/// Whatever the two did to each other, afterwards the slot can be settled and nothing is lost.
void settle_and_check(Bench& bench, const std::string& what) {
    bench.world.run_until_idle();
    auto after = run(bench, Command::resume);
    if (word(after) == "READY")
        after = run(bench, Command::abandon);
    else if (word(after) == "OUTCOME_UNKNOWN")
        after = run(bench, Command::retire);
    check_settled(bench, after, what + "; settled: " + describe(after));
    const std::string target = bench.target_uuid(0);
    BOOST_TEST_CONTEXT(what << bench.facts()) {
        BOOST_TEST(!target.empty());
        BOOST_TEST(bench.world.truth().entries_with("-publish-") <= 1U);
        for (const auto& drop : bench.world.truth().drops)
            BOOST_TEST(drop.uuid != target);
    }
}

/// Before it the call has not begun, and co_spawn itself reports the cancellation.
constexpr std::uint64_t first_step_of_a_call = 2;

struct Cancelled {
    std::optional<protocol::Report> report;
    std::uint64_t steps = 0;
    std::vector<std::string> left;
};

boost::asio::awaitable<protocol::Report> cancellable(
    engine::Context& context,
    Command command,
    protocol::TargetName target,
    engine::Pin pin,
    engine::TimePoint deadline,
    boost::asio::cancellation_signal& signal
) {
    auto executor = co_await boost::asio::this_coro::executor;
    boost::asio::awaitable<protocol::Report> work =
        command == Command::abandon  ? engine::abandon(context, target, pin, deadline)
        : command == Command::retire ? engine::retire(context, target, pin, deadline)
                                     : engine::close_keeping_predecessor(context, target, pin, deadline);
    auto report = co_await boost::asio::co_spawn(
        executor,
        std::move(work),
        boost::asio::bind_cancellation_slot(signal.slot(), boost::asio::use_awaitable)
    );
    co_return report;
}

Cancelled
run_and_cancel(Bench& bench, Command command, std::uint64_t at, boost::asio::cancellation_signal& signal) {
    const engine::Pin pin = pin_of(bench);
    auto& process = bench.process();
    auto started = bench.world.start<protocol::Report>(
        process,
        cancellable(
            bench.context_of(process),
            command,
            bench.target,
            pin,
            bench.world.in(std::chrono::minutes(10)),
            signal
        )
    );
    Cancelled cancelled;
    while (!started.done()) {
        if (cancelled.steps == at)
            signal.emit(boost::asio::cancellation_type::terminal);
        if (!bench.world.step())
            break;
        ++cancelled.steps;
    }
    cancelled.report = started.result();
    cancelled.left = bench.world.leftovers();
    bench.world.run_until_idle();
    std::erase_if(cancelled.left, [](const std::string& line) { return line.ends_with("ready handlers"); });
    return cancelled;
}

} // namespace

BOOST_AUTO_TEST_SUITE(operator_races)

BOOST_AUTO_TEST_CASE(against_a_live_publisher) {
    struct Row {
        Command command;
        std::string_view from; ///< begins when the publisher's record first stands there
    };

    for (const Row& row :
         {Row{Command::abandon, "PREPARED"},
          Row{Command::retire, "DISPATCHING"},
          Row{Command::retire, "COMMITTED"},
          Row{Command::close, "COMMITTED"},
          Row{Command::close, "SET_ASIDE_DISPATCHING"},
          Row{Command::close, "CLEANUP_DISPATCHING"}}) {
        std::size_t won = 0;
        for (std::uint64_t seed = 1; seed <= 25; ++seed) {
            Bench bench(sim::simple_scenario(2), seed);
            auto publisher = bench.start_publish(bench.process(), bench.request("run-1"));
            while (!recorded(bench, row.from) && bench.world.step()) {
            }
            const auto pin = recorded(bench, row.from);
            BOOST_REQUIRE(pin.has_value());
            auto command = start(bench, row.command, *pin, bench.process());
            bench.world.run();
            const std::string what = std::string(text(row.command)) + " from " + std::string(row.from) +
                                     ": " + describe(command.result()) +
                                     "; publisher: " + describe(publisher.result());
            won += stopped_by(command.result()).empty() ? 1U : 0U;
            BOOST_TEST_CONTEXT("seed " << seed << ' ' << what) {
                BOOST_TEST(!stopped_by(command.result()).starts_with("ONCESWAP_CANCELLED"));
            }
            settle_and_check(bench, what);
        }
        BOOST_TEST_MESSAGE(text(row.command) << " from " << row.from << " was first in " << won << " of 25");
    }
}

BOOST_AUTO_TEST_CASE(against_a_resume_and_against_itself) {
    for (const Phase phase :
         {Phase::prepared,
          Phase::dispatching,
          Phase::committed,
          Phase::set_aside_dispatching,
          Phase::cleanup_dispatching,
          Phase::retiring}) {
        for (const Command command : {Command::abandon, Command::retire, Command::close}) {
            for (const Command other : {Command::resume, command}) {
                for (std::uint64_t seed = 1; seed <= 4; ++seed) {
                    auto bench = bench_in(phase, sim::simple_scenario(2), seed);
                    const auto pin = pin_of(*bench);
                    auto one = start(*bench, command, pin, bench->process());
                    auto two = start(*bench, other, pin, bench->process());
                    bench->world.run();
                    const std::string what = std::string(text(command)) + " and " + std::string(text(other)) +
                                             " in " + std::string(protocol::text(phase)) + ": " +
                                             describe(one.result()) + "; " + describe(two.result());
                    settle_and_check(*bench, what);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(the_next_publication_finishes_a_retirement) {
    auto bench = bench_in(Phase::retiring, sim::simple_scenario(2), 5);
    const auto report = bench->publish("run-2");
    check_invariants(*bench, describe(report), 2);
    BOOST_TEST_CONTEXT(describe(report) << bench->facts()) {
        BOOST_TEST(word(report) == "COMPLETED");
        BOOST_TEST(bench->world.truth().entries_with("-publish-") == 1U);
    }
    // And so does the retired one's own retry, which is then refused for good.
    auto own = bench_in(Phase::retiring, sim::simple_scenario(2), 6);
    const auto retried = own->publish("run-1");
    BOOST_TEST_CONTEXT(describe(retried)) {
        BOOST_TEST(word(retried) == "ABANDONED");
    }
    const auto again = own->publish("run-1");
    BOOST_TEST(stopped_by(again) == "ONCESWAP_OPERATION_ABANDONED");
}

BOOST_AUTO_TEST_CASE(cancelled_at_every_step) {
    constexpr std::uint64_t never = ~std::uint64_t{0};

    struct Row {
        Command command;
        Phase phase;
    };

    for (const Row& row :
         {Row{Command::abandon, Phase::prepared},
          Row{Command::retire, Phase::dispatching},
          Row{Command::close, Phase::committed}}) {
        std::uint64_t steps = 0;
        {
            boost::asio::cancellation_signal signal;
            auto bench = bench_in(row.phase, sim::simple_scenario(2), 7);
            steps = run_and_cancel(*bench, row.command, never, signal).steps;
        }
        std::size_t cancelled = 0;
        std::size_t unknown = 0;
        const std::uint64_t stride = std::max<std::uint64_t>(1, steps / 150);
        for (std::uint64_t at = first_step_of_a_call; at < steps; at += stride) {
            boost::asio::cancellation_signal signal;
            auto bench = bench_in(row.phase, sim::simple_scenario(2), 7);
            const auto version = pin_of(*bench).version;
            const auto first = run_and_cancel(*bench, row.command, at, signal);
            const std::string what = std::string(text(row.command)) + " cancelled at step " +
                                     std::to_string(at) + ": " + describe(first.report);
            BOOST_TEST_CONTEXT(what << bench->facts()) {
                BOOST_REQUIRE(first.report.has_value());
                BOOST_TEST(first.left == std::vector<std::string>(), boost::test_tools::per_element());
                if (first.report->stopped_by == protocol::Code::cancelled) {
                    ++cancelled;
                    // A verdict is what was seen after everything that was sent, or it is unknown.
                    const auto now = bench->observe();
                    const bool moved = now->record_version != version;
                    const bool says_unknown = word(first.report) == "OUTCOME_UNKNOWN";
                    unknown += says_unknown ? 1U : 0U;
                    BOOST_TEST(
                        (!moved || says_unknown || word(first.report) == word(now) ||
                         first.report->record_version.value_or(0) > version)
                    );
                }
            }
            settle_and_check(*bench, what);
        }
        BOOST_TEST_MESSAGE(
            text(row.command) << ": " << steps << " steps, " << cancelled << " cancelled, " << unknown
                              << " with an unknown verdict"
        );
        BOOST_TEST(cancelled > 20U);
    }
}

BOOST_AUTO_TEST_SUITE_END()
