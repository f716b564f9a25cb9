#include "protocol/generation.hpp"

#include "protocol/canonical_writer.hpp"
#include "protocol/digest.hpp"
#include "protocol/engine_clause.hpp"
#include "protocol/recent_values.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

namespace onceswap::protocol {

namespace {

constexpr std::string_view uuid_macro = "{uuid}";
constexpr std::string_view replicated = "Replicated";
constexpr std::string_view merge_tree = "MergeTree";

/// What stands between `Replicated` and `MergeTree` in the family that is supported. Closed: an engine that a
/// newer server brings is refused until somebody has looked at how it counts and replicates.
constexpr std::array<std::string_view, 8> merging_variants{
    "Replacing", "Summing", "Aggregating", "Collapsing", "VersionedCollapsing", "Graphite", "Coalescing", ""
};

/// The part before `MergeTree`, without `Replicated`; nullopt for another family.
std::optional<std::string_view> variant_of(std::string_view engine) {
    if (engine.starts_with(replicated))
        engine.remove_prefix(replicated.size());
    if (!engine.ends_with(merge_tree))
        return std::nullopt;
    engine.remove_suffix(merge_tree.size());
    if (std::find(merging_variants.begin(), merging_variants.end(), engine) == merging_variants.end())
        return std::nullopt;
    return engine;
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return out;
}

void replace_uuid(std::string& value, const std::string& uuid) {
    std::size_t at = lower_case(value).find(uuid);
    while (at != std::string::npos) {
        value.replace(at, uuid.size(), uuid_macro);
        at = lower_case(value).find(uuid, at + uuid_macro.size());
    }
}

std::vector<const ColumnDefinition*> in_order(std::span<const ColumnDefinition> columns) {
    std::vector<const ColumnDefinition*> ordered;
    ordered.reserve(columns.size());
    for (const ColumnDefinition& column : columns)
        ordered.push_back(&column);
    std::sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) {
        return std::tie(a->position, a->name) < std::tie(b->position, b->name);
    });
    return ordered;
}

/// Every pass takes the digest of the same few schemas.
std::string recent_digest(const std::string& text) {
    constexpr std::size_t most_schemas = 8;
    constexpr std::size_t longest_schema = std::size_t{16} * 1024;
    static thread_local RecentValues<std::string, std::string, most_schemas> recent;
    const auto is_asked = [&text](const std::string& known) { return known == text; };
    if (const std::string* known = recent.find(is_asked); known != nullptr)
        return *known;
    std::string digest = sha256_hex(text);
    if (text.size() <= longest_schema)
        recent.keep(text, digest);
    return digest;
}

} // namespace

std::string schema_digest(std::span<const ColumnDefinition> columns, const TableKeys& keys) {
    CanonicalText identity;
    CanonicalWriter out(identity);
    out.begin_object();
    out.name("columns");
    out.begin_array();
    for (const ColumnDefinition* column : in_order(columns)) {
        out.begin_object();
        out.text("compression_codec", column->compression_codec);
        out.text("default_expression", column->default_expression);
        out.text("default_kind", column->default_kind);
        out.text("name", column->name);
        out.text("type", column->type);
        out.end_object();
    }
    out.end_array();
    out.text("partition_key", keys.partition_key);
    out.text("primary_key", keys.primary_key);
    out.text("sampling_key", keys.sampling_key);
    out.text("sorting_key", keys.sorting_key);
    out.end_object();
    return recent_digest(identity.text);
}

namespace {

std::string normalized(std::string_view engine_full, const Uuid& uuid) {
    auto tokens = tokenize_engine_clause(engine_full);
    if (!tokens)
        return std::string(engine_full); // equal only to itself: no normalized text fails to tokenize
    if (!uuid.is_nil()) {
        const ArgumentRange arguments = engine_arguments(*tokens);
        for (std::size_t i = arguments.first; i < arguments.last; ++i)
            if ((*tokens)[i].kind == EngineToken::Kind::string_literal)
                replace_uuid((*tokens)[i].value, uuid.text());
    }
    return render_engine_clause(*tokens);
}

} // namespace

/// Every pass asks for the tables that the one before it saw, on every member.
std::string normalize_engine_full(std::string_view engine_full, const Uuid& uuid) {
    constexpr std::size_t most_engines = 8;
    using EngineWithUuid = std::pair<std::string, Uuid>;
    static thread_local RecentValues<EngineWithUuid, std::string, most_engines> recent;
    const auto is_asked = [engine_full, &uuid](const EngineWithUuid& known) {
        return known.first == engine_full && known.second == uuid;
    };
    if (const std::string* known = recent.find(is_asked); known != nullptr)
        return *known;
    std::string text = normalized(engine_full, uuid);
    recent.keep({std::string(engine_full), uuid}, text);
    return text;
}

bool path_argument_has_uuid(std::string_view normalized_engine_full) {
    const auto tokens = tokenize_engine_clause(normalized_engine_full);
    if (!tokens)
        return false;
    const ArgumentRange arguments = engine_arguments(*tokens);
    if (arguments.first == arguments.last)
        return false;
    const EngineToken& path = (*tokens)[arguments.first];
    return (*tokens)[0].value.starts_with(replicated) && path.kind == EngineToken::Kind::string_literal &&
           path.value.find(uuid_macro) != std::string::npos;
}

bool is_replicated_merge_tree(std::string_view engine) {
    return engine.starts_with(replicated) && variant_of(engine).has_value();
}

bool is_merging_engine(std::string_view engine) {
    const auto variant = variant_of(engine);
    return variant.has_value() && !variant->empty();
}

bool same_storage(const Generation& a, const Generation& b) {
    return a.uuid == b.uuid && a.zookeeper_name == b.zookeeper_name && a.zookeeper_path == b.zookeeper_path;
}

} // namespace onceswap::protocol
