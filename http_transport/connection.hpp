#pragma once

#include "http_transport/beast_transport.hpp"
#include "http_transport/stream.hpp"
#include "http_transport/timed_socket.hpp"
#include "http_transport/tls.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace onceswap::http {

/// One open way to one endpoint. Closed by its destructor; then nothing of it waits any more.
class Connection {
  public:
    Connection(
        std::shared_ptr<TimedSocket> socket, std::unique_ptr<Stream> stream, std::size_t max_header_bytes
    );
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    TimedSocket& socket() { return *socket_; }

    Stream& stream() { return *stream_; }

    boost::beast::flat_buffer& buffer() { return buffer_; }

    /// Clear: open and silent, as a connection must be before a request goes out on it. unsolicited_reply:
    /// the peer has already spoken, so what can be read is no answer. closed_before_send or another error: it
    /// is gone. A look at what has arrived, never a wait; it narrows the race with a server that closes just
    /// now, and does not close it.
    boost::system::error_code silence();

  private:
    std::shared_ptr<TimedSocket> socket_;
    std::unique_ptr<Stream> stream_;
    boost::beast::flat_buffer buffer_;
};

/// Puts a stream over a connected socket; tests put their own around it.
using StreamFactory = std::function<std::unique_ptr<Stream>(std::unique_ptr<Stream>)>;

/// How connections of one transport are opened.
struct Dialer {
    Dialer() = default;
    boost::asio::any_io_executor executor;
    TlsOptions tls;
    std::shared_ptr<SSL_CTX> tls_context; ///< null only if no https endpoint is ever asked
    std::chrono::milliseconds connect_timeout{5'000};
    std::size_t max_header_bytes = 64 * 1024;
    StreamFactory decorate; ///< empty in production
};

struct Opened {
    Opened() = default;
    std::unique_ptr<Connection> connection; ///< null: `evidence` says why
    Evidence evidence;
};

/// Resolves, connects (each address gets its share of the time), and makes TLS. Sends no byte of a request.
/// `dialer` outlives the call. Cancellation: terminal, at every suspension point, reported as
/// operation_aborted; nothing is left but, perhaps, a name lookup (see resolve()).
boost::asio::awaitable<Opened>
open_connection(const Dialer& dialer, Endpoint endpoint, std::chrono::steady_clock::time_point deadline);

} // namespace onceswap::http
