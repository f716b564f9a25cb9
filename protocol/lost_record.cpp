#include "protocol/lost_record.hpp"

#include "protocol/correlation_token.hpp"

#include <set>

namespace onceswap::protocol {

RecordTraces record_traces(
    std::string_view database,
    std::string_view prefix,
    std::span<const TableRow> tables,
    std::span<const QueueRow> entries
) {
    RecordTraces traces;
    std::set<std::string> told;
    for (const TableRow& table : tables) {
        if (table.database != database || !table.name.starts_with(prefix) || !told.insert(table.name).second)
            continue;
        if (table.name.ends_with("__aside"))
            traces.proofs.push_back("there is no record, but a table " + table.name + " of a publication");
        else
            traces.leftovers.push_back(table.name);
    }
    for (const QueueRow& row : entries) {
        const auto comment = row.settings.find("log_comment");
        const auto token =
            comment == row.settings.end() ? std::nullopt : CorrelationToken::parse(comment->second);
        const bool dispatched = token && token->action != Action::setup;
        if (dispatched && row.query.find(prefix) != std::string::npos && told.insert(row.entry).second)
            traces.proofs.push_back(
                "there is no record, but a " + std::string(text(token->action)) + " statement in " + row.entry
            );
    }
    return traces;
}

} // namespace onceswap::protocol
