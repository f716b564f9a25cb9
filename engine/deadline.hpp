#pragma once

#include "engine/clock.hpp"
#include "engine/task_group.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <utility>

// Deadlines and deferred cancellation. Both run the operation as a child that is joined before they return,
// so that nothing goes on behind the caller's back; both are designed around what Asio 1.26's own groups get
// wrong (a result that races a timer is lost there, and a second cancellation signal is dropped).

namespace onceswap::engine {

/// `now() + timeout`, but never later than `deadline`; safe for TimePoint::max().
TimePoint earlier_of(const Clock& clock, Duration timeout, TimePoint deadline);

/// Runs `operation` until it ends or `when` comes; at `when` it gets terminal cancellation and is still
/// joined. Returns true if the operation ended by itself: an end that raced the timer counts as an end.
/// False: it was cut short by the deadline. Errors of the operation are rethrown as they are. Cancellation of
/// the caller: terminal; forwarded to the operation, which is joined; then operation_aborted is thrown,
/// unless the operation finished all the same: then this returns true and the caller's next co_await throws.
boost::asio::awaitable<bool> run_until(Clock& clock, TimePoint when, boost::asio::awaitable<void> operation);

/// Runs `operation` to its end whatever the caller's cancellation says. A cancellation that came meanwhile is
/// not lost: the caller's next co_await throws operation_aborted. Errors of the operation are rethrown.
boost::asio::awaitable<void> defer_cancellation(boost::asio::awaitable<void> operation);

/// As defer_cancellation, but only until `until` or `end.lift()`, whichever is first: then a remembered
/// cancellation is forwarded to the operation, which is still joined.
boost::asio::awaitable<void> defer_cancellation_until(
    Clock& clock, TimePoint until, DeferralEnd& end, boost::asio::awaitable<void> operation
);

/// Keeps what `operation` returns in `result`, which must outlive it.
template <class T>
boost::asio::awaitable<void> keep_result(boost::asio::awaitable<T> operation, std::optional<T>& result) {
    auto value = co_await std::move(operation);
    result.emplace(std::move(value));
}

/// run_until for an operation with a result: nullopt is the deadline. A result that raced the deadline, or
/// the caller's cancellation, is returned.
template <class T>
boost::asio::awaitable<std::optional<T>>
with_deadline(Clock& clock, TimePoint when, boost::asio::awaitable<T> operation) {
    std::optional<T> result;
    auto keeping = keep_result(std::move(operation), result);
    co_await run_until(clock, when, std::move(keeping));
    co_return result;
}

/// defer_cancellation for an operation with a result.
template <class T>
boost::asio::awaitable<T> with_deferred_cancellation(boost::asio::awaitable<T> operation) {
    std::optional<T> result;
    auto keeping = keep_result(std::move(operation), result);
    co_await defer_cancellation(std::move(keeping));
    co_return std::move(*result);
}

} // namespace onceswap::engine
