#include "http_transport/reply_reader.hpp"

#include "http_transport/transport_error.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace onceswap::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

constexpr std::size_t header_read_bytes = 16 * 1024;
constexpr std::size_t body_read_bytes = 64 * 1024;
constexpr std::size_t kept_field_bytes = 4 * 1024;
constexpr unsigned max_interim_replies = 16;
// "0\r\n\r\n": no chunked body is shorter. Beast 1.81 begins to parse a first chunk that is also the last
// with less, and asserts at the second try that it now has as much: one more byte would end the process.
constexpr std::size_t least_chunked_body = 5;
constexpr unsigned switching_protocols = 101;

int number_or_zero(string_view value) {
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    return error == std::errc{} && end == value.data() + value.size() && number > 0 ? number : 0;
}

std::optional<std::chrono::seconds> timeout_of(string_view keep_alive) {
    constexpr string_view name = "timeout=";
    const std::size_t at = keep_alive.find(name);
    if (at == string_view::npos) {
        return std::nullopt;
    }
    unsigned seconds = 0;
    const char* const begin = keep_alive.data() + at + name.size();
    const auto [end, error] = std::from_chars(begin, keep_alive.data() + keep_alive.size(), seconds);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    return std::chrono::seconds(seconds);
}

} // namespace

/// Keeps the few header fields that a rule needs, so that a reply costs no allocation but its body's.
/// Trailers come through on_field_impl too, behind the header, and are ignored: nothing there may change what
/// the header said.
class ReplyReader::Parser final : public beast_http::basic_parser<false> {
  public:
    Response response;
    std::optional<std::chrono::seconds> keep_alive_timeout;

  private:
    void on_request_impl(beast_http::verb, string_view, string_view, int, error_code&) override {}

    void on_response_impl(int code, string_view, int, error_code&) override {
        response.status = static_cast<unsigned>(code);
    }

    void on_field_impl(beast_http::field name, string_view spelled, string_view value, error_code&) override {
        if (header_over_) {
            return;
        }
        if (name == beast_http::field::keep_alive) {
            keep_alive_timeout = timeout_of(value);
            return;
        }
        if (name != beast_http::field::unknown || spelled.size() < 19 ||
            !boost::beast::iequals(spelled.substr(0, 13), "X-ClickHouse-")) {
            return;
        }
        const string_view what = spelled.substr(13);
        if (boost::beast::iequals(what, "Exception-Code")) {
            // A code that is no number is still no success: it becomes 0, which no rule knows.
            if (!response.exception_code) {
                response.exception_code = number_or_zero(value);
            }
        } else if (boost::beast::iequals(what, "Exception-Tag")) {
            keep(response.exception_tag, value);
        } else if (boost::beast::iequals(what, "Query-Id")) {
            keep(response.query_id, value);
        } else if (boost::beast::iequals(what, "Format")) {
            keep(response.format, value);
        } else if (boost::beast::iequals(what, "Summary")) {
            keep(response.summary, value);
        }
    }

    void on_header_impl(error_code&) override { header_over_ = true; }

    void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
        if (length) {
            response.body.reserve(static_cast<std::size_t>(*length));
        }
    }

    std::size_t on_body_impl(string_view bytes, error_code&) override {
        response.body.append(bytes.data(), bytes.size());
        return bytes.size();
    }

    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}

    std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
        response.body.append(bytes.data(), bytes.size());
        return bytes.size();
    }

    void on_finish_impl(error_code&) override {}

    static void keep(std::string& field, string_view value) {
        field.assign(value.data(), std::min(value.size(), kept_field_bytes));
    }

    bool header_over_ = false;
};

ReplyReader::ReplyReader(boost::beast::flat_buffer& buffer, ReplyLimits limits)
    : buffer_(buffer), limits_(limits), parser_(std::make_unique<Parser>()) {
    constexpr std::size_t widest = std::numeric_limits<std::uint32_t>::max();
    limits_.header_bytes = std::min(limits_.header_bytes, widest);
    parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
    parser_->body_limit(limits_.body_bytes);
}

ReplyReader::~ReplyReader() = default;

boost::asio::mutable_buffer ReplyReader::prepare() {
    std::size_t room = header_read_bytes;
    if (has_final_header_ &&
        (framing_ == Framing::chunked || parser_->content_length_remaining().value_or(0) > room)) {
        room = body_read_bytes;
    }
    return buffer_.prepare(room);
}

void ReplyReader::commit(std::size_t bytes) {
    buffer_.commit(bytes);
    any_byte_ = any_byte_ || bytes > 0;
    parse();
}

void ReplyReader::parse() {
    while (!finished() && buffer_.size() > 0) {
        if (framing_ == Framing::chunked && !body_begun_ && buffer_.size() < least_chunked_body &&
            *static_cast<const char*>(buffer_.data().data()) == '0') {
            return;
        }
        body_begun_ = framing_ == Framing::chunked;
        error_code error;
        const std::size_t used = parser_->put(buffer_.data(), error);
        buffer_.consume(used);
        if (!has_final_header_ && parser_->is_header_done()) {
            // Also on body_limit: the status and the exception header are known then.
            header_arrived();
            if (error_) {
                return;
            }
        }
        if (error == beast_http::error::need_more) {
            // Beast bounds the header only; a chunk's extension or a trailer would pile up here.
            if (buffer_.size() > limits_.header_bytes) {
                error_ = beast_http::error::header_limit;
            }
            return;
        }
        if (error) {
            error_ = error;
            return;
        }
        if (has_final_header_ && parser_->is_done()) {
            complete_ = true;
        }
    }
}

void ReplyReader::header_arrived() {
    const unsigned status = parser_->response.status;
    if (status == switching_protocols) {
        error_ = TransportError::upgrade_refused;
        return;
    }
    if (status >= 100 && status < 200) {
        ++interim_replies_;
        if (interim_replies_ > max_interim_replies) {
            error_ = TransportError::too_many_interim_replies;
            return;
        }
        parser_ = std::make_unique<Parser>();
        parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
        parser_->body_limit(limits_.body_bytes);
        return;
    }
    has_final_header_ = true;
    keep_alive_ = parser_->keep_alive();
    keep_alive_timeout_ = parser_->keep_alive_timeout;
    if (parser_->chunked()) {
        framing_ = Framing::chunked;
    } else if (parser_->content_length()) {
        framing_ = Framing::content_length;
    } else if (parser_->need_eof()) {
        framing_ = Framing::close_delimited;
        error_ = TransportError::close_delimited;
        return;
    }
    parser_->eager(true);
}

void ReplyReader::end_of_stream() {
    if (!finished()) {
        error_ = any_byte_ ? TransportError::truncated : TransportError::closed_without_reply;
    }
}

bool ReplyReader::reusable() const {
    return complete_ && keep_alive_ && buffer_.size() == 0;
}

CallPhase ReplyReader::phase() const {
    if (complete_) {
        return CallPhase::done;
    }
    if (has_final_header_) {
        return CallPhase::body;
    }
    return any_byte_ ? CallPhase::header : CallPhase::first_byte;
}

std::optional<Response> ReplyReader::take_response() {
    if (!has_final_header_) {
        return std::nullopt;
    }
    return std::exchange(parser_->response, {});
}

} // namespace onceswap::http
