#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace onceswap::protocol {

/// Length of the longest prefix that is valid UTF-8 (no overlong forms, no surrogates, at most U+10FFFF).
/// Equal to `text.size()` exactly if all of it is valid.
std::size_t valid_utf8_prefix(std::string_view text);

/// Text that a record or a report may hold: every byte that is not valid UTF-8 becomes `?`, every control
/// character a space, and the result is cut at a character border so that it has at most `max_bytes`.
std::string printable_head(std::string_view text, std::size_t max_bytes);

} // namespace onceswap::protocol
