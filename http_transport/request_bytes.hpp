#pragma once

#include "http_transport/credentials.hpp"
#include "http_transport/transport.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/system/result.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace onceswap::http {

/// What all requests of one transport have in common.
struct RequestStyle {
    RequestStyle() = default;
    Credentials credentials;
    std::string user_agent;
    bool readonly_user = false;
};

enum class AfterReply { keep_alive, close };

/// One request as it goes on the wire: header and SQL in one piece, the rows (if any) beside it. Holds the
/// password, so it is wiped when it goes. Not movable once buffers() was handed out.
class RequestBytes {
  public:
    /// POST with Content-Length, never Expect, never compressed. The password travels in X-ClickHouse-Key, or
    /// in Basic if a header could not carry its bytes. Errors: what cannot be sent and why, without any
    /// secret.
    static boost::system::result<RequestBytes, std::string> make(
        const Endpoint& endpoint,
        const Request& request,
        std::string_view query_id,
        const RequestStyle& style,
        AfterReply after
    );

    RequestBytes(RequestBytes&&) noexcept = default;
    RequestBytes& operator=(RequestBytes&&) noexcept = default;
    RequestBytes(const RequestBytes&) = delete;
    RequestBytes& operator=(const RequestBytes&) = delete;
    ~RequestBytes();

    std::uint64_t size() const { return start_.size() + payload_.size(); }

    /// The bytes from `offset` on.
    std::array<boost::asio::const_buffer, 2> from(std::uint64_t offset) const;

    std::string_view start() const { return start_; } ///< header and SQL; holds the password

  private:
    RequestBytes() = default;

    std::string start_;
    std::string_view payload_; ///< of the Request, which outlives the call
};

} // namespace onceswap::http
