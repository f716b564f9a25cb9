#include "scripted_server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>

#include <array>
#include <charconv>
#include <exception>
#include <sys/socket.h>
#include <utility>

namespace onceswap::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Act read_request() {
    return {Act::Kind::read_request, {}, 0, {}, {}};
}

Act read_bytes(std::size_t count) {
    return {Act::Kind::read_bytes, {}, count, {}, {}};
}

Act send(std::string bytes) {
    return {Act::Kind::send, std::move(bytes), 0, {}, {}};
}

Act finish() {
    return {Act::Kind::finish, {}, 0, {}, {}};
}

Act cut() {
    return {Act::Kind::cut, {}, 0, {}, {}};
}

Act reset() {
    return {Act::Kind::reset, {}, 0, {}, {}};
}

Act hold() {
    return {Act::Kind::hold, {}, 0, {}, {}};
}

Act call(std::function<void()> callback) {
    return {Act::Kind::call, {}, 0, std::move(callback), {}};
}

Act until(std::function<bool()> condition) {
    return {Act::Kind::until, {}, 0, {}, std::move(condition)};
}

namespace {

std::string start_of_reply(unsigned status, std::string_view extra_headers) {
    std::string out =
        "HTTP/1.1 " + std::to_string(status) + " Whatever\r\nDate: Sat, 01 Aug 2026 00:00:00 GMT\r\n";
    out += extra_headers;
    return out;
}

std::string hex(std::size_t number) {
    std::array<char, 20> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
    // Used by constants too, before Boost.Test is there.
    return error == std::errc{} ? std::string(digits.data(), end) : std::string();
}

/// Bytes of a whole request at the front; 0 if it is not whole.
std::size_t whole_request(std::string_view bytes) {
    const std::size_t head_end = bytes.find("\r\n\r\n");
    if (head_end == std::string_view::npos) {
        return 0;
    }
    constexpr std::string_view name = "Content-Length: ";
    const std::size_t at = bytes.substr(0, head_end).find(name);
    BOOST_REQUIRE_MESSAGE(at != std::string_view::npos, "a request without Content-Length: " << bytes);
    std::size_t length = 0;
    std::from_chars(bytes.data() + at + name.size(), bytes.data() + head_end, length);
    const std::size_t size = head_end + 4 + length;
    return bytes.size() >= size ? size : 0;
}

} // namespace

std::string reply(unsigned status, std::string_view body, std::string_view extra_headers) {
    std::string out = start_of_reply(status, extra_headers);
    out += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    out += body;
    return out;
}

std::string chunked_reply(unsigned status, std::vector<std::string> chunks, std::string_view extra_headers) {
    std::string out = start_of_reply(status, extra_headers);
    out += "Transfer-Encoding: chunked\r\n\r\n";
    for (const std::string& chunk : chunks) {
        out += hex(chunk.size()) + "\r\n" + chunk + "\r\n";
    }
    out += "0\r\n\r\n";
    return out;
}

struct ScriptedServer::State : std::enable_shared_from_this<ScriptedServer::State> {
    State(asio::io_context& loop, std::vector<Script> scripts_, std::shared_ptr<asio::ssl::context> tls_)
        : acceptor(loop, tcp::endpoint(asio::ip::address_v4::loopback(), 0)), scripts(std::move(scripts_)),
          tls(std::move(tls_)) {}

    tcp::acceptor acceptor;
    std::vector<Script> scripts;
    std::shared_ptr<asio::ssl::context> tls;
    std::vector<std::string> received;
    std::vector<tcp::socket*> sockets; ///< null once the connection is over
    std::size_t open = 0;

    asio::awaitable<void> accept();
    template <class Stream>
    asio::awaitable<void> play(Stream& stream, std::size_t index);
    asio::awaitable<void> serve(tcp::socket socket, std::size_t index);
};

namespace {

void report(std::exception_ptr failure) {
    if (failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& error) {
            BOOST_ERROR("the scripted server failed: " << error.what());
        }
    }
}

void shut_down(tcp::socket& socket) {
    error_code ignored;
    socket.shutdown(tcp::socket::shutdown_send, ignored);
}

asio::awaitable<void> say_goodbye(tcp::socket& socket) {
    shut_down(socket);
    co_return;
}

asio::awaitable<void> say_goodbye(asio::ssl::stream<tcp::socket&>& stream) {
    // One half only: close_notify goes out, nobody waits for the client's.
    SSL_shutdown(stream.native_handle());
    const auto nothing = asio::buffer("", 0);
    co_await stream.async_write_some(nothing, asio::as_tuple(asio::use_awaitable));
    shut_down(stream.next_layer());
}

tcp::socket& lowest(tcp::socket& socket) {
    return socket;
}

tcp::socket& lowest(asio::ssl::stream<tcp::socket&>& stream) {
    return stream.next_layer();
}

} // namespace

