#include "protocol/engine_clause.hpp"

#include "protocol/hex.hpp"
#include "protocol/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace onceswap::protocol {

namespace {

using Kind = EngineToken::Kind;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// What a backslash and `c` mean inside quotes; '\0' stands for itself only after `0`.
char escaped_meaning(char c) {
    switch (c) {
    case 'a':
        return '\a';
    case 'b':
        return '\b';
    case 'e':
        return '\x1b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'v':
        return '\v';
    case '0':
        return '\0';
    default:
        return c;
    }
}

bool drops_backslash(char meaning) {
    const auto byte = static_cast<unsigned char>(meaning);
    return byte < 0x20 || std::string_view("\\'\"`/").find(meaning) != std::string_view::npos;
}

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::optional<std::vector<EngineToken>> run() {
        std::vector<EngineToken> tokens;
        while (true) {
            while (position_ < text_.size() && is_space(text_[position_]))
                ++position_;
            if (position_ == text_.size())
                return tokens;
            auto token = next();
            if (!token)
                return std::nullopt;
            tokens.push_back(*std::move(token));
        }
    }

  private:
    std::optional<EngineToken> next() {
        const char c = text_[position_];
        if (c == '\'')
            return quoted(Kind::string_literal, c);
        if (c == '`' || c == '"')
            return quoted(Kind::quoted_identifier, c);
        if (is_letter(c))
            return word();
        if (is_digit(c))
            return number();
        return symbol();
    }

    EngineToken word() {
        const std::size_t begin = position_;
        while (position_ < text_.size() && (is_letter(text_[position_]) || is_digit(text_[position_])))
            ++position_;
        return {Kind::word, std::string(text_.substr(begin, position_ - begin))};
    }

    EngineToken number() {
        const std::size_t begin = position_;
        const bool is_hex = text_.substr(begin).starts_with("0x");
        while (position_ < text_.size()) {
            const char c = text_[position_];
            const bool is_exponent_sign = (c == '-' || c == '+') && !is_hex && position_ > begin &&
                                          (text_[position_ - 1] == 'e' || text_[position_ - 1] == 'E');
            if (!is_letter(c) && !is_digit(c) && c != '.' && !is_exponent_sign)
                break;
            ++position_;
        }
        return {Kind::number, std::string(text_.substr(begin, position_ - begin))};
    }

    std::optional<EngineToken> symbol() {
        constexpr std::array<std::string_view, 9> long_symbols{
            "<=>", "->", "::", "==", "!=", "<>", "<=", ">=", "||"
        };
        for (const std::string_view candidate : long_symbols)
            if (text_.substr(position_).starts_with(candidate))
                return take_symbol(candidate.size());
        if (std::string_view("()[]{},.;:?+-*/%=<>@").find(text_[position_]) == std::string_view::npos)
            return std::nullopt;
        return take_symbol(1);
    }

    EngineToken take_symbol(std::size_t size) {
        EngineToken token{Kind::symbol, std::string(text_.substr(position_, size))};
        position_ += size;
        return token;
    }

    std::optional<EngineToken> quoted(Kind kind, char quote) {
        EngineToken token{kind, {}};
        ++position_;
        while (position_ < text_.size()) {
            const char c = text_[position_++];
            if (c == quote) {
                if (position_ == text_.size() || text_[position_] != quote)
                    return token;
                token.value += quote; // a doubled quote stands for itself
                ++position_;
            } else if (c != '\\') {
                token.value += c;
            } else if (!escape(token.value)) {
                return std::nullopt;
            }
        }
        return std::nullopt;
    }

    bool escape(std::string& value) {
        if (position_ == text_.size())
            return false;
        const char c = text_[position_++];
        if (c == 'x')
            return escaped_byte(value);
        if (c == 'N') // the server reads it as nothing
            return true;
        const char meaning = escaped_meaning(c);
        if (!drops_backslash(meaning))
            value += '\\';
        value += meaning;
        return true;
    }

