#include "tools/ndjson/column_type.hpp"

#include <charconv>
#include <optional>
#include <utility>

namespace onceswap::ndjson {

namespace {

constexpr unsigned max_nesting = 16;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

/// Past the quoted part that begins at `at`; npos when it does not end.
std::size_t skip_quoted(std::string_view text, std::size_t at) {
    const char quote = text[at];
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == quote)
            return at + 1;
    }
    return std::string_view::npos;
}

/// Comma-separated parts at depth 0. nullopt when quotes or parentheses do not pair.
std::optional<std::vector<std::string_view>> split_arguments(std::string_view text) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '\'' || c == '`') {
            at = skip_quoted(text, at);
            if (at == std::string_view::npos)
                return std::nullopt;
            continue;
        }
        if (c == '(')
            ++depth;
        else if (c == ')' && --depth < 0)
            return std::nullopt;
        else if (c == ',' && depth == 0) {
            parts.push_back(trimmed(text.substr(begin, at - begin)));
            begin = at + 1;
        }
        ++at;
    }
    if (depth != 0)
        return std::nullopt;
    if (const std::string_view last = trimmed(text.substr(begin)); !last.empty() || !parts.empty())
        parts.push_back(last);
    return parts;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// The text inside `'...'` or `` `...` `` with simple escapes undone.
std::optional<std::string> unquoted(std::string_view text) {
    if (text.size() < 2 || text.front() != text.back())
        return std::nullopt;
    std::string out;
    for (std::size_t at = 1; at + 1 < text.size(); ++at) {
        char c = text[at];
        if (c == '\\' && at + 2 < text.size()) {
            c = text[++at];
            if (c == 'n')
                c = '\n';
            else if (c == 't')
                c = '\t';
            else if (c == 'r')
                c = '\r';
            else if (c == '0')
                c = '\0';
            else if (c != '\\' && c != '\'' && c != '`')
                return std::nullopt; // an escape that would have to be guessed
        }
        out += c;
    }
    return out;
}

struct IntegerName {
    std::string_view name;
    bool is_signed;
    unsigned bits;
};

constexpr IntegerName integers[] = {
    {"UInt8", false, 8},
    {"UInt16", false, 16},
    {"UInt32", false, 32},
    {"UInt64", false, 64},
    {"UInt128", false, 128},
    {"UInt256", false, 256},
    {"Int8", true, 8},
    {"Int16", true, 16},
    {"Int32", true, 32},
    {"Int64", true, 64},
    {"Int128", true, 128},
    {"Int256", true, 256},
};

ColumnType parse(std::string_view text, unsigned depth);

bool parse_enum(ColumnType& type, const std::vector<std::string_view>& arguments) {
    std::int64_t next = 1; // ClickHouse numbers what has no number from 1 on
    for (const std::string_view argument : arguments) {
        if (argument.empty() || argument.front() != '\'')
            return false;
        const std::size_t end = skip_quoted(argument, 0);
        if (end == std::string_view::npos)
            return false;
        const auto name = unquoted(argument.substr(0, end));
        if (!name)
            return false;
        std::string_view rest = trimmed(argument.substr(end));
        if (!rest.empty()) {
            if (rest.front() != '=')
                return false;
            const auto value = number<std::int64_t>(trimmed(rest.substr(1)));
            if (!value)
                return false;
            next = *value;
        }
        type.enum_values.emplace(*name, next++);
    }
    return !type.enum_values.empty();
}

bool parse_tuple(ColumnType& type, const std::vector<std::string_view>& arguments, unsigned depth) {
    for (std::string_view argument : arguments) {
        std::string name;
        if (!argument.empty() && argument.front() == '`') {
            const std::size_t end = skip_quoted(argument, 0);
            if (end == std::string_view::npos)
                return false;
            const auto plain = unquoted(argument.substr(0, end));
            if (!plain)
                return false;
            name = *plain;
            argument = trimmed(argument.substr(end));
        } else if (const std::size_t space = argument.find(' ');
                   space != std::string_view::npos && space < argument.find('(')) {
            name = argument.substr(0, space);
            argument = trimmed(argument.substr(space));
        }
        if (!name.empty())
            type.names.push_back(std::move(name));
        type.arguments.push_back(parse(argument, depth + 1));
    }
    return !type.arguments.empty() && (type.names.empty() || type.names.size() == type.arguments.size());
}

