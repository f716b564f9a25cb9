#pragma once

#include "tools/cli/options.hpp"

#include <cstddef>
#include <optional>

namespace onceswap::cli {

/// What is known about one output stream.
struct Terminal {
    Terminal() = default;
    bool is_terminal = false;
    std::size_t width = 0;  ///< columns; 0: no limit
    std::size_t height = 0; ///< rows; 0: not known
    bool color = false;
    bool can_redraw = false; ///< a terminal that knows cursor codes
};

/// Of a file descriptor. `automatic` means colour on a terminal unless NO_COLOR is set (to anything but
/// nothing) or TERM is `dumb`.
Terminal terminal_of(int descriptor, ColorChoice choice);

/// The decision alone.
bool wants_color(ColorChoice choice, bool is_terminal, const char* no_color, const char* term);

} // namespace onceswap::cli
