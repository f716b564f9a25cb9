#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace onceswap::protocol {

/// Two lower-case digits for each byte.
std::string to_hex(std::span<const std::uint8_t> bytes);

/// Value of one hexadecimal digit in either letter case, or -1.
int hex_value(char digit);

/// Exactly `digits` lower-case hexadecimal digits.
bool is_lower_hex(std::string_view text, std::size_t digits);

} // namespace onceswap::protocol
