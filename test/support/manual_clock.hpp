#pragma once

#include "engine/clock.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <map>
#include <utility>

namespace onceswap::testing {

/// Time that only a test moves. Starts at one hour after the steady clock's zero and at a fixed day.
class ManualClock final : public engine::Clock {
  public:
    explicit ManualClock(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

    engine::TimePoint now() const override { return now_; }

    std::int64_t wall_seconds() const override;
    void async_wait(
        engine::TimePoint when, boost::asio::any_completion_handler<void(boost::system::error_code)> handler
    ) override;

    /// Moves to the earliest wait and ends it; false if nobody waits.
    bool advance_to_next();
    /// Moves without looking: waits that became due end.
    void advance(engine::Duration by);

    std::size_t waiting() const { return waits_.size(); }

  private:
    using Key = std::pair<engine::TimePoint, std::uint64_t>;
    void complete(Key key, boost::system::error_code error);

    boost::asio::any_io_executor executor_;
    engine::TimePoint now_ = engine::TimePoint() + std::chrono::hours(1);
    std::uint64_t sequence_ = 0;
    std::map<Key, boost::asio::any_completion_handler<void(boost::system::error_code)>> waits_;
};

} // namespace onceswap::testing
