#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace onceswap::cli {

/// `250ms`, `5s`, `10m`, `2h`, `1m30s`, `0`; a bare number is seconds. At most 30 days. nullopt: not a
/// duration.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The same spelling back: `1m30s`, `0s`.
std::string text(std::chrono::milliseconds duration);

} // namespace onceswap::cli
