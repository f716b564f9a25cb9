#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace onceswap::http {

/// An exception's text in a body, and where it begins there.
struct ExceptionText {
    int code = 0;
    std::string text; ///< from `Code:` on, without trailing newline and framing, at most max_exception_text
    std::size_t offset = 0; ///< of the first byte that belongs to it, marker included
    friend bool operator==(const ExceptionText&, const ExceptionText&) = default;
};

/// Bytes of an exception's text that are kept.
inline constexpr std::size_t max_exception_text = 16 * 1024;

/// How sure it must be that the body is no result.
enum class BodyIs {
    result, ///< the reply says success: rows may quote `Code: 60. DB::Exception` inside their strings
    error,  ///< the reply already says failure: the first exception anywhere counts
};

/// The first server exception in a body. Spellings: `Code: N. DB::Exception: ...` and 18.x
/// `Code: N, e.displayText() = DB::Exception: ...`. Framings: the body itself; appended behind rows, in the
/// middle of a line too (24.8); behind `__exception__` (24.12 to 25.10); the tagged block (25.11 and later),
/// where `tag` is the value of X-ClickHouse-Exception-Tag and must match if it is not empty.
std::optional<ExceptionText> find_exception_text(std::string_view body, BodyIs what, std::string_view tag);

/// Whether the body holds an `__exception__` marker at all, with a readable exception behind it or not.
bool has_exception_marker(std::string_view body);

/// Whether a body is whole lines that each are one JSON array by their ends, two of them at least: names and
/// types. Cheap; protocol::ResultSet decides what the lines hold.
bool looks_like_result_set(std::string_view body);

} // namespace onceswap::http
