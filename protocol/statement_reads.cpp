#include "protocol/answer_columns.hpp"
#include "protocol/mutant.hpp"
#include "protocol/statements.hpp"

#include <array>
#include <stdexcept>

namespace onceswap::protocol {

namespace {

constexpr std::string_view server_uuid = "toString(serverUUID()) AS server_uuid";
constexpr std::string_view identity = "toString(serverUUID()) AS server_uuid, version() AS version, "
                                      "hostName() AS host_name, tcpPort() AS tcp_port, "
                                      "toUnixTimestamp(now()) AS now";
constexpr std::string_view queue_table = "system.distributed_ddl_queue";

// Everything that any request of this project sets, the transport's part included, and the version of queue
// entries.
constexpr std::array<std::string_view, 17> asked_settings = {
    "async_insert",
    "distributed_ddl_entry_format_version",
    "distributed_ddl_output_mode",
    "distributed_ddl_task_timeout",
    "enable_http_compression",
    "http_write_exception_in_output_format",
    "input_format_skip_unknown_fields",
    "insert_deduplicate",
    "insert_deduplication_token",
    "insert_keeper_max_retries",
    "keeper_map_strict_mode",
    "log_comment",
    "max_execution_time",
    "output_format_json_quote_64bit_integers",
    "output_format_json_validate_utf8",
    "send_progress_in_http_headers",
    "skip_unavailable_shards",
};

// What of a user's profile changes how statements run or what they show.
constexpr std::array<std::string_view, 5> profile_settings = {
    "allow_distributed_ddl",
    "database_atomic_wait_for_drop_and_detach_synchronously",
    "keeper_max_retries",
    "readonly",
    "skip_unavailable_shards",
};

std::string cast_tuple(AnswerColumns columns) {
    std::string expressions;
    std::string types;
    for (const AnswerColumn& column : columns) {
        if (!types.empty()) {
            expressions += ", ";
            types += ", ";
        }
        expressions += column.expression;
        types += column.name;
        types += ' ';
        types += column.type;
    }
    return "CAST(tuple(" + expressions + ") AS Tuple(" + types + "))";
}

// The rows of a table as one value: a statement then has exactly one row, and absence is an empty list in it.
// Rendered once for each list of columns: every pass sends the same.
template <const auto& columns>
std::string list(std::string_view table, std::string_view condition, std::string_view alias) {
    static const std::string gathered = "(SELECT groupArray(" + cast_tuple(columns) + ") FROM ";
    std::string sql;
    sql.reserve(gathered.size() + table.size() + condition.size() + alias.size() + 16);
    sql += gathered;
    sql += table;
    if (!condition.empty()) {
        sql += " WHERE ";
        sql += condition;
    }
    sql += ") AS ";
    sql += alias;
    return sql;
}

template <class Names>
std::string in_list(const Names& names) {
    if (names.empty())
        throw std::invalid_argument("IN () is not SQL");
    std::string out = "(";
    for (const auto& name : names) {
        if (out.size() > 1)
            out += ", ";
        out += quote_literal(name);
    }
    return out + ")";
}

std::string equals(std::string_view column, std::string_view value) {
    return std::string(column) + " = " + quote_literal(value);
}

std::string qualified(std::string_view database, std::string_view table) {
    return quote_identifier(database) + "." + quote_identifier(table);
}

std::string select(std::initializer_list<std::string> columns) {
    std::size_t bytes = 16;
    for (const std::string& column : columns)
        bytes += column.size() + 2;
    std::string sql;
    sql.reserve(bytes);
    sql += "SELECT ";
    bool first = true;
    for (const std::string& column : columns) {
        if (!first)
            sql += ", ";
        first = false;
        sql += column;
    }
    return sql;
}

std::string authority_list(std::string_view database, const std::string& condition) {
    return list<authority_columns>(qualified(database, authority_table), condition, "authority");
}

std::string queue_list(const std::string& condition) {
    return list<queue_row_columns>(queue_table, condition, "queue");
}

} // namespace

Statement catalogue_statement(std::string_view database, std::span<const std::string> tables) {
    const std::string in_database = equals("database", database);
    return {
        StatementKind::catalogue,
        select({
            std::string(identity),
            list<clusters_columns>("system.clusters", "", "clusters"),
            list<databases_columns>("system.databases", equals("name", database), "databases"),
            list<tables_columns>("system.tables", in_database + " AND name IN " + in_list(tables), "tables"),
            list<columns_columns>(
                "system.columns", in_database + " AND table IN " + in_list(tables), "columns"
            ),
        })
    };
}

Statement keeper_statement(
    std::string_view database, std::span<const std::string> tables, std::string_view target_key
) {
    std::string sql = select({
        std::string(server_uuid),
        list<replicas_columns>(
            "system.replicas", equals("database", database) + " AND table IN " + in_list(tables), "replicas"
        ),
    });
    if (!target_key.empty())
        sql += ", " + authority_list(database, equals("target_key", target_key));
    return {StatementKind::keeper, std::move(sql)};
}

Statement authority_row_statement(std::string_view database, std::string_view target_key) {
    return {
        StatementKind::authority_row,
        select({std::string(server_uuid), authority_list(database, equals("target_key", target_key))})
    };
}

Statement authority_all_statement(std::string_view database) {
    return {StatementKind::authority_all, select({std::string(server_uuid), authority_list(database, "")})};
}

Statement capabilities_statement(std::string_view database, std::string_view candidate_prefix) {
    return {
        StatementKind::capabilities,
        select({
            std::string(identity),
            list<settings_columns>("system.settings", "name IN " + in_list(asked_settings), "settings"),
            list<queue_columns_columns>(
                "system.columns", "database = 'system' AND table = 'distributed_ddl_queue'", "queue_columns"
            ),
            list<tables_columns>("system.tables", "engine IN ('MaterializedView', 'Dictionary')", "views"),
            list<tables_columns>(
                "system.tables",
                equals("database", database) + " AND startsWith(name, " + quote_literal(candidate_prefix) +
                    ")",
                "ours"
            ),
            list<server_settings_columns>(
                "system.server_settings", "name = 'max_table_size_to_drop'", "server_settings"
            ),
        })
    };
}

Statement row_policies_statement(std::string_view database) {
    return {
        StatementKind::row_policies,
        select({
            std::string(server_uuid),
            list<row_policies_columns>("system.row_policies", equals("database", database), "row_policies"),
        })
    };
}

Statement environment_statement() {
    return {
        StatementKind::environment,
        select({
            std::string(server_uuid),
            list<profile_columns>("system.settings", "name IN " + in_list(profile_settings), "profile"),
            list<macros_columns>("system.macros", "", "macros"),
            list<tables_columns>(
                "system.tables",
                "database != 'system' AND database != 'INFORMATION_SCHEMA' AND database != "
                "'information_schema' "
                "AND engine IN ('Buffer', 'Distributed', 'KeeperMap', 'LiveView', 'Merge', 'View', "
                "'WindowView')",
                "followers"
            ),
        })
    };
}

Statement grants_statement() {
    return {StatementKind::grants, "SHOW GRANTS"};
}

Statement roster_statement(std::string_view cluster) {
    return {
        StatementKind::roster,
        "SELECT _shard_num AS shard_num, toString(serverUUID()) AS server_uuid, hostName() AS host_name FROM "
        "clusterAllReplicas(" +
            quote_literal(cluster) + ", system.one)"
    };
}

Statement queue_by_token_statement(std::string_view token) {
    return {
        StatementKind::queue_by_token,
        select({std::string(server_uuid), queue_list(equals("settings['log_comment']", token))})
    };
}

Statement queue_by_prefix_statement(std::string_view prefix) {
    return {
        StatementKind::queue_by_prefix,
        select({
            std::string(server_uuid),
            queue_list("startsWith(settings['log_comment'], " + quote_literal(prefix) + ")"),
        })
    };
}

Statement queue_unfinished_statement() {
    return {
        StatementKind::queue_unfinished,
        select({
            std::string(server_uuid),
            "(SELECT uniqExact(entry) FROM " + std::string(queue_table) + ") AS entries_in_queue",
            queue_list("(toString(status) != 'Finished' OR status IS NULL)"),
        })
    };
}

Statement row_count_statement(const TargetName& table, bool with_final) {
    return {
        with_final ? StatementKind::row_count_final : StatementKind::row_count,
        select({
            std::string(server_uuid),
            mutated(Mutant::total_rows_taken_as_count)
                ? "(SELECT sum(total_rows) FROM system.tables WHERE " + equals("database", table.database) +
                      " AND " + equals("name", table.table) + ") AS rows"
                : "(SELECT count() FROM " + qualified(table.database, table.table) +
                      (with_final ? " FINAL" : "") + ") AS rows",
        })
    };
}

Statement settings_probe_statement(const Settings& settings) {
    return {StatementKind::settings_probe, select({std::string(server_uuid), "1 AS one"}), settings};
}

Statement version_statement() {
    return {StatementKind::version, select({"version() AS version"})};
}

Statement column_types_statement(const TargetName& table) {
    return {
        StatementKind::column_types,
        select({
            std::string(server_uuid),
            list<loader_columns>(
                "system.columns",
                equals("database", table.database) + " AND " + equals("table", table.table),
                "columns"
            ),
        })
    };
}

} // namespace onceswap::protocol
