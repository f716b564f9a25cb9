#include "http_transport/beast_transport.hpp"

#include "http_transport/one_shot_client.hpp"
#include "http_transport/read_client.hpp"
#include "http_transport/transport_over.hpp"

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace onceswap::http {
namespace {

namespace asio = boost::asio;

class BeastTransport final : public Transport {
  public:
    BeastTransport(Dialer dialer, TransportOptions options)
        : dialer_(std::move(dialer)), style_(style_of(options)), warn_(std::move(options.warn)),
          reads_(dialer_, style_, options.connections_per_endpoint, options.idle_limit),
          one_shots_(dialer_, style_) {}

    asio::awaitable<Exchange> read(Endpoint endpoint, Request request) override {
        warn_once(endpoint);
        const bool throws = co_await asio::this_coro::throw_if_cancelled();
        co_await asio::this_coro::throw_if_cancelled(false);
        Exchange exchange = co_await reads_.read(std::move(endpoint), std::move(request));
        co_await asio::this_coro::throw_if_cancelled(throws);
        co_return exchange;
    }

    asio::awaitable<Prepared>
    prepare(Endpoint endpoint, std::chrono::steady_clock::time_point deadline) override {
        warn_once(endpoint);
        return one_shots_.prepare(std::move(endpoint), deadline);
    }

    std::uint64_t sends() const override { return one_shots_.sends(); }

  private:
    static RequestStyle style_of(const TransportOptions& options) {
        RequestStyle style;
        style.credentials = options.credentials;
        style.user_agent = options.user_agent;
        style.readonly_user = options.readonly_user;
        return style;
    }

    void warn_once(const Endpoint& endpoint) {
        if (!warn_ || endpoint.tls() || endpoint.is_loopback_literal() ||
            !style_.credentials.has_password()) {
            return;
        }
        const auto warn = std::exchange(warn_, nullptr);
        warn("the password goes unencrypted over the network to " + endpoint.text() + "; use https");
    }

    Dialer dialer_;
    RequestStyle style_;
    std::function<void(std::string)> warn_;
    ReadClient reads_;
    OneShotClient one_shots_;
};

} // namespace

boost::system::result<std::unique_ptr<Transport>, std::string>
make_transport_over(asio::any_io_executor executor, TransportOptions options, StreamFactory decorate) {
    auto context = make_tls_context(options.tls);
    if (!context) {
        return context.error();
    }
    Dialer dialer;
    dialer.executor = std::move(executor);
    dialer.tls = options.tls;
    dialer.tls_context = std::move(*context);
    dialer.connect_timeout = options.connect_timeout;
    dialer.max_header_bytes = options.max_header_bytes;
    dialer.decorate = std::move(decorate);
    return std::make_unique<BeastTransport>(std::move(dialer), std::move(options));
}

boost::system::result<std::unique_ptr<Transport>, std::string>
make_beast_transport(asio::any_io_executor executor, TransportOptions options) {
    return make_transport_over(std::move(executor), std::move(options), {});
}

} // namespace onceswap::http