/// Sets everything but text; false: leave the type opaque.
bool parse_named(
    ColumnType& type, std::string_view name, const std::vector<std::string_view>& arguments, unsigned depth
) {
    for (const IntegerName& integer : integers) {
        if (name == integer.name) {
            type.kind = TypeKind::integer;
            type.is_signed = integer.is_signed;
            type.bits = integer.bits;
            return arguments.empty();
        }
    }
    const auto plain = [&](TypeKind kind, std::size_t most_arguments) {
        type.kind = kind;
        return arguments.size() <= most_arguments;
    };
    if (name == "String")
        return plain(TypeKind::string, 0);
    if (name == "Float64" || name == "Float32") {
        type.bits = name == "Float64" ? 64 : 32;
        return plain(TypeKind::floating, 0);
    }
    if (name == "Bool")
        return plain(TypeKind::boolean, 0);
    if (name == "Date")
        return plain(TypeKind::date, 0);
    if (name == "Date32")
        return plain(TypeKind::date32, 0);
    if (name == "DateTime")
        return plain(TypeKind::date_time, 1);
    if (name == "DateTime64")
        return plain(TypeKind::date_time64, 2);
    if (name == "UUID")
        return plain(TypeKind::uuid, 0);
    if (name == "IPv4" || name == "IPv6")
        return plain(TypeKind::address, 0);
    if (name == "FixedString" && arguments.size() == 1) {
        const auto length = number<std::size_t>(arguments[0]);
        type.kind = TypeKind::fixed_string;
        type.length = length.value_or(0);
        return length.has_value();
    }
    if (name == "Decimal" && !arguments.empty() && arguments.size() <= 2) {
        const auto precision = number<unsigned>(arguments[0]);
        const auto scale = arguments.size() == 2 ? number<unsigned>(arguments[1]) : 0U;
        if (!precision || !scale || *scale > *precision)
            return false;
        type.kind = TypeKind::decimal;
        type.precision = *precision;
        type.scale = *scale;
        return true;
    }
    if (name == "Enum8" || name == "Enum16" || name == "Enum") {
        type.kind = TypeKind::enumeration;
        return parse_enum(type, arguments);
    }
    if (name == "Array" && arguments.size() == 1) {
        type.kind = TypeKind::array;
        type.arguments.push_back(parse(arguments[0], depth + 1));
        return true;
    }
    if (name == "Map" && arguments.size() == 2) {
        type.kind = TypeKind::map;
        type.arguments.push_back(parse(arguments[0], depth + 1));
        type.arguments.push_back(parse(arguments[1], depth + 1));
        return true;
    }
    if (name == "Tuple") {
        type.kind = TypeKind::tuple;
        return parse_tuple(type, arguments, depth);
    }
    if (name == "Nested") { // an array of named tuples
        ColumnType element;
        element.kind = TypeKind::tuple;
        element.text = type.text;
        type.kind = TypeKind::array;
        if (!parse_tuple(element, arguments, depth))
            return false;
        type.arguments.push_back(std::move(element));
        return true;
    }
    return false;
}

ColumnType opaque(std::string_view text, bool nullable) {
    ColumnType type;
    type.text = text;
    type.nullable = nullable;
    return type;
}

ColumnType parse(std::string_view text, unsigned depth) {
    text = trimmed(text);
    ColumnType type;
    type.text = text;
    if (depth > max_nesting)
        return opaque(text, true);
    std::string_view name = text;
    std::vector<std::string_view> arguments;
    if (const std::size_t open = text.find('('); open != std::string_view::npos) {
        if (text.back() != ')')
            return opaque(text, true);
        name = trimmed(text.substr(0, open));
        auto split = split_arguments(text.substr(open + 1, text.size() - open - 2));
        if (!split)
            return opaque(text, true);
        arguments = std::move(*split);
    }
    const bool wraps_one = name == "Nullable" || name == "LowCardinality";
    if ((wraps_one && arguments.size() == 1) ||
        (name == "SimpleAggregateFunction" && arguments.size() == 2)) {
        ColumnType inner = parse(arguments.back(), depth + 1);
        inner.nullable = inner.nullable || name == "Nullable";
        inner.text = text;
        return inner;
    }
    if (!parse_named(type, name, arguments, depth))
        return opaque(text, true); // Variant, Dynamic, JSON and the like take null in their own ways
    return type;
}

} // namespace

ColumnType parse_column_type(std::string_view text) {
    return parse(text, 0);
}

} // namespace onceswap::ndjson
