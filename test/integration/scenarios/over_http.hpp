#pragma once

#include "scenarios/expectation.hpp"

#include <string>
#include <vector>

namespace onceswap::scenarios {

/// Runs all steps of a file as processes: `sim-clickhouse --scenario path` on free ports, and reconcile-watch
/// or refresh-load against it. `rows` names a folder for the rows that are loaded. `complaints` gets what is
/// wrong with the programs themselves: a table that does not say what the document says, a document that the
/// report's schema refuses.
std::vector<StepOutcome> run_over_http(
    const std::string& path,
    const sim::ScenarioFile& file,
    const std::string& folder,
    std::vector<std::string>& complaints
);

} // namespace onceswap::scenarios
