#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace onceswap::http {

/// A TCP socket and the one instant at which whatever waits on it is woken. Beast's tcp_stream would not do:
/// a deadline that has already passed when an operation starts is not reliably applied there, and each
/// operation arms a timer of its own. Shared, because an armed timer's handler runs once more after disarm().
class TimedSocket : public std::enable_shared_from_this<TimedSocket> {
  public:
    explicit TimedSocket(boost::asio::any_io_executor executor)
        : socket(executor), timer_(std::move(executor)) {}

    boost::asio::ip::tcp::socket socket;

    /// From `instant` on, waits on the socket end with operation_aborted and expired() is true. At most one
    /// is armed.
    void arm(std::chrono::steady_clock::time_point instant);
    void disarm();
    /// Looks at the clock too, so that a loop which never suspends sees its deadline.
    bool expired();

  private:
    boost::asio::steady_timer timer_;
    std::chrono::steady_clock::time_point instant_ = std::chrono::steady_clock::time_point::max();
    std::uint64_t armed_ = 0;
    bool expired_ = false;
};

} // namespace onceswap::http
