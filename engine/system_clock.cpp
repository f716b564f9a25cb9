#include "engine/system_clock.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/steady_timer.hpp>

#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

class SystemClock final : public Clock {
  public:
    explicit SystemClock(asio::any_io_executor executor) : executor_(std::move(executor)) {}

    TimePoint now() const override { return std::chrono::steady_clock::now(); }

    std::int64_t wall_seconds() const override {
        const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count();
    }

    void async_wait(TimePoint when, asio::any_completion_handler<void(error_code)> handler) override {
        auto timer = std::make_unique<asio::steady_timer>(executor_, when);
        auto& waiting = *timer;
        waiting.async_wait(TimerEnded(std::move(timer), std::move(handler)));
    }

  private:
    /// Keeps the timer alive as long as it is waited for; executor and slot are the inner handler's.
    class TimerEnded {
      public:
        using executor_type = asio::any_completion_executor;
        using cancellation_slot_type = asio::cancellation_slot;

        TimerEnded(
            std::unique_ptr<asio::steady_timer> timer, asio::any_completion_handler<void(error_code)> handler
        )
            : executor_(asio::get_associated_executor(handler, timer->get_executor())),
              timer_(std::move(timer)), handler_(std::move(handler)) {}

        executor_type get_executor() const noexcept { return executor_; }

        cancellation_slot_type get_cancellation_slot() const noexcept {
            return asio::get_associated_cancellation_slot(handler_);
        }

        void operator()(error_code error) {
            timer_.reset();
            std::move(handler_)(error);
        }

      private:
        executor_type executor_;
        std::unique_ptr<asio::steady_timer> timer_;
        asio::any_completion_handler<void(error_code)> handler_;
    };

    asio::any_io_executor executor_;
};

} // namespace

std::unique_ptr<Clock> make_system_clock(asio::any_io_executor executor) {
    return std::make_unique<SystemClock>(std::move(executor));
}

} // namespace onceswap::engine
