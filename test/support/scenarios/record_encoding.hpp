#pragma once

#include "fixtures/sim/scenario_file.hpp"
#include "fixtures/sim/state.hpp"

namespace onceswap::scenarios {

/// The row whose bytes say what the description says, made with the engine's own encoder. Throws
/// std::invalid_argument where they cannot: such a record is stated by its bytes alone.
sim::AuthorityRowSetup encode(const sim::RecordDescription& description, const sim::State& state);

} // namespace onceswap::scenarios
