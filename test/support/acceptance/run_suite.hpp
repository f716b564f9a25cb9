#pragma once

#include "acceptance/cluster_under_test.hpp"
#include "acceptance/receipt.hpp"
#include "acceptance/scenario.hpp"

#include <functional>
#include <string>
#include <vector>

namespace onceswap::acceptance {

/// The scenarios on one cluster, one after the other; a failed one does not keep the next from its turn, an
/// interruption does. `evidence` is the folder for the evidence files; empty: none are written.
/// `said` gets a line for each scenario.
Receipt run_suite(
    ClusterUnderTest& cluster,
    const std::vector<Scenario>& scenarios,
    const std::string& evidence,
    const std::function<void(const std::string&)>& said
);

} // namespace onceswap::acceptance
