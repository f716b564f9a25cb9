#include "balancer.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <utility>

namespace onceswap::testing {

namespace asio = boost::asio;
using boost::system::error_code;

Balancer::Balancer(std::vector<std::uint16_t> servers)
    : servers_(std::move(servers)), acceptor_(io_, {asio::ip::address_v4::loopback(), 0}) {
    accept();
    loop_ = std::thread([this] { io_.run(); });
}

Balancer::~Balancer() {
    io_.stop();
    loop_.join();
}

std::uint16_t Balancer::port() const {
    return acceptor_.local_endpoint().port();
}

std::string Balancer::url() const {
    return "http://127.0.0.1:" + std::to_string(port());
}

void Balancer::accept() {
    acceptor_.async_accept([this](error_code failed, Socket accepted) {
        if (failed)
            return;
        auto client = std::make_shared<Socket>(std::move(accepted));
        auto server = std::make_shared<Socket>(io_);
        const std::uint16_t port = servers_[connections_++ % servers_.size()];
        server->async_connect(
            {asio::ip::address_v4::loopback(), port},
            [this, client, server](error_code refused) {
                if (refused)
                    return;
                relay(client, server);
                relay(server, client);
            }
        );
        accept();
    });
}

void Balancer::relay(const std::shared_ptr<Socket>& from, const std::shared_ptr<Socket>& to) {
    auto bytes = std::make_shared<std::array<char, 16384>>();
    from->async_read_some(asio::buffer(*bytes), [this, from, to, bytes](error_code over, std::size_t count) {
        if (over) {
            error_code ignored;
            to->shutdown(Socket::shutdown_send, ignored);
            return;
        }
        asio::async_write(
            *to,
            asio::buffer(*bytes, count),
            [this, from, to, bytes](error_code failed, std::size_t) {
                if (!failed)
                    relay(from, to);
            }
        );
    });
}

} // namespace onceswap::testing
