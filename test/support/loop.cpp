#include "loop.hpp"

#include "engine/cancellation.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <stdexcept>

namespace onceswap::testing {

namespace asio = boost::asio;

bool Ending::cancelled() const {
    return engine::is_cancellation(error);
}

std::string Ending::what() const {
    if (!error)
        return {};
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& failure) {
        return failure.what();
    } catch (...) {
        return "not a std::exception";
    }
}

namespace {

struct Observed {
    bool reachable = false;
    bool done = false;
    std::exception_ptr error;
};

class Ended {
  public:
    using cancellation_slot_type = asio::cancellation_slot;

    Ended(Observed& observed, asio::cancellation_slot slot) : observed_(&observed), slot_(slot) {}

    cancellation_slot_type get_cancellation_slot() const noexcept { return slot_; }

    void operator()(const std::exception_ptr& error) {
        observed_->error = error;
        observed_->done = true;
    }

  private:
    Observed* observed_;
    asio::cancellation_slot slot_;
};

// Only once it went through the loop can a coroutine be signalled without operation_aborted escaping from
// run().
asio::awaitable<void> through_the_loop(Observed& observed, asio::awaitable<void> body) {
    co_await asio::post(asio::use_awaitable);
    observed.reachable = true;
    co_await std::move(body);
}

} // namespace

Ending Loop::run(asio::awaitable<void> body, std::optional<unsigned> cancel_at) {
    Ending ending;
    Observed observed;
    asio::cancellation_signal signal;
    asio::co_spawn(context, through_the_loop(observed, std::move(body)), Ended(observed, signal.slot()));
    while (!observed.done) {
        if (observed.reachable && !ending.signalled && cancel_at && ending.steps >= *cancel_at) {
            ending.signalled = true;
            ending.signalled_at = clock.now();
            signal.emit(asio::cancellation_type::terminal);
        }
        if (context.stopped())
            context.restart();
        if (context.poll_one() == 0 && !clock.advance_to_next())
            throw std::runtime_error("the coroutine is stuck: nothing is ready and nothing is waited for");
        if (observed.reachable)
            ++ending.steps;
    }
    context.restart();
    context.poll();
    ending.error = observed.error;
    ending.leftovers = clock.waiting();
    return ending;
}

unsigned sweep_cancellation(const std::function<Ending(unsigned cancel_at)>& scenario) {
    constexpr unsigned too_many = 100'000;
    for (unsigned cancel_at = 0; cancel_at < too_many; ++cancel_at)
        if (!scenario(cancel_at).signalled)
            return cancel_at;
    throw std::runtime_error("the scenario does not end");
}

} // namespace onceswap::testing
