#include "engine/settings_probe.hpp"

#include "engine/member_read.hpp"
#include "engine/task_group.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

struct Probe {
    Probe(const http::Endpoint& endpoint, protocol::StatementKind stands_for_, protocol::Statement statement)
        : read(endpoint, endpoint.text(), std::move(statement), false), stands_for(stands_for_) {
        read.quiet = true;
    }

    MemberRead read;
    protocol::StatementKind stands_for;
    std::string refusal; ///< empty: accepted, or no answer
};

asio::awaitable<void> ask(Context& context, Probe& probe, TimePoint deadline) {
    const MemberAnswer answer = co_await read_once(context, probe.read, deadline);
    if (answer.exception) {
        probe.refusal = answer.problem;
    }
}

/// One statement of each family; the others of a family travel with the same settings.
std::vector<protocol::Statement>
mutations_to_come(const protocol::TargetName& target, const std::string& cluster, const Limits& limits) {
    protocol::DdlOptions options;
    options.token = "onceswap-probe";
    options.distributed_ddl_task_timeout_s =
        static_cast<unsigned>(limits.distributed_ddl_task_timeout.count());
    protocol::AuthorityRow row;
    row.payload_sha256 = std::string(64, '0');
    std::vector<protocol::Statement> statements;
    statements.push_back(protocol::exchange_statement(target, target.table, cluster, options));
    statements.push_back(protocol::authority_insert_statement(target.database, row));
    statements.push_back(protocol::insert_rows_statement(target, options.token));
    return statements;
}

} // namespace

asio::awaitable<std::vector<protocol::Finding>>
probe_settings(Context& context, protocol::TargetName target, std::string cluster, TimePoint deadline) {
    const auto mutations = mutations_to_come(target, cluster, context.limits);
    std::vector<Probe> probes;
    for (const http::Endpoint& endpoint : context.cluster.endpoints) {
        for (const protocol::Statement& mutation : mutations) {
            probes.emplace_back(
                endpoint, mutation.kind, protocol::settings_probe_statement(mutation.settings)
            );
        }
    }
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    for (Probe& probe : probes) {
        group.spawn(ask(context, probe, deadline));
    }
    co_await group.join();
    std::vector<protocol::Finding> findings;
    for (const Probe& probe : probes) {
        if (probe.refusal.empty()) {
            continue;
        }
        protocol::Finding finding;
        finding.severity = protocol::Severity::refuse;
        finding.rule = protocol::Rule::settings_accepted;
        finding.code = protocol::code_of(finding.rule);
        finding.check = "settings";
        finding.host = probe.read.who;
        finding.detail = "the settings of " + std::string(protocol::text(probe.stands_for)) +
                         " are refused: " + probe.refusal;
        findings.push_back(std::move(finding));
    }
    co_return findings;
}

} // namespace onceswap::engine
