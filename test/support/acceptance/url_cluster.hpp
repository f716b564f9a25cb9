#pragma once

#include "acceptance/cluster_under_test.hpp"

#include <memory>
#include <string>
#include <vector>

namespace onceswap::acceptance {

/// Fixture `url`: any cluster, as it is. Nothing is started, stopped or put in between.
struct UrlSetup {
    UrlSetup() = default;
    std::vector<std::string> urls; ///< one for each member, in the order of system.clusters
    std::string cluster;
    std::string user;
    std::string password_file;
};

/// Throws std::invalid_argument for a URL that is none.
std::unique_ptr<ClusterUnderTest> url_cluster(const UrlSetup& setup);

} // namespace onceswap::acceptance
