#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace onceswap::engine {

/// Randomness, injected: the operating system's in programs, seeded in the simulator.
class Entropy {
  public:
    virtual ~Entropy() = default;
    virtual std::uint64_t next() = 0;

    std::array<std::uint8_t, 16> bytes16();
    std::string hex32(); ///< 128 bits
    /// Uniform in [0, bound); bound > 0.
    std::uint64_t below(std::uint64_t bound);
};

/// The operating system's generator.
std::unique_ptr<Entropy> make_system_entropy();

} // namespace onceswap::engine
