#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>

namespace onceswap::engine {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// Time, injected: the real clock in programs, virtual time in the simulator.
class Clock {
  public:
    virtual ~Clock() = default;
    virtual TimePoint now() const = 0;
    /// Seconds since the Unix epoch, UTC: for records and reports, never for waiting.
    virtual std::int64_t wall_seconds() const = 0;
    /// Completes at `when` with a clear error, or with operation_aborted when the handler's cancellation slot
    /// is signalled (any type). The handler runs through its associated executor, never inside this call.
    /// For implementers: an any_completion_handler of Boost 1.81 can be moved into place or swapped, but not
    /// assigned (its operator= recurses without end).
    virtual void async_wait(
        TimePoint when, boost::asio::any_completion_handler<void(boost::system::error_code)> handler
    ) = 0;

    /// The same as an awaitable that does not throw. Cancellation: all types.
    boost::asio::awaitable<boost::system::error_code> wait_until(TimePoint when);
};

} // namespace onceswap::engine
