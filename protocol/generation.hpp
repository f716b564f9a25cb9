#pragma once

#include "protocol/uuid.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::protocol {

/// One row of system.columns.
struct ColumnDefinition {
    std::uint64_t position = 0;
    std::string name;
    std::string type;
    std::string default_kind;
    std::string default_expression;
    std::string compression_codec;
    friend bool operator==(const ColumnDefinition&, const ColumnDefinition&) = default;
};

/// The keys of a table as system.tables prints them.
struct TableKeys {
    std::string partition_key;
    std::string sorting_key;
    std::string primary_key;
    std::string sampling_key;
    friend bool operator==(const TableKeys&, const TableKeys&) = default;
};

/// One physical table. EXCHANGE and RENAME move names; all of this stays with the storage.
struct Generation {
    Uuid uuid;
    std::string engine_full; ///< normalized, see normalize_engine_full
    std::string schema_digest;
    std::string zookeeper_name;
    std::string zookeeper_path; ///< fully expanded by the server
    friend bool operator==(const Generation&, const Generation&) = default;
};

/// SHA-256 over columns in position order and keys; independent of the order of `columns`.
std::string schema_digest(std::span<const ColumnDefinition> columns, const TableKeys& keys);

/// engine_full made comparable: tokenized, whitespace collapsed, needless back-quotes removed, the expanded
/// uuid of the table put back to `{uuid}`. Two spellings of one engine clause give the same text; nothing
/// else does.
std::string normalize_engine_full(std::string_view engine_full, const Uuid& uuid);

/// The first argument of a Replicated engine must contain `{uuid}` (after normalization); a path built from
/// other macros is fixed at CREATE and cannot be told from the outside.
bool path_argument_has_uuid(std::string_view normalized_engine_full);

/// `Replicated...MergeTree`, exactly that family.
bool is_replicated_merge_tree(std::string_view engine);

/// A merging engine (Replacing, Collapsing, ...): its plain count() can fall while parts merge, so FINAL
/// counts.
bool is_merging_engine(std::string_view engine);

/// Recognition after dispatch: uuid, zookeeper_name and zookeeper_path. A normal ALTER changes the rest.
bool same_storage(const Generation& a, const Generation& b);

} // namespace onceswap::protocol
