#include "protocol/mutant.hpp"
#include "protocol/statements.hpp"

#include <algorithm>
#include <stdexcept>

namespace onceswap::protocol {

namespace {

std::string qualified(std::string_view database, std::string_view table) {
    return quote_identifier(database) + "." + quote_identifier(table);
}

std::string on_cluster(std::string_view cluster) {
    return " ON CLUSTER " + quote_identifier(cluster);
}

// `throw` is the only output mode whose reply tells a failing host by an exception; 0 s without execution
// limit: the wait is bounded by distributed_ddl_task_timeout alone, so that 159 has one meaning.
Settings ddl_settings(const DdlOptions& options) {
    return {
        {"log_comment", options.token},
        {"distributed_ddl_output_mode", "throw"},
        {"distributed_ddl_task_timeout", std::to_string(options.distributed_ddl_task_timeout_s)},
        {"skip_unavailable_shards", "0"},
        {"max_execution_time", "0"},
    };
}

// Without retries inside the server, (Bad version) and (Node exists) mean that another writer won. With them
// they can also mean that our own first attempt did.
Settings authority_settings() {
    return {
        {"keeper_map_strict_mode", mutated(Mutant::keeper_map_not_strict) ? "0" : "1"},
        {"insert_keeper_max_retries", mutated(Mutant::server_retries_writes) ? "20" : "0"},
        {"async_insert", "0"},
        {"max_execution_time", "0"},
    };
}

// Anything else would be padded with NULs by FixedString(64), or refused after the request was sent.
void require_sha256(std::string_view digest) {
    const bool hexadecimal =
        std::ranges::all_of(digest, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    if (digest.size() != 64 || !hexadecimal)
        throw std::invalid_argument("payload_sha256 must be 64 lower-case hex digits");
}

std::string assignment(std::string_view column, std::string_view value) {
    return std::string(column) + " = " + quote_literal(value);
}

} // namespace

Statement create_facade_statement(
    std::string_view database,
    std::string_view root,
    std::string_view cluster,
    std::string_view leading_comment,
    const DdlOptions& options
) {
    // Newer servers nest block comments, older ones do not.
    if (leading_comment.find("*/") != std::string_view::npos ||
        leading_comment.find("/*") != std::string_view::npos)
        throw std::invalid_argument("a comment cannot hold another one's borders");
    std::string sql;
    if (!leading_comment.empty()) {
        sql += "/* ";
        sql += leading_comment;
        sql += " */ ";
    }
    sql += "CREATE TABLE IF NOT EXISTS " + qualified(database, authority_table) + on_cluster(cluster);
    sql += " (`target_key` String, `operation_id` String, `fence_token` String, `phase` String, "
           "`dispatch_epoch` "
           "UInt64, `payload` String, `payload_sha256` FixedString(64)) ENGINE = KeeperMap(" +
           quote_literal(root) + ") PRIMARY KEY target_key";
    return {StatementKind::create_facade, std::move(sql), ddl_settings(options)};
}

Statement create_candidate_statement(
    const TargetName& target,
    std::string_view candidate,
    const Uuid& uuid,
    std::string_view cluster,
    const DdlOptions& options
) {
    if (uuid.is_nil())
        throw std::invalid_argument("a candidate needs a UUID of its own");
    const std::string with_uuid =
        mutated(Mutant::candidate_uuid_left_to_server) ? "" : " UUID " + quote_literal(uuid.text());
    return {
        StatementKind::create_candidate,
        "CREATE TABLE " + qualified(target.database, candidate) + with_uuid + on_cluster(cluster) + " AS " +
            qualified(target.database, target.table),
        ddl_settings(options)
    };
}

Statement insert_rows_statement(const TargetName& table, std::string_view deduplication_token) {
    return {
        StatementKind::insert_rows,
        "INSERT INTO " + qualified(table.database, table.table) + " FORMAT JSONEachRow",
        {
            {"insert_deduplicate", "1"},
            {"insert_deduplication_token", std::string(deduplication_token)},
            {"input_format_skip_unknown_fields", "0"},
            {"async_insert", "0"},
            {"max_execution_time", "0"},
        }
    };
}

Statement authority_insert_statement(std::string_view database, const AuthorityRow& row) {
    require_sha256(row.payload_sha256);
    std::string sql =
        "INSERT INTO " + qualified(database, authority_table) +
        " (target_key, operation_id, fence_token, phase, dispatch_epoch, payload, payload_sha256) VALUES (";
    sql += quote_literal(row.target_key) + ", " + quote_literal(row.operation_id) + ", " +
           quote_literal(row.fence_token) + ", " + quote_literal(row.phase) + ", " +
           std::to_string(row.dispatch_epoch) + ", " + quote_literal(row.payload) + ", " +
           quote_literal(row.payload_sha256) + ")";
    return {StatementKind::authority_insert, std::move(sql), authority_settings()};
}

Statement authority_update_statement(
    std::string_view database, const AuthorityRow& expected, const AuthorityRow& next
) {
    if (expected.target_key != next.target_key)
        throw std::invalid_argument("a compare-and-swap stays in its slot");
    require_sha256(next.payload_sha256);
    std::string sql = "ALTER TABLE " + qualified(database, authority_table) + " UPDATE ";
    sql += assignment("operation_id", next.operation_id) + ", " +
           assignment("fence_token", next.fence_token) + ", " + assignment("phase", next.phase) +
           ", dispatch_epoch = " + std::to_string(next.dispatch_epoch) + ", " +
           assignment("payload", next.payload) + ", " + assignment("payload_sha256", next.payload_sha256);
    sql += " WHERE " + assignment("target_key", expected.target_key);
    if (!mutated(Mutant::predicate_without_version))
        sql += " AND _version = " + std::to_string(expected.version);
    if (!mutated(Mutant::predicate_without_operation))
        sql += " AND " + assignment("operation_id", expected.operation_id);
    if (!mutated(Mutant::predicate_without_fence))
        sql += " AND " + assignment("fence_token", expected.fence_token);
    if (!mutated(Mutant::predicate_without_phase))
        sql += " AND " + assignment("phase", expected.phase);
    if (!mutated(Mutant::predicate_without_digest))
        sql += " AND " + assignment("payload_sha256", expected.payload_sha256);
    return {StatementKind::authority_update, std::move(sql), authority_settings()};
}

Statement exchange_statement(
    const TargetName& target, std::string_view candidate, std::string_view cluster, const DdlOptions& options
) {
    return {
        StatementKind::exchange,
        "EXCHANGE TABLES " + qualified(target.database, target.table) + " AND " +
            qualified(target.database, candidate) + on_cluster(cluster),
        ddl_settings(options)
    };
}

Statement rename_statement(
    StatementKind kind,
    std::string_view database,
    std::string_view from,
    std::string_view to,
    std::string_view cluster,
    const DdlOptions& options
) {
    if (kind != StatementKind::rename_publish && kind != StatementKind::rename_aside &&
        kind != StatementKind::rename_retire && kind != StatementKind::rename_adopt)
        throw std::invalid_argument("not a RENAME: " + std::string(text(kind)));
    return {
        kind,
        "RENAME TABLE " + qualified(database, from) + " TO " + qualified(database, to) + on_cluster(cluster),
        ddl_settings(options)
    };
}

Statement drop_statement(
    StatementKind kind,
    std::string_view database,
    std::string_view table,
    std::string_view cluster,
    const DdlOptions& options
) {
    if (kind != StatementKind::drop_aside && kind != StatementKind::drop_orphan)
        throw std::invalid_argument("not a DROP: " + std::string(text(kind)));
    return {
        kind,
        "DROP TABLE IF EXISTS " + qualified(database, table) + on_cluster(cluster),
        ddl_settings(options)
    };
}

} // namespace onceswap::protocol
