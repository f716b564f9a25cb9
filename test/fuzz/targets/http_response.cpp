#include "http_transport/exception_text.hpp"
#include "http_transport/reply_reader.hpp"
#include "targets.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <cstring>
#include <optional>

namespace onceswap::fuzz {
namespace {

struct Reading {
    bool complete = false;
    boost::system::error_code error;
    http::Framing framing = http::Framing::none;
    std::optional<http::Response> response;
};

Reading read(std::string_view bytes, std::size_t piece) {
    boost::beast::flat_buffer buffer;
    http::ReplyLimits limits;
    limits.header_bytes = 4096;
    limits.body_bytes = 4096;
    http::ReplyReader reader(buffer, limits);
    while (!bytes.empty() && !reader.finished()) {
        const boost::asio::mutable_buffer room = reader.prepare();
        const std::size_t size = std::min({piece, bytes.size(), room.size()});
        must(size > 0, "there is room while the reply is not finished");
        std::memcpy(room.data(), bytes.data(), size);
        reader.commit(size);
        bytes.remove_prefix(size);
    }
    reader.end_of_stream();
    must(reader.finished(), "the end of the stream ends the reply");
    must(reader.complete() != static_cast<bool>(reader.error()), "a reply is whole or has an error");
    must(
        !reader.reusable() || reader.complete(),
        "only a whole reply leaves a connection that can be used again"
    );
    Reading reading;
    reading.complete = reader.complete();
    reading.error = reader.error();
    reading.framing = reader.framing();
    reading.response = reader.take_response();
    return reading;
}

} // namespace

/// The first byte is the size of the pieces in which the rest arrives.
void http_response(std::string_view input) {
    const std::size_t piece = std::size_t{1} + take_byte(input);
    const Reading whole = read(input, input.size() + 1);
    const Reading pieces = read(input, piece);
    // What piles up unparsed is bounded when it has come, so that large pieces may slip through where small
    // ones are refused; all else is the same however the bytes arrive.
    const boost::system::error_code piled_up = boost::beast::http::error::header_limit;
    if (whole.error != piled_up && pieces.error != piled_up) {
        must(whole.complete == pieces.complete, "pieces do not decide whether a reply is whole");
        must(whole.framing == pieces.framing, "pieces do not decide the framing");
        must(
            whole.response.has_value() == pieces.response.has_value(),
            "pieces do not decide whether there is a header"
        );
        must(!whole.complete || whole.response->body == pieces.response->body, "pieces do not change a body");
    }
    if (whole.response) {
        must(whole.response->body.size() <= 4096, "a body is bounded");
        for (const http::BodyIs what : {http::BodyIs::result, http::BodyIs::error}) {
            http::find_exception_text(whole.response->body, what, whole.response->exception_tag);
        }
    }
}

} // namespace onceswap::fuzz
