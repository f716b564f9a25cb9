#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::protocol {

/// A value of a JsonText, read in place; as cheap to copy as a pointer and valid as long as the JsonText and
/// the bytes that it was read from. A view of nothing is false.
class JsonView {
  public:
    enum class Kind : std::uint8_t {
        null,
        boolean,
        integer,
        unsigned_integer,
        fraction,
        string,
        array,
        object
    };

    /// One value in document order. The values of an array follow it; in an object every value follows its
    /// key.
    struct Node {
        Kind kind = Kind::null;
        bool is_true = false;
        std::uint32_t elements = 0; ///< of an array; pairs of an object
        std::uint32_t nodes = 1;    ///< this one and everything in it
        std::string_view text;      ///< of a string, unescaped; of a number, as it is written
    };

    JsonView() = default;

    explicit JsonView(const Node* node) : node_(node) {}

    explicit operator bool() const { return node_ != nullptr; }

    // What follows demands a view of something.
    Kind kind() const { return node_->kind; }

    bool is_null() const { return kind() == Kind::null; }

    std::optional<std::string_view> text() const {
        return kind() == Kind::string ? std::optional(node_->text) : std::nullopt;
    }

    std::optional<std::int64_t> integer() const {
        return kind() == Kind::integer ? number<std::int64_t>() : std::nullopt;
    }

    /// Only what does not fit into integer().
    std::optional<std::uint64_t> unsigned_integer() const {
        return kind() == Kind::unsigned_integer ? number<std::uint64_t>() : std::nullopt;
    }

    /// Elements of an array, pairs of an object, 0 of anything else.
    std::size_t size() const { return node_->elements; }

    /// Calls visit(JsonView) for each element of an array.
    template <class Visit>
    void for_each_element(Visit visit) const {
        const Node* at = node_ + 1;
        for (std::uint32_t i = 0; i < node_->elements; ++i, at += at->nodes)
            visit(JsonView(at));
    }

    /// Calls visit(std::string_view key, JsonView) for each pair of an object.
    template <class Visit>
    void for_each_pair(Visit visit) const {
        const Node* at = node_ + 1;
        for (std::uint32_t i = 0; i < node_->elements; ++i, at += 1 + at[1].nodes)
            visit(at->text, JsonView(at + 1));
    }

    const Node* node() const { return node_; }

  private:
    template <class Number>
    std::optional<Number> number() const {
        Number value = 0;
        std::from_chars(node_->text.data(), node_->text.data() + node_->text.size(), value);
        return value;
    }

    const Node* node_ = nullptr;
};

/// JSON values that are read without being copied: flat, in one list for all of them.
class JsonText {
  public:
    JsonText() = default;
    JsonText(const JsonText&) = delete; // views point into it
    JsonText& operator=(const JsonText&) = delete;

    /// Adds the value that `bytes` are, nothing but white space around it, and says where it is. `bytes` must
    /// stay where they are. Strict RFC 8259 with valid UTF-8; at most `max_depth` arrays and objects in one
    /// another. nullopt if that is not what the bytes are; what was added stays as it was then.
    std::optional<std::size_t> add(std::string_view bytes, std::size_t max_depth);

    /// Good until the next add().
    JsonView at(std::size_t place) const { return JsonView(nodes_.data() + place); }

    void reserve(std::size_t nodes) { nodes_.reserve(nodes); }

  private:
    class Reader;

    std::vector<JsonView::Node> nodes_;
    std::deque<std::string> unescaped_;
    std::vector<char> scratch_;
};

} // namespace onceswap::protocol
