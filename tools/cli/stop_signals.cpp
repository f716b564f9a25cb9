#include "tools/cli/stop_signals.hpp"

#include <csignal>
#include <unistd.h>
#include <utility>

namespace onceswap::cli {

StopSignals::StopSignals(
    boost::asio::any_io_executor executor, std::function<void(int)> stop, std::function<void()> status
)
    : signals_(executor, SIGINT, SIGTERM, SIGUSR1), stop_(std::move(stop)), status_(std::move(status)) {
    std::signal(SIGPIPE, SIG_IGN);
    wait();
}

void StopSignals::wait() {
    signals_.async_wait([this](boost::system::error_code error, int signal) {
        if (error)
            return; // closed
        if (signal == SIGUSR1) {
            status_();
        } else {
            if (received_ != 0)
                ::_exit(128 + signal);
            received_ = signal;
            stop_(signal);
        }
        wait();
    });
}

void StopSignals::close() {
    boost::system::error_code ignored;
    signals_.cancel(ignored);
    signals_.clear(ignored);
}

} // namespace onceswap::cli
