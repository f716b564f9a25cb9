#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace onceswap::protocol {

/// `"text"` as canonical JSON has it, appended. Throws std::invalid_argument unless the text is valid UTF-8.
void append_canonical_text(std::string_view text, std::string& out);
/// The number of bytes that append_canonical_text would append; throws as it does.
std::size_t canonical_text_bytes(std::string_view text);

/// Keeps the text.
struct CanonicalText {
    std::string text;

    void put(std::string_view bytes) { text += bytes; }

    void put_text(std::string_view value) { append_canonical_text(value, text); }
};

/// Keeps only how long the text is.
struct CanonicalLength {
    std::size_t bytes = 0;

    void put(std::string_view text) { bytes += text.size(); }

    void put_text(std::string_view value) { bytes += canonical_text_bytes(value); }
};

/// Canonical JSON of a document whose shape is known, without the document: the text that canonical_json
/// gives of it. Precondition: the caller names the fields of each object in the order of their bytes.
template <class Sink>
class CanonicalWriter {
  public:
    explicit CanonicalWriter(Sink& sink) : sink_(sink) {}

    void begin_object() { open("{"); }

    void end_object() { close("}"); }

    void begin_array() { open("["); }

    void end_array() { close("]"); }

    /// The name of the field whose value comes next: letters and underscores, nothing to escape.
    void name(std::string_view field) {
        separate();
        sink_.put("\"");
        sink_.put(field);
        sink_.put("\":");
        first_ = true;
    }

    void text(std::string_view value) {
        separate();
        sink_.put_text(value);
    }

    template <std::integral Number>
        requires(!std::same_as<Number, bool>)
    void number(Number value) {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        separate();
        sink_.put({digits, static_cast<std::size_t>(end - digits)});
    }

    void boolean(bool value) {
        separate();
        sink_.put(value ? "true" : "false");
    }

    void null() {
        separate();
        sink_.put("null");
    }

    void text(std::string_view field, std::string_view value) {
        name(field);
        text(value);
    }

    template <std::integral Number>
    void number(std::string_view field, Number value) {
        name(field);
        number(value);
    }

  private:
    void open(std::string_view bracket) {
        separate();
        sink_.put(bracket);
        first_ = true;
    }

    void close(std::string_view bracket) {
        sink_.put(bracket);
        first_ = false;
    }

    void separate() {
        if (!first_)
            sink_.put(",");
        first_ = false;
    }

    Sink& sink_;
    bool first_ = true; ///< nothing stands before the next value in its list
};

} // namespace onceswap::protocol
