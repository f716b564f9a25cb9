#include "http_transport/response.hpp"

#include "http_transport/exception_text.hpp"

#include <utility>

namespace onceswap::http {
namespace {

constexpr unsigned status_ok = 200;

std::optional<ExceptionText> text_of(const Response& response) {
    const bool failed = response.status != status_ok || response.exception_code.has_value();
    return find_exception_text(
        response.body, failed ? BodyIs::error : BodyIs::result, response.exception_tag
    );
}

bool has_shape(const Response& response, BodyShape shape) {
    switch (shape) {
    case BodyShape::empty:
        return response.body.empty();
    case BodyShape::text:
        return true;
    case BodyShape::result_set:
        return looks_like_result_set(response.body);
    }
    return false;
}

/// Precondition: no exception is in the reply.
bool is_success(const Exchange& exchange, BodyShape shape) {
    const Response& response = *exchange.response;
    return exchange.evidence.reply_complete && !exchange.evidence.request_cut &&
           response.status == status_ok && !has_exception_marker(response.body) && has_shape(response, shape);
}

std::string shortened(std::string_view text) {
    constexpr std::size_t limit = 512;
    std::string out(text.substr(0, limit));
    if (text.size() > limit) {
        out += "...";
    }
    return out;
}

} // namespace

std::optional<protocol::ServerException> find_exception(const Response& response) {
    std::optional<ExceptionText> found = text_of(response);
    if (!found && !response.exception_code) {
        return std::nullopt;
    }
    protocol::ServerException exception;
    if (found) {
        exception.code = found->code;
        exception.text = std::move(found->text);
    }
    if (response.exception_code) {
        exception.code = *response.exception_code;
    }
    return exception;
}

protocol::ReplyEvidence observe(const Exchange& exchange, BodyShape shape) {
    protocol::ReplyEvidence seen;
    seen.bytes_handed_over = exchange.evidence.bytes_handed_over;
    if (!exchange.response) {
        return seen;
    }
    seen.reply_complete = exchange.evidence.reply_complete;
    seen.status = exchange.response->status;
    seen.exception = find_exception(*exchange.response);
    seen.success_shape = !seen.exception && is_success(exchange, shape);
    return seen;
}

namespace {

/// Why the exchange is no complete success; empty if it is one.
std::string shortcoming(const Exchange& exchange) {
    const Evidence& evidence = exchange.evidence;
    // The header and the status are judged before the body: a short or missing body must not hide the
    // server's reason.
    if (exchange.response) {
        if (const auto exception = find_exception(*exchange.response)) {
            const std::string words = exception->text.empty() ? "without a text" : shortened(exception->text);
            return "the server refused with code " + std::to_string(exception->code) + ": " + words;
        }
        if (exchange.response->status != status_ok) {
            return "HTTP status " + std::to_string(exchange.response->status) +
                   " without a ClickHouse exception; something in between may have answered";
        }
    }
    if (!exchange.response || !evidence.reply_complete) {
        std::string words(text(evidence.phase));
        words += ": " + (evidence.error ? evidence.error.message() : std::string("no complete reply"));
        if (!evidence.detail.empty()) {
            words += " (" + evidence.detail + ")";
        }
        return words;
    }
    if (evidence.request_cut) {
        return "a reply came before the request was sent";
    }
    if (!is_success(exchange, BodyShape::result_set)) {
        return "the reply is no whole result set in JSONCompactEachRowWithNamesAndTypes";
    }
    return {};
}

} // namespace

boost::system::result<std::string, std::string> successful_body(Exchange&& exchange) {
    std::string why = shortcoming(exchange);
    if (why.empty()) {
        return {boost::system::in_place_value, std::move(exchange.response->body)};
    }
    if (!exchange.evidence.peer.empty()) {
        why.insert(0, exchange.evidence.peer + ": ");
    }
    return {boost::system::in_place_error, std::move(why)};
}

boost::system::result<std::string, std::string> successful_body(const Exchange& exchange) {
    return successful_body(Exchange(exchange));
}

} // namespace onceswap::http
