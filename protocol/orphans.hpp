#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/names.hpp"
#include "protocol/uuid.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace onceswap::protocol {

/// What every table that this project makes begins with, of whatever target.
inline constexpr std::string_view own_prefix = "onceswap_";

/// What the records say of a table with our prefix.
enum class TableStanding {
    in_use,     ///< the candidate or the aside name of an operation that is not settled
    orphan,     ///< listed as an orphan, and shown with that uuid: `orphans drop` may drop it
    retained,   ///< kept on purpose by `retire` or `close`
    gone,       ///< listed, and no member that answered shows it
    diverged,   ///< members show several uuids under the name, or another one than the record lists
    unrecorded, ///< no record names it
    unknown,    ///< no record that could be read names it, and one could not be read
};
std::string_view text(TableStanding standing);

/// One name with what the members show under it and whose record lists it.
struct ListedTable {
    ListedTable() = default;
    NamedTable table; ///< the uuid that the record lists, else the one that is shown
    TableStanding standing = TableStanding::unknown;
    std::optional<TargetName> target;  ///< whose record lists it
    std::vector<std::string> shown_on; ///< endpoints, in the given order
    std::vector<std::string> not_on;   ///< endpoints that answered and do not show it
};

static_assert(!std::is_aggregate_v<ListedTable>);

/// What one endpoint said of the tables with our prefix.
struct ShownTables {
    ShownTables() = default;
    std::string endpoint;
    std::vector<NamedTable> tables;
};

static_assert(!std::is_aggregate_v<ShownTables>);

/// Every name that is shown or listed as an orphan or as retained, once, by name. `all_records_readable`:
/// otherwise nothing is called unrecorded. Pure and total.
std::vector<ListedTable> list_tables(
    std::span<const AuthorityRecord> records, bool all_records_readable, std::span<const ShownTables> shown
);

} // namespace onceswap::protocol
