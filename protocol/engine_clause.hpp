#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::protocol {

/// One lexical unit of an engine clause (`engine_full` of system.tables), with its meaning.
struct EngineToken {
    enum class Kind { word, quoted_identifier, string_literal, number, symbol };
    Kind kind = Kind::symbol;
    std::string value; ///< identifiers and literals without quotes and escapes
    friend bool operator==(const EngineToken&, const EngineToken&) = default;
};

/// ClickHouse's lexical rules as far as an engine clause can use them; comments are not part of one, the
/// server prints it from its syntax tree. nullopt: an open quote or a byte that begins no token.
std::optional<std::vector<EngineToken>> tokenize_engine_clause(std::string_view clause);

/// One text for one sequence of tokens; tokenizing it gives the sequence again. An identifier keeps its
/// quotes only where the unquoted word would not be that identifier.
std::string render_engine_clause(const std::vector<EngineToken>& tokens);

/// Index range [first, last) of the tokens between the engine name's parentheses; empty without any.
struct ArgumentRange {
    std::size_t first = 0;
    std::size_t last = 0;
};

ArgumentRange engine_arguments(const std::vector<EngineToken>& tokens);

} // namespace onceswap::protocol
