#include "engine/cancellation.hpp"
#include "engine/deadline.hpp"
#include "loop.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>

using namespace onceswap;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

enum class End { value, error, value_although_cancelled };

/// Takes `duration` and ends with 7 or an exception; may ignore that it is cancelled, as a transport that
/// reports cancellation in its result does.
asio::awaitable<int> operation(engine::Clock& clock, engine::Duration duration, End end) {
    if (end == End::value_although_cancelled) {
        co_await asio::this_coro::throw_if_cancelled(false);
    }
    const auto error = co_await clock.wait_until(clock.now() + duration);
    if (end == End::value_although_cancelled)
        co_return error ? -7 : 7;
    if (error)
        engine::throw_cancelled();
    if (end == End::error)
        throw std::runtime_error("failed");
    co_return 7;
}

struct Outcome {
    std::optional<int> value;
    bool returned = false;
    bool next_await_threw = false;
};

asio::awaitable<void>
bounded(engine::Clock& clock, engine::Duration duration, engine::Duration limit, End end, Outcome& outcome) {
    auto work = operation(clock, duration, end);
    const auto when = clock.now() + limit;
    auto value = co_await engine::with_deadline(clock, when, std::move(work));
    outcome.value = value;
    outcome.returned = true;
    outcome.next_await_threw = true;
    co_await asio::post(asio::use_awaitable);
    outcome.next_await_threw = false;
}

struct Row {
    const char* name;
    engine::Duration duration;
    engine::Duration limit;
    End end;
    std::optional<int> value;
    std::string error;
};

} // namespace

BOOST_AUTO_TEST_SUITE(deadline)

BOOST_AUTO_TEST_CASE(a_result_or_the_deadline) {
    const Row rows[] = {
        {"in time", 1s, 5s, End::value, 7, ""},
        {"too late", 5s, 1s, End::value, std::nullopt, ""},
        {"fails in time", 1s, 5s, End::error, std::nullopt, "failed"},
        {"would have failed later", 5s, 1s, End::error, std::nullopt, ""},
        {"both at the same instant: the result is kept", 2s, 2s, End::value, 7, ""},
        {"both at the same instant: the error is kept", 2s, 2s, End::error, std::nullopt, "failed"},
        {"cut short, but it has something to say", 5s, 1s, End::value_although_cancelled, -7, ""},
        {"a deadline that has passed", 1s, -1s, End::value, std::nullopt, ""},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.name) {
            testing::Loop loop;
            Outcome outcome;
            const auto begin = loop.clock.now();
            const auto ending = loop.run(bounded(loop.clock, row.duration, row.limit, row.end, outcome));
            BOOST_TEST(ending.what() == row.error);
            BOOST_TEST((outcome.value == row.value));
            BOOST_TEST(outcome.returned == row.error.empty());
            BOOST_TEST((
                loop.clock.now() - begin <= std::max(engine::Duration(0s), std::min(row.duration, row.limit))
            ));
            BOOST_TEST(ending.leftovers == 0U);
        }
    }
}

BOOST_AUTO_TEST_CASE(the_callers_cancellation_stays_a_cancellation_at_every_step) {
    for (const End end : {End::value, End::value_although_cancelled}) {
        unsigned kept = 0;
        const unsigned cancelled = testing::sweep_cancellation([&](unsigned cancel_at) {
            testing::Loop loop;
            Outcome outcome;
            const auto ending = loop.run(bounded(loop.clock, 3s, 10s, end, outcome), cancel_at);
            BOOST_TEST_CONTEXT("cancelled at step " << cancel_at) {
                BOOST_TEST(ending.leftovers == 0U);
                if (outcome.returned) {
                    BOOST_TEST(outcome.value.has_value(), "a cancellation was taken for the deadline");
                    ++kept;
                }
                BOOST_TEST((ending.cancelled() || !ending.signalled || !outcome.next_await_threw));
            }
            return ending;
        });
        BOOST_TEST(cancelled >= 5U);
        BOOST_TEST(kept >= 2U); // a result that raced the cancellation is returned
    }
}

