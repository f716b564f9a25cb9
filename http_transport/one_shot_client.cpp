#include "http_transport/one_shot_client.hpp"

#include "http_transport/call.hpp"
#include "http_transport/transport_error.hpp"
#include "http_transport/waiting.hpp"

#include <boost/asio/this_coro.hpp>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace onceswap::http {
namespace {

namespace asio = boost::asio;

/// Everything that one call needs, owned by its coroutine: the PreparedCall may go while it runs.
struct OneShot {
    OneShot(
        const Dialer& dialer_,
        const RequestStyle& style_,
        Endpoint endpoint_,
        std::unique_ptr<Connection> connection_,
        std::shared_ptr<std::uint64_t> sends_
    )
        : dialer(&dialer_), style(&style_), endpoint(std::move(endpoint_)),
          connection(std::move(connection_)), sends(std::move(sends_)) {}

    const Dialer* dialer;
    const RequestStyle* style;
    Endpoint endpoint;
    std::unique_ptr<Connection> connection;
    std::shared_ptr<std::uint64_t> sends;
};

asio::awaitable<Exchange> send_quietly(OneShot& way, const Request& request) {
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    Exchange exchange;
    Evidence& evidence = exchange.evidence;
    evidence.peer = way.endpoint.text();
    evidence.phase = CallPhase::write;
    evidence.attempts = 1;
    auto bytes = RequestBytes::make(way.endpoint, request, request.query_id, *way.style, AfterReply::close);
    if (!bytes) {
        evidence.error = TransportError::request_not_sendable;
        evidence.detail = bytes.error();
        co_return exchange;
    }
    way.connection->socket().arm(request.deadline);
    evidence.error = stop_reason(cancellation, way.connection->socket());
    if (!evidence.error) {
        evidence.error = way.connection->silence();
    }
    if (evidence.error) {
        co_return exchange;
    }
    CallLimits limits;
    limits.deadline = request.deadline;
    limits.reply.header_bytes = way.dialer->max_header_bytes;
    limits.reply.body_bytes = request.max_body_bytes;
    limits.on_written = request.on_written;
    CallResult result = co_await run_call(*way.connection, *bytes, limits, *way.sends);
    exchange = std::move(result.exchange);
    exchange.evidence.peer = way.endpoint.text();
    co_return exchange;
}

asio::awaitable<Exchange> send_once(OneShot way, Request request) {
    // Failures, cancellation among them, are in the Exchange: what was sent must never get lost in an
    // exception.
    const bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    Exchange exchange = co_await send_quietly(way, request);
    co_await asio::this_coro::throw_if_cancelled(throws);
    way.connection.reset();
    co_return exchange;
}

class OneShotCall final : public PreparedCall {
  public:
    explicit OneShotCall(OneShot way) : way_(std::move(way)) {}

    asio::awaitable<Exchange> send(Request request) override {
        if (!way_.connection) {
            throw std::logic_error("a prepared call sends once");
        }
        return send_once(std::move(way_), std::move(request));
    }

  private:
    OneShot way_;
};

} // namespace

static_assert(!std::is_aggregate_v<OneShot> && !std::is_aggregate_v<Request>);

OneShotClient::OneShotClient(const Dialer& dialer, const RequestStyle& style)
    : dialer_(dialer), style_(style) {}

asio::awaitable<Prepared>
OneShotClient::prepare(Endpoint endpoint, std::chrono::steady_clock::time_point deadline) {
    const bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    Prepared prepared;
    Opened opened = co_await open_connection(dialer_, endpoint, deadline);
    prepared.evidence = std::move(opened.evidence);
    if (opened.connection) {
        OneShot way(dialer_, style_, std::move(endpoint), std::move(opened.connection), sends_);
        prepared.call = std::make_unique<OneShotCall>(std::move(way));
    }
    co_await asio::this_coro::throw_if_cancelled(throws);
    co_return prepared;
}

} // namespace onceswap::http
