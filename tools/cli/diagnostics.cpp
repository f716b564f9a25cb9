#include "tools/cli/diagnostics.hpp"

#include "tools/cli/status_table.hpp"

#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace onceswap::cli {

bool write_fully(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN) { // somebody set the shared description to non-blocking
            pollfd waiting{descriptor, POLLOUT, 0};
            ::poll(&waiting, 1, -1);
            continue;
        }
        if (written <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

Diagnostics::Diagnostics(std::string program, int descriptor)
    : program_(std::move(program)), descriptor_(descriptor) {}

void Diagnostics::write(std::string_view bytes) {
    write_fully(descriptor_, bytes);
}

void Diagnostics::line(std::string_view text) {
    wipe();
    write(program_ + ": " + printable(text) + "\n");
}

void Diagnostics::redraw(std::string_view text) {
    unfinished_ = true;
    write("\r\x1b[K" + printable(text));
}

void Diagnostics::wipe() {
    if (std::exchange(unfinished_, false))
        write("\r\x1b[K");
}

} // namespace onceswap::cli
