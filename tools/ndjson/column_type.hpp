#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::ndjson {

/// What a JSON value must look like to fit. `opaque` is every type this loader leaves to the server.
enum class TypeKind {
    integer,
    floating,
    decimal,
    boolean,
    string,
    fixed_string,
    date,
    date32,
    date_time,
    date_time64,
    uuid,
    address, ///< IPv4, IPv6: a string that the server judges
    enumeration,
    array,
    map,
    tuple,
    opaque,
};

/// A ClickHouse type as far as a loader must know it. Nullable and LowCardinality are folded into the type
/// they wrap.
struct ColumnType {
    TypeKind kind = TypeKind::opaque;
    std::string text; ///< as the server spells it, for messages
    bool nullable = false;
    bool is_signed = false;            ///< integer
    unsigned bits = 0;                 ///< integer, floating
    unsigned precision = 0;            ///< decimal
    unsigned scale = 0;                ///< decimal
    std::size_t length = 0;            ///< fixed_string
    std::vector<ColumnType> arguments; ///< array: 1, map: key and value, tuple: elements
    std::vector<std::string> names;    ///< tuple with names: one per element
    std::map<std::string, std::int64_t, std::less<>> enum_values;
};

/// Total: what is not understood is opaque, never an error. Nesting deeper than 16 is opaque too.
ColumnType parse_column_type(std::string_view text);

} // namespace onceswap::ndjson
