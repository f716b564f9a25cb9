#pragma once

#include "engine/entropy.hpp"

#include <cstdint>
#include <random>

namespace onceswap::testing {

/// The same numbers for the same seed on every platform.
class SeededEntropy final : public engine::Entropy {
  public:
    explicit SeededEntropy(std::uint64_t seed) : generator_(seed) {}

    std::uint64_t next() override { return generator_(); }

  private:
    std::mt19937_64 generator_;
};

} // namespace onceswap::testing
