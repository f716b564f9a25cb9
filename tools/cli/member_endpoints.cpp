#include "tools/cli/member_endpoints.hpp"

#include "http_transport/response.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statements.hpp"

#include <array>
#include <optional>
#include <utility>

namespace onceswap::cli {

namespace {

constexpr int code_readonly = 164;

} // namespace

protocol::Result<http::Endpoint> endpoint_of_host(const Options& options, std::string_view host) {
    std::string url = options.secure ? "https://" : "http://";
    const bool is_ipv6 = host.find(':') != host.npos && !host.starts_with('[');
    url += is_ipv6 ? "[" + std::string(host) + "]" : std::string(host);
    url += ":" + std::to_string(options.http_port);
    auto endpoint = http::Endpoint::parse(url);
    if (!endpoint)
        return protocol::Failure(protocol::Code::config_invalid, "--host: " + endpoint.error());
    return *endpoint;
}

boost::asio::awaitable<protocol::Result<std::vector<http::Endpoint>>> derive_endpoints(
    http::Transport& transport,
    engine::Entropy& entropy,
    http::Endpoint first,
    Options options,
    engine::TimePoint deadline
) {
    const std::string table = options.all ? std::string(protocol::authority_table) : options.table.table;
    const std::array<std::string, 1> tables = {table};
    protocol::Statement statement = protocol::catalogue_statement(options.table.database, tables);
    http::Request request(std::move(statement), entropy.hex32());
    request.deadline = deadline;
    http::Exchange exchange = co_await transport.read(first, std::move(request));
    const auto body = http::successful_body(exchange);
    if (!body) {
        const std::string what = first.text() + ": " + body.error();
        co_return protocol::Failure(protocol::Code::connection_failed, what);
    }
    const auto facts = protocol::decode_catalogue(*body);
    if (!facts)
        co_return facts.error();
    std::vector<http::Endpoint> endpoints;
    for (const protocol::ClusterRow& row : facts->clusters) {
        if (row.cluster != options.cluster)
            continue;
        auto endpoint = endpoint_of_host(options, row.host_name);
        if (!endpoint)
            co_return endpoint.error();
        endpoints.push_back(*endpoint);
    }
    if (endpoints.empty()) {
        const std::string what = first.text() + " knows no cluster `" + options.cluster + "`";
        co_return protocol::Failure(protocol::Code::inventory_incomplete, what);
    }
    co_return endpoints;
}

boost::asio::awaitable<bool> is_readonly_user(
    http::Transport& transport, engine::Entropy& entropy, http::Endpoint endpoint, engine::TimePoint deadline
) {
    protocol::Statement statement = protocol::settings_probe_statement({});
    http::Request request(std::move(statement), entropy.hex32());
    request.deadline = deadline;
    http::Exchange exchange = co_await transport.read(endpoint, std::move(request));
    if (!exchange.response)
        co_return false;
    const std::optional<protocol::ServerException> exception = http::find_exception(*exchange.response);
    co_return exception && exception->code == code_readonly;
}

} // namespace onceswap::cli
