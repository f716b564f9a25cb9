#pragma once

#include "http_transport/endpoint.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::test {

/// One thing that a scripted peer does. It goes on when the thing is done, never after a time.
struct Act {
    enum class Kind {
        read_request, ///< until header and Content-Length bytes are there
        read_bytes,   ///< until `count` more bytes are there
        send,         ///< `bytes`, as they are
        finish,       ///< ends its side of the stream: FIN (TLS: close_notify first)
        cut,          ///< ends its side of the TCP stream without a word of TLS
        reset,        ///< RST
        call,         ///< runs `callback` on the loop
        until,        ///< until `condition` holds, asked again at each turn of the loop
        hold,         ///< reads no more; goes when the server is stopped
    };
    Kind kind = Kind::send;
    std::string bytes;
    std::size_t count = 0;
    std::function<void()> callback;
    std::function<bool()> condition;
};

Act read_request();
Act read_bytes(std::size_t count);
Act send(std::string bytes);
Act finish();
Act cut();
Act reset();
Act hold();
Act call(std::function<void()> callback);
Act until(std::function<bool()> condition);
using Script = std::vector<Act>;

/// `HTTP/1.1 200 OK` with the given extra header lines (each ended by CRLF), Content-Length and the body.
std::string reply(unsigned status, std::string_view body, std::string_view extra_headers = {});
std::string
chunked_reply(unsigned status, std::vector<std::string> chunks, std::string_view extra_headers = {});

/// A peer on loopback, on the test's own loop, that plays one script per accepted connection, in order, then
/// waits until the client closes. A connection without a script is closed at once and counted in accepted().
class ScriptedServer {
  public:
    ScriptedServer(
        boost::asio::io_context& loop,
        std::vector<Script> scripts,
        std::shared_ptr<boost::asio::ssl::context> tls = nullptr
    );
    ~ScriptedServer();

    http::Endpoint endpoint() const { return endpoint("127.0.0.1"); }

    http::Endpoint endpoint(const std::string& host) const;
    /// Bytes received on each accepted connection.
    const std::vector<std::string>& received() const;

    std::size_t accepted() const { return received().size(); }

    std::size_t open() const; ///< accepted connections that the client has not closed yet
    /// Requests whose header came whole, over all connections.
    std::size_t requests() const;
    /// Stops listening and closes what is open.
    void stop();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace onceswap::test
