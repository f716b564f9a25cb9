#include "engine/action_statement.hpp"

#include "protocol/mutant.hpp"

namespace onceswap::engine {

using protocol::Phase;
using protocol::StatementKind;

std::optional<protocol::Statement>
action_statement(const protocol::AuthorityRecord& record, const Limits& limits) {
    const protocol::DdlAttempt* attempt = protocol::current_attempt(record);
    if (attempt == nullptr) {
        return std::nullopt;
    }
    protocol::DdlOptions options;
    options.token = attempt->token;
    options.distributed_ddl_task_timeout_s =
        static_cast<unsigned>(limits.distributed_ddl_task_timeout.count());
    const auto rename = [&](StatementKind kind, const std::string& from, const std::string& to) {
        return protocol::rename_statement(kind, record.target.database, from, to, record.cluster, options);
    };
    switch (record.phase) {
    case Phase::dispatching:
        if (record.predecessor) {
            return protocol::exchange_statement(record.target, record.candidate, record.cluster, options);
        }
        return rename(StatementKind::rename_publish, record.candidate, record.target.table);
    case Phase::set_aside_dispatching:
        if (mutated(protocol::Mutant::drop_without_set_aside)) {
            auto drop = protocol::drop_statement(
                StatementKind::drop_aside, record.target.database, record.candidate, record.cluster, options
            );
            drop.kind = StatementKind::rename_aside;
            return drop;
        }
        return rename(StatementKind::rename_aside, record.candidate, record.aside);
    case Phase::cleanup_dispatching:
        return protocol::drop_statement(
            StatementKind::drop_aside, record.target.database, record.aside, record.cluster, options
        );
    case Phase::retiring:
        return rename(StatementKind::rename_retire, record.candidate, record.aside);
    case Phase::prepared:
    case Phase::committed:
    case Phase::completed:
    case Phase::abandoned:
        break;
    }
    return std::nullopt;
}

std::optional<protocol::ExpectedEntry>
expected_entry(const protocol::AuthorityRecord& record, const Limits& limits) {
    const auto statement = action_statement(record, limits);
    if (!statement) {
        return std::nullopt;
    }
    const protocol::DdlAttempt& attempt = *protocol::current_attempt(record);
    protocol::ExpectedEntry expected;
    expected.token = attempt.token;
    expected.statement = statement->sql;
    expected.cluster = record.cluster;
    expected.entry = attempt.entry;
    expected.query_digest = attempt.query_digest;
    return expected;
}

std::optional<protocol::Inventory> inventory_of(const protocol::AuthorityRecord& record) {
    std::vector<protocol::ClusterRow> rows;
    for (const protocol::RecordedMember& member : record.members) {
        protocol::ClusterRow row;
        row.cluster = record.cluster;
        row.shard_num = 1;
        row.replica_num = member.replica_num;
        row.host_name = member.at.host;
        row.port = member.at.port;
        row.internal_replication = true;
        rows.push_back(std::move(row));
    }
    auto inventory = protocol::Inventory::from_rows(record.cluster, rows);
    if (!inventory) {
        return std::nullopt;
    }
    return std::move(*inventory);
}

std::vector<protocol::HostPort> hosts_of_record(const protocol::AuthorityRecord& record) {
    std::vector<protocol::HostPort> hosts;
    for (const protocol::RecordedMember& member : record.members) {
        hosts.push_back(member.at);
    }
    return hosts;
}

} // namespace onceswap::engine
