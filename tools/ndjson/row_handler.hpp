#pragma once

#include "tools/ndjson/row_validator.hpp"

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace onceswap::ndjson {

/// Receives the events of boost::json::basic_parser for one line and follows them through the columns' types.
/// On a mismatch it fails the parse and keeps the number of the offending token, from which its place in the
/// line is found.
class RowHandler {
  public:
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();

    explicit RowHandler(std::vector<Column> columns);

    void begin_row();

    const std::string& problem() const { return problem_; } ///< empty: the text is not JSON

    std::size_t tokens() const { return tokens_; } ///< begun so far: keys, scalars, opening brackets

    using Error = boost::system::error_code;

    bool on_document_begin(Error&) { return true; }

    bool on_document_end(Error&) { return true; }

    bool on_object_begin(Error& error);

    bool on_object_end(std::size_t, Error&) { return leave(); }

    bool on_array_begin(Error& error);
    bool on_array_end(std::size_t size, Error& error);
    bool on_key_part(std::string_view part, std::size_t size, Error& error);
    bool on_key(std::string_view part, std::size_t size, Error& error);
    bool on_string_part(std::string_view part, std::size_t size, Error& error);
    bool on_string(std::string_view part, std::size_t size, Error& error);

    bool on_number_part(std::string_view, Error&) { return true; }

    bool on_int64(std::int64_t value, std::string_view text, Error& error);
    bool on_uint64(std::uint64_t value, std::string_view text, Error& error);
    bool on_double(double value, std::string_view text, Error& error);
    bool on_bool(bool value, Error& error);
    bool on_null(Error& error);

    bool on_comment_part(std::string_view, Error&) { return true; }

    bool on_comment(std::string_view, Error&) { return true; }

  private:
    enum class Shape { row, array, map, tuple_array, tuple_object, anything };

    struct Frame {
        Shape shape = Shape::anything;
        const ColumnType* type = nullptr;
        std::size_t index = 0; ///< row: the column of the last key; tuple: the element
    };

    const ColumnType* expected() const; ///< null: anything goes

    bool at_row() const { return stack_.size() == 1; }

    bool leave();
    bool accept(std::string problem, Error& error);
    bool fail(std::string problem, Error& error);
    bool next_tuple_element(Error& error);
    bool row_key(std::string_view key, Error& error);
    std::string name_of_value() const;

    std::vector<Column> columns_;
    std::unordered_map<std::string_view, std::size_t> by_name_; ///< views into columns_
    std::vector<std::uint64_t> seen_in_row_; ///< per column: the number of the last row that had it
    std::uint64_t row_ = 0;
    std::vector<Frame> stack_;
    std::string text_; ///< an escaped key or string that comes in parts
    std::string problem_;
    std::size_t tokens_ = 0;
    bool text_open_ = false;
};

} // namespace onceswap::ndjson
