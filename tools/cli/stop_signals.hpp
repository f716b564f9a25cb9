#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/signal_set.hpp>

#include <functional>

namespace onceswap::cli {

/// SIGINT and SIGTERM once: `stop` is called with it on the loop, the program ends by itself. Twice: the
/// process ends at once with 130 or 143. SIGUSR1: `status` is called. SIGPIPE is ignored from construction
/// on, for good.
class StopSignals {
  public:
    StopSignals(
        boost::asio::any_io_executor executor, std::function<void(int)> stop, std::function<void()> status
    );

    /// No more signals are waited for; what was not handled gets its default effect again.
    void close();

    /// The first SIGINT or SIGTERM, 0 if there was none.
    int received() const { return received_; }

  private:
    void wait();

    boost::asio::signal_set signals_;
    std::function<void(int)> stop_;
    std::function<void()> status_;
    int received_ = 0;
};

} // namespace onceswap::cli
