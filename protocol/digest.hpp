#pragma once

#include <boost/json/fwd.hpp>

#include <string>
#include <string_view>

namespace onceswap::protocol {

/// Lower-case hex SHA-256 of the bytes, 64 characters.
std::string sha256_hex(std::string_view bytes);

/// sha256_hex of the canonical JSON text of `value`.
std::string digest(const boost::json::value& value);

} // namespace onceswap::protocol
