#pragma once

#include "http_transport/connection_pool.hpp"
#include "http_transport/request_bytes.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::http {

/// SELECTs: on pooled keep-alive connections, and tried again once, on a fresh connection to the same
/// endpoint, if the connection was closed before any byte of the reply. Never another endpoint, never a
/// redirect.
class ReadClient {
  public:
    /// `dialer` and `style` outlive the client.
    ReadClient(
        const Dialer& dialer,
        const RequestStyle& style,
        std::size_t connections,
        std::chrono::milliseconds idle
    );

    /// Refuses a mutation (throws std::logic_error). Everything else is in the Exchange; `attempts` counts
    /// connections.
    boost::asio::awaitable<Exchange> read(Endpoint endpoint, Request request);

    ConnectionPool& pool() { return pool_; }

  private:
    const Dialer& dialer_;
    const RequestStyle& style_;
    ConnectionPool pool_;
    std::uint64_t first_bytes_ = 0;
};

} // namespace onceswap::http
