#include "tools/refresh_load/orphan_table.hpp"

#include "protocol/outcome.hpp"
#include "protocol/statements.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>

namespace onceswap::refresh_load {

namespace {

using Row = std::array<std::string, 5>;

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : " ") + word;
    return text.empty() ? "-" : text;
}

Row row_of(const protocol::ListedTable& listed) {
    return {
        listed.table.name,
        listed.table.uuid.text(),
        std::string(protocol::text(listed.standing)),
        listed.target ? listed.target->table : "-",
        joined(listed.shown_on),
    };
}

boost::json::array strings(const std::vector<std::string>& texts) {
    return boost::json::array(texts.begin(), texts.end());
}

} // namespace

std::string orphan_table(const engine::OrphanListing& listing) {
    std::vector<Row> rows;
    rows.push_back({"TABLE", "UUID", "STATE", "TARGET", "SHOWN ON"});
    for (const protocol::ListedTable& listed : listing.tables)
        rows.push_back(row_of(listed));
    std::array<std::size_t, 5> widths{};
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const Row& row : rows) {
        for (std::size_t i = 0; i + 1 < row.size(); ++i)
            text += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        text += row.back() + "\n";
    }
    if (listing.tables.empty())
        text = "no table of ours, and none that a record lists\n";
    for (const std::string& problem : listing.unreadable)
        text += "unreadable record: " + problem + "\n";
    for (const std::string& gap : listing.gaps)
        text += "gap: " + gap + "\n";
    return text;
}

boost::json::object orphan_document(const engine::OrphanListing& listing, int exit_code) {
    boost::json::array tables;
    for (const protocol::ListedTable& listed : listing.tables) {
        boost::json::object table;
        table["name"] = listed.table.name;
        table["uuid"] = listed.table.uuid.text();
        table["state"] = protocol::text(listed.standing);
        if (listed.target)
            table["target"] = listed.target->table;
        else
            table["target"] = nullptr;
        table["shown_on"] = strings(listed.shown_on);
        table["not_on"] = strings(listed.not_on);
        tables.push_back(std::move(table));
    }
    boost::json::object document;
    document["schema_version"] = 1;
    document["tables"] = std::move(tables);
    document["unreadable_records"] = strings(listing.unreadable);
    document["evidence_gaps"] = strings(listing.gaps);
    document["exit_code"] = exit_code;
    return document;
}

std::string drop_text(const std::string& database, const std::string& cluster, const std::string& table) {
    return "DROP TABLE IF EXISTS " + protocol::quote_identifier(database) + "." +
           protocol::quote_identifier(table) + " ON CLUSTER " + protocol::quote_identifier(cluster);
}

std::string drop_lines(const protocol::ListedTable& orphan, const engine::OrphanDrop& drop) {
    std::string text = drop.gone                                     ? "Dropped:   "
                       : drop.outcome == protocol::Outcome::not_sent ? "Not sent:  "
                       : drop.outcome == protocol::Outcome::rejected ? "Refused:   "
                                                                     : "Not known: ";
    text += orphan.table.name + " " + orphan.table.uuid.text();
    if (!drop.free_on.empty())
        text += "; the name is free on " + joined(drop.free_on);
    return text + "\n";
}

boost::json::object drop_document(
    const protocol::ListedTable& orphan, const std::string& statement, const engine::OrphanDrop* drop
) {
    boost::json::object table;
    table["name"] = orphan.table.name;
    table["uuid"] = orphan.table.uuid.text();
    table["shown_on"] = strings(orphan.shown_on);
    table["not_on"] = strings(orphan.not_on);
    boost::json::object document;
    document["schema_version"] = 1;
    document["table"] = std::move(table);
    document["statement"] = statement;
    document["executed"] = drop != nullptr;
    document["outcome"] = nullptr;
    if (drop != nullptr)
        document["outcome"] = protocol::text(drop->outcome);
    document["gone"] = drop != nullptr && drop->gone;
    document["free_on"] = drop != nullptr ? strings(drop->free_on) : boost::json::array();
    return document;
}

} // namespace onceswap::refresh_load
