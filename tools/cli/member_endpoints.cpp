#include "tools/cli/member_endpoints.hpp"

#include "engine/task_group.hpp"
#include "http_transport/response.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/this_coro.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace onceswap::cli {

namespace {

constexpr int code_readonly = 164;

} // namespace

protocol::Result<http::Endpoint> endpoint_of_host(const Options& options, std::string_view host) {
    if (host.find_first_of("/?#@ ") != host.npos)
        return protocol::Failure(
            protocol::Code::config_invalid, "--host: not a host alone; a URL goes to --url"
        );
    std::string url = options.secure ? "https://" : "http://";
    const bool is_ipv6 = host.find(':') != host.npos && !host.starts_with('[');
    url += is_ipv6 ? "[" + std::string(host) + "]" : std::string(host);
    url += ":" + std::to_string(options.http_port);
    auto endpoint = http::Endpoint::parse(url);
    if (!endpoint)
        return protocol::Failure(protocol::Code::config_invalid, "--host: " + endpoint.error());
    return *endpoint;
}

namespace {

using Derived = protocol::Result<std::vector<http::Endpoint>>;

boost::asio::awaitable<Derived> ask_seed(
    http::Transport& transport,
    engine::Entropy& entropy,
    http::Endpoint seed,
    const Options& options,
    engine::TimePoint deadline
) {
    const std::string table = options.all ? std::string(protocol::authority_table) : options.table.table;
    const std::array<std::string, 1> tables = {table};
    protocol::Statement statement = protocol::catalogue_statement(options.table.database, tables);
    http::Request request(std::move(statement), entropy.hex32());
    request.deadline = deadline;
    http::Exchange exchange = co_await transport.read(seed, std::move(request));
    const auto body = http::successful_body(exchange);
    if (!body) {
        const std::string name = seed.text(); // what failed before an answer says it itself
        const std::string what = body.error().starts_with(name) ? body.error() : name + ": " + body.error();
        co_return protocol::Failure(protocol::Code::connection_failed, what);
    }
    const auto facts = protocol::decode_catalogue(*body);
    if (!facts)
        co_return protocol::Failure(facts.error().code, seed.text() + ": " + facts.error().detail);
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
        const std::string what = seed.text() + " knows no cluster `" + options.cluster + "`";
        co_return protocol::Failure(protocol::Code::inventory_incomplete, what);
    }
    co_return endpoints;
}

boost::asio::awaitable<void> keep_derived(
    http::Transport& transport,
    engine::Entropy& entropy,
    http::Endpoint seed,
    const Options& options,
    engine::TimePoint deadline,
    engine::TaskGroup& group,
    std::optional<Derived>& answer
) {
    Derived derived = co_await ask_seed(transport, entropy, std::move(seed), options, deadline);
    if (derived)
        group.cancel(); // the others need not be waited for
    answer = std::move(derived);
}

boost::asio::awaitable<void> keep_standing(
    http::Transport& transport,
    engine::Entropy& entropy,
    http::Endpoint endpoint,
    engine::TimePoint deadline,
    engine::TaskGroup& group,
    std::optional<bool>& is_readonly
) {
    protocol::Statement statement = protocol::settings_probe_statement({});
    http::Request request(std::move(statement), entropy.hex32());
    request.deadline = deadline;
    http::Exchange exchange = co_await transport.read(endpoint, std::move(request));
    if (!exchange.response || is_readonly)
        co_return;
    const std::optional<protocol::ServerException> exception = http::find_exception(*exchange.response);
    is_readonly = exception && exception->code == code_readonly;
    group.cancel();
}

/// What all of them said, under the code of one that answered, where one did.
protocol::Failure no_seed_answers(const std::vector<std::optional<Derived>>& answers) {
    protocol::Failure failure(protocol::Code::connection_failed, {});
    for (const std::optional<Derived>& answer : answers) {
        if (!answer)
            continue;
        const protocol::Failure& each = answer->error();
        if (failure.code == protocol::Code::connection_failed)
            failure.code = each.code;
        failure.detail += (failure.detail.empty() ? "" : "; ") + each.detail;
    }
    return failure;
}

} // namespace

boost::asio::awaitable<protocol::Result<std::vector<http::Endpoint>>> derive_endpoints(
    http::Transport& transport,
    engine::Entropy& entropy,
    std::vector<http::Endpoint> seeds,
    Options options,
    engine::TimePoint deadline
) {
    std::vector<std::optional<Derived>> answers(seeds.size());
    auto executor = co_await boost::asio::this_coro::executor;
    engine::TaskGroup group(executor);
    for (std::size_t i = 0; i < seeds.size(); ++i)
        group.spawn(keep_derived(transport, entropy, seeds[i], options, deadline, group, answers[i]));
    co_await group.join();
    for (const std::optional<Derived>& answer : answers)
        if (answer && *answer)
            co_return **answer;
    co_return no_seed_answers(answers);
}

boost::asio::awaitable<bool> is_readonly_user(
    http::Transport& transport,
    engine::Entropy& entropy,
    std::vector<http::Endpoint> endpoints,
    engine::TimePoint deadline
) {
    std::optional<bool> is_readonly;
    auto executor = co_await boost::asio::this_coro::executor;
    engine::TaskGroup group(executor);
    for (const http::Endpoint& endpoint : endpoints)
        group.spawn(keep_standing(transport, entropy, endpoint, deadline, group, is_readonly));
    co_await group.join();
    co_return is_readonly.value_or(false);
}

} // namespace onceswap::cli
