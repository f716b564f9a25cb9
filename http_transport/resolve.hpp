#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace onceswap::http {

struct Addresses {
    Addresses() = default;
    std::vector<boost::asio::ip::tcp::endpoint> found; ///< at most 16
    boost::system::error_code error;
};

/// The addresses of a host, until `deadline`. An address literal is answered at once. Otherwise Asio asks
/// getaddrinfo on a thread of its own, which nothing can interrupt: on deadline or cancellation (terminal,
/// reported as operation_aborted) this returns at once, and the abandoned lookup keeps `io_context::run()`
/// busy until getaddrinfo returns.
boost::asio::awaitable<Addresses> resolve(
    boost::asio::any_io_executor executor,
    std::string host,
    std::uint16_t port,
    std::chrono::steady_clock::time_point deadline
);

} // namespace onceswap::http
