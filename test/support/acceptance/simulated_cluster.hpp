#pragma once

#include "acceptance/cluster_under_test.hpp"

#include <memory>

namespace onceswap::acceptance {

/// Fixture `sim`: the model in process, on virtual time; the client is the engine itself.
std::unique_ptr<ClusterUnderTest> simulated_cluster();

} // namespace onceswap::acceptance
