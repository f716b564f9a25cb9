#pragma once

#include <string_view>

namespace onceswap::protocol {

/// Whether an engine clause has a TTL by which rows disappear: one that neither moves nor recompresses parts.
/// A clause that cannot be read has one.
bool has_deleting_ttl(std::string_view engine_full);

} // namespace onceswap::protocol
