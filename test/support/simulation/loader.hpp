#pragma once

#include "engine/publish.hpp"

#include <cstdint>

namespace onceswap::simulation {

/// A loader that sends `rows` rows in one batch through a one-shot insert; none at all for 0.
engine::StageFunction loader(std::uint64_t rows);

} // namespace onceswap::simulation
