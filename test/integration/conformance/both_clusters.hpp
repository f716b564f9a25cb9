#pragma once

#include "keeper_map_rows.hpp"
#include "simulated_cluster.hpp"

#include <array>
#include <string>
#include <vector>

namespace onceswap::testing {

/// How a statement ended, without what only names the server that said it.
struct Outcome {
    unsigned status = 0;
    int code = 0;
    std::string text; ///< of the exception: no version, no wrapping, one name for the keeper's root

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome_of(const Reply& reply);
std::string text_of(const Outcome& outcome);

/// The engine and the simulator, asked the same.
class BothClusters {
  public:
    /// Makes the database, and the authority's table in it, on both.
    explicit BothClusters(const std::string& database);

    /// To both, which must answer the same; what they answered. `what` is for messages.
    Outcome
    same(std::size_t member, const std::string& sql, const Settings& settings, const std::string& what);
    /// As `same`, where only success will do.
    void done(const std::string& sql, const Settings& settings = {});
    /// What both show at a member, which must be equal.
    std::vector<RecordRow> rows(std::size_t member, const Predicate& predicate, const std::string& what);

    const std::string& table() const { return table_; }

    LiveEngine& engine() { return engine_; }

    SimulatedCluster& simulator() { return simulator_; }

  private:
    LiveEngine& engine_;
    SimulatedCluster simulator_;
    std::string table_;
};

/// Settings of a write of the record. `retries` is insert_keeper_max_retries.
Settings write_settings(bool strict, unsigned retries = 0);

} // namespace onceswap::testing
