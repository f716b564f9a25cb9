#include "protocol/delete_ttl.hpp"

#include "protocol/statement_parser.hpp"

namespace onceswap::protocol {

namespace {

bool is_word(const Token& token, std::string_view upper_case) {
    if (token.kind != TokenKind::word || token.value.size() != upper_case.size())
        return false;
    for (std::size_t i = 0; i < upper_case.size(); ++i) {
        const char c = token.value[i];
        if ((c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c) != upper_case[i])
            return false;
    }
    return true;
}

} // namespace

bool has_deleting_ttl(std::string_view engine_full) {
    const auto tokens = tokenize(engine_full);
    if (!tokens)
        return true;
    int depth = 0;
    bool in_ttl = false;
    bool keeps_rows = false; // the element that is being read moves or recompresses
    for (std::size_t i = 0; i < tokens->size(); ++i) {
        const Token& token = (*tokens)[i];
        if (token.kind == TokenKind::symbol && token.value == "(")
            ++depth;
        else if (token.kind == TokenKind::symbol && token.value == ")")
            --depth;
        if (depth != 0)
            continue;
        if (!in_ttl) {
            in_ttl = is_word(token, "TTL");
            continue;
        }
        if (is_word(token, "SETTINGS"))
            break;
        if (token.kind == TokenKind::symbol && token.value == ",") {
            if (!keeps_rows)
                return true;
            keeps_rows = false;
            continue;
        }
        const bool moves = is_word(token, "TO") && i + 1 < tokens->size() &&
                           (is_word((*tokens)[i + 1], "DISK") || is_word((*tokens)[i + 1], "VOLUME"));
        keeps_rows = keeps_rows || moves || is_word(token, "RECOMPRESS");
    }
    return in_ttl && !keeps_rows;
}

} // namespace onceswap::protocol
