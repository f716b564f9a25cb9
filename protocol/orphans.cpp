#include "protocol/orphans.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace onceswap::protocol {

std::string_view text(TableStanding standing) {
    switch (standing) {
    case TableStanding::in_use:
        return "in use";
    case TableStanding::orphan:
        return "orphan";
    case TableStanding::retained:
        return "retained";
    case TableStanding::gone:
        return "gone";
    case TableStanding::diverged:
        return "diverged";
    case TableStanding::unrecorded:
        return "unrecorded";
    case TableStanding::unknown:
        return "unknown";
    }
    return "unknown";
}

namespace {

bool is_open(const AuthorityRecord& record) {
    return record.phase != Phase::completed && record.phase != Phase::abandoned;
}

const NamedTable* find(const std::vector<NamedTable>& tables, const std::string& name) {
    const auto found = std::ranges::find(tables, name, &NamedTable::name);
    return found == tables.end() ? nullptr : &*found;
}

/// What the records say of a name, before anybody was asked whether it is there.
struct Listing {
    TableStanding standing = TableStanding::unrecorded;
    const AuthorityRecord* record = nullptr;
    std::optional<Uuid> uuid;
};

/// The claim that forbids most comes first, whatever the other records say.
Listing listing_of(std::span<const AuthorityRecord> records, const std::string& name) {
    for (const AuthorityRecord& record : records)
        if (is_open(record) && (record.candidate == name || record.aside == name))
            return {TableStanding::in_use, &record, std::nullopt};
    for (const AuthorityRecord& record : records)
        if (const NamedTable* table = find(record.retained, name); table != nullptr)
            return {TableStanding::retained, &record, table->uuid};
    for (const AuthorityRecord& record : records)
        if (const NamedTable* table = find(record.orphans, name); table != nullptr)
            return {TableStanding::orphan, &record, table->uuid};
    return {};
}

} // namespace

std::vector<ListedTable> list_tables(
    std::span<const AuthorityRecord> records, bool all_records_readable, std::span<const ShownTables> shown
) {
    std::set<std::string> names;
    for (const ShownTables& endpoint : shown)
        for (const NamedTable& table : endpoint.tables)
            names.insert(table.name);
    for (const AuthorityRecord& record : records)
        for (const auto* tables : {&record.orphans, &record.retained})
            for (const NamedTable& table : *tables)
                names.insert(table.name);

    std::vector<ListedTable> listed;
    for (const std::string& name : names) {
        const Listing listing = listing_of(records, name);
        ListedTable out;
        out.table.name = name;
        std::set<std::string> uuids;
        for (const ShownTables& endpoint : shown) {
            const NamedTable* table = find(endpoint.tables, name);
            (table == nullptr ? out.not_on : out.shown_on).push_back(endpoint.endpoint);
            if (table != nullptr && uuids.insert(table->uuid.text()).second)
                out.table.uuid = table->uuid;
        }
        out.standing = listing.standing;
        const bool other_than_listed = listing.uuid && !uuids.empty() && out.table.uuid != *listing.uuid;
        if (listing.record == nullptr && !all_records_readable)
            out.standing = TableStanding::unknown;
        else if (listing.record != nullptr && uuids.empty())
            out.standing = TableStanding::gone;
        else if (uuids.size() > 1 || other_than_listed)
            out.standing = TableStanding::diverged;
        if (listing.record != nullptr)
            out.target = listing.record->target;
        if (listing.uuid)
            out.table.uuid = *listing.uuid;
        listed.push_back(std::move(out));
    }
    return listed;
}

} // namespace onceswap::protocol
