#include "protocol/statement_parser.hpp"

#include <array>

// The lexical rules are those of ClickHouse's Lexer and of its reader of quoted strings. Where the server
// knows more than the queue can ever store (typographic quotes, hexadecimal string literals), the text is
// refused: the callers treat what cannot be lexed as the worst case.

namespace onceswap::protocol {

namespace {

constexpr std::size_t max_statement_bytes =
    1024 * 1024; // the server's own max_query_size is a quarter of this

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_word_char(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int hex_value(char c) {
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

class Lexer {
  public:
    explicit Lexer(std::string_view sql) : sql_(sql) {}

    std::optional<std::vector<Token>> run() {
        if (sql_.size() > max_statement_bytes)
            return std::nullopt;
        while (at_ < sql_.size()) {
            if (!step())
                return std::nullopt;
        }
        return std::move(tokens_);
    }

  private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0'; }

    bool push(TokenKind kind, std::string value) {
        tokens_.push_back({kind, std::move(value)});
        return true;
    }

    bool push_range(TokenKind kind, std::size_t begin) {
        return push(kind, std::string(sql_.substr(begin, at_ - begin)));
    }

    bool step() {
        const char c = peek();
        if (is_space(c)) {
            ++at_;
            return true;
        }
        switch (c) {
        case '\'':
            return quoted(TokenKind::string_literal, c);
        case '"':
        case '`':
            return quoted(TokenKind::quoted_identifier, c);
        case '$':
            return dollar();
        case '-':
            if (peek(1) == '-')
                return line_comment();
            return symbol();
        case '#':
            // Only a blank or a shebang makes it a comment.
            return (peek(1) == ' ' || peek(1) == '!') && line_comment();
        case '/':
            if (peek(1) == '*')
                return block_comment();
            return symbol();
        case '.':
            if (is_digit(peek(1)) && !follows_operand())
                return number();
            return symbol();
        default:
            break;
        }
        if (is_digit(c))
            return number();
        if (is_word_char(c))
            return word();
        return symbol();
    }

    // After an operand a dot is access, not the beginning of a fraction.
    bool follows_operand() const {
        if (tokens_.empty())
            return false;
        const Token& last = tokens_.back();
        switch (last.kind) {
        case TokenKind::word:
        case TokenKind::quoted_identifier:
        case TokenKind::number:
            return true;
        case TokenKind::string_literal:
            return false;
        case TokenKind::symbol:
            return last.value == ")" || last.value == "]";
        }
        return true;
    }

    bool line_comment() {
        const auto end = sql_.find('\n', at_);
        at_ = end == std::string_view::npos ? sql_.size() : end + 1;
        return true;
    }

    // Newer servers nest block comments, older ones do not: a comment in which that matters means nothing for
    // sure.
    bool block_comment() {
        const auto end = sql_.find("*/", at_ + 2);
        if (end == std::string_view::npos ||
            sql_.substr(at_ + 2, end - at_ - 2).find("/*") != std::string_view::npos)
            return false;
        at_ = end + 2;
        return true;
    }

    bool word() {
        const std::size_t begin = at_;
        while (is_word_char(peek()) || peek() == '$')
            ++at_;
        const std::string_view seen = sql_.substr(begin, at_ - begin);
        // x'4142' and b'0101' are one literal to the server.
        if (peek() == '\'' && seen.size() == 1 &&
            std::string_view("xXbB").find(seen[0]) != std::string_view::npos)
            return false;
        return push(TokenKind::word, std::string(seen));
    }

    // `$tag$ ... $tag$` is a string without escapes if it closes; else the dollar belongs to a word.
    bool dollar() {
        std::size_t tag_end = at_ + 1;
        while (tag_end < sql_.size() && is_word_char(sql_[tag_end]))
            ++tag_end;
        if (tag_end < sql_.size() && sql_[tag_end] == '$') {
            const std::string_view tag = sql_.substr(at_, tag_end + 1 - at_);
            const auto close = sql_.find(tag, tag_end + 1);
            if (close != std::string_view::npos) {
                push(TokenKind::string_literal, std::string(sql_.substr(tag_end + 1, close - tag_end - 1)));
                at_ = close + tag.size();
                return true;
            }
        }
        if (is_word_char(peek(1)))
            return word();
        ++at_;
        return push(TokenKind::symbol, "$");
    }

    void digits(bool hexadecimal) {
        while (is_digit(peek()) || (hexadecimal && hex_value(peek()) >= 0) ||
               (peek() == '_' && hex_value(peek(1)) >= 0))
            ++at_;
    }

    bool number() {
        const std::size_t begin = at_;
        const bool after_dot =
            !tokens_.empty() && tokens_.back().kind == TokenKind::symbol && tokens_.back().value == ".";
        if (after_dot) {
            digits(false);
        } else {
            bool hexadecimal = false;
            if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X' || peek(1) == 'b' || peek(1) == 'B') &&
                hex_value(peek(2)) >= 0) {
                hexadecimal = peek(1) == 'x' || peek(1) == 'X';
                at_ += 2;
            }
            digits(hexadecimal);
            if (peek() == '.') {
                ++at_;
                digits(hexadecimal);
            }
            const char exponent = hexadecimal ? 'p' : 'e';
            if ((peek() | 0x20) == exponent &&
                (is_digit(peek(1)) || ((peek(1) == '-' || peek(1) == '+') && is_digit(peek(2))))) {
                at_ += 2;
                digits(false);
            }
        }
        if (!is_word_char(peek()) && peek() != '$')
            return push_range(TokenKind::number, begin);
        // A name may begin with digits: `1st` is a word, `1.5st` is nothing.
        while (is_word_char(peek()) || peek() == '$')
            ++at_;
        for (const char c : sql_.substr(begin, at_ - begin)) {
            if (!is_word_char(c) && c != '$')
                return false;
        }
        return push_range(TokenKind::word, begin);
    }

    bool quoted(TokenKind kind, char mark) {
        std::string value;
        for (++at_; at_ < sql_.size(); ++at_) {
            const char c = sql_[at_];
            if (c == mark) {
                if (peek(1) != mark) {
                    ++at_;
                    return push(kind, std::move(value));
                }
                value += c;
                ++at_;
            } else if (c == '\\') {
                ++at_;
                if (at_ == sql_.size() || !escape(value))
                    return false;
            } else {
                value += c;
            }
        }
        return false;
    }

    // at_ is on the character behind the backslash and stays on the last one of the escape.
    bool escape(std::string& value) {
        const char c = sql_[at_];
        switch (c) {
        case 'x': {
            const int high = hex_value(peek(1));
            const int low = hex_value(peek(2));
            if (high < 0 || low < 0)
                return false;
            value += static_cast<char>(static_cast<unsigned char>(high * 16 + low));
            at_ += 2;
            return true;
        }
        case 'N': // NULL in other formats; nothing in a quoted string
            return true;
        case 'a':
            value += '\a';
            return true;
        case 'b':
            value += '\b';
            return true;
        case 'e':
            value += '\x1B';
            return true;
        case 'f':
            value += '\f';
            return true;
        case 'n':
            value += '\n';
            return true;
        case 'r':
            value += '\r';
            return true;
        case 't':
            value += '\t';
            return true;
        case 'v':
            value += '\v';
            return true;
        case '0':
            value += '\0';
            return true;
        default:
            break;
        }
        // The backslash of an unknown escape is kept: '\d' is two characters.
        const auto byte = static_cast<unsigned char>(c);
        const bool control = byte < 0x20 || byte == 0x7F;
        if (c != '\\' && c != '`' && c != '"' && c != '\'' && c != '/' && c != '=' && !control)
            value += '\\';
        value += c;
        return true;
    }

    bool symbol() {
        static constexpr std::array<std::string_view, 10> longer = {
            "<=>",
            "->",
            "==",
            "!=",
            "<>",
            "<=",
            ">=",
            "||",
            "::",
            "@@",
        };
        for (const std::string_view candidate : longer) {
            if (sql_.substr(at_).starts_with(candidate)) {
                at_ += candidate.size();
                return push(TokenKind::symbol, std::string(candidate));
            }
        }
        static constexpr std::string_view single = "()[]{},;.*+-/%<>=:|?^@";
        const char c = peek();
        if (single.find(c) == std::string_view::npos)
            return false;
        ++at_;
        return push(TokenKind::symbol, std::string(1, c));
    }

    std::string_view sql_;
    std::size_t at_ = 0;
    std::vector<Token> tokens_;
};

} // namespace

std::optional<std::vector<Token>> tokenize(std::string_view sql) {
    return Lexer(sql).run();
}

} // namespace onceswap::protocol
