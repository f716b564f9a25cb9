#pragma once

#include "http_transport/connection.hpp"
#include "http_transport/request_bytes.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace onceswap::http {

/// Mutations: a fresh connection for each, `Connection: close`, exactly one try, and a count of those of
/// which a byte was handed over. There is no path here that sends again.
class OneShotClient {
  public:
    /// `dialer` and `style` outlive the client and what it prepares.
    OneShotClient(const Dialer& dialer, const RequestStyle& style);

    /// Opens the way; sends nothing. Cancellation: terminal, at every suspension point.
    boost::asio::awaitable<Prepared>
    prepare(Endpoint endpoint, std::chrono::steady_clock::time_point deadline);

    std::uint64_t sends() const { return *sends_; }

  private:
    const Dialer& dialer_;
    const RequestStyle& style_;
    std::shared_ptr<std::uint64_t> sends_ = std::make_shared<std::uint64_t>(0);
};

} // namespace onceswap::http
