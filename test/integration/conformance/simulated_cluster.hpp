#pragma once

#include "live_engine.hpp"
#include "process.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace onceswap::testing {

/// What the transport adds to each request.
Settings with_transport(Settings settings);

/// A sim-clickhouse of two members with the names and UUIDs of an engine-clickhouse, in the profile of its
/// version.
class SimulatedCluster {
  public:
    /// `databases` are Atomic; `tables` is the scenario's list as JSON.
    SimulatedCluster(const std::vector<std::string>& databases, const std::string& tables = "[]");

    /// One statement to one member.
    Reply ask(std::size_t member, const std::string& sql, const Settings& parameters);
    /// One request to the control port; the answer's body.
    std::string control(const std::string& target, const std::string& body = {});

  private:
    TemporaryFile scenario_;
    Process process_;
    boost::json::value ports_;
};

} // namespace onceswap::testing
