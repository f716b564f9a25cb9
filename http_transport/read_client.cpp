#include "http_transport/read_client.hpp"

#include "http_transport/call.hpp"
#include "http_transport/transport_error.hpp"

#include <boost/asio/error.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace onceswap::http {
namespace {

namespace asio = boost::asio;

constexpr unsigned max_tries = 2;

bool closed_before_any_reply_byte(const Evidence& evidence) {
    if (evidence.any_reply_byte) {
        return false;
    }
    const boost::system::error_code& error = evidence.error;
    return error == TransportError::closed_without_reply || error == asio::error::connection_reset ||
           error == asio::error::broken_pipe || error == asio::error::connection_aborted;
}

} // namespace

ReadClient::ReadClient(
    const Dialer& dialer, const RequestStyle& style, std::size_t connections, std::chrono::milliseconds idle
)
    : dialer_(dialer), style_(style), pool_(dialer.executor, connections, idle) {}

asio::awaitable<Exchange> ReadClient::read(Endpoint endpoint, Request request) {
    if (protocol::is_mutation(request.statement.kind)) {
        throw std::logic_error("a mutation must not go through the client that tries again");
    }
    Exchange exchange;
    exchange.evidence.peer = endpoint.text();
    boost::system::error_code no_place;
    ConnectionPool::Place place = co_await pool_.acquire(endpoint, request.deadline, no_place);
    if (!place) {
        exchange.evidence.error = no_place;
        exchange.evidence.detail = "no free connection to this endpoint";
        co_return exchange;
    }
    CallLimits limits;
    limits.deadline = request.deadline;
    limits.reply.header_bytes = dialer_.max_header_bytes;
    limits.reply.body_bytes = request.max_body_bytes;

    std::unique_ptr<Connection> connection = place.take_idle();
    for (unsigned tried = 1;; ++tried) {
        // A second try under the first one's id could meet it still running (216).
        const std::string query_id = tried == 1 ? request.query_id : request.query_id + "-again";
        auto bytes = RequestBytes::make(endpoint, request, query_id, style_, AfterReply::keep_alive);
        if (!bytes) {
            exchange.evidence.error = TransportError::request_not_sendable;
            exchange.evidence.detail = bytes.error();
            co_return exchange;
        }
        if (!connection) {
            Opened opened = co_await open_connection(dialer_, endpoint, request.deadline);
            if (!opened.connection) {
                exchange.evidence = std::move(opened.evidence);
                exchange.evidence.attempts = tried;
                co_return exchange;
            }
            connection = std::move(opened.connection);
        }
        CallResult result = co_await run_call(*connection, *bytes, limits, first_bytes_);
        exchange = std::move(result.exchange);
        exchange.evidence.peer = endpoint.text();
        exchange.evidence.attempts = tried;
        if (result.reusable) {
            place.keep(std::move(connection), result.server_keeps);
            co_return exchange;
        }
        connection.reset();
        if (tried == max_tries || !closed_before_any_reply_byte(exchange.evidence)) {
            co_return exchange;
        }
        place.drop_idle();
    }
}

} // namespace onceswap::http
