#pragma once

#include "protocol/names.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::protocol {

/// One privilege on one scope, as a publication needs it: `INSERT ON d.*`. Empty database: `*.*`; empty
/// table: `db.*`.
struct Privilege {
    std::string name; ///< ClickHouse's name, upper case
    std::string database;
    std::string table;
    friend bool operator==(const Privilege&, const Privilege&) = default;
};

std::string text(const Privilege& privilege);

/// What a publication of `target` needs, or, with `read_only`, what watching it needs. The tables of `system`
/// that every user may read (tables, columns, databases, settings, one) are not in it.
std::vector<Privilege> needed_privileges(const TargetName& target, bool read_only);

/// The roles that lines of SHOW GRANTS name (`GRANT r TO u`). What a role brings is not shown there, so roles
/// grant nothing here; a message about missing privileges should name them.
std::vector<std::string> granted_roles(std::span<const std::string> grants);

/// The privileges among those needed that the lines of SHOW GRANTS do not cover.
std::vector<Privilege>
missing_privileges(std::span<const std::string> grants, const TargetName& target, bool read_only);

/// Whether the lines of SHOW GRANTS cover everything that a publication needs; the missing privileges by
/// name. A grant on columns, on a name pattern that does not cover the scope, or in a line that cannot be
/// parsed grants nothing; a partial revoke takes away what is under it.
std::vector<std::string>
missing_grants(std::span<const std::string> grants, const TargetName& target, bool read_only);

} // namespace onceswap::protocol
