#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace onceswap::cli {

/// Draws one text over the other in place on a terminal: from the first line of the one before, without
/// touching what stood above it. A text that is taller than the terminal begins at its top, so that the last
/// lines, which hold the verdict, are what stays in sight.
class Screen {
  public:
    /// The bytes that replace what was drawn before by `text`, on a terminal of that size.
    std::string frame(std::string_view text, std::size_t width, std::size_t height);

  private:
    std::size_t rows_ = 0; ///< that the text before took, all of them still in sight
    bool whole_ = false;   ///< it began at the terminal's top
};

/// The rows that a text takes at a width; colours take no place. 0: no limit.
std::size_t rows_of(std::string_view text, std::size_t width);

} // namespace onceswap::cli
