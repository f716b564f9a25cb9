#pragma once

#include "acceptance/cluster_under_test.hpp"

#include <memory>

namespace onceswap::acceptance {

/// Fixture `engine`: ClickHouse's own engine over a real ZooKeeper (fixtures/engine_node), a fault proxy in
/// front of each member and one between each member's engine and ZooKeeper. Everything ends with the object.
std::unique_ptr<ClusterUnderTest> engine_cluster();

} // namespace onceswap::acceptance
