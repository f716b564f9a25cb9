#include "protocol/json_text.hpp"

#include "protocol/hex.hpp"
#include "protocol/utf8.hpp"

#include <bit>
#include <charconv>
#include <cstring>

namespace onceswap::protocol {

namespace {

using Kind = JsonView::Kind;
using Node = JsonView::Node;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

constexpr std::uint64_t repeated(unsigned char byte) {
    return 0x0101010101010101ULL * byte;
}

/// The high bit of each byte of `word` that may be zero: no zero byte is missed, and only a byte above one
/// can be named too much.
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
    return (word - repeated(0x01)) & ~word & repeated(0x80);
}

/// How many of the eight bytes of a string from `at` on need no look: no quote, backslash, control character,
/// and nothing beyond ASCII.
std::size_t plain_bytes(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    if constexpr (std::endian::native == std::endian::big)
        return 0; // bytes above are bytes before there: one at a time
    const std::uint64_t special = (zero_bytes(word ^ repeated('"')) | zero_bytes(word ^ repeated('\\')) |
                                   ((word - repeated(0x20)) & ~word) | word) &
                                  repeated(0x80);
    return static_cast<std::size_t>(std::countr_zero(special)) / 8;
}

void append_code_point(char* out, std::size_t& used, std::uint32_t code) {
    const auto byte = [&](std::uint32_t bits) { out[used++] = static_cast<char>(bits); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0 | (code >> 6));
        byte(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        byte(0xe0 | (code >> 12));
        byte(0x80 | ((code >> 6) & 0x3f));
        byte(0x80 | (code & 0x3f));
    } else {
        byte(0xf0 | (code >> 18));
        byte(0x80 | ((code >> 12) & 0x3f));
        byte(0x80 | ((code >> 6) & 0x3f));
        byte(0x80 | (code & 0x3f));
    }
}

} // namespace

/// Recursive descent; every step is false if the bytes are not what they should be.
class JsonText::Reader {
  public:
    Reader(JsonText& out, std::string_view bytes, std::size_t max_depth)
        : out_(out), at_(bytes.data()), end_(bytes.data() + bytes.size()), depth_left_(max_depth) {}

    bool whole() {
        skip_blank();
        if (!value())
            return false;
        skip_blank();
        return at_ == end_;
    }

