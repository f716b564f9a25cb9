#pragma once

#include "protocol/answer_columns.hpp"
#include "protocol/row_decoding.hpp"

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the decoders are written with; internal to protocol/row_decoding.

namespace onceswap::protocol::answer {

/// The first thing that was wrong. Readers go on with empty values after it, and the decoder looks once at
/// the end.
class Problem {
  public:
    void note(std::string what) {
        if (text_.empty())
            text_ = std::move(what);
    }

    bool none() const { return text_.empty(); }

    Failure failure(Code code) const { return {code, text_}; }

  private:
    std::string text_;
};

/// Where a value stands, spelled out only when it is needed.
struct Place {
    std::string_view list; ///< empty: the row itself
    std::size_t element = 0;
    std::string_view field;
    std::string text() const;
};

std::string read_text(JsonView value, const Place& place, Problem& problem);
std::int64_t
read_signed(JsonView value, std::int64_t min, std::int64_t max, const Place& place, Problem& problem);
std::uint64_t read_unsigned(JsonView value, std::uint64_t max, const Place& place, Problem& problem);

/// Decimal digits only, the whole text, at most `max`.
std::optional<std::uint64_t> parse_unsigned(std::string_view digits, std::uint64_t max);

template <std::integral T>
T read_number(JsonView value, const Place& place, Problem& problem) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::signed_integral<T>)
        return static_cast<T>(read_signed(value, Limits::min(), Limits::max(), place, problem));
    else
        return static_cast<T>(read_unsigned(value, Limits::max(), place, problem));
}

/// One element of a list: a named tuple, which the server writes as an object or as an array in the order of
/// the type.
class Tuple {
  public:
    Tuple(
        JsonView value, AnswerColumns columns, std::string_view list, std::size_t element, Problem& problem
    );

    std::string text(std::string_view field) const;
    std::optional<std::string> optional_text(std::string_view field) const;
    Uuid uuid(std::string_view field) const; ///< nil is a value here
    bool flag(std::string_view field) const; ///< UInt8 that is 0 or 1
    std::vector<std::string> texts(std::string_view field) const;
    JsonView value(std::string_view field) const; ///< null after a problem

    Place place(std::string_view field) const { return {list_, element_, field}; }

    template <std::integral T>
    T number(std::string_view field) const {
        return read_number<T>(value(field), place(field), problem_);
    }

    template <std::integral T>
    std::optional<T> optional_number(std::string_view field) const {
        const JsonView cell = value(field);
        if (cell.is_null())
            return std::nullopt;
        return read_number<T>(cell, place(field), problem_);
    }

  private:
    JsonView value_;
    mutable const JsonView::Node* next_ = nullptr; ///< the pair that is asked for next if all go in order
    mutable std::uint32_t taken_ = 0;              ///< pairs before it
    AnswerColumns columns_;
    std::string_view list_;
    std::size_t element_;
    Problem& problem_;
};

/// An answer that must hold exactly one row with the server's identity.
class Answer {
  public:
    /// Notes a problem unless the body is a result set of one row with a valid `server_uuid`.
    Answer(std::string_view body, Problem& problem);

    Uuid server_uuid() const { return server_uuid_; }

    /// version, host_name, tcp_port and now besides.
    Identity identity() const;
    bool has(std::string_view column) const;
    std::uint64_t count(std::string_view column
    ) const; ///< the number of a scalar subquery, UInt64 or Nullable(UInt64)
    /// The elements of a list, whose type must be exactly the one that was asked for.
    std::vector<Tuple> list(std::string_view column, AnswerColumns columns) const;

  private:
    JsonView cell(std::string_view column, std::string_view type) const;
    /// Where the column is; notes a problem where there is none.
    std::optional<std::size_t> find(std::string_view column) const;

    std::optional<ResultSet> result_;
    Uuid server_uuid_;
    Problem& problem_;
};

/// `Array(Tuple(name type, ...))` as the server prints it.
std::string list_type(AnswerColumns columns);
/// Whether `type` is exactly list_type(columns).
bool is_list_type(std::string_view type, AnswerColumns columns);

/// Back-quotes and the kind of white space aside, types are compared as texts.
std::string plain_type(std::string_view type);

std::vector<TableRow> read_tables(const Answer& answer, std::string_view column, Problem& problem);
std::vector<AuthorityRow> read_authority(const Answer& answer);

} // namespace onceswap::protocol::answer
