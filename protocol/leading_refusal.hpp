#pragma once

#include "protocol/report.hpp"

#include <vector>

namespace onceswap::protocol {

/// The refusal that explains the others: missing privileges make much else look missing; else the first one.
/// Null where nothing refuses.
const Finding* leading_refusal(const std::vector<Finding>& findings);

} // namespace onceswap::protocol
