#include "protocol/grants.hpp"

#include "protocol/grant_line.hpp"

#include <algorithm>

namespace onceswap::protocol {

namespace {

constexpr std::string_view our_tables = "onceswap_";

/// Whether a statement of a publication can touch this table of the target's database.
bool is_touched(const TargetName& target, const Privilege& needed, const GrantScope& scope) {
    if (!needed.table.empty())
        return scope.covers_table(needed.table);
    return scope.covers_table(target.table) || scope.covers_table(authority_table) ||
           scope.table.starts_with(our_tables) ||
           (scope.table_is_prefix && our_tables.starts_with(scope.table));
}

bool covers(const GrantScope& scope, const Privilege& needed) {
    if (needed.database.empty())
        return scope.level() == GrantScope::Level::everything;
    if (!scope.covers_database(needed.database))
        return false;
    if (scope.level() != GrantScope::Level::table)
        return true;
    return !needed.table.empty() && scope.covers_table(needed.table);
}

/// Whether a revoke takes something away from what is needed.
bool cuts_into(const TargetName& target, const GrantScope& scope, const Privilege& needed) {
    if (scope.level() == GrantScope::Level::everything)
        return true;
    if (needed.database.empty()) // needed everywhere, taken away somewhere
        return true;
    if (!scope.covers_database(needed.database))
        return false;
    return scope.level() == GrantScope::Level::database || is_touched(target, needed, scope);
}

bool is_granted(const std::vector<GrantLine>& lines, const TargetName& target, const Privilege& needed) {
    const auto is_taken_from = [&](const GrantLine& grant) {
        return std::any_of(lines.begin(), lines.end(), [&](const GrantLine& line) {
            // A grant under a revoke was given back after it: SHOW GRANTS prints the tree from the top.
            return line.is_revoke && line.scope.level() >= grant.scope.level() &&
                   cuts_into(target, line.scope, needed) &&
                   std::any_of(
                       line.privileges.begin(),
                       line.privileges.end(),
                       [&](const GrantedPrivilege& each) {
                           return implies(each.name, needed.name) || implies(needed.name, each.name);
                       }
                   );
        });
    };
    return std::any_of(lines.begin(), lines.end(), [&](const GrantLine& line) {
        return !line.is_revoke && covers(line.scope, needed) &&
               std::any_of(
                   line.privileges.begin(),
                   line.privileges.end(),
                   [&](const GrantedPrivilege& each) {
                       return !each.on_columns && implies(each.name, needed.name);
                   }
               ) &&
               !is_taken_from(line);
    });
}

} // namespace

std::string text(const Privilege& privilege) {
    const std::string database = privilege.database.empty() ? "*" : privilege.database;
    const std::string table = privilege.table.empty() ? "*" : privilege.table;
    return privilege.name + " ON " + database + "." + table;
}

std::vector<Privilege> needed_privileges(const TargetName& target, bool read_only) {
    const std::string authority(authority_table);
    std::vector<Privilege> needed{
        {"SELECT", "system", "clusters"},
        {"SELECT", "system", "replicas"},
        {"SELECT", "system", "distributed_ddl_queue"},
        {"SHOW TABLES", target.database, ""},
        {"SHOW COLUMNS", target.database, ""},
        {"SELECT", target.database, authority},
    };
    if (read_only)
        return needed;
    needed.insert(
        needed.end(),
        {
            {"SELECT", "system", "row_policies"},
            {"SELECT", "system", "server_settings"},
            {"SELECT", target.database, ""},
            {"INSERT", target.database, ""},
            {"CREATE TABLE", target.database, ""},
            {"DROP TABLE", target.database, ""},
            {"ALTER UPDATE", target.database, authority},
            {"CLUSTER", "", ""},
            {"REMOTE", "", ""},
        }
    );
    return needed;
}

std::vector<std::string> granted_roles(std::span<const std::string> grants) {
    std::vector<std::string> roles;
    for (const std::string& line : grants)
        if (const auto parsed = parse_grant_line(line); parsed && !parsed->is_revoke)
            roles.insert(roles.end(), parsed->roles.begin(), parsed->roles.end());
    return roles;
}

std::vector<Privilege>
missing_privileges(std::span<const std::string> grants, const TargetName& target, bool read_only) {
    std::vector<GrantLine> lines;
    for (const std::string& line : grants)
        if (auto parsed = parse_grant_line(line))
            lines.push_back(*std::move(parsed));
    std::vector<Privilege> missing;
    for (const Privilege& privilege : needed_privileges(target, read_only))
        if (!is_granted(lines, target, privilege))
            missing.push_back(privilege);
    return missing;
}

std::vector<std::string>
missing_grants(std::span<const std::string> grants, const TargetName& target, bool read_only) {
    std::vector<std::string> missing;
    for (const Privilege& privilege : missing_privileges(grants, target, read_only))
        missing.push_back(text(privilege));
    return missing;
}

} // namespace onceswap::protocol
