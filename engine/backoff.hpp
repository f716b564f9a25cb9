#pragma once

#include "engine/entropy.hpp"

#include <chrono>

namespace onceswap::engine {

/// The interval from which one wait is drawn, both ends included.
struct DelayBounds {
    std::chrono::milliseconds lowest{0};
    std::chrono::milliseconds highest{0};
    friend bool operator==(const DelayBounds&, const DelayBounds&) = default;
};

/// Bounds of the wait after `attempt` unsuccessful tries (0: the first wait). The highest doubles from
/// `initial` with each attempt and stops at `max`; the lowest is half of it, so that two watchers that began
/// together drift apart. Pure and total: a non-positive initial counts as 1 ms, a max below initial as
/// initial, no attempt overflows.
DelayBounds
backoff_bounds(std::chrono::milliseconds initial, std::chrono::milliseconds max, unsigned attempt);

/// Counts the attempts of one loop.
class Backoff {
  public:
    Backoff(std::chrono::milliseconds initial, std::chrono::milliseconds max)
        : initial_(initial), max_(max) {}

    /// Uniform in the bounds of this attempt; the next one waits longer.
    std::chrono::milliseconds next(Entropy& entropy);

    /// Something changed: the next wait is short again.
    void reset() { attempt_ = 0; }

    unsigned attempt() const { return attempt_; }

  private:
    std::chrono::milliseconds initial_;
    std::chrono::milliseconds max_;
    unsigned attempt_ = 0;
};

} // namespace onceswap::engine
