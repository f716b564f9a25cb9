#pragma once

#include "tools/ndjson/column_type.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace onceswap::ndjson {

// Whether one scalar fits a column. Every function returns an empty string when it does, else what is wrong
// in words that never repeat the value: rows may be secret. ClickHouse stores an integer out of range wrapped
// and an impossible date as 1970-01-01, both without an error; that is why it is checked here.

std::string check_integer(const ColumnType& type, std::int64_t value);
std::string check_integer(const ColumnType& type, std::uint64_t value);
/// A number in JSON that is no 64-bit integer: a fraction, an exponent, or a longer integer. `text` is its
/// spelling.
std::string check_number(const ColumnType& type, double value, std::string_view text);
/// A JSON string (unescaped) or a key of a Map.
std::string check_text(const ColumnType& type, std::string_view value);
std::string check_bool(const ColumnType& type);

/// `0 to 255` for UInt8: for messages and help.
std::string integer_range(const ColumnType& type);

} // namespace onceswap::ndjson
