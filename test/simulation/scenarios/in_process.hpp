#pragma once

#include "scenarios/expectation.hpp"

#include <vector>

namespace onceswap::scenarios {

/// Runs all steps of a file through the engine, on one simulated cluster in virtual time.
std::vector<StepOutcome> run_in_process(const sim::ScenarioFile& file);

} // namespace onceswap::scenarios
