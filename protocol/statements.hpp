#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/names.hpp"
#include "protocol/uuid.hpp"

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace onceswap::protocol {

/// Every statement that this project can send, and no other. Tests and conformance enumerate this list.
enum class StatementKind {
    // reads, each with the server's identity in its own column
    catalogue,     ///< identity, clusters, database, tables, columns: needs no Keeper
    keeper,        ///< replicas and the authority row
    authority_row, ///< the authority row alone: post-read of a CAS
    authority_all, ///< every slot of a database
    capabilities,  ///< settings, queue columns, views and dictionaries, tables of ours, drop limit
    row_policies,
    environment, ///< doctor's: profile, macros, tables that follow a name; sent without any setting
    grants,      ///< SHOW GRANTS
    roster,      ///< clusterAllReplicas over system.one
    queue_by_token,
    queue_by_prefix,  ///< every entry whose log_comment begins with an operation's prefix
    queue_unfinished, ///< entries with a row that is not Finished, and the backlog's size
    row_count,
    row_count_final,
    settings_probe, ///< SELECT 1 with a later mutation's exact settings
    column_types,   ///< name, type, default kind of one table's columns: for the loader
    version,        ///< of any server that ever was: without a setting and without an identity
    // mutations
    create_facade,
    create_candidate,
    insert_rows,
    authority_insert,
    authority_update,
    exchange,
    rename_publish,
    rename_aside,
    rename_retire,
    drop_aside,
    drop_orphan,
    rename_adopt,
};
std::span<const StatementKind> all_statement_kinds();
std::string_view text(StatementKind kind);
/// Sent without any setting, by every transport: the answer is about what holds without them.
bool is_without_settings(StatementKind kind);
bool is_mutation(StatementKind kind);
bool is_on_cluster(StatementKind kind);

using Settings = std::vector<std::pair<std::string, std::string>>;

/// SQL and the settings that travel in the URL. Rendered here and nowhere else; literals are escaped,
/// identifiers are back-quoted.
struct Statement {
    Statement() = default;

    Statement(StatementKind kind_, std::string sql_, Settings settings_ = {})
        : kind(kind_), sql(std::move(sql_)), settings(std::move(settings_)) {}

    StatementKind kind = StatementKind::settings_probe;
    std::string sql;
    Settings settings;
};

static_assert(!std::is_aggregate_v<Statement>);

/// `'...'` with quote, backslash and control characters escaped as ClickHouse reads them.
std::string quote_literal(std::string_view value);
/// `` `...` `` with back-quote, backslash and control characters escaped.
std::string quote_identifier(std::string_view name);

// --- reads
// ---------------------------------------------------------------------------------------------------------
/// `tables`: names in `database` whose rows, columns and engines are wanted; at least one.
Statement catalogue_statement(std::string_view database, std::span<const std::string> tables);
/// `target_key` empty: without the authority part (before the facade exists).
Statement
keeper_statement(std::string_view database, std::span<const std::string> tables, std::string_view target_key);
Statement authority_row_statement(std::string_view database, std::string_view target_key);
Statement authority_all_statement(std::string_view database);
Statement capabilities_statement(std::string_view database, std::string_view candidate_prefix);
Statement row_policies_statement(std::string_view database);
/// What a publication does not ask. Sent without any setting, so that it shows the user's profile itself.
Statement environment_statement();
Statement grants_statement();
Statement roster_statement(std::string_view cluster);
Statement queue_by_token_statement(std::string_view token);
Statement queue_by_prefix_statement(std::string_view prefix);
Statement queue_unfinished_statement();
Statement row_count_statement(const TargetName& table, bool with_final);
Statement settings_probe_statement(const Settings& settings);
Statement column_types_statement(const TargetName& table);
/// Asked of a server that refuses everything else, to say what it is. Sent without settings, in TabSeparated.
Statement version_statement();

// --- mutations
// -----------------------------------------------------------------------------------------------------
struct DdlOptions {
    std::string token; ///< log_comment
    unsigned distributed_ddl_task_timeout_s = 30;
};

/// `leading_comment`: the canary's, which the queue must not keep.
Statement create_facade_statement(
    std::string_view database,
    std::string_view root,
    std::string_view cluster,
    std::string_view leading_comment,
    const DdlOptions& options
);
Statement create_candidate_statement(
    const TargetName& target,
    std::string_view candidate,
    const Uuid& uuid,
    std::string_view cluster,
    const DdlOptions& options
);
/// INSERT ... FORMAT JSONEachRow; the rows follow the statement in the body after one newline.
Statement insert_rows_statement(const TargetName& table, std::string_view deduplication_token);
/// Precondition of both writes: the row to write has a payload_sha256 of 64 lower-case hex digits.
Statement authority_insert_statement(std::string_view database, const AuthorityRow& row);
/// `expected` is the row that was read, `next` what shall stand there; target_key is never set.
Statement
authority_update_statement(std::string_view database, const AuthorityRow& expected, const AuthorityRow& next);
Statement exchange_statement(
    const TargetName& target, std::string_view candidate, std::string_view cluster, const DdlOptions& options
);
/// RENAME of `from` to `to` inside one database; kind is one of rename_publish, rename_aside, rename_retire,
/// rename_adopt.
Statement rename_statement(
    StatementKind kind,
    std::string_view database,
    std::string_view from,
    std::string_view to,
    std::string_view cluster,
    const DdlOptions& options
);
/// DROP TABLE IF EXISTS, never SYNC; kind is drop_aside or drop_orphan.
Statement drop_statement(
    StatementKind kind,
    std::string_view database,
    std::string_view table,
    std::string_view cluster,
    const DdlOptions& options
);

} // namespace onceswap::protocol
