#include "engine/deadline.hpp"

#include "engine/cancellation.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <exception>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

/// How an operation that runs beside its timer ended.
struct Race {
    bool finished = false; ///< without an exception
    bool timed_out = false;
    std::exception_ptr error;
};

asio::awaitable<void> run_operation(TaskGroup& group, Race& race, asio::awaitable<void> operation) {
    try {
        co_await std::move(operation);
        race.finished = true;
    } catch (...) {
        race.error = std::current_exception();
    }
    group.cancel();
}

asio::awaitable<void> cut_short(TaskGroup& group, Race& race, Clock& clock, TimePoint when) {
    const auto error = co_await clock.wait_until(when);
    if (error || race.finished || race.error)
        co_return;
    race.timed_out = true;
    group.cancel();
}

asio::awaitable<void> lift_at(DeferralEnd& end, Clock& clock, TimePoint when) {
    const auto error = co_await clock.wait_until(when);
    if (!error)
        end.lift();
}

} // namespace

TimePoint earlier_of(const Clock& clock, Duration timeout, TimePoint deadline) {
    const TimePoint now = clock.now();
    if (timeout >= TimePoint::max() - now)
        return deadline;
    return std::min(now + timeout, deadline);
}

asio::awaitable<bool> run_until(Clock& clock, TimePoint when, asio::awaitable<void> operation) {
    if (when == TimePoint::max()) {
        co_await std::move(operation);
        co_return true;
    }
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    Race race;
    group.spawn(run_operation(group, race, std::move(operation)));
    group.spawn(cut_short(group, race, clock, when));
    std::exception_ptr joined;
    try {
        co_await group.join();
    } catch (...) {
        joined = std::current_exception();
    }
    if (race.finished)
        co_return true;
    if (race.error && !is_cancellation(race.error))
        std::rethrow_exception(race.error);
    if (joined)
        std::rethrow_exception(joined);
    if (race.timed_out)
        co_return false;
    throw_cancelled(); // the operation cancelled itself
}

asio::awaitable<void> defer_cancellation(asio::awaitable<void> operation) {
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    Race race;
    DeferralEnd never;
    group.spawn(run_operation(group, race, std::move(operation)));
    co_await group.join_deferring(never);
    if (race.error)
        std::rethrow_exception(race.error);
}

asio::awaitable<void>
defer_cancellation_until(Clock& clock, TimePoint until, DeferralEnd& end, asio::awaitable<void> operation) {
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    Race race;
    group.spawn(run_operation(group, race, std::move(operation)));
    group.spawn(lift_at(end, clock, until));
    co_await group.join_deferring(end);
    if (race.error)
        std::rethrow_exception(race.error);
}

} // namespace onceswap::engine
