#include "http_transport/exception_text.hpp"

#include <algorithm>
#include <charconv>

namespace onceswap::http {
namespace {

constexpr std::string_view code_word = "Code: ";
constexpr std::string_view marker = "__exception__\r\n";
constexpr std::string_view old_spelling = ", e.displayText() = ";

/// Looked for by its carriage return: rows of JSON have none, so one look at them is enough.
std::size_t find_marker(std::string_view body) {
    constexpr std::size_t before_return = marker.find('\r');
    for (std::size_t at = body.find('\r'); at != std::string_view::npos; at = body.find('\r', at + 1)) {
        if (at >= before_return && body.substr(at - before_return).starts_with(marker)) {
            return at - before_return;
        }
    }
    return std::string_view::npos;
}

/// `DB::Exception`, `Coordination::Exception`, `DB::NetException`: an identifier with `::` that ends in
/// `Exception`.
bool begins_with_exception_class(std::string_view text) {
    std::size_t size = 0;
    while (size < text.size() && size < 64) {
        const char c = text[size];
        const bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!letter && c != ':') {
            break;
        }
        if (c == ':' && text.substr(size, 2) != "::") {
            break;
        }
        size += c == ':' ? 2 : 1;
    }
    const std::string_view name = text.substr(0, std::min(size, text.size()));
    return name.ends_with("Exception") && name.find("::") != std::string_view::npos;
}

/// The code, if `text` begins with one of the two spellings.
std::optional<int> code_at(std::string_view text) {
    if (!text.starts_with(code_word)) {
        return std::nullopt;
    }
    text.remove_prefix(code_word.size());
    int code = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
    if (error != std::errc{} || code <= 0) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(old_spelling)) {
        return code;
    }
    if (text.starts_with(". ") && begins_with_exception_class(text.substr(2))) {
        return code;
    }
    return std::nullopt;
}

std::string_view without_newline_at_end(std::string_view text) {
    while (text.ends_with('\n') || text.ends_with('\r')) {
        text.remove_suffix(1);
    }
    return text;
}

/// The message of the tagged block ends with `<length> <TAG>\r\n__exception__\r\n`.
std::string_view without_block_end(std::string_view text, std::string_view tag) {
    const std::size_t end = text.rfind(marker);
    if (end == std::string_view::npos) {
        return text;
    }
    std::string_view rest = text.substr(0, end);
    rest = without_newline_at_end(rest);
    // A tag on the exception's own line is no length line: it stays, as evidence.
    if (const std::size_t line = rest.rfind('\n');
        line != std::string_view::npos && !tag.empty() && rest.ends_with(tag)) {
        rest = rest.substr(0, line);
    }
    return rest;
}

std::optional<ExceptionText>
exception_at(std::string_view body, std::size_t code_offset, std::size_t offset, std::string_view message) {
    const std::optional<int> code = code_at(body.substr(code_offset));
    if (!code) {
        return std::nullopt;
    }
    ExceptionText found;
    found.code = *code;
    found.text = std::string(without_newline_at_end(message).substr(0, max_exception_text));
    found.offset = offset;
    return found;
}

std::optional<ExceptionText> behind_marker(std::string_view body, std::size_t at, std::string_view tag) {
    std::size_t begin = at + marker.size();
    std::string_view rest = body.substr(begin);
    if (!rest.starts_with(code_word)) {
        // The tagged block: one line with the tag first.
        const std::size_t line_end = rest.find("\r\n");
        if (line_end == std::string_view::npos || (!tag.empty() && rest.substr(0, line_end) != tag)) {
            return std::nullopt;
        }
        const std::string_view seen_tag = rest.substr(0, line_end);
        begin += line_end + 2;
        return exception_at(body, begin, at, without_block_end(body.substr(begin), seen_tag));
    }
    return exception_at(body, begin, at, without_block_end(rest, tag));
}

/// Where the first line begins that is no whole row.
std::size_t first_broken_line(std::string_view body) {
    std::size_t begin = 0;
    while (begin < body.size()) {
        const std::size_t end = body.find('\n', begin);
        if (end == std::string_view::npos || body[begin] != '[' || body[end - 1] != ']') {
            return begin;
        }
        begin = end + 1;
    }
    return body.size();
}

} // namespace

bool has_exception_marker(std::string_view body) {
    // A row cannot hold it: a string's carriage return is escaped in JSON.
    return find_marker(body) != std::string_view::npos;
}

std::optional<ExceptionText> find_exception_text(std::string_view body, BodyIs what, std::string_view tag) {
    if (const std::size_t at = find_marker(body); at != std::string_view::npos) {
        if (auto found = behind_marker(body, at, tag)) {
            return found;
        }
    }
    std::size_t at = body.find(code_word);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    // Appended text breaks a row; a row that only quotes an exception is whole.
    const std::size_t from = what == BodyIs::error ? 0 : first_broken_line(body);
    at = body.find(code_word, from);
    while (at != std::string_view::npos) {
        if (auto found = exception_at(body, at, at, body.substr(at))) {
            return found;
        }
        at = body.find(code_word, at + 1);
    }
    return std::nullopt;
}

bool looks_like_result_set(std::string_view body) {
    std::size_t lines = 0;
    while (!body.empty()) {
        const std::size_t end = body.find('\n');
        if (end == std::string_view::npos || end < 2 || body.front() != '[' || body[end - 1] != ']') {
            return false;
        }
        ++lines;
        body.remove_prefix(end + 1);
    }
    return lines >= 2;
}

} // namespace onceswap::http
