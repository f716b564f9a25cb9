#pragma once

#include <cstdint>
#include <string_view>

namespace onceswap::protocol {

/// Forms that the fields of a record have. All are exact: one value has one text.
bool is_sha256(std::string_view text);        ///< 64 lower-case hex digits
bool is_random_128(std::string_view text);    ///< 32 lower-case hex digits
bool is_entry_name(std::string_view text);    ///< `query-` and the ten digits of a sequential node
bool is_recorded_time(std::int64_t time);     ///< from the epoch to the end of the year 9999
bool is_recorded_name(std::string_view name); ///< valid UTF-8, 1 to limits::name_bytes bytes

} // namespace onceswap::protocol
