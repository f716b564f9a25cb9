#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace onceswap::cli {

/// Standard error of a program: one line at a time, each with the program's name in front. A progress line on
/// a terminal is wiped before and is the caller's to draw again.
class Diagnostics {
  public:
    explicit Diagnostics(std::string program, int descriptor = 2);

    void line(std::string_view text); ///< `program: text`; control characters replaced
    /// Redraws one unfinished line in place. Only for terminals.
    void redraw(std::string_view text);
    void wipe();

  private:
    void write(std::string_view bytes);

    std::string program_;
    int descriptor_;
    bool unfinished_ = false;
};

/// Writes to a descriptor until all is written. False: the reader is gone or the disk is full.
bool write_fully(int descriptor, std::string_view bytes);

/// The same, and gives up once the reader has taken nothing for 50 ms.
bool write_while_read(int descriptor, std::string_view bytes);

/// Writes what can be written without waiting for the reader, some at most. Nothing: the reader is gone or
/// the disk is full.
std::optional<std::size_t> write_some(int descriptor, std::string_view bytes);

} // namespace onceswap::cli
