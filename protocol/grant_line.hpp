#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::protocol {

/// Where a privilege holds: `*.*`, `db.*`, `db.t`, each name possibly a pattern with a trailing `*`.
struct GrantScope {
    enum class Level { everything, database, table };
    std::string database;
    std::string table;
    bool database_is_prefix = true; ///< true with an empty name: every name
    bool table_is_prefix = true;

    Level level() const;
    bool covers_database(std::string_view name) const;
    bool covers_table(std::string_view name) const;
};

struct GrantedPrivilege {
    std::string name; ///< upper case, single spaces
    bool on_columns = false;
};

/// One line of SHOW GRANTS.
struct GrantLine {
    bool is_revoke = false;
    std::vector<GrantedPrivilege> privileges;
    GrantScope scope;
    std::vector<std::string> roles; ///< of a line without ON
};

/// nullopt where the line is not one of the forms that ClickHouse prints.
std::optional<GrantLine> parse_grant_line(std::string_view line);

/// ClickHouse's hierarchy of privileges as far as a publication asks: ALL over CREATE over CREATE TABLE and
/// so on; reading or writing a table implies seeing it.
bool implies(std::string_view granted, std::string_view needed);

} // namespace onceswap::protocol
