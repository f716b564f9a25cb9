#pragma once

#include "fixtures/sim/scenario_file.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace onceswap::scenarios {

/// What a step of a scenario came to, in process or as a program.
struct StepOutcome {
    int exit = -1;
    boost::json::object document;    ///< as --json prints it
    boost::json::value truth_before; ///< as GET /truth
    boost::json::value truth;
};

/// In what the outcome differs from the step's expectation, and from what holds for every step: who only
/// reads sends nothing that changes something, nothing that is the target anywhere is dropped, no operation
/// has two publishing entries, and no text advises to send the swap again. Empty: it does not.
std::vector<std::string> differences(const sim::ScenarioStep& step, const StepOutcome& outcome);

} // namespace onceswap::scenarios