template <class Stream>
asio::awaitable<void> ScriptedServer::State::play(Stream& stream, std::size_t index) {
    std::array<char, 16 * 1024> room{};
    std::size_t consumed = 0;
    bool gone = false;
    for (std::size_t at = 0; at < scripts[index].size() && !gone; ++at) {
        const Act& act = scripts[index][at];
        switch (act.kind) {
        case Act::Kind::read_request:
        case Act::Kind::read_bytes:
            while (!gone) {
                std::string& bytes = received[index];
                const std::size_t size = act.kind == Act::Kind::read_bytes
                                             ? (bytes.size() - consumed >= act.count ? act.count : 0)
                                             : whole_request(std::string_view(bytes).substr(consumed));
                if (size > 0) {
                    consumed += size;
                    break;
                }
                const auto buffer = asio::buffer(room);
                auto [error, got] =
                    co_await stream.async_read_some(buffer, asio::as_tuple(asio::use_awaitable));
                received[index].append(room.data(), got);
                gone = static_cast<bool>(error);
            }
            break;
        case Act::Kind::send: {
            const auto buffer = asio::buffer(act.bytes);
            auto [error, sent] =
                co_await asio::async_write(stream, buffer, asio::as_tuple(asio::use_awaitable));
            gone = static_cast<bool>(error);
            break;
        }
        case Act::Kind::finish: {
            co_await say_goodbye(stream);
            break;
        }
        case Act::Kind::cut:
            shut_down(lowest(stream));
            break;
        case Act::Kind::reset: {
            error_code ignored;
            lowest(stream).set_option(asio::socket_base::linger(true, 0), ignored);
            lowest(stream).close(ignored);
            co_return;
        }
        case Act::Kind::call:
            act.callback();
            break;
        case Act::Kind::until:
            while (!act.condition()) {
                co_await asio::post(asio::use_awaitable);
            }
            break;
        case Act::Kind::hold: {
            error_code ignored;
            co_await lowest(stream).async_wait(
                tcp::socket::wait_error, asio::redirect_error(asio::use_awaitable, ignored)
            );
            co_return;
        }
        }
    }
    while (!gone) {
        const auto buffer = asio::buffer(room);
        auto [error, got] = co_await stream.async_read_some(buffer, asio::as_tuple(asio::use_awaitable));
        received[index].append(room.data(), got);
        gone = static_cast<bool>(error);
    }
}

asio::awaitable<void> ScriptedServer::State::serve(tcp::socket socket, std::size_t index) {
    const auto self = shared_from_this();
    sockets[index] = &socket;
    if (tls) {
        asio::ssl::stream<tcp::socket&> stream(socket, *tls);
        auto [error] = co_await stream.async_handshake(
            asio::ssl::stream_base::server, asio::as_tuple(asio::use_awaitable)
        );
        if (!error) {
            co_await play(stream, index);
        }
    } else {
        co_await play(socket, index);
    }
    sockets[index] = nullptr;
    --open;
}

asio::awaitable<void> ScriptedServer::State::accept() {
    const auto self = shared_from_this();
    while (true) {
        auto [error, socket] = co_await acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
        if (error) {
            co_return;
        }
        const std::size_t index = received.size();
        received.emplace_back();
        sockets.push_back(nullptr);
        if (index >= scripts.size()) {
            continue; // closed by going out of scope
        }
        ++open;
        auto executor = acceptor.get_executor();
        asio::co_spawn(executor, serve(std::move(socket), index), report);
    }
}

ScriptedServer::ScriptedServer(
    asio::io_context& loop, std::vector<Script> scripts, std::shared_ptr<asio::ssl::context> tls
)
    : state_(std::make_shared<State>(loop, std::move(scripts), std::move(tls))) {
    asio::co_spawn(loop, state_->accept(), report);
}

ScriptedServer::~ScriptedServer() {
    stop();
}

http::Endpoint ScriptedServer::endpoint(const std::string& host) const {
    const std::string scheme = state_->tls ? "https://" : "http://";
    const std::string port = std::to_string(state_->acceptor.local_endpoint().port());
    auto endpoint = http::Endpoint::parse(scheme + host + ':' + port);
    BOOST_REQUIRE(endpoint.has_value());
    return *endpoint;
}

const std::vector<std::string>& ScriptedServer::received() const {
    return state_->received;
}

std::size_t ScriptedServer::open() const {
    return state_->open;
}

std::size_t ScriptedServer::requests() const {
    std::size_t count = 0;
    for (const std::string& bytes : state_->received) {
        for (std::size_t at = bytes.find("POST "); at != std::string::npos;
             at = bytes.find("POST ", at + 1)) {
            ++count;
        }
    }
    return count;
}

void ScriptedServer::stop() {
    error_code ignored;
    state_->acceptor.close(ignored);
    for (tcp::socket* const socket : state_->sockets) {
        if (socket != nullptr) {
            socket->close(ignored);
        }
    }
}

} // namespace onceswap::test
