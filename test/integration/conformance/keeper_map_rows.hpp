#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace onceswap::testing {

/// A row of the authority's table as this test means it.
struct RecordRow {
    std::string key;
    std::string operation;
    std::string fence;
    std::string phase;
    std::string epoch;
    std::string payload;
    std::string digest; ///< 64 characters
    std::int64_t version = 0;

    friend auto operator<=>(const RecordRow&, const RecordRow&) = default;
};

/// A row that no other has anything but the phase in common with.
RecordRow record_row(const std::string& key);

/// The same key with other values everywhere.
RecordRow written_over(RecordRow row);

/// What a WHERE asks for: all that is there has to be equal.
struct Predicate {
    std::optional<std::string> key;
    std::optional<std::int64_t> version;
    std::optional<std::string> operation;
    std::optional<std::string> fence;
    std::optional<std::string> phase;
    std::optional<std::string> digest;

    bool holds(const RecordRow& row) const;
    std::string sql() const; ///< `1 = 1` where it asks for nothing
};

/// `('a', 'b', ...)` in the order of the table's columns.
std::string values_of(const RecordRow& row);

/// The names of all columns, in their order.
extern const std::string record_columns;

/// `column = 'value', ...` of all columns but the key.
std::string assignments_of(const RecordRow& row);

/// SELECT of all rows that a condition holds for, in a statement's usual shape.
std::string select_rows(const std::string& table, const Predicate& predicate);

/// The rows of an answer to that, sorted.
std::vector<RecordRow> rows_of(const std::string& body);

std::string text_of(const std::vector<RecordRow>& rows);

} // namespace onceswap::testing
