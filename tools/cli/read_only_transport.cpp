#include "tools/cli/read_only_transport.hpp"

#include "http_transport/transport_error.hpp"

#include <string_view>
#include <utility>

namespace onceswap::cli {

namespace {

constexpr std::string_view only_reads = "this program only reads: ";

/// Begins with one of the words that change nothing, as protocol renders them.
bool is_reading_text(std::string_view sql) {
    return sql.starts_with("SELECT ") || sql.starts_with("SHOW ");
}

http::Evidence refused_evidence(const http::Endpoint& endpoint, const std::string& why) {
    http::Evidence evidence;
    evidence.error = http::TransportError::request_not_sendable;
    evidence.peer = endpoint.text();
    evidence.detail = std::string(only_reads) + why;
    return evidence;
}

} // namespace

std::string refusal_of(const http::Request& request) {
    const std::string kind(protocol::text(request.statement.kind));
    if (protocol::is_mutation(request.statement.kind) || protocol::is_on_cluster(request.statement.kind))
        return kind + " changes something";
    if (!is_reading_text(request.statement.sql))
        return "the text of " + kind + " is no SELECT and no SHOW";
    if (!request.payload.empty())
        return kind + " has rows";
    return {};
}

ReadOnlyTransport::ReadOnlyTransport(std::unique_ptr<http::Transport> inner) : inner_(std::move(inner)) {}

boost::asio::awaitable<http::Exchange>
ReadOnlyTransport::read(http::Endpoint endpoint, http::Request request) {
    const std::string why = refusal_of(request);
    if (!why.empty()) {
        ++refused_;
        http::Exchange refused;
        refused.evidence = refused_evidence(endpoint, why);
        co_return refused;
    }
    ++passed_;
    http::Exchange exchange = co_await inner_->read(std::move(endpoint), std::move(request));
    co_return exchange;
}

boost::asio::awaitable<http::Prepared>
ReadOnlyTransport::prepare(http::Endpoint endpoint, std::chrono::steady_clock::time_point /*deadline*/) {
    ++refused_;
    http::Prepared refused;
    refused.evidence = refused_evidence(endpoint, "there is no way for a mutation");
    co_return refused;
}

} // namespace onceswap::cli