  private:
    void skip_blank() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r'))
            ++at_;
    }

    bool take(char c) {
        if (at_ == end_ || *at_ != c)
            return false;
        ++at_;
        return true;
    }

    bool word(std::string_view letters) {
        if (static_cast<std::size_t>(end_ - at_) < letters.size() ||
            std::memcmp(at_, letters.data(), letters.size()) != 0)
            return false;
        at_ += letters.size();
        return true;
    }

    Node& add(Kind kind) {
        Node& node = out_.nodes_.emplace_back();
        node.kind = kind;
        return node;
    }

    bool value() {
        if (at_ == end_)
            return false;
        switch (*at_) {
        case '"':
            return string();
        case '[':
            return list(Kind::array, ']');
        case '{':
            return list(Kind::object, '}');
        case 'n':
            add(Kind::null);
            return word("null");
        case 't':
            add(Kind::boolean).is_true = true;
            return word("true");
        case 'f':
            add(Kind::boolean);
            return word("false");
        default:
            return number();
        }
    }

    bool list(Kind kind, char close) {
        if (depth_left_ == 0)
            return false;
        --depth_left_;
        ++at_;
        const std::size_t place = out_.nodes_.size();
        add(kind);
        std::uint32_t elements = 0;
        skip_blank();
        if (!take(close)) {
            do {
                skip_blank();
                if (kind == Kind::object && !key())
                    return false;
                if (!value())
                    return false;
                ++elements;
                skip_blank();
            } while (take(','));
            if (!take(close))
                return false;
        }
        ++depth_left_;
        Node& node = out_.nodes_[place];
        node.elements = elements;
        node.nodes = static_cast<std::uint32_t>(out_.nodes_.size() - place);
        return true;
    }

    bool key() {
        if (at_ == end_ || *at_ != '"' || !string())
            return false;
        skip_blank();
        if (!take(':'))
            return false;
        skip_blank();
        return true;
    }

    bool digits() {
        if (at_ == end_ || !is_digit(*at_))
            return false;
        while (at_ != end_ && is_digit(*at_))
            ++at_;
        return true;
    }

    bool number() {
        const char* const begin = at_;
        const bool negative = take('-');
        if (take('0')) {
            if (at_ != end_ && is_digit(*at_))
                return false;
        } else if (!digits()) {
            return false;
        }
        bool whole = true;
        if (take('.')) {
            whole = false;
            if (!digits())
                return false;
        }
        if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
            whole = false;
            ++at_;
            if (!take('+'))
                take('-');
            if (!digits())
                return false;
        }
        std::int64_t integer = 0;
        std::uint64_t large = 0;
        Kind kind = Kind::fraction;
        if (whole && std::from_chars(begin, at_, integer).ec == std::errc())
            kind = Kind::integer;
        else if (whole && !negative && std::from_chars(begin, at_, large).ec == std::errc())
            kind = Kind::unsigned_integer;
        add(kind).text = std::string_view(begin, static_cast<std::size_t>(at_ - begin));
        return true;
    }

    bool string() {
        const char* const begin = ++at_;
        bool ascii = true;
        for (;;) {
            if (end_ - at_ >= 8) {
                const std::size_t plain = plain_bytes(at_);
                at_ += plain;
                if (plain == 8)
                    continue;
            }
            if (at_ == end_)
                return false;
            const auto byte = static_cast<unsigned char>(*at_);
            if (byte == '"' || byte == '\\')
                break;
            if (byte < 0x20)
                return false;
            ascii = ascii && byte < 0x80;
            ++at_;
        }
        std::string_view text(begin, static_cast<std::size_t>(at_ - begin));
        if (*at_ == '\\') {
            // Not kept in a Node before it is whole: its place must not move.
            out_.scratch_.assign(text.begin(), text.end());
            if (!escaped(out_.scratch_))
                return false;
            text = out_.unescaped_.emplace_back(out_.scratch_.data(), out_.scratch_.size());
            ascii = false;
        }
        ++at_;
        if (!ascii && valid_utf8_prefix(text) != text.size())
            return false;
        add(Kind::string).text = text;
        return true;
    }

    /// From the first backslash on, up to the closing quote.
    bool escaped(std::vector<char>& text) {
        std::size_t used = text.size();
        for (;;) {
            // Eight bytes are copied whatever they are, and only those that belong to the text are kept.
            if (text.size() - used < 16)
                text.resize(2 * text.size() + 64);
            if (end_ - at_ >= 8) {
                std::memcpy(text.data() + used, at_, 8);
                const std::size_t plain = plain_bytes(at_);
                at_ += plain;
                used += plain;
                if (plain == 8)
                    continue;
            }
            if (at_ == end_)
                return false;
            const char c = *at_;
            if (c == '"')
                break;
            if (static_cast<unsigned char>(c) < 0x20)
                return false;
            ++at_;
            if (c != '\\') {
                text[used++] = c;
                continue;
            }
            if (!escape(text.data(), used))
                return false;
        }
        text.resize(used);
        return true;
    }

    /// What follows a backslash; at most four bytes come of it.
    bool escape(char* text, std::size_t& used) {
        if (at_ == end_)
            return false;
        const char c = *at_++;
        constexpr std::string_view letters = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        const std::size_t simple = letters.find(c);
        if (simple != std::string_view::npos) {
            text[used++] = meanings[simple];
            return true;
        }
        std::uint32_t code = 0;
        if (c != 'u' || !four_digits(code))
            return false;
        if (code >= 0xdc00 && code <= 0xdfff)
            return false;
        if (code >= 0xd800 && code <= 0xdbff) {
            std::uint32_t low = 0;
            if (!take('\\') || !take('u') || !four_digits(low) || low < 0xdc00 || low > 0xdfff)
                return false;
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        append_code_point(text, used, code);
        return true;
    }

    bool four_digits(std::uint32_t& code) {
        if (end_ - at_ < 4)
            return false;
        for (int i = 0; i < 4; ++i) {
            const int digit = hex_value(*at_++);
            if (digit < 0)
                return false;
            code = code * 16 + static_cast<std::uint32_t>(digit);
        }
        return true;
    }

    JsonText& out_;
    const char* at_;
    const char* end_;
    std::size_t depth_left_;
};

std::optional<std::size_t> JsonText::add(std::string_view bytes, std::size_t max_depth) {
    const std::size_t place = nodes_.size();
    if (Reader(*this, bytes, max_depth).whole())
        return place;
    nodes_.resize(place);
    return std::nullopt;
}

} // namespace onceswap::protocol