namespace {

asio::awaitable<void> deferred(engine::Clock& clock, Outcome& outcome) {
    auto work = operation(clock, 3s, End::value);
    auto value = co_await engine::with_deferred_cancellation(std::move(work));
    outcome.value = value;
    outcome.returned = true;
    outcome.next_await_threw = true;
    co_await asio::post(asio::use_awaitable);
    outcome.next_await_threw = false;
}

asio::awaitable<void> keep(engine::Clock& clock, engine::Duration duration, Outcome& outcome) {
    auto value = co_await operation(clock, duration, End::value_although_cancelled);
    outcome.value = value;
}

asio::awaitable<void>
deferred_until(engine::Clock& clock, engine::Duration reserve, engine::DeferralEnd& end, Outcome& outcome) {
    auto work = keep(clock, 10s, outcome);
    const auto until = clock.now() + reserve;
    co_await engine::defer_cancellation_until(clock, until, end, std::move(work));
    outcome.returned = true;
    outcome.next_await_threw = true;
    co_await asio::post(asio::use_awaitable);
    outcome.next_await_threw = false;
}

asio::awaitable<void> lift_later(engine::Clock& clock, engine::DeferralEnd& end) {
    co_await clock.wait_until(clock.now() + 2s);
    end.lift();
}

asio::awaitable<void>
deferred_until_lifted(engine::Clock& clock, engine::DeferralEnd& end, Outcome& outcome) {
    auto executor = co_await asio::this_coro::executor;
    engine::TaskGroup group(executor);
    group.spawn(lift_later(clock, end));
    group.spawn(deferred_until(clock, 8s, end, outcome));
    co_await group.join();
}

} // namespace

BOOST_AUTO_TEST_CASE(a_deferred_cancellation_never_reaches_the_operation_and_is_never_lost) {
    const unsigned cancelled = testing::sweep_cancellation([](unsigned cancel_at) {
        testing::Loop loop;
        Outcome outcome;
        const auto ending = loop.run(deferred(loop.clock, outcome), cancel_at);
        BOOST_TEST_CONTEXT("cancelled at step " << cancel_at) {
            if (outcome.returned)
                BOOST_TEST((outcome.value == 7));
            else
                BOOST_TEST(ending.cancelled()); // before it began
            BOOST_TEST((outcome.next_await_threw || !outcome.returned) == ending.cancelled());
            BOOST_TEST(ending.leftovers == 0U);
        }
        return ending;
    });
    BOOST_TEST(cancelled >= 4U);
}

BOOST_AUTO_TEST_CASE(a_deferral_ends_with_its_reserve) {
    testing::Loop loop;
    Outcome outcome;
    engine::DeferralEnd end;
    const auto begin = loop.clock.now();
    const auto ending = loop.run(deferred_until(loop.clock, 4s, end, outcome), 4);
    BOOST_TEST(ending.signalled);
    BOOST_TEST(ending.cancelled());
    BOOST_TEST((outcome.value == -7), "the operation was not cancelled when the reserve was used up");
    BOOST_TEST((loop.clock.now() - begin == 4s));
    BOOST_TEST(ending.leftovers == 0U);
}

BOOST_AUTO_TEST_CASE(a_reserve_that_runs_out_uncancelled_changes_nothing) {
    testing::Loop loop;
    Outcome outcome;
    engine::DeferralEnd end;
    const auto ending = loop.run(deferred_until(loop.clock, 4s, end, outcome));
    BOOST_TEST(ending.what() == "");
    BOOST_TEST((outcome.value == 7));
}

BOOST_AUTO_TEST_CASE(a_deferral_can_be_lifted_early) {
    testing::Loop loop;
    Outcome outcome;
    engine::DeferralEnd end;
    const auto begin = loop.clock.now();
    const auto ending = loop.run(deferred_until(loop.clock, 8s, end, outcome));
    BOOST_TEST(ending.what() == "");
    BOOST_TEST((loop.clock.now() - begin == 10s));

    testing::Loop lifted;
    Outcome early;
    engine::DeferralEnd lift;
    const auto start = lifted.clock.now();
    // Cancelled while the operation waits for its tenth second; the deferral is lifted in the second one.
    const auto result = lifted.run(deferred_until_lifted(lifted.clock, lift, early), 8);
    BOOST_TEST(result.cancelled());
    BOOST_TEST((lifted.clock.now() - start <= 2s));
    BOOST_TEST(result.leftovers == 0U);
}

BOOST_AUTO_TEST_CASE(earlier_of_never_overflows) {
    testing::Loop loop;
    const auto now = loop.clock.now();
    const auto never = engine::TimePoint::max();
    BOOST_TEST((engine::earlier_of(loop.clock, 5s, never) == now + 5s));
    BOOST_TEST((engine::earlier_of(loop.clock, 5s, now + 2s) == now + 2s));
    BOOST_TEST((engine::earlier_of(loop.clock, engine::Duration::max(), never) == never));
    BOOST_TEST((engine::earlier_of(loop.clock, engine::Duration::max(), now + 1s) == now + 1s));
}

BOOST_AUTO_TEST_SUITE_END()
