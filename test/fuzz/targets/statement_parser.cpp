#include "protocol/statement_parser.hpp"

#include "targets.hpp"

#include <string>
#include <vector>

namespace onceswap::fuzz {

/// The input is one statement, or two with a NUL byte between: what the queue stored and what was sent.
void statement_parser(std::string_view input) {
    const std::size_t border = input.find('\0');
    const std::string_view stored = input.substr(0, border);
    const std::string_view sent = border == std::string_view::npos ? stored : input.substr(border + 1);
    const auto tokens = protocol::tokenize(stored);
    if (border == std::string_view::npos) {
        if (tokens && !tokens->empty())
            must(protocol::same_statement(stored, stored), "a statement is itself");
    } else if (protocol::same_statement(stored, sent)) {
        must(tokens.has_value(), "what cannot be read is no statement that we sent");
    }
    const std::vector<std::string> tables{"t", "events", "t__onceswap"};
    const bool names = protocol::names_any_table(stored, "analytics", tables);
    must(tokens.has_value() || names, "what cannot be read names everything");
}

} // namespace onceswap::fuzz
