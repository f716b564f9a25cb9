#include "engine/refused_read.hpp"

#include "engine/deadline.hpp"
#include "engine/member_read.hpp"
#include "http_transport/response.hpp"
#include "protocol/statements.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;

namespace {

constexpr std::string_view unknown = "unknown";

/// `24.8.14.39`, `18.16.1`, `25.3.2.39-altinity`: it is printed, so nothing else is let through.
bool is_version(std::string_view text) {
    constexpr std::size_t longest = 64;
    return !text.empty() && text.size() <= longest && text.front() >= '0' && text.front() <= '9' &&
           std::ranges::all_of(text, [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '.' || c == '-' || c == '+' || c == '_';
           });
}

} // namespace

std::optional<Code> code_of_refused_caller(int server_code) {
    switch (server_code) {
    case 192: // UNKNOWN_USER
    case 193: // WRONG_PASSWORD
    case 194: // REQUIRED_PASSWORD
    case 497: // ACCESS_DENIED
    case 512: // SET_NON_GRANTED_ROLE
    case 516: // AUTHENTICATION_FAILED
        return Code::access_insufficient;
    case 115: // UNKNOWN_SETTING
    case 164: // READONLY
    case 452: // SETTING_CONSTRAINT_VIOLATION
        return Code::capability_missing;
    default:
        return std::nullopt;
    }
}

Code code_of_refused_read(int server_code) {
    switch (server_code) {
    case 43: // ILLEGAL_TYPE_OF_ARGUMENT
    case 46: // UNKNOWN_FUNCTION
    case 47: // UNKNOWN_IDENTIFIER
    case 50: // UNKNOWN_TYPE
    case 60: // UNKNOWN_TABLE
    case 62: // SYNTAX_ERROR
    case 63: // UNKNOWN_AGGREGATE_FUNCTION
    case 73: // UNKNOWN_FORMAT
        return Code::capability_missing;
    default:
        return code_of_refused_caller(server_code).value_or(Code::connection_failed);
    }
}

asio::awaitable<std::string> server_version(Context& context, http::Endpoint endpoint, TimePoint deadline) {
    http::Request request(protocol::version_statement(), fresh_query_id(context.entropy));
    request.deadline = earlier_of(context.clock, context.limits.read_timeout, deadline);
    const http::Exchange exchange = co_await context.transport.read(std::move(endpoint), std::move(request));
    if (!http::observe(exchange, http::BodyShape::text).success_shape)
        co_return std::string(unknown);
    std::string_view version = exchange.response->body;
    if (version.ends_with('\n'))
        version.remove_suffix(1);
    co_return std::string(is_version(version) ? version : unknown);
}

} // namespace onceswap::engine
