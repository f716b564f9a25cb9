#pragma once

#include "protocol/failure.hpp"
#include "tools/ndjson/byte_source.hpp"
#include "tools/ndjson/row_validator.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace onceswap::ndjson {

struct BatchLimits {
    std::size_t bytes = 8 * 1024 * 1024; ///< also the longest line
    std::uint64_t rows = 100'000;
    std::size_t piece = 256 * 1024; ///< asked of the source at once
};

/// Whole, validated lines as they came: what one INSERT carries.
struct Batch {
    Batch() = default;

    std::string text;
    std::uint64_t number = 0; ///< from 0
    std::uint64_t rows = 0;
    std::uint64_t first_line = 1; ///< of the input
    std::string sha256;           ///< of text
};

/// The line of the input that the `row`-th row (from 1) of a batch's text stands on; the last row's if there
/// are fewer.
std::uint64_t line_of_row(std::string_view text, std::uint64_t first_line, std::uint64_t row);

/// Cuts an input into batches. Every line is judged before its batch is given out, so an invalid line stops
/// the load with its own batch unsent. A blank line is no row. A byte order mark at the very beginning is
/// dropped. The last line needs no newline. Memory: one batch being filled; each byte is read to where it
/// stays, only the rest behind a batch's last line (less than `piece`, or one line) is moved on.
class BatchReader {
  public:
    /// `source` must outlive the reader. `name` stands in messages.
    BatchReader(ByteSource& source, RowValidator validator, std::string name, BatchLimits limits = {});

    /// The next batch, nullopt at the end. Errors: input_malformed as `name:line:column: what`; cancelled.
    /// After an error the reader is spent. Blocks as its source does.
    protocol::Result<std::optional<Batch>> next();

    std::uint64_t lines() const { return line_; } ///< judged so far

  private:
    protocol::Result<std::optional<Batch>> cut();
    protocol::Result<bool> fill(char* buffer, std::size_t& used);
    std::optional<protocol::Failure> judge(std::string_view line, std::uint64_t& rows);

    ByteSource& source_;
    RowValidator validator_;
    std::string name_;
    BatchLimits limits_;
    std::string rest_; ///< bytes behind the last batch
    std::uint64_t line_ = 0;
    std::uint64_t batches_ = 0;
    bool at_end_ = false;
    bool at_begin_ = true;
};

} // namespace onceswap::ndjson
