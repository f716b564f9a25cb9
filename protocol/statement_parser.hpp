#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::protocol {

enum class TokenKind { word, quoted_identifier, string_literal, number, symbol };

/// One lexical token with its meaning: a back-quoted or double-quoted identifier that needs no quotes equals
/// the word.
struct Token {
    TokenKind kind = TokenKind::symbol;
    std::string value; ///< unquoted and unescaped; keywords keep their case
};

/// ClickHouse's lexical rules for the statements that the queue stores. nullopt: not lexable (an open quote
/// or comment).
std::optional<std::vector<Token>> tokenize(std::string_view sql);

/// Whether the text that the queue stored is the statement that was sent: same tokens, comments and needless
/// quotes aside, keywords in any case, a trailing SETTINGS or FORMAT clause in neither. The initiator gives
/// every CREATE a `UUID '...'`: that is no difference where the sent one names none, and one where it names
/// another. Not for `CREATE ... AS`, which the initiator rewrites (docs/statements.md).
bool same_statement(std::string_view stored, std::string_view sent);

/// Whether the text is a DDL that names any of `tables` of `database`, qualified or (when `database` is the
/// stored entry's default) not. Text that cannot be lexed names everything: true.
bool names_any_table(
    std::string_view stored, std::string_view database, const std::vector<std::string>& tables
);

} // namespace onceswap::protocol
