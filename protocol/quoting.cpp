#include "protocol/statements.hpp"

namespace onceswap::protocol {

namespace {

// What ClickHouse's own writer escapes, plus every other control character as \xNN: a statement stays one
// line, and nothing between client and parser can read a raw NUL as the end of the text. Bytes from 0x80 on
// stay as they are.
std::string quote(std::string_view value, char quote_mark) {
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    out.reserve(value.size() + 2);
    out += quote_mark;
    const auto stays = [quote_mark](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 && byte != 0x7F && c != quote_mark && c != '\\';
    };
    for (std::size_t at = 0;; ++at) {
        const std::size_t run = at;
        while (at < value.size() && stays(value[at]))
            ++at;
        out += value.substr(run, at - run);
        if (at == value.size())
            break;
        const char c = value[at];
        const auto byte = static_cast<unsigned char>(c);
        out += '\\';
        if (c == quote_mark || c == '\\') {
            out += c;
            continue;
        }
        switch (c) {
        case '\0':
            out += '0';
            break;
        case '\b':
            out += 'b';
            break;
        case '\f':
            out += 'f';
            break;
        case '\n':
            out += 'n';
            break;
        case '\r':
            out += 'r';
            break;
        case '\t':
            out += 't';
            break;
        default:
            out += 'x';
            out += digits[byte >> 4U];
            out += digits[byte & 15U];
        }
    }
    out += quote_mark;
    return out;
}

} // namespace

std::string quote_literal(std::string_view value) {
    return quote(value, '\'');
}

std::string quote_identifier(std::string_view name) {
    return quote(name, '`');
}

} // namespace onceswap::protocol
