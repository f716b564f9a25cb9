#include "protocol/statement_parser.hpp"

#include "protocol/uuid.hpp"

#include <algorithm>
#include <array>

namespace onceswap::protocol {

namespace {

// The words of our own statements that are keywords to the server. Everything else is a name: case matters.
constexpr std::array<std::string_view, 17> keywords = {
    "AND",
    "AS",
    "CLUSTER",
    "CREATE",
    "DROP",
    "ENGINE",
    "EXCHANGE",
    "EXISTS",
    "IF",
    "KEY",
    "NOT",
    "ON",
    "PRIMARY",
    "RENAME",
    "TABLE",
    "TABLES",
    "TO",
};

char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, upper, upper);
}

bool is_keyword(std::string_view word) {
    return std::ranges::any_of(keywords, [&](std::string_view keyword) {
        return equal_ignoring_case(word, keyword);
    });
}

using Tokens = std::vector<Token>;

bool is_word(const Tokens& tokens, std::size_t at, std::string_view keyword) {
    return at < tokens.size() && tokens[at].kind == TokenKind::word &&
           equal_ignoring_case(tokens[at].value, keyword);
}

bool is_symbol(const Tokens& tokens, std::size_t at, std::string_view symbol) {
    return at < tokens.size() && tokens[at].kind == TokenKind::symbol && tokens[at].value == symbol;
}

bool is_identifier(const Tokens& tokens, std::size_t at) {
    return at < tokens.size() &&
           (tokens[at].kind == TokenKind::word || tokens[at].kind == TokenKind::quoted_identifier);
}

// `ON CLUSTER 'c'` and `ON CLUSTER c` name the same cluster; the server stores the second.
void make_cluster_an_identifier(Tokens& tokens) {
    for (std::size_t at = 2; at < tokens.size(); ++at) {
        if (tokens[at].kind == TokenKind::string_literal && is_word(tokens, at - 1, "CLUSTER") &&
            is_word(tokens, at - 2, "ON"))
            tokens[at].kind = TokenKind::quoted_identifier;
    }
}

// The place of the UUID clause in `CREATE TABLE [IF NOT EXISTS] [db.]name UUID '...'`, where there is one.
std::optional<std::size_t> uuid_clause(const Tokens& tokens) {
    if (!is_word(tokens, 0, "CREATE") || !is_word(tokens, 1, "TABLE"))
        return std::nullopt;
    std::size_t at = 2;
    if (is_word(tokens, 2, "IF") && is_word(tokens, 3, "NOT") && is_word(tokens, 4, "EXISTS"))
        at = 5;
    if (!is_identifier(tokens, at))
        return std::nullopt;
    ++at;
    if (is_symbol(tokens, at, ".")) {
        if (!is_identifier(tokens, at + 1))
            return std::nullopt;
        at += 2;
    }
    if (!is_word(tokens, at, "UUID") || at + 1 >= tokens.size() ||
        tokens[at + 1].kind != TokenKind::string_literal || !Uuid::parse(tokens[at + 1].value))
        return std::nullopt;
    return at;
}

bool same_token(const Token& stored, const Token& sent) {
    if (stored.kind == TokenKind::word && sent.kind == TokenKind::word)
        return stored.value == sent.value ||
               (is_keyword(sent.value) && equal_ignoring_case(stored.value, sent.value));
    if (stored.kind == TokenKind::word && sent.kind == TokenKind::quoted_identifier)
        return stored.value == sent.value;
    // A keyword that was sent bare cannot come back as a name.
    if (stored.kind == TokenKind::quoted_identifier && sent.kind == TokenKind::word)
        return stored.value == sent.value && !is_keyword(sent.value);
    return stored.kind == sent.kind && stored.value == sent.value;
}

} // namespace

bool same_statement(std::string_view stored, std::string_view sent) {
    auto stored_tokens = tokenize(stored);
    auto sent_tokens = tokenize(sent);
    if (!stored_tokens || !sent_tokens || sent_tokens->empty())
        return false;
    make_cluster_an_identifier(*stored_tokens);
    make_cluster_an_identifier(*sent_tokens);
    if (!uuid_clause(*sent_tokens)) {
        if (const auto at = uuid_clause(*stored_tokens)) {
            const auto first = stored_tokens->begin() + static_cast<std::ptrdiff_t>(*at);
            stored_tokens->erase(first, first + 2);
        }
    }
    return std::ranges::equal(*stored_tokens, *sent_tokens, same_token);
}

bool names_any_table(
    std::string_view stored, std::string_view database, const std::vector<std::string>& tables
) {
    const auto tokens = tokenize(stored);
    if (!tokens)
        return true;
    const auto is_ours = [&](std::string_view name) {
        return std::ranges::find(tables, name) != tables.end();
    };
    // DROP DATABASE d, TRUNCATE ALL TABLES FROM d, TRUNCATE TABLES FROM d: all tables of the database are
    // meant.
    const bool whole_database =
        is_word(*tokens, 1, "DATABASE") || is_word(*tokens, 1, "ALL") || is_word(*tokens, 1, "TABLES");
    for (std::size_t at = 0; at < tokens->size(); ++at) {
        const Token& token = (*tokens)[at];
        switch (token.kind) {
        case TokenKind::word:
        case TokenKind::quoted_identifier: {
            const bool qualified =
                at >= 2 && is_symbol(*tokens, at - 1, ".") && is_identifier(*tokens, at - 2);
            if (is_ours(token.value) && (!qualified || (*tokens)[at - 2].value == database))
                return true;
            if (whole_database && at > 0 && token.value == database && !qualified &&
                !is_symbol(*tokens, at + 1, ".") && !is_word(*tokens, at - 1, "CLUSTER"))
                return true;
            break;
        }
        case TokenKind::string_literal: {
            // Engines and dictionary sources take names as literals, with or without the database.
            const std::string_view value = token.value;
            if (is_ours(value) ||
                (value.size() > database.size() && value.starts_with(database) &&
                 value[database.size()] == '.' && is_ours(value.substr(database.size() + 1))))
                return true;
            break;
        }
        case TokenKind::number:
        case TokenKind::symbol:
            break;
        }
    }
    return false;
}

} // namespace onceswap::protocol
