#include "protocol/statements.hpp"

#include <array>

namespace onceswap::protocol {

namespace {

using enum StatementKind;

constexpr std::array every_kind = {
    catalogue,        keeper,          authority_row,    authority_all,    capabilities,    row_policies,
    environment,      grants,          roster,           queue_by_token,   queue_by_prefix, queue_unfinished,
    row_count,        row_count_final, settings_probe,   column_types,     version,         create_facade,
    create_candidate, insert_rows,     authority_insert, authority_update, exchange,        rename_publish,
    rename_aside,     rename_retire,   drop_aside,       drop_orphan,      rename_adopt,
};

static_assert(every_kind.size() == static_cast<std::size_t>(rename_adopt) + 1);

} // namespace

std::span<const StatementKind> all_statement_kinds() {
    return every_kind;
}

std::string_view text(StatementKind kind) {
    switch (kind) {
    case catalogue:
        return "catalogue";
    case keeper:
        return "keeper";
    case authority_row:
        return "authority_row";
    case authority_all:
        return "authority_all";
    case capabilities:
        return "capabilities";
    case row_policies:
        return "row_policies";
    case environment:
        return "environment";
    case grants:
        return "grants";
    case roster:
        return "roster";
    case queue_by_token:
        return "queue_by_token";
    case queue_by_prefix:
        return "queue_by_prefix";
    case queue_unfinished:
        return "queue_unfinished";
    case row_count:
        return "row_count";
    case row_count_final:
        return "row_count_final";
    case settings_probe:
        return "settings_probe";
    case column_types:
        return "column_types";
    case version:
        return "version";
    case create_facade:
        return "create_facade";
    case create_candidate:
        return "create_candidate";
    case insert_rows:
        return "insert_rows";
    case authority_insert:
        return "authority_insert";
    case authority_update:
        return "authority_update";
    case exchange:
        return "exchange";
    case rename_publish:
        return "rename_publish";
    case rename_aside:
        return "rename_aside";
    case rename_retire:
        return "rename_retire";
    case drop_aside:
        return "drop_aside";
    case drop_orphan:
        return "drop_orphan";
    case rename_adopt:
        return "rename_adopt";
    }
    return "";
}

bool is_mutation(StatementKind kind) {
    switch (kind) {
    case catalogue:
    case keeper:
    case authority_row:
    case authority_all:
    case capabilities:
    case row_policies:
    case environment:
    case grants:
    case roster:
    case queue_by_token:
    case queue_by_prefix:
    case queue_unfinished:
    case row_count:
    case row_count_final:
    case settings_probe:
    case column_types:
    case version:
        return false;
    case create_facade:
    case create_candidate:
    case insert_rows:
    case authority_insert:
    case authority_update:
    case exchange:
    case rename_publish:
    case rename_aside:
    case rename_retire:
    case drop_aside:
    case drop_orphan:
    case rename_adopt:
        return true;
    }
    return true;
}

bool is_without_settings(StatementKind kind) {
    return kind == version || kind == environment;
}

bool is_on_cluster(StatementKind kind) {
    return is_mutation(kind) && kind != insert_rows && kind != authority_insert && kind != authority_update;
}

} // namespace onceswap::protocol
