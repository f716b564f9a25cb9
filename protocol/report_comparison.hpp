#pragma once

#include "protocol/report.hpp"

#include <string>

namespace onceswap::protocol {

/// All that a report says but when it was made: two reports with the same text tell the same.
std::string without_time(Report report);

} // namespace onceswap::protocol
