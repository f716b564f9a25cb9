#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace onceswap::testing {

/// One address in front of several servers on 127.0.0.1: each new connection goes to the next of them, as
/// with a balancer, or a DNS name of several addresses. Runs in a thread of its own.
class Balancer {
  public:
    explicit Balancer(std::vector<std::uint16_t> servers);
    ~Balancer();
    Balancer(const Balancer&) = delete;
    Balancer& operator=(const Balancer&) = delete;

    std::string url() const;
    std::uint16_t port() const;

    /// How many connections it has handed on.
    std::size_t connections() const { return connections_; }

  private:
    using Socket = boost::asio::ip::tcp::socket;
    void accept();
    void relay(const std::shared_ptr<Socket>& from, const std::shared_ptr<Socket>& to);

    std::vector<std::uint16_t> servers_;
    std::atomic<std::size_t> connections_{0};
    boost::asio::io_context io_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    std::thread loop_;
};

} // namespace onceswap::testing
