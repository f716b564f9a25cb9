#include "http_transport/connection.hpp"

#include "http_transport/plain_stream.hpp"
#include "http_transport/resolve.hpp"
#include "http_transport/tls_stream.hpp"
#include "http_transport/transport_error.hpp"
#include "http_transport/waiting.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <netinet/tcp.h>
#include <sstream>
#include <sys/socket.h>
#include <type_traits>
#include <utility>

namespace onceswap::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using std::chrono::steady_clock;

/// Room for a whole header and one read behind it.
constexpr std::size_t read_room_bytes = 64 * 1024;

std::string printed(const tcp::endpoint& address) {
    std::ostringstream out;
    out << address;
    return out.str();
}

void set_options(tcp::socket& socket) {
    // None of them decides whether the call works, so their errors do not matter.
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    // A DDL is waited for in silence; without probes a gateway forgets the connection.
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    const int idle_s = 30;
    const int interval_s = 10;
    ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
}

void add_detail(Evidence& evidence, const std::string& words) {
    if (words.empty()) {
        return;
    }
    if (!evidence.detail.empty()) {
        evidence.detail += "; ";
    }
    evidence.detail += words;
}

} // namespace

static_assert(!std::is_aggregate_v<Dialer> && !std::is_aggregate_v<Opened>);

Connection::Connection(
    std::shared_ptr<TimedSocket> socket, std::unique_ptr<Stream> stream, std::size_t max_header_bytes
)
    : socket_(std::move(socket)), stream_(std::move(stream)), buffer_(max_header_bytes + read_room_bytes) {}

Connection::~Connection() {
    stream_.reset(); // says close_notify while the socket is still open
    socket_->disarm();
    boost::system::error_code ignored;
    socket_->socket.close(ignored);
}

boost::system::error_code Connection::silence() {
    const Step step = stream_->read(buffer_.prepare(1'024));
    switch (step.kind) {
    case StepKind::wait_read:
    case StepKind::wait_write:
        return {};
    case StepKind::moved:
        return TransportError::unsolicited_reply;
    case StepKind::closed:
        return TransportError::closed_before_send;
    case StepKind::failed:
        return step.error;
    }
    return TransportError::closed_before_send;
}

namespace {

/// Tries the addresses in turn. On success the socket is connected and the evidence clean.
asio::awaitable<void> connect(
    TimedSocket& socket,
    const std::vector<tcp::endpoint>& addresses,
    steady_clock::time_point until,
    Evidence& evidence
) {
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    evidence.phase = CallPhase::connect;
    std::size_t left = addresses.size();
    for (const tcp::endpoint& address : addresses) {
        const auto now = steady_clock::now();
        const auto share = now + (until - now) / static_cast<steady_clock::duration::rep>(left);
        --left;
        socket.arm(share);
        evidence.error = stop_reason(cancellation, socket);
        if (!evidence.error) {
            auto [error] = co_await socket.socket.async_connect(address, asio::as_tuple(asio::use_awaitable));
            evidence.error = error ? told_apart(error, socket) : error;
        }
        if (!evidence.error) {
            evidence.detail.clear();
            break;
        }
        add_detail(evidence, printed(address) + ": " + evidence.error.message());
        boost::system::error_code ignored;
        socket.socket.close(ignored);
        if (evidence.error == asio::error::operation_aborted || steady_clock::now() >= until) {
            break;
        }
    }
}

asio::awaitable<void> make_tls(TimedSocket& socket, Stream& stream, Evidence& evidence) {
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    evidence.phase = CallPhase::handshake;
    while (true) {
        const Step step = stream.handshake();
        tcp::socket::wait_type wait = tcp::socket::wait_read;
        switch (step.kind) {
        case StepKind::moved:
            co_return;
        case StepKind::wait_read:
            break;
        case StepKind::wait_write:
            wait = tcp::socket::wait_write;
            break;
        case StepKind::closed:
            evidence.error = TransportError::truncated;
            evidence.detail = "the peer left during the handshake";
            co_return;
        case StepKind::failed:
            evidence.error = step.error;
            evidence.detail = stream.failure_detail();
            co_return;
        }
        evidence.error = stop_reason(cancellation, socket);
        if (evidence.error) {
            co_return;
        }
        auto [error] = co_await socket.socket.async_wait(wait, asio::as_tuple(asio::use_awaitable));
        if (error) {
            evidence.error = told_apart(error, socket);
            co_return;
        }
    }
}

} // namespace

asio::awaitable<Opened>
open_connection(const Dialer& dialer, Endpoint endpoint, steady_clock::time_point deadline) {
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    Opened opened;
    Evidence& evidence = opened.evidence;
    evidence.peer = endpoint.text();
    evidence.attempts = 1;
    evidence.phase = CallPhase::resolve;
    const auto now = steady_clock::now();
    const auto until = std::min(deadline, now + dialer.connect_timeout);
    const auto socket = std::make_shared<TimedSocket>(dialer.executor);
    socket->arm(until);
    evidence.error = stop_reason(cancellation, *socket);
    socket->disarm();
    if (evidence.error) {
        co_return opened;
    }

    std::string host = endpoint.host();
    Addresses addresses = co_await resolve(dialer.executor, std::move(host), endpoint.port(), until);
    if (addresses.error || addresses.found.empty()) {
        evidence.error =
            addresses.error ? addresses.error : boost::system::error_code(asio::error::host_not_found);
        evidence.detail = endpoint.host() + ": " + evidence.error.message();
        co_return opened;
    }

    co_await connect(*socket, addresses.found, until, evidence);
    if (evidence.error) {
        socket->disarm();
        co_return opened;
    }
    set_options(socket->socket);
    boost::system::error_code ignored;
    socket->socket.non_blocking(true, ignored);

    std::unique_ptr<Stream> stream;
    if (endpoint.tls()) {
        SslPtr session = make_tls_session(*dialer.tls_context, dialer.tls, endpoint.host());
        stream = make_tls_stream(socket->socket, std::move(session));
    } else {
        stream = make_plain_stream(socket->socket);
    }
    if (!stream) {
        evidence.phase = CallPhase::handshake;
        evidence.error = TransportError::tls_failed;
        evidence.detail = "OpenSSL cannot be set up for this host name";
        boost::system::error_code close_error;
        socket->socket.close(close_error);
        socket->disarm();
        co_return opened;
    }
    if (dialer.decorate) {
        stream = dialer.decorate(std::move(stream));
    }
    auto connection = std::make_unique<Connection>(socket, std::move(stream), dialer.max_header_bytes);
    if (endpoint.tls()) {
        socket->arm(until);
        co_await make_tls(*socket, connection->stream(), evidence);
    }
    socket->disarm();
    if (!evidence.error) {
        opened.connection = std::move(connection);
    }
    co_return opened;
}

} // namespace onceswap::http
