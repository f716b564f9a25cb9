#include "protocol/grant_line.hpp"

#include "protocol/statement_parser.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace onceswap::protocol {

namespace {

constexpr std::size_t most_line_bytes = 64 * 1024;

struct Step {
    std::string_view parent;
    std::string_view child;
};

// Every edge by which one of the needed privileges can be reached from above.
constexpr auto hierarchy = std::to_array<Step>({
    {"ALL PRIVILEGES", "ALL"},
    {"ALL", "SHOW"},
    {"ALL", "SELECT"},
    {"ALL", "INSERT"},
    {"ALL", "ALTER"},
    {"ALL", "CREATE"},
    {"ALL", "DROP"},
    {"ALL", "SOURCES"},
    {"ALL", "CLUSTER"},
    {"SHOW", "SHOW TABLES"},
    {"SHOW", "SHOW COLUMNS"},
    {"SELECT", "SHOW TABLES"},
    {"SELECT", "SHOW COLUMNS"},
    {"ALTER", "ALTER TABLE"},
    {"ALTER TABLE", "ALTER UPDATE"},
    {"UPDATE", "ALTER UPDATE"},
    {"CREATE", "CREATE TABLE"},
    {"DROP", "DROP TABLE"},
    {"SOURCES", "REMOTE"},
});

std::string upper(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return out;
}

/// `word` is in upper case.
bool equal_in_any_case(std::string_view text, std::string_view word) {
    return text.size() == word.size() &&
           std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) {
               return (a >= 'a' && a <= 'z' ? static_cast<char>(a - 'a' + 'A') : a) == b;
           });
}

class Parser {
  public:
    explicit Parser(std::span<const Token> tokens) : tokens_(tokens) {}

    std::optional<GrantLine> run() {
        GrantLine line;
        if (take_word("REVOKE"))
            line.is_revoke = true;
        else if (!take_word("GRANT"))
            return std::nullopt;
        if (!names_and_columns(line))
            return std::nullopt;
        const std::string_view to_whom = line.is_revoke ? "FROM" : "TO";
        if (take_word(to_whom)) { // a line without scope is about roles
            for (const GrantedPrivilege& each : line.privileges) {
                if (each.on_columns)
                    return std::nullopt;
                line.roles.push_back(each.name);
            }
            line.privileges.clear();
            return has_more() ? std::optional(std::move(line)) : std::nullopt;
        }
        if (!take_word("ON") || !scope(line.scope) || !take_word(to_whom) || !has_more())
            return std::nullopt;
        for (GrantedPrivilege& each : line.privileges)
            each.name = upper(each.name);
        return line;
    }

  private:
    bool has_more() const { return at_ < tokens_.size(); }

    bool is_word(std::string_view word) const {
        return has_more() && tokens_[at_].kind == TokenKind::word &&
               equal_in_any_case(tokens_[at_].value, word);
    }

    bool take_word(std::string_view word) {
        if (!is_word(word))
            return false;
        ++at_;
        return true;
    }

    bool take_symbol(std::string_view symbol) {
        if (!has_more() || tokens_[at_].kind != TokenKind::symbol || tokens_[at_].value != symbol)
            return false;
        ++at_;
        return true;
    }

    bool is_name() const {
        return has_more() &&
               (tokens_[at_].kind == TokenKind::word || tokens_[at_].kind == TokenKind::quoted_identifier);
    }

    bool ends_list() const { return is_word("ON") || is_word("TO") || is_word("FROM"); }

    /// `SELECT(a, b), CREATE TABLE` or `role_1, role_2`.
    bool names_and_columns(GrantLine& line) {
        do {
            GrantedPrivilege each;
            while (is_name() && !ends_list()) {
                each.name += (each.name.empty() ? "" : " ") + tokens_[at_].value;
                ++at_;
            }
            if (each.name.empty())
                return false;
            if (take_symbol("(")) {
                each.on_columns = true;
                while (has_more() && !take_symbol(")"))
                    ++at_;
                if (!has_more())
                    return false;
            }
            line.privileges.push_back(std::move(each));
        } while (take_symbol(","));
        return ends_list();
    }

    /// `name`, `name*` or `*`.
    bool pattern(std::string& name, bool& is_prefix) {
        is_prefix = false;
        if (is_name()) {
            name = tokens_[at_].value;
            ++at_;
            is_prefix = take_symbol("*");
            return true;
        }
        name.clear();
        is_prefix = take_symbol("*");
        return is_prefix;
    }

    bool scope(GrantScope& scope) {
        if (!pattern(scope.database, scope.database_is_prefix))
            return false;
        if (!take_symbol(".")) // `ON *` of privileges without tables; a lone name is no scope of ours
            return scope.database.empty();
        return pattern(scope.table, scope.table_is_prefix);
    }

    std::span<const Token> tokens_;
    std::size_t at_ = 0;
};

bool matches(const std::string& pattern, bool is_prefix, std::string_view name) {
    return is_prefix ? name.starts_with(pattern) : name == pattern;
}

} // namespace

GrantScope::Level GrantScope::level() const {
    if (!table.empty() || !table_is_prefix)
        return Level::table;
    return database.empty() && database_is_prefix ? Level::everything : Level::database;
}

bool GrantScope::covers_database(std::string_view name) const {
    return matches(database, database_is_prefix, name);
}

bool GrantScope::covers_table(std::string_view name) const {
    return matches(table, table_is_prefix, name);
}

std::optional<GrantLine> parse_grant_line(std::string_view line) {
    if (line.size() > most_line_bytes)
        return std::nullopt;
    const auto tokens = tokenize(line);
    return tokens ? Parser(*tokens).run() : std::nullopt;
}

bool implies(std::string_view granted, std::string_view needed) {
    if (granted == needed)
        return true;
    for (const Step& step : hierarchy)
        if (step.child == needed && implies(granted, step.parent))
            return true;
    return false;
}

} // namespace onceswap::protocol
