#pragma once

#include "manual_clock.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace onceswap::testing {

/// How a coroutine under test ended.
struct Ending {
    std::exception_ptr error;
    unsigned steps = 0; ///< handlers that ran and times that the clock moved
    engine::TimePoint signalled_at{};
    bool signalled = false;    ///< the cancellation of cancel_at was sent
    std::size_t leftovers = 0; ///< timers that still ran when it had ended

    bool cancelled() const;
    std::string what() const; ///< empty without an error
};

/// An event loop on manual time that runs one coroutine to its end, one handler at a time.
class Loop {
  public:
    boost::asio::io_context context;
    ManualClock clock{context.get_executor()};

    /// Runs `body`; with `cancel_at`, signals terminal cancellation to it before step number `cancel_at`.
    /// When nothing is ready, time moves to the next wait. Throws std::runtime_error if nothing can ever
    /// happen again.
    Ending run(boost::asio::awaitable<void> body, std::optional<unsigned> cancel_at = std::nullopt);

    /// Runs and rethrows the coroutine's error; the result otherwise.
    template <class T>
    T get(boost::asio::awaitable<T> body) {
        std::optional<T> result;
        const Ending ending = run(keep(std::move(body), result));
        if (ending.error)
            std::rethrow_exception(ending.error);
        return std::move(*result);
    }

  private:
    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> body, std::optional<T>& result) {
        auto value = co_await std::move(body);
        result.emplace(std::move(value));
    }
};

/// Runs the same scenario again and again, each time cancelled one step later, until it ends before the
/// signal could be sent. `scenario(cancel_at)` builds everything anew, runs it and checks what it left.
/// Returns the number of runs that were cancelled.
unsigned sweep_cancellation(const std::function<Ending(unsigned cancel_at)>& scenario);

} // namespace onceswap::testing
