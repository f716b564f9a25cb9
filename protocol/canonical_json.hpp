#pragma once

#include "protocol/failure.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace onceswap::protocol {

/// One text for one value: keys sorted by bytes, no whitespace, UTF-8 unescaped except what JSON demands,
/// decimal integers. Precondition: no doubles and valid UTF-8 (throws std::invalid_argument).
std::string canonical_json(const boost::json::value& value);

/// Parses and demands that the bytes are exactly the canonical text of what was parsed; also refuses
/// duplicate keys, doubles, depth over 16 and more than `max_bytes`. Error: authority_invalid with the
/// reason.
Result<boost::json::value> parse_canonical_json(std::string_view bytes, std::size_t max_bytes);

} // namespace onceswap::protocol
