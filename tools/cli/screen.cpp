#include "tools/cli/screen.hpp"

#include <algorithm>

namespace onceswap::cli {

std::size_t rows_of(std::string_view text, std::size_t width) {
    std::size_t rows = 0;
    std::size_t columns = 0;
    bool in_sequence = false;
    for (const char c : text) {
        if (in_sequence) {
            in_sequence = c != 'm';
        } else if (c == '\x1b') {
            in_sequence = true;
        } else if (c == '\n') {
            rows += width == 0 ? 1 : std::max<std::size_t>(1, (columns + width - 1) / width);
            columns = 0;
        } else if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) { // not the rest of a UTF-8 character
            ++columns;
        }
    }
    return rows;
}

std::string Screen::frame(std::string_view text, std::size_t width, std::size_t height) {
    const std::size_t rows = rows_of(text, width);
    const bool whole = height != 0 && rows >= height;
    std::string out;
    if (whole || whole_)
        out = "\x1b[H\x1b[2J";
    else if (rows_ != 0)
        out = "\x1b[" + std::to_string(rows_) + "A\r\x1b[J";
    out += text;
    rows_ = rows;
    whole_ = whole;
    return out;
}

} // namespace onceswap::cli
