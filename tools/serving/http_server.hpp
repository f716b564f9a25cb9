#pragma once

#include "tools/serving/http_message.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace onceswap::serving {

/// What one client can take from us.
struct ServerLimits {
    std::size_t connections = 64;   ///< at once; who comes then gets 503 and is closed
    std::size_t head_bytes = 8'192; ///< of one request; more is 431
    std::chrono::milliseconds request_time{5'000
    }; ///< from a request's first byte (or the connect) to its last
    std::chrono::milliseconds answer_time{10'000}; ///< for one answer to be taken
    std::chrono::milliseconds idle_time{15'000};   ///< between two requests of a connection
    std::chrono::milliseconds linger_time{1'000};  ///< for a client to read an answer that closes
};

struct ServerCounters {
    std::map<unsigned, std::uint64_t> answers; ///< by status
    std::uint64_t connections = 0;
    std::uint64_t turned_away = 0; ///< beyond the limit
    std::uint64_t timed_out = 0;
};

/// HTTP/1.0 and 1.1 for readers, on the loop of its executor. Everything is bounded by ServerLimits; a slow
/// client holds a socket, a buffer of its request's head and one reference to a body, no longer than the
/// times allow. Requests with a body are not read: the answer closes the connection.
class HttpServer {
  public:
    /// Error: one line, why the address cannot be listened on.
    static boost::system::result<std::unique_ptr<HttpServer>, std::string> listen(
        const boost::asio::any_io_executor& executor,
        const boost::asio::ip::tcp::endpoint& where,
        AnswerFunction answer,
        ServerLimits limits = {}
    );

    /// Closes everything. What is left of its handlers holds no reference to the answer function.
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// With the port that was chosen.
    boost::asio::ip::tcp::endpoint endpoint() const;

    /// No connection is taken any more; those that wait for a request are closed, those that are being
    /// answered when their answer is out.
    void stop();

    std::size_t open_connections() const;
    const ServerCounters& counters() const;

  private:
    struct Core;
    class Connection;

    explicit HttpServer(std::shared_ptr<Core> core);

    std::shared_ptr<Core> core_;
};

} // namespace onceswap::serving
