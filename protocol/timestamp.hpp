#pragma once

#include <cstdint>
#include <string>

namespace onceswap::protocol {

/// `2024-01-31T23:59:59Z`: seconds since the Unix epoch, in UTC. Empty outside of the years 0 to 9999.
std::string rfc3339(std::int64_t seconds);

} // namespace onceswap::protocol
