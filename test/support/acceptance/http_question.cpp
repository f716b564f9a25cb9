#include "acceptance/http_question.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <cctype>
#include <charconv>
#include <future>
#include <stdexcept>

namespace onceswap::acceptance {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

std::string escaped(const std::string& text) {
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.') {
            result += c;
        } else {
            result += '%';
            result += digits[byte >> 4U];
            result += digits[byte & 15U];
        }
    }
    return result;
}

asio::awaitable<HttpAnswer>
ask(const Origin& origin, http::request<http::string_body>& request, std::chrono::seconds patience) {
    auto executor = co_await asio::this_coro::executor;
    asio::ip::tcp::resolver resolver(executor);
    beast::tcp_stream stream(executor);
    stream.expires_after(patience);
    auto addresses = co_await resolver.async_resolve(origin.host, origin.port, asio::use_awaitable);
    co_await stream.async_connect(addresses, asio::use_awaitable);
    co_await http::async_write(stream, request, asio::use_awaitable);
    beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(std::uint64_t{256} * 1024 * 1024);
    co_await http::async_read(stream, buffer, parser, asio::use_awaitable);
    HttpAnswer answer;
    answer.status = parser.get().result_int();
    const auto code = parser.get()["X-ClickHouse-Exception-Code"];
    std::from_chars(code.data(), code.data() + code.size(), answer.exception_code);
    answer.body = std::move(parser.get().body());
    co_return answer;
}

} // namespace

Origin::Origin(const std::string& url_) : url(url_) {
    constexpr std::string_view scheme = "http://";
    const std::size_t colon = url.rfind(':');
    if (!url.starts_with(scheme) || colon < scheme.size() || colon == std::string::npos)
        throw std::invalid_argument("http://HOST:PORT is expected, not " + url);
    host = url.substr(scheme.size(), colon - scheme.size());
    port = url.substr(colon + 1);
    while (port.ends_with('/'))
        port.pop_back();
    if (host.empty() || port.empty() || port.find_first_not_of("0123456789") != std::string::npos)
        throw std::invalid_argument("http://HOST:PORT is expected, not " + url);
}

HttpAnswer question(
    const Origin& origin,
    const std::string& method,
    const std::string& path,
    const std::vector<std::pair<std::string, std::string>>& parameters,
    const std::string& body,
    std::chrono::seconds patience
) {
    std::string target = path;
    for (const auto& [name, value] : parameters)
        target += (target.find('?') == std::string::npos ? "?" : "&") + name + "=" + escaped(value);
    http::request<http::string_body> request(http::string_to_verb(method), target, 11);
    request.set(http::field::host, origin.host);
    if (!origin.user.empty()) {
        request.set("X-ClickHouse-User", origin.user);
        request.set("X-ClickHouse-Key", origin.password);
    }
    request.keep_alive(false);
    request.body() = body;
    request.prepare_payload();
    asio::io_context loop;
    auto answered = asio::co_spawn(loop, ask(origin, request, patience), asio::use_future);
    loop.run();
    try {
        return answered.get();
    } catch (const boost::system::system_error& failed) {
        throw std::runtime_error(origin.url + path + ": " + failed.what());
    }
}

} // namespace onceswap::acceptance
