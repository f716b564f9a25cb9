// The only file here that knows Beast: its parser reads the head of a request, everything else is bytes.
#include "tools/serving/http_server.hpp"

#include "tools/serving/listen_address.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>

#include <array>
#include <ctime>
#include <exception>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace onceswap::serving {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using boost::system::error_code;
using Socket = asio::ip::tcp::socket;

namespace {

constexpr std::size_t read_size = 4'096;
constexpr std::size_t most_discarded = 65'536;

std::string http_date() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 40> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return std::string(text.data(), size);
}

std::string head_of(const HttpAnswer& answer, bool keep_alive) {
    const std::string_view reason =
        beast_http::obsolete_reason(static_cast<beast_http::status>(answer.status));
    std::string head = "HTTP/1.1 " + std::to_string(answer.status) + " " + std::string(reason) + "\r\n";
    head += "Date: " + http_date() + "\r\n";
    for (const auto& [name, value] : answer.headers)
        head += name + ": " + value + "\r\n";
    if (answer.status != 304)
        head += "Content-Length: " + std::to_string(answer.body->size()) + "\r\n";
    head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
    return head;
}

HttpAnswer refusal(unsigned status, std::string_view why) {
    HttpAnswer answer;
    answer.status = status;
    answer.headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}};
    answer.body = std::make_shared<const std::string>(std::string(why) + "\n");
    answer.close = true;
    return answer;
}

HttpAnswer refusal_of(const error_code& error) {
    if (error == beast_http::error::header_limit || error == beast_http::error::buffer_overflow)
        return refusal(431, "the head of the request is too long");
    return refusal(400, "this is no HTTP request");
}

} // namespace

struct HttpServer::Core {
    Core(const asio::any_io_executor& executor, AnswerFunction answer_, ServerLimits limits_)
        : acceptor(executor), retry(executor), answer(std::move(answer_)), limits(limits_) {}

    asio::ip::tcp::acceptor acceptor;
    asio::steady_timer retry;
    AnswerFunction answer;
    ServerLimits limits;
    ServerCounters counters;
    std::set<std::shared_ptr<Connection>> connections;
    bool stopping = false;

    static void accept(const std::shared_ptr<Core>& core);
    void take(Socket socket, const std::shared_ptr<Core>& core);
    void turn_away(Socket socket);
};

/// One client, from accept to close. Lives as long as a handler of it is pending.
class HttpServer::Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(Socket socket, std::shared_ptr<Core> core)
        : socket_(std::move(socket)), timer_(socket_.get_executor()), core_(std::move(core)),
          buffer_(core_->limits.head_bytes + read_size) {}

    void begin() { next_request(core_->limits.request_time); }

    /// Ends what only waits; an answer that is under way ends the connection by itself.
    void stop() {
        if (!answering_)
            close();
    }

    void close() {
        if (closed_)
            return;
        closed_ = true;
        ++armed_;
        timer_.cancel();
        error_code ignored;
        socket_.close(ignored);
        core_->connections.erase(shared_from_this());
    }

  private:
    using Parser = beast_http::request_parser<beast_http::empty_body>;

    /// Closes the connection when `limit` has passed and the timer was not armed anew.
    void arm(std::chrono::milliseconds limit) {
        const std::uint64_t mine = ++armed_;
        timer_.expires_after(limit);
        timer_.async_wait([self = shared_from_this(), mine](error_code) {
            if (mine != self->armed_)
                return;
            ++self->core_->counters.timed_out;
            self->close();
        });
    }

    void next_request(std::chrono::milliseconds limit) {
        parser_.emplace();
        parser_->header_limit(static_cast<std::uint32_t>(core_->limits.head_bytes));
        parser_->skip(true); // a body is never read
        head_size_ = 0;
        begun_ = buffer_.size() > 0;
        arm(begun_ ? core_->limits.request_time : limit);
        parse();
    }

    void read() {
        socket_.async_read_some(
            buffer_.prepare(read_size),
            [self = shared_from_this()](error_code error, std::size_t size) {
                if (self->closed_)
                    return;
                if (error)
                    return self->close();
                self->buffer_.commit(size);
                if (!self->begun_) {
                    self->begun_ = true;
                    self->arm(self->core_->limits.request_time);
                }
                self->parse();
            }
        );
    }

    void parse() {
        if (buffer_.size() > 0) {
            error_code error;
            const std::size_t used = parser_->put(buffer_.data(), error);
            buffer_.consume(used);
            head_size_ += used;
            if (error && error != beast_http::error::need_more)
                return send(refusal_of(error), false);
            // Beast's own limit is one of each piece that it is given: whole lines never reach it together.
            const bool is_done = parser_->is_header_done();
            if (head_size_ + (is_done ? 0 : buffer_.size()) > core_->limits.head_bytes)
                return send(refusal(431, "the head of the request is too long"), false);
            if (is_done)
                return respond();
        }
        read();
    }

    void respond() {
        const auto& message = parser_->get();
        HttpRequest request;
        request.method = std::string(message.method_string());
        request.target = std::string(message.target());
        bool has_body = parser_->chunked();
        for (const auto& field : message) {
            const std::string value(field.value());
            if (field.name() == beast_http::field::host)
                request.hosts.push_back(value);
            else if (field.name() == beast_http::field::authorization)
                request.authorizations.push_back(value);
            else if (field.name() == beast_http::field::if_none_match)
                request.if_none_match = value;
            else if (field.name() == beast_http::field::content_length)
                has_body = has_body || value != "0";
            else if (field.name() == beast_http::field::transfer_encoding)
                has_body = true;
        }
        HttpAnswer answer;
        try {
            answer = core_->answer(request);
        } catch (const std::exception&) {
            answer = refusal(500, "the answer could not be made"); // out of memory: watching goes on
        }
        answer.close = answer.close || has_body || !message.keep_alive();
        send(std::move(answer), request.method == "HEAD");
    }

    void send(HttpAnswer answer, bool head_only) {
        ++core_->counters.answers[answer.status];
        const bool keep_alive = !answer.close && !core_->stopping;
        answering_ = true;
        head_ = head_of(answer, keep_alive);
        body_ = std::move(answer.body);
        const bool without_body = head_only || answer.status == 304;
        const std::array<asio::const_buffer, 2> bytes{
            asio::buffer(head_), asio::buffer(body_->data(), without_body ? 0 : body_->size())
        };
        arm(core_->limits.answer_time);
        asio::async_write(
            socket_,
            bytes,
            [self = shared_from_this(), keep_alive](error_code error, std::size_t) {
                if (self->closed_)
                    return;
                self->answering_ = false;
                self->body_.reset();
                if (error)
                    return self->close();
                if (keep_alive && !self->core_->stopping)
                    return self->next_request(self->core_->limits.idle_time);
                self->linger();
            }
        );
    }

    /// What a client still sends would make the kernel reset the connection before it has read the answer.
    void linger() {
        error_code error;
        socket_.shutdown(Socket::shutdown_send, error);
        if (error || core_->stopping)
            return close();
        buffer_.clear();
        arm(core_->limits.linger_time);
        discard();
    }

    void discard() {
        socket_.async_read_some(
            buffer_.prepare(read_size),
            [self = shared_from_this()](error_code error, std::size_t size) {
                if (self->closed_)
                    return;
                self->discarded_ += size;
                if (error || self->discarded_ > most_discarded)
                    return self->close();
                self->discard();
            }
        );
    }

    Socket socket_;
    asio::steady_timer timer_;
    std::shared_ptr<Core> core_;
    boost::beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    std::string head_;
    std::shared_ptr<const std::string> body_;
    std::uint64_t armed_ = 0;
    std::size_t head_size_ = 0; ///< what the parser has taken of this request's head
    std::size_t discarded_ = 0;
    bool begun_ = false;
    bool answering_ = false;
    bool closed_ = false;
};

