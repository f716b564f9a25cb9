#include "protocol/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace onceswap::protocol {

namespace {

unsigned byte_at(std::string_view text, std::size_t position) {
    return static_cast<unsigned char>(text[position]);
}

/// Length of the valid sequence at `position`, 0 if there is none.
std::size_t sequence_length(std::string_view text, std::size_t position) {
    const unsigned lead = byte_at(text, position);
    if (lead < 0x80)
        return 1;
    // The second byte's range is what excludes overlong forms, surrogates and values over U+10FFFF.
    std::size_t length = 0;
    unsigned low = 0x80;
    unsigned high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) {
        length = 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
        length = 3;
        if (lead == 0xe0)
            low = 0xa0;
        if (lead == 0xed)
            high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
        length = 4;
        if (lead == 0xf0)
            low = 0x90;
        if (lead == 0xf4)
            high = 0x8f;
    } else {
        return 0;
    }
    if (text.size() - position < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        const unsigned byte = byte_at(text, position + i);
        if (byte < low || byte > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

} // namespace

std::size_t valid_utf8_prefix(std::string_view text) {
    std::size_t position = 0;
    while (position < text.size()) {
        // Most texts are ASCII: eight bytes at once.
        std::uint64_t word = 0;
        if (text.size() - position >= sizeof word) {
            std::memcpy(&word, text.data() + position, sizeof word);
            if ((word & 0x8080808080808080ULL) == 0) {
                position += sizeof word;
                continue;
            }
        }
        const std::size_t length = sequence_length(text, position);
        if (length == 0)
            break;
        position += length;
    }
    return position;
}

std::string printable_head(std::string_view text, std::size_t max_bytes) {
    std::string out;
    std::size_t position = 0;
    while (position < text.size() && out.size() < max_bytes) {
        const std::size_t length = sequence_length(text, position);
        if (length == 0) {
            out += '?';
            ++position;
            continue;
        }
        if (out.size() + length > max_bytes)
            break;
        const unsigned byte = byte_at(text, position);
        if (byte < 0x20 || byte == 0x7f)
            out += ' ';
        else
            out += text.substr(position, length);
        position += length;
    }
    return out;
}

} // namespace onceswap::protocol
