#pragma once

#include "tools/ndjson/column_type.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::ndjson {

/// One column of the table that rows go to.
struct Column {
    Column(std::string name_, std::string_view type_, std::string default_kind_)
        : name(std::move(name_)), type(parse_column_type(type_)), default_kind(std::move(default_kind_)) {}

    std::string name;
    ColumnType type;
    std::string default_kind; ///< empty, DEFAULT, MATERIALIZED, ALIAS, EPHEMERAL
};

/// What is wrong with a line. `column` counts bytes from 1 and is where the offending token begins.
struct LineError {
    std::size_t column = 1;
    std::string what; ///< names keys and types, never values
};

/// Judges whether lines are rows of one table: one JSON object (RFC 8259, UTF-8, at most 32 levels deep), no
/// key twice, every key a column that can be inserted, every value one that the column's type takes without
/// being changed. Keys may be missing: the server then uses the column's default. null needs a Nullable type
/// or a column with a DEFAULT. Keeps no line; memory is bounded by the number of columns and the longest
/// escaped string.
class RowValidator {
  public:
    explicit RowValidator(std::vector<Column> columns);
    ~RowValidator();
    RowValidator(RowValidator&&) noexcept;
    RowValidator& operator=(RowValidator&&) noexcept;

    /// `line` without its newline, not blank.
    std::optional<LineError> check(std::string_view line);

  private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
};

} // namespace onceswap::ndjson