void HttpServer::Core::accept(const std::shared_ptr<Core>& core) {
    core->acceptor.async_accept([core](error_code error, Socket socket) {
        if (core->stopping)
            return;
        if (!error) {
            core->take(std::move(socket), core);
            accept(core);
            return;
        }
        // Out of descriptors, or a client that went before it was taken: not at once again, and never given
        // up.
        core->retry.expires_after(std::chrono::milliseconds(100));
        core->retry.async_wait([core](error_code) {
            if (!core->stopping)
                accept(core);
        });
    });
}

void HttpServer::Core::take(Socket socket, const std::shared_ptr<Core>& core) {
    ++counters.connections;
    if (connections.size() >= limits.connections)
        return turn_away(std::move(socket));
    const auto connection = std::make_shared<Connection>(std::move(socket), core);
    connections.insert(connection);
    connection->begin();
}

void HttpServer::Core::turn_away(Socket socket) {
    ++counters.turned_away;
    HttpAnswer refused = refusal(503, "too many connections");
    refused.headers.emplace_back("Retry-After", "1");
    ++counters.answers[refused.status];
    const std::string bytes = head_of(refused, false) + *refused.body;
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(bytes), ignored); // a new socket has room for it, and nobody waits here
    socket.shutdown(Socket::shutdown_send, ignored);
    socket.close(ignored);
}

boost::system::result<std::unique_ptr<HttpServer>, std::string> HttpServer::listen(
    const asio::any_io_executor& executor,
    const asio::ip::tcp::endpoint& where,
    AnswerFunction answer,
    ServerLimits limits
) {
    auto core = std::make_shared<Core>(executor, std::move(answer), limits);
    error_code error;
    core->acceptor.open(where.protocol(), error);
    if (!error)
        core->acceptor.set_option(asio::ip::tcp::acceptor::reuse_address(true), error);
    if (!error)
        core->acceptor.bind(where, error);
    if (!error)
        core->acceptor.listen(asio::ip::tcp::acceptor::max_listen_connections, error);
    if (error)
        return "cannot listen on " + text(where) + ": " + error.message();
    Core::accept(core);
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
}

HttpServer::HttpServer(std::shared_ptr<Core> core) : core_(std::move(core)) {}

HttpServer::~HttpServer() {
    stop();
    while (!core_->connections.empty())
        (*core_->connections.begin())->close();
    core_->answer = nullptr;
}

asio::ip::tcp::endpoint HttpServer::endpoint() const {
    error_code ignored;
    return core_->acceptor.local_endpoint(ignored);
}

void HttpServer::stop() {
    core_->stopping = true;
    error_code ignored;
    core_->acceptor.close(ignored);
    core_->retry.cancel();
    const auto connections = core_->connections;
    for (const auto& connection : connections)
        connection->stop();
}

std::size_t HttpServer::open_connections() const {
    return core_->connections.size();
}

const ServerCounters& HttpServer::counters() const {
    return core_->counters;
}

} // namespace onceswap::serving
