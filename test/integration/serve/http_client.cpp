#include "http_client.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace onceswap::testing {

Client::Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    if (socket_ < 0 || ::connect(socket_, where, sizeof address) != 0)
        throw std::runtime_error("cannot connect to port " + std::to_string(port));
}

Client::~Client() {
    ::close(socket_);
}

void Client::send(const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t one = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (one < 0)
            return; // closed by the other side: what it answered says why
        sent += static_cast<std::size_t>(one);
    }
}

void Client::send_for(const std::string& bytes, std::chrono::milliseconds limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        pollfd waiting{socket_, POLLOUT, 0};
        if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0)
            return;
        const ssize_t one =
            ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (one < 0 && errno != EAGAIN)
            return;
        sent += one < 0 ? 0 : static_cast<std::size_t>(one);
    }
}

bool Client::closed_within(std::chrono::milliseconds limit) {
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(limit.count())) == 0)
        return false;
    char buffer[4'096];
    return ::recv(socket_, buffer, sizeof buffer, 0) <= 0;
}

std::string Client::until_closed(std::chrono::milliseconds limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    std::string all;
    char buffer[65'536];
    while (true) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        pollfd waiting{socket_, POLLIN, 0};
        if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) == 0)
            throw std::runtime_error("not closed in time, after: " + all);
        const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return all;
        all.append(buffer, static_cast<std::size_t>(got));
    }
}

std::uint16_t free_ports(unsigned count) {
    constexpr unsigned lowest = 20'000;
    constexpr unsigned highest = 32'000;
    const auto is_free = [](unsigned port) {
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const bool bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        ::close(socket);
        return bound;
    };
    const auto begin = lowest + static_cast<unsigned>(::getpid()) % (highest - lowest);
    for (unsigned step = 0; step < highest - lowest; ++step) {
        const unsigned first = lowest + (begin - lowest + step) % (highest - lowest);
        unsigned found = 0;
        while (found < count && is_free(first + found))
            ++found;
        if (found == count)
            return static_cast<std::uint16_t>(first);
    }
    throw std::runtime_error("no free ports");
}

Reply ask(
    std::uint16_t port, const std::string& path, const std::string& headers, const std::string& method
) {
    Client client(port);
    const std::string host = headers.find("Host:") == std::string::npos ? "Host: localhost\r\n" : "";
    client.send(method + " " + path + " HTTP/1.1\r\n" + host + headers + "Connection: close\r\n\r\n");
    const std::string all = client.until_closed();
    Reply reply;
    const auto end = all.find("\r\n\r\n");
    if (end == std::string::npos || all.size() < 12)
        throw std::runtime_error("no answer: " + all);
    reply.head = all.substr(0, end + 2);
    reply.body = all.substr(end + 4);
    reply.status = static_cast<unsigned>(std::stoul(all.substr(9, 3)));
    return reply;
}

std::string header_of(const Reply& reply, const std::string& name) {
    const std::string line = "\r\n" + name + ": ";
    const auto at = reply.head.find(line);
    if (at == std::string::npos)
        return {};
    const auto begin = at + line.size();
    return reply.head.substr(begin, reply.head.find("\r\n", begin) - begin);
}

} // namespace onceswap::testing
