#pragma once

#include "http_transport/transport.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace onceswap::cli {

/// Lets through what only reads, and refuses everything else before a way is opened: a kind that is a
/// mutation, a text that is no SELECT and no SHOW, rows in the body, and every way for a mutation. What is
/// refused ends with TransportError::request_not_sendable and a detail that names it. reconcile-watch has no
/// other transport.
class ReadOnlyTransport final : public http::Transport {
  public:
    explicit ReadOnlyTransport(std::unique_ptr<http::Transport> inner);

    boost::asio::awaitable<http::Exchange> read(http::Endpoint endpoint, http::Request request) override;
    boost::asio::awaitable<http::Prepared>
    prepare(http::Endpoint endpoint, std::chrono::steady_clock::time_point deadline) override;

    std::uint64_t sends() const override { return inner_->sends(); }

    std::uint64_t passed() const { return passed_; }

    std::uint64_t refused() const { return refused_; }

  private:
    std::unique_ptr<http::Transport> inner_;
    std::uint64_t passed_ = 0;
    std::uint64_t refused_ = 0;
};

/// Why a request does not pass; empty: it only reads.
std::string refusal_of(const http::Request& request);

} // namespace onceswap::cli
