#pragma once

#include "http_transport/transport.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

namespace onceswap::http {

struct ReplyLimits {
    std::size_t header_bytes = 64 * 1024; ///< also of a chunk's header and of trailers
    std::size_t body_bytes = 64 * 1024 * 1024;
};

/// Turns the bytes of one connection into one reply, without any I/O: prepare(), fill, commit(), until
/// finished(). Interim replies (1xx) are skipped; a close-delimited body is an error as soon as the header
/// says so.
class ReplyReader {
  public:
    /// `buffer` is the connection's and outlives this; it is empty at first.
    ReplyReader(boost::beast::flat_buffer& buffer, ReplyLimits limits);
    ~ReplyReader();
    ReplyReader(const ReplyReader&) = delete;
    ReplyReader& operator=(const ReplyReader&) = delete;

    /// Room for the next bytes. Precondition: not finished().
    boost::asio::mutable_buffer prepare();
    /// `bytes` of that room were filled.
    void commit(std::size_t bytes);
    /// The stream ended; if the reply had not, that is an error.
    void end_of_stream();

    bool finished() const { return complete_ || error_; }

    bool complete() const { return complete_; } ///< properly framed and whole

    bool any_byte() const { return any_byte_; }

    bool has_final_header() const { return has_final_header_; }

    const boost::system::error_code& error() const { return error_; }

    Framing framing() const { return framing_; }

    /// Whether another request may follow on the connection: kept alive by both sides, nothing behind the
    /// reply.
    bool reusable() const;

    /// `Keep-Alive: timeout=N`, if the server said so.
    std::optional<std::chrono::seconds> keep_alive_timeout() const { return keep_alive_timeout_; }

    CallPhase phase() const; ///< first_byte, header, body or done

    /// What there is of the reply, once; nothing before the final header.
    std::optional<Response> take_response();

  private:
    class Parser;

    void parse();
    void header_arrived();

    boost::beast::flat_buffer& buffer_;
    ReplyLimits limits_;
    std::unique_ptr<Parser> parser_;
    boost::system::error_code error_;
    std::optional<std::chrono::seconds> keep_alive_timeout_;
    Framing framing_ = Framing::none;
    unsigned interim_replies_ = 0;
    bool any_byte_ = false;
    bool has_final_header_ = false;
    bool body_begun_ = false; ///< of a chunked body: the parser was given its first bytes
    bool complete_ = false;
    bool keep_alive_ = false;
};

} // namespace onceswap::http
