#include "protocol/differing_part.hpp"

#include "protocol/utf8.hpp"

#include <algorithm>

namespace onceswap::protocol {

namespace {

constexpr std::size_t context_bytes = 12;
constexpr std::size_t most_bytes = 160;

bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

} // namespace

std::string differing_part(std::string_view text, std::string_view other) {
    const std::size_t shorter = std::min(text.size(), other.size());
    std::size_t head = 0;
    while (head < shorter && text[head] == other[head])
        ++head;
    std::size_t tail = 0;
    while (tail < shorter - head && text[text.size() - 1 - tail] == other[other.size() - 1 - tail])
        ++tail;
    head -= std::min(head, context_bytes);
    while (head > 0 && continues_character(text[head]))
        --head;
    std::size_t end = std::min(text.size(), text.size() - tail + context_bytes);
    while (end < text.size() && continues_character(text[end]))
        ++end;
    const std::string before = head > 0 ? "..." : "";
    const std::string after = end < text.size() || end - head > most_bytes ? "..." : "";
    return "'" + before + printable_head(text.substr(head, end - head), most_bytes) + after + "'";
}

} // namespace onceswap::protocol
