#include "server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <array>
#include <charconv>
#include <stdexcept>

namespace onceswap::testing {

namespace asio = boost::asio;
namespace json = boost::json;
using boost::system::error_code;

unsigned Bytes::status() const {
    unsigned status = 0;
    if (text.size() > 12)
        std::from_chars(text.data() + 9, text.data() + 12, status);
    return status;
}

std::string Bytes::header(std::string_view name) const {
    const std::string key = "\r\n" + std::string(name) + ": ";
    const std::size_t begin = text.find(key);
    const std::size_t end_of_head = text.find("\r\n\r\n");
    if (begin == std::string::npos || begin > end_of_head)
        return {};
    const std::size_t value = begin + key.size();
    return text.substr(value, text.find("\r\n", value) - value);
}

std::string Bytes::body(bool* whole) const {
    bool ignored = false;
    bool& ended = whole != nullptr ? *whole : ignored;
    ended = false;
    const std::size_t begin = text.find("\r\n\r\n");
    if (begin == std::string::npos)
        return {};
    std::string_view rest = std::string_view(text).substr(begin + 4);
    if (header("Transfer-Encoding") != "chunked") {
        ended = std::to_string(rest.size()) == header("Content-Length");
        return std::string(rest);
    }
    std::string decoded;
    for (;;) {
        std::size_t size = 0;
        const std::size_t line = rest.find("\r\n");
        if (line == std::string_view::npos)
            return decoded;
        std::from_chars(rest.data(), rest.data() + line, size, 16);
        rest.remove_prefix(line + 2);
        if (size == 0) {
            ended = rest == "\r\n";
            return decoded;
        }
        decoded += rest.substr(0, size);
        if (rest.size() < size + 2)
            return decoded;
        rest.remove_prefix(size + 2);
    }
}

Server::Server(std::vector<std::string> arguments)
    : process_(std::string(ONCESWAP_BINARY_DIR) + "/sim-clickhouse", std::move(arguments)) {
    if (!process_.wait_for_output("\n"))
        throw std::runtime_error("sim-clickhouse did not come up: " + process_.err());
    description_ = json::parse(process_.out().substr(0, process_.out().find('\n')));
    for (const json::value& member : description_.at("members").as_array())
        ports_.push_back(member.at("http_port").to_number<std::uint16_t>());
    control_ = description_.at("control_port").to_number<std::uint16_t>();
}

Bytes Server::raw(std::uint16_t port, const std::string& request) {
    asio::io_context loop;
    asio::ip::tcp::socket socket(loop);
    Bytes bytes;
    error_code error;
    socket.connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), port), error);
    if (error) {
        bytes.refused = error == asio::error::connection_refused;
        return bytes;
    }
    asio::write(socket, asio::buffer(request), error);
    std::array<char, 65536> piece{};
    for (;;) {
        const std::size_t read = socket.read_some(asio::buffer(piece), error);
        bytes.text.append(piece.data(), read);
        if (error) {
            bytes.reset = error == asio::error::connection_reset;
            return bytes;
        }
    }
}

Bytes Server::post(std::size_t member, const std::string& sql, const std::string& target) {
    return raw(
        port(member),
        "POST " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
            std::to_string(sql.size()) + "\r\n\r\n" + sql
    );
}

json::value
Server::ask_control(const std::string& method, const std::string& target, const std::string& body) {
    const Bytes bytes =
        raw(control_,
            method + " " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body);
    json::value answer = json::parse(bytes.body());
    answer.as_object()["status"] = bytes.status();
    return answer;
}

} // namespace onceswap::testing
