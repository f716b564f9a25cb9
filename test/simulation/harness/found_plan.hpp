#pragma once

#include <chrono>

namespace onceswap::harness {

/// A plan that once failed.
struct FoundPlan {
    const char* what;
    const char* plan; ///< JSON, as a failing run prints it
    /// Virtual time that the whole run may take; what waits for nothing shows here.
    std::chrono::minutes within;
};

/// It violates nothing now, its faults fire, and it ends in time.
void check_found_plan(const FoundPlan& row);

} // namespace onceswap::harness
