#include "tools/cli/diagnostics.hpp"

#include "tools/cli/status_table.hpp"

#include <algorithm>
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

std::optional<std::size_t> write_some(int descriptor, std::string_view bytes) {
    constexpr std::size_t certain = 512; // a pipe or a terminal that can take anything takes this much
    pollfd ready{descriptor, POLLOUT, 0};
    if (::poll(&ready, 1, 0) <= 0)
        return 0;
    const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), certain));
    if (written < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    if (written < 0)
        return std::nullopt;
    return static_cast<std::size_t>(written);
}

bool write_while_read(int descriptor, std::string_view bytes) {
    constexpr int patience_ms = 50;
    while (!bytes.empty()) {
        const auto written = write_some(descriptor, bytes);
        if (!written)
            return false;
        bytes.remove_prefix(*written);
        pollfd waiting{descriptor, POLLOUT, 0};
        if (*written == 0 && ::poll(&waiting, 1, patience_ms) == 0)
            return false;
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