    bool escaped_byte(std::string& value) {
        if (text_.size() - position_ < 2)
            return false;
        const int high = hex_value(text_[position_]);
        const int low = hex_value(text_[position_ + 1]);
        if (high < 0 || low < 0)
            return false;
        value += static_cast<char>(static_cast<unsigned char>(high * 16 + low));
        position_ += 2;
        return true;
    }

    std::string_view text_;
    std::size_t position_ = 0;
};

/// Words with a meaning of their own in an engine clause: a column of that name needs its quotes, so that
/// "ORDER BY `order`" and "ORDER BY order" stay two things.
constexpr std::array<std::string_view, 56> reserved_words{
    "and",        "as",         "asc",     "assume",     "between", "by",       "case",      "cast",
    "codec",      "collate",    "comment", "constraint", "default", "delete",   "desc",      "disk",
    "distinct",   "div",        "else",    "end",        "engine",  "except",   "exists",    "false",
    "from",       "group",      "having",  "if",         "ilike",   "in",       "interval",  "is",
    "like",       "mod",        "not",     "null",       "or",      "order",    "partition", "primary",
    "projection", "recompress", "sample",  "select",     "set",     "settings", "table",     "then",
    "to",         "true",       "ttl",     "union",      "using",   "volume",   "when",      "where"
};

bool needs_quotes(std::string_view name) {
    if (name.empty() || is_digit(name.front()))
        return true;
    if (!std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); }))
        return true;
    std::string lower;
    for (const char c : name)
        lower += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
    return std::find(reserved_words.begin(), reserved_words.end(), lower) != reserved_words.end();
}

std::string quote(std::string_view value, char mark) {
    const bool is_text = valid_utf8_prefix(value) == value.size();
    std::string out(1, mark);
    for (const char c : value) {
        const auto byte = static_cast<std::uint8_t>(c);
        if (c == mark || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || (byte >= 0x80 && !is_text)) {
            out += "\\x" + to_hex({&byte, 1});
        } else {
            out += c;
        }
    }
    return out + mark;
}

std::string render(const EngineToken& token) {
    switch (token.kind) {
    case Kind::word:
    case Kind::number:
    case Kind::symbol:
        return token.value;
    case Kind::quoted_identifier:
        return needs_quotes(token.value) ? quote(token.value, '`') : token.value;
    case Kind::string_literal:
        return quote(token.value, '\'');
    }
    return {};
}

bool is_symbol(const EngineToken& token, std::string_view text) {
    return token.kind == Kind::symbol && token.value == text;
}

bool is_name(const EngineToken& token) {
    return token.kind == Kind::word || token.kind == Kind::quoted_identifier;
}

/// Only where leaving the space out cannot join two tokens into another one.
bool stand_together(const EngineToken& left, const EngineToken& right) {
    if (is_symbol(left, "(") || is_symbol(left, "[") || is_symbol(right, ")") || is_symbol(right, "]") ||
        is_symbol(right, ","))
        return true;
    if (is_symbol(right, "("))
        return is_name(left);
    if (is_symbol(right, "."))
        return is_name(left);
    return is_symbol(left, ".") && is_name(right);
}

} // namespace

std::optional<std::vector<EngineToken>> tokenize_engine_clause(std::string_view clause) {
    return Lexer(clause).run();
}

std::string render_engine_clause(const std::vector<EngineToken>& tokens) {
    std::string out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i != 0 && !stand_together(tokens[i - 1], tokens[i]))
            out += ' ';
        out += render(tokens[i]);
    }
    return out;
}

ArgumentRange engine_arguments(const std::vector<EngineToken>& tokens) {
    if (tokens.size() < 2 || !is_name(tokens[0]) || !is_symbol(tokens[1], "("))
        return {};
    std::size_t depth = 1;
    for (std::size_t i = 2; i < tokens.size(); ++i) {
        if (is_symbol(tokens[i], "("))
            ++depth;
        else if (is_symbol(tokens[i], ")") && --depth == 0)
            return {2, i};
    }
    return {};
}

} // namespace onceswap::protocol
