#include "manual_clock.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>

namespace onceswap::testing {

namespace asio = boost::asio;
using boost::system::error_code;

std::int64_t ManualClock::wall_seconds() const {
    constexpr std::int64_t fixed_day = 1'750'000'000;
    return fixed_day + std::chrono::duration_cast<std::chrono::seconds>(now_.time_since_epoch()).count();
}

void ManualClock::async_wait(engine::TimePoint when, asio::any_completion_handler<void(error_code)> handler) {
    const Key key(when, sequence_++);
    const auto slot = asio::get_associated_cancellation_slot(handler);
    waits_.emplace(key, std::move(handler));
    if (slot.is_connected())
        asio::cancellation_slot(slot).assign([this, key](asio::cancellation_type_t) {
            complete(key, asio::error::operation_aborted);
        });
    if (when <= now_)
        complete(key, error_code());
}

void ManualClock::complete(Key key, error_code error) {
    const auto found = waits_.find(key);
    if (found == waits_.end())
        return;
    auto handler = std::move(found->second);
    waits_.erase(found);
    asio::post(executor_, [handler = std::move(handler), error]() mutable { std::move(handler)(error); });
}

bool ManualClock::advance_to_next() {
    if (waits_.empty())
        return false;
    const Key key = waits_.begin()->first;
    if (key.first == engine::TimePoint::max())
        return false; // nobody can wait for that
    now_ = std::max(now_, key.first);
    complete(key, error_code());
    return true;
}

void ManualClock::advance(engine::Duration by) {
    now_ += by;
    while (!waits_.empty() && waits_.begin()->first.first <= now_)
        complete(waits_.begin()->first, error_code());
}

} // namespace onceswap::testing
