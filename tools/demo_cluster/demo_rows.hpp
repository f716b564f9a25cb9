#pragma once

#include "engine/publish.hpp"

#include <cstdint>
#include <functional>

namespace onceswap::demo_cluster {

/// Acknowledged rows, bytes, bytes of all.
using TellProgress = std::function<void(std::uint64_t rows, std::uint64_t bytes, std::uint64_t total_bytes)>;

/// A loader with rows of its own, the same in every run, in a few batches.
engine::StageFunction demo_rows(TellProgress tell);

} // namespace onceswap::demo_cluster
