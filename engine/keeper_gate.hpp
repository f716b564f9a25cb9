#pragma once

#include "engine/clock.hpp"
#include "http_transport/endpoint.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <utility>

namespace onceswap::engine {

/// At most one Keeper-backed read outstanding per endpoint: a server answers them one behind the other
/// anyway, and a second one would only make the first one's time-out look like the member's. First come,
/// first served. One loop.
class KeeperGate {
    struct State;
    struct Lane;

  public:
    /// The turn at one endpoint; given back by the destructor, which wakes the next one.
    class Turn {
      public:
        Turn() = default;

        Turn(Turn&& other) noexcept : lane_(std::exchange(other.lane_, nullptr)) {}

        Turn& operator=(Turn&& other) noexcept;
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn();

        explicit operator bool() const { return lane_ != nullptr; } ///< false: the deadline came first

      private:
        friend class KeeperGate;

        explicit Turn(std::shared_ptr<Lane> lane) : lane_(std::move(lane)) {}

        void give_back();

        std::shared_ptr<Lane> lane_;
    };

    KeeperGate();

    /// Waits for the turn at `endpoint`, until `deadline`. Cancellation: terminal, throws operation_aborted
    /// and leaves the line.
    boost::asio::awaitable<Turn> enter(Clock& clock, http::Endpoint endpoint, TimePoint deadline);

  private:
    std::shared_ptr<State> state_; ///< copies of a gate are one gate
};

} // namespace onceswap::engine
