#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/generation.hpp"
#include "protocol/inventory.hpp"
#include "protocol/uuid.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace onceswap::protocol {

/// Who answered. Every reading statement carries it; the answer counts only for the member with this server
/// UUID.
struct Identity {
    Uuid server_uuid;
    std::string version;
    std::string host_name; ///< the operating system's, evidence only
    std::uint16_t tcp_port = 0;
    std::int64_t now = 0; ///< the member's clock, seconds since the Unix epoch
    friend bool operator==(const Identity&, const Identity&) = default;
};

struct DatabaseRow {
    std::string name;
    std::string engine;
    Uuid uuid;
    friend bool operator==(const DatabaseRow&, const DatabaseRow&) = default;
};

/// One row of system.tables, as asked for.
struct TableRow {
    std::string database;
    std::string name;
    Uuid uuid;
    std::string engine;
    std::string engine_full; ///< raw
    std::string create_table_query;
    TableKeys keys;
    std::vector<std::string> dependencies;       ///< `db.name` of views fed by it
    std::vector<std::string> loading_dependents; ///< `db.name` of dictionaries that read it
    std::optional<std::uint64_t> total_bytes;
    friend bool operator==(const TableRow&, const TableRow&) = default;
};

/// What one member says without asking its Keeper: the catalogue statement's answer, decoded.
struct CatalogueFacts {
    Identity identity;
    std::vector<ClusterRow> clusters; ///< every row of system.clusters, all cluster names
    std::vector<DatabaseRow> databases;
    std::vector<TableRow> tables;                                 ///< only the asked names that exist
    std::map<std::string, std::vector<ColumnDefinition>> columns; ///< by table name
    friend bool operator==(const CatalogueFacts&, const CatalogueFacts&) = default;
};

/// One row of system.replicas.
struct ReplicaRow {
    std::string table;
    bool is_readonly = false;
    bool is_session_expired = false;
    std::uint32_t total_replicas = 0;
    std::uint32_t active_replicas = 0;
    std::uint32_t queue_size = 0;
    std::uint64_t absolute_delay = 0;
    std::uint64_t log_max_index = 0;
    std::uint64_t log_pointer = 0;
    std::string zookeeper_name;
    std::string zookeeper_path;
    std::string replica_name;
    std::string last_queue_update_exception;
    std::string zookeeper_exception;
    friend bool operator==(const ReplicaRow&, const ReplicaRow&) = default;
};

/// What one member says with its Keeper's help. `authority` is nullopt where the slot has no row.
struct KeeperFacts {
    Uuid server_uuid;
    std::vector<ReplicaRow> replicas;
    std::optional<AuthorityRow> authority;
    friend bool operator==(const KeeperFacts&, const KeeperFacts&) = default;
};

/// What admission asks besides: settings, queue table columns, dependents, policies.
struct CapabilityFacts {
    Identity identity;
    std::map<std::string, std::string> settings;      ///< system.settings: name to value
    std::vector<std::string> readonly_settings;       ///< names that this user may not change
    std::map<std::string, std::string> queue_columns; ///< system.distributed_ddl_queue: column to type
    std::vector<TableRow> views; ///< every MaterializedView and Dictionary of the server, any database
    std::vector<TableRow>
        ours; ///< every table of the target's database whose name begins with the candidate prefix
    std::optional<std::uint64_t>
        max_table_size_to_drop; ///< bytes; 0: no limit; nullopt: not shown by this version
    friend bool operator==(const CapabilityFacts&, const CapabilityFacts&) = default;
};

/// What `doctor` asks besides, without sending any setting.
struct EnvironmentFacts {
    Uuid server_uuid;
    std::map<std::string, std::string> profile; ///< of the user's profile: name to value
    std::map<std::string, std::string> macros;
    /// Every table of the server that can follow another one by its name, and every KeeperMap, any database.
    std::vector<TableRow> followers;
    friend bool operator==(const EnvironmentFacts&, const EnvironmentFacts&) = default;
};

/// Builds the generation of one table from the two answers of one member. nullopt where the table has no row
/// in `catalogue` or, for a Replicated table, none in `replicas`.
std::optional<Generation>
generation_of(const CatalogueFacts& catalogue, std::span<const ReplicaRow> replicas, std::string_view table);

} // namespace onceswap::protocol
