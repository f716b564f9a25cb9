#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace onceswap::testing {

/// A connection to a port of this machine, byte by byte.
class Client {
  public:
    explicit Client(std::uint16_t port);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send(const std::string& bytes);
    /// The same, given up when the other side closes or `limit` has passed.
    void send_for(const std::string& bytes, std::chrono::milliseconds limit);
    /// Waits that long; whatever is said meanwhile is thrown away.
    bool closed_within(std::chrono::milliseconds limit);
    /// Everything until the other side closes; throws when that takes longer than `limit`.
    std::string until_closed(std::chrono::milliseconds limit = std::chrono::minutes(2));

  private:
    int socket_ = -1;
};

/// The first of `count` ports in a row that nobody has: outside of the range from which the system gives
/// ports to connections, so that they stay free while their owner is away.
std::uint16_t free_ports(unsigned count);

struct Reply {
    unsigned status = 0;
    std::string head; ///< with the status line
    std::string body;
};

/// One request on a connection of its own. `headers` are whole lines with `\r\n`; Host is added where none is
/// given.
Reply ask(
    std::uint16_t port,
    const std::string& path,
    const std::string& headers = {},
    const std::string& method = "GET"
);

/// The value of a header, empty without it.
std::string header_of(const Reply& reply, const std::string& name);

} // namespace onceswap::testing
