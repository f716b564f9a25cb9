#pragma once

#include "acceptance/cluster_under_test.hpp"

#include <memory>

namespace onceswap::acceptance {

/// Fixture `sim-clickhouse`: the model behind HTTP, a process of its own for each scenario; the client is
/// refresh-load.
std::unique_ptr<ClusterUnderTest> served_cluster();

} // namespace onceswap::acceptance
