#include "protocol/canonical_json.hpp"

#include "protocol/canonical_writer.hpp"
#include "protocol/utf8.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace onceswap::protocol {

namespace {

constexpr std::size_t max_depth = 16;

void write_value(const boost::json::value& value, std::string& out);

/// What stands for a byte that JSON does not allow in a string as it is; empty: the byte itself.
std::string_view escape_of(char c, std::string& control) {
    constexpr std::string_view digits = "0123456789abcdef";
    switch (c) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\b':
        return "\\b";
    case '\f':
        return "\\f";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20)
        return {};
    control = "\\u00";
    control += digits[byte >> 4];
    control += digits[byte & 15];
    return control;
}

/// Where the first byte from `from` on stands that has an escape.
std::size_t find_escaped(std::string_view text, std::size_t from) {
    while (from < text.size() && static_cast<unsigned char>(text[from]) >= 0x20 && text[from] != '"' &&
           text[from] != '\\')
        ++from;
    return from;
}

/// The text in pieces that can be written as they are and escapes, each given to `put`.
template <class Put>
void for_each_piece(std::string_view text, Put put) {
    if (valid_utf8_prefix(text) != text.size())
        throw std::invalid_argument("canonical JSON: a string is not valid UTF-8");
    std::string control;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = find_escaped(text, from);
        put(text.substr(from, end - from));
        if (end == text.size())
            break;
        put(escape_of(text[end], control));
        from = end + 1;
    }
}

void write_string(std::string_view text, std::string& out) {
    append_canonical_text(text, out);
}

void write_array(const boost::json::array& array, std::string& out) {
    out += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
        if (i != 0)
            out += ',';
        write_value(array[i], out);
    }
    out += ']';
}

void write_object(const boost::json::object& object, std::string& out) {
    std::vector<const boost::json::key_value_pair*> pairs;
    pairs.reserve(object.size());
    for (const auto& pair : object)
        pairs.push_back(&pair);
    // char_traits compares bytes as unsigned: the order is that of the UTF-8 text. What was read from
    // canonical text is sorted already.
    const auto by_key = [](const auto* a, const auto* b) {
        return std::string_view(a->key()) < std::string_view(b->key());
    };
    if (!std::is_sorted(pairs.begin(), pairs.end(), by_key))
        std::sort(pairs.begin(), pairs.end(), by_key);
    out += '{';
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (i != 0)
            out += ',';
        write_string(pairs[i]->key(), out);
        out += ':';
        write_value(pairs[i]->value(), out);
    }
    out += '}';
}

void write_value(const boost::json::value& value, std::string& out) {
    switch (value.kind()) {
    case boost::json::kind::null:
        out += "null";
        return;
    case boost::json::kind::bool_:
        out += value.get_bool() ? "true" : "false";
        return;
    case boost::json::kind::int64:
        out += std::to_string(value.get_int64());
        return;
    case boost::json::kind::uint64:
        out += std::to_string(value.get_uint64());
        return;
    case boost::json::kind::double_:
        throw std::invalid_argument("canonical JSON: a number is not an integer of 64 bits");
    case boost::json::kind::string:
        write_string(value.get_string(), out);
        return;
    case boost::json::kind::array:
        write_array(value.get_array(), out);
        return;
    case boost::json::kind::object:
        write_object(value.get_object(), out);
        return;
    }
}

Failure invalid(std::string reason) {
    return {Code::authority_invalid, std::move(reason)};
}

/// The offset is evidence enough; the bytes themselves stay out of messages.
Failure not_canonical(std::string_view bytes, std::string_view canonical) {
    const auto [at, ignored] = std::mismatch(bytes.begin(), bytes.end(), canonical.begin(), canonical.end());
    return invalid("not canonical JSON at byte " + std::to_string(at - bytes.begin()));
}

} // namespace

void append_canonical_text(std::string_view text, std::string& out) {
    out += '"';
    for_each_piece(text, [&out](std::string_view piece) { out += piece; });
    out += '"';
}

std::size_t canonical_text_bytes(std::string_view text) {
    std::size_t bytes = 2; // the quotes
    for_each_piece(text, [&bytes](std::string_view piece) { bytes += piece.size(); });
    return bytes;
}

std::string canonical_json(const boost::json::value& value) {
    std::string out;
    write_value(value, out);
    return out;
}

Result<boost::json::value> parse_canonical_json(std::string_view bytes, std::size_t max_bytes) {
    if (bytes.size() > max_bytes)
        return invalid(
            "too long: " + std::to_string(bytes.size()) + " bytes, the limit is " + std::to_string(max_bytes)
        );
    boost::json::parse_options options;
    options.max_depth = max_depth;
    boost::json::error_code error;
    boost::json::value value = boost::json::parse(bytes, error, {}, options);
    if (error)
        return invalid("not JSON: " + error.message());
    try {
        // A duplicate key, a double, a needless escape or space: all of them print differently from what was
        // read.
        const std::string canonical = canonical_json(value);
        if (canonical != bytes)
            return not_canonical(bytes, canonical);
    } catch (const std::invalid_argument& refused) {
        return invalid(refused.what());
    }
    return value;
}

} // namespace onceswap::protocol
