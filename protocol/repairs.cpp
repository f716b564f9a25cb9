#include "protocol/repairs.hpp"

#include "protocol/statements.hpp"

#include <algorithm>

namespace onceswap::protocol {

namespace {

std::string table(const AuthorityRecord& record, const std::string& name) {
    return quote_identifier(record.target.database) + "." + quote_identifier(name);
}

/// The statement that turns the one outcome into the other on a host whose candidate's name is free.
std::string sql(const AuthorityRecord& record, Role serve) {
    const std::string target = table(record, record.target.table);
    const std::string aside = table(record, record.aside);
    if (record.predecessor)
        return "EXCHANGE TABLES " + target + " AND " + aside;
    return serve == Role::desired ? "RENAME TABLE " + aside + " TO " + target
                                  : "RENAME TABLE " + target + " TO " + aside;
}

Uuid uuid_of(const AuthorityRecord& record, Role role) {
    if (role == Role::desired)
        return record.desired.uuid;
    return role == Role::predecessor ? record.predecessor->uuid : Uuid();
}

} // namespace

std::vector<Report::Repair> repairs(const AuthorityRecord& record, std::span<const MemberState> members) {
    const Role old = record.predecessor ? Role::predecessor : Role::absent;
    std::vector<Report::Repair> all;
    for (const Role serve : {Role::desired, old}) {
        const Role other = serve == Role::desired ? old : Role::desired;
        std::vector<Report::Repair> steps;
        const bool reachable = std::ranges::all_of(members, [&](const MemberState& member) {
            if (member.candidate.role != Role::absent)
                return false;
            if (member.target.role == serve)
                return true;
            if (member.target.role != other || member.aside.role != serve) // absent: nothing waits there
                return false;
            Report::Repair step;
            step.at = member.at;
            step.serve = serve;
            step.before = uuid_of(record, other);
            step.after = uuid_of(record, serve);
            step.sql = sql(record, serve);
            steps.push_back(std::move(step));
            return true;
        });
        if (reachable)
            all.insert(all.end(), steps.begin(), steps.end());
    }
    return all;
}

} // namespace onceswap::protocol
