#include "protocol/member_facts.hpp"

#include <algorithm>

namespace onceswap::protocol {

std::optional<Generation>
generation_of(const CatalogueFacts& catalogue, std::span<const ReplicaRow> replicas, std::string_view table) {
    const auto row =
        std::find_if(catalogue.tables.begin(), catalogue.tables.end(), [table](const TableRow& each) {
            return each.name == table;
        });
    if (row == catalogue.tables.end())
        return std::nullopt;
    const auto columns = catalogue.columns.find(row->name);
    if (columns == catalogue.columns.end() || columns->second.empty())
        return std::nullopt; // every table has columns: these were not readable
    Generation generation;
    generation.uuid = row->uuid;
    generation.engine_full = normalize_engine_full(row->engine_full, row->uuid);
    generation.schema_digest = schema_digest(columns->second, row->keys);
    const auto replica = std::find_if(replicas.begin(), replicas.end(), [table](const ReplicaRow& each) {
        return each.table == table;
    });
    if (replica != replicas.end()) {
        generation.zookeeper_name = replica->zookeeper_name;
        generation.zookeeper_path = replica->zookeeper_path;
    } else if (row->engine.starts_with("Replicated")) {
        return std::nullopt;
    }
    return generation;
}

} // namespace onceswap::protocol
