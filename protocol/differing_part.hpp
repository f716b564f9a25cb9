#pragma once

#include <string>
#include <string_view>

namespace onceswap::protocol {

/// What of `text` is not in `other`: common beginning and end taken away, a few characters of them kept so
/// that the place can be found, in single quotes, at most 160 bytes, whole UTF-8 characters. Evidence for
/// people, never parsed.
std::string differing_part(std::string_view text, std::string_view other);

} // namespace onceswap::protocol
