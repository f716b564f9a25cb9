#pragma once

#include <array>
#include <span>
#include <string_view>

namespace onceswap::protocol {

/// One field of a list in an answer: the expression that is asked for, and the name and type that it is cast
/// to. The statements are rendered from these tables and the answers are checked against them, so the two
/// cannot part.
struct AnswerColumn {
    std::string_view expression;
    std::string_view name;
    std::string_view type;
};

using AnswerColumns = std::span<const AnswerColumn>;

// A field name that is a keyword would come back quoted in the line of types; `table` is therefore
// `table_name`.

inline constexpr std::array clusters_columns = {
    AnswerColumn{"cluster", "cluster", "String"},
    AnswerColumn{"shard_num", "shard_num", "UInt32"},
    AnswerColumn{"replica_num", "replica_num", "UInt32"},
    AnswerColumn{"host_name", "host_name", "String"},
    AnswerColumn{"host_address", "host_address", "String"},
    AnswerColumn{"port", "port", "UInt16"},
    AnswerColumn{"is_local", "is_local", "UInt8"},
    AnswerColumn{"internal_replication", "internal_replication", "UInt8"},
};

inline constexpr std::array databases_columns = {
    AnswerColumn{"name", "name", "String"},
    AnswerColumn{"engine", "engine", "String"},
    AnswerColumn{"toString(uuid)", "uuid", "String"},
};

inline constexpr std::array tables_columns = {
    AnswerColumn{"database", "database", "String"},
    AnswerColumn{"name", "name", "String"},
    AnswerColumn{"toString(uuid)", "uuid", "String"},
    AnswerColumn{"engine", "engine", "String"},
    AnswerColumn{"engine_full", "engine_full", "String"},
    AnswerColumn{"create_table_query", "create_table_query", "String"},
    AnswerColumn{"partition_key", "partition_key", "String"},
    AnswerColumn{"sorting_key", "sorting_key", "String"},
    AnswerColumn{"primary_key", "primary_key", "String"},
    AnswerColumn{"sampling_key", "sampling_key", "String"},
    AnswerColumn{"dependencies_database", "dependencies_database", "Array(String)"},
    AnswerColumn{"dependencies_table", "dependencies_table", "Array(String)"},
    AnswerColumn{"loading_dependent_database", "loading_dependent_database", "Array(String)"},
    AnswerColumn{"loading_dependent_table", "loading_dependent_table", "Array(String)"},
    AnswerColumn{"total_bytes", "total_bytes", "Nullable(UInt64)"},
};

inline constexpr std::array columns_columns = {
    AnswerColumn{"table", "table_name", "String"},
    AnswerColumn{"position", "position", "UInt64"},
    AnswerColumn{"name", "name", "String"},
    AnswerColumn{"type", "type", "String"},
    AnswerColumn{"default_kind", "default_kind", "String"},
    AnswerColumn{"default_expression", "default_expression", "String"},
    AnswerColumn{"compression_codec", "compression_codec", "String"},
};

inline constexpr std::array replicas_columns = {
    AnswerColumn{"table", "table_name", "String"},
    AnswerColumn{"is_readonly", "is_readonly", "UInt8"},
    AnswerColumn{"is_session_expired", "is_session_expired", "UInt8"},
    AnswerColumn{"total_replicas", "total_replicas", "UInt32"},
    AnswerColumn{"active_replicas", "active_replicas", "UInt32"},
    AnswerColumn{"queue_size", "queue_size", "UInt32"},
    AnswerColumn{"absolute_delay", "absolute_delay", "UInt64"},
    AnswerColumn{"log_max_index", "log_max_index", "UInt64"},
    AnswerColumn{"log_pointer", "log_pointer", "UInt64"},
    AnswerColumn{"zookeeper_name", "zookeeper_name", "String"},
    AnswerColumn{"zookeeper_path", "zookeeper_path", "String"},
    AnswerColumn{"replica_name", "replica_name", "String"},
    AnswerColumn{"last_queue_update_exception", "last_queue_update_exception", "String"},
    AnswerColumn{"zookeeper_exception", "zookeeper_exception", "String"},
};

inline constexpr std::array authority_columns = {
    AnswerColumn{"target_key", "target_key", "String"},
    AnswerColumn{"operation_id", "operation_id", "String"},
    AnswerColumn{"fence_token", "fence_token", "String"},
    AnswerColumn{"phase", "phase", "String"},
    AnswerColumn{"dispatch_epoch", "dispatch_epoch", "UInt64"},
    AnswerColumn{"payload", "payload", "String"},
    AnswerColumn{"toString(payload_sha256)", "payload_sha256", "String"},
    AnswerColumn{"_version", "_version", "Int32"},
};

inline constexpr std::array settings_columns = {
    AnswerColumn{"name", "name", "String"},
    AnswerColumn{"value", "value", "String"},
    AnswerColumn{"readonly", "readonly", "UInt8"},
};

inline constexpr std::array queue_columns_columns = {
    AnswerColumn{"name", "name", "String"},
    AnswerColumn{"type", "type", "String"},
};

inline constexpr std::array server_settings_columns = {
    AnswerColumn{"name", "name", "String"},
    AnswerColumn{"value", "value", "String"},
};

inline constexpr std::array row_policies_columns = {
    AnswerColumn{"short_name", "name", "String"},
    AnswerColumn{"table", "table_name", "String"},
};

inline constexpr std::array macros_columns = {
    AnswerColumn{"macro", "name", "String"},
    AnswerColumn{"substitution", "value", "String"},
};

inline constexpr std::array profile_columns = {
    AnswerColumn{"name", "name", "String"},
    AnswerColumn{"value", "value", "String"},
};

inline constexpr std::array queue_row_columns = {
    AnswerColumn{"entry", "entry", "String"},
    AnswerColumn{"entry_version", "entry_version", "Nullable(UInt8)"},
    AnswerColumn{"cluster", "cluster", "String"},
    AnswerColumn{"query", "query", "String"},
    AnswerColumn{"settings", "settings", "Map(String, String)"},
    AnswerColumn{"toUnixTimestamp(query_create_time)", "query_create_time", "UInt32"},
    AnswerColumn{"host", "host", "Nullable(String)"},
    AnswerColumn{"port", "port", "Nullable(UInt16)"},
    AnswerColumn{"toString(status)", "status", "Nullable(String)"},
    AnswerColumn{"exception_code", "exception_code", "Nullable(Int64)"},
    AnswerColumn{"exception_text", "exception_text", "Nullable(String)"},
};

inline constexpr std::array loader_columns = {
    AnswerColumn{"position", "position", "UInt64"},
    AnswerColumn{"name", "name", "String"},
    AnswerColumn{"type", "type", "String"},
    AnswerColumn{"default_kind", "default_kind", "String"},
};

} // namespace onceswap::protocol
