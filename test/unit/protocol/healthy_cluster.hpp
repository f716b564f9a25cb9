#pragma once

#include "protocol/admission.hpp"
#include "protocol/names.hpp"

#include <string>
#include <vector>

// A cluster of which every admission check is satisfied; tests spoil one thing at a time.

namespace healthy {

using namespace onceswap::protocol;

inline const TargetName target{"d", "t"};
inline constexpr const char* operation = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
inline constexpr const char* candidate = "onceswap_candidate";
inline constexpr const char* engine_full = "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', "
                                           "'{replica}') ORDER BY id SETTINGS index_granularity = 8192";

inline Uuid uuid(char digit) {
    return *Uuid::parse(std::string(8, digit) + "-0000-4000-8000-000000000000");
}

inline Uuid server(std::size_t member) {
    return uuid(static_cast<char>('1' + member));
}

inline std::string host(std::size_t member) {
    return "ch" + std::to_string(member + 1);
}

inline std::vector<ClusterRow> cluster_rows(std::size_t members, std::size_t local) {
    std::vector<ClusterRow> rows;
    for (std::size_t i = 0; i < members; ++i)
        rows.push_back(
            {"c",
             1,
             static_cast<std::uint32_t>(i + 1),
             host(i),
             "10.0.0." + std::to_string(i + 1),
             9000,
             i == local,
             true}
        );
    return rows;
}

inline TableRow table_row(const std::string& name, const Uuid& id) {
    TableRow row;
    row.database = target.database;
    row.name = name;
    row.uuid = id;
    row.engine = "ReplicatedMergeTree";
    row.engine_full = engine_full;
    row.keys = {"", "id", "id", ""};
    row.total_bytes = 1000;
    return row;
}

inline ReplicaRow
replica_row(const std::string& table, const Uuid& id, std::size_t member, std::size_t members) {
    ReplicaRow row;
    row.table = table;
    row.total_replicas = row.active_replicas = static_cast<std::uint32_t>(members);
    row.log_max_index = 3;
    row.log_pointer = 4;
    row.zookeeper_name = "default";
    row.zookeeper_path = "/clickhouse/tables/" + id.text() + "/1";
    row.replica_name = "r" + std::to_string(member + 1);
    return row;
}

inline std::vector<ColumnDefinition> columns() {
    return {{1, "id", "UInt64", "", "", ""}, {2, "name", "String", "", "", ""}};
}

inline TableRow facade_row() {
    TableRow row;
    row.database = target.database;
    row.name = authority_table;
    row.uuid = uuid('f');
    row.engine = "KeeperMap";
    row.engine_full = "KeeperMap('/onceswap/authority/v1') PRIMARY KEY target_key";
    row.keys.primary_key = "target_key";
    return row;
}

inline std::vector<ColumnDefinition> facade_columns() {
    std::vector<ColumnDefinition> out;
    for (const char* name :
         {"target_key", "operation_id", "fence_token", "phase", "dispatch_epoch", "payload"})
        out.push_back({out.size() + 1, name, "String", "", "", ""});
    out[4].type = "UInt64";
    out.push_back({7, "payload_sha256", "FixedString(64)", "", "", ""});
    return out;
}

inline CapabilityFacts capabilities(std::size_t member) {
    CapabilityFacts facts;
    facts.identity.server_uuid = server(member);
    facts.settings = {
        {"async_insert", "0"},
        {"distributed_ddl_entry_format_version", "5"},
        {"distributed_ddl_output_mode", "throw"},
        {"distributed_ddl_task_timeout", "180"},
        {"insert_keeper_max_retries", "20"},
        {"keeper_map_strict_mode", "0"},
        {"log_comment", ""},
        {"max_execution_time", "0"},
        {"skip_unavailable_shards", "0"},
    };
    for (const char* column :
         {"entry",
          "entry_version",
          "cluster",
          "query",
          "query_create_time",
          "host",
          "port",
          "status",
          "exception_code",
          "exception_text"})
        facts.queue_columns[column] = "String";
    facts.queue_columns["settings"] = "Map(String, String)";
    facts.max_table_size_to_drop = 50'000'000'000;
    return facts;
}

inline EndpointFacts endpoint(std::size_t member, std::size_t members, bool with_target = true) {
    EndpointFacts facts;
    facts.endpoint = "http://" + host(member) + ":8123";
    CatalogueFacts& catalogue = facts.catalogue.emplace();
    catalogue.identity = {server(member), "24.8.14.39", host(member), 9000, 1'700'000'000};
    catalogue.clusters = cluster_rows(members, member);
    catalogue.databases = {{"d", "Atomic", uuid('d')}};
    catalogue.tables = {facade_row()};
    catalogue.columns[std::string(authority_table)] = facade_columns();
    KeeperFacts& keeper = facts.keeper.emplace();
    keeper.server_uuid = server(member);
    if (with_target) {
        catalogue.tables.push_back(table_row("t", uuid('a')));
        catalogue.columns["t"] = columns();
        keeper.replicas = {replica_row("t", uuid('a'), member, members)};
    }
    facts.capabilities = capabilities(member);
    facts.row_policies.emplace().server_uuid = server(member);
    facts.grants = {"GRANT ALL ON *.* TO u"};
    return facts;
}

inline AdmissionFacts cluster(std::size_t members = 2, bool with_target = true) {
    AdmissionFacts facts;
    facts.cluster = "c";
    facts.target = target;
    facts.authority_root = "/onceswap/authority/v1";
    for (std::size_t i = 0; i < members; ++i) {
        facts.endpoints.push_back(endpoint(i, members, with_target));
        facts.roster.push_back({i + 1, server(i), host(i)});
    }
    return facts;
}

inline QueueRow unfinished(const std::string& entry, const std::string& query, std::size_t member = 1) {
    QueueRow row;
    row.entry = entry;
    row.entry_version = 5;
    row.cluster = "c";
    row.query = query;
    row.query_create_time = 1'700'000'000 - 30;
    row.host = host(member);
    row.port = 9000;
    row.status = "Inactive";
    return row;
}

inline Generation generation(const Uuid& id) {
    return {
        id,
        normalize_engine_full(engine_full, id),
        schema_digest(columns(), {"", "id", "id", ""}),
        "default",
        "/clickhouse/tables/" + id.text() + "/1"
    };
}

inline Inventory inventory(std::size_t members = 2) {
    return Inventory::from_rows("c", cluster_rows(members, 0)).value();
}

inline CandidateFacts staged(std::size_t members = 2) {
    CandidateFacts facts;
    facts.name = candidate;
    facts.uuid = uuid('c');
    facts.staged_rows = 10;
    for (std::size_t i = 0; i < members; ++i) {
        CandidateFacts::PerMember& member = facts.members.emplace_back();
        member.at = {host(i), 9000};
        member.catalogue.emplace();
        member.catalogue->identity.server_uuid = server(i);
        member.catalogue->tables = {table_row(candidate, uuid('c'))};
        member.catalogue->columns[candidate] = columns();
        member.keeper.emplace();
        member.keeper->server_uuid = server(i);
        member.keeper->replicas = {replica_row(candidate, uuid('c'), i, members)};
        member.rows = 10;
    }
    return facts;
}

} // namespace healthy
