#include "tools/cli/terminal.hpp"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace onceswap::cli {

Terminal terminal_of(int descriptor, ColorChoice choice) {
    Terminal terminal;
    terminal.is_terminal = ::isatty(descriptor) == 1;
    winsize size{};
    if (terminal.is_terminal && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
        terminal.width = size.ws_col;
        terminal.height = size.ws_row;
    }
    const char* term = std::getenv("TERM");
    terminal.can_redraw = terminal.is_terminal && term != nullptr && std::string_view(term) != "dumb";
    terminal.color = wants_color(choice, terminal.is_terminal, std::getenv("NO_COLOR"), term);
    return terminal;
}

bool wants_color(ColorChoice choice, bool is_terminal, const char* no_color, const char* term) {
    switch (choice) {
    case ColorChoice::always:
        return true;
    case ColorChoice::never:
        return false;
    case ColorChoice::automatic:
        break;
    }
    const bool refused = no_color != nullptr && *no_color != '\0';
    const bool dumb = term != nullptr && std::string_view(term) == "dumb";
    return is_terminal && !refused && !dumb;
}

} // namespace onceswap::cli
