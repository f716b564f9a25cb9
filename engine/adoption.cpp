// Which table is adopted, and where the members have it. Pure.
#include "engine/adoption.hpp"

#include "protocol/names.hpp"
#include "protocol/orphans.hpp"

#include <algorithm>

namespace onceswap::engine {

using protocol::Code;
using protocol::Failure;
using protocol::MemberEvidence;
using protocol::Uuid;

namespace {

/// Nil where the member shows nothing under the name.
Uuid uuid_under(const protocol::CatalogueFacts& catalogue, const std::string& name) {
    const auto row = std::ranges::find(catalogue.tables, name, &protocol::TableRow::name);
    return row == catalogue.tables.end() ? Uuid() : row->uuid;
}

std::string shown_as(const Uuid& uuid, const Uuid& wanted, const std::string& name) {
    if (uuid.is_nil()) {
        return {};
    }
    return uuid == wanted ? "has it as " + name : "has another table, " + uuid.text() + ", as " + name;
}

} // namespace

std::optional<Failure> name_problem(const protocol::TargetName& target, const std::string& table) {
    if (table == target.table || table.starts_with(protocol::own_prefix) ||
        table == protocol::authority_table) {
        return Failure(Code::config_invalid, "the target itself and tables of ours cannot be adopted");
    }
    return std::nullopt;
}

std::string adopted_name(const std::string& target_key, const std::string& operation_id, const Uuid& uuid) {
    const std::string hex = uuid.text().substr(0, 8); // a uuid begins with eight hex digits
    return protocol::candidate_name(
        target_key, operation_id, static_cast<std::uint32_t>(std::stoul(hex, nullptr, 16))
    );
}

protocol::Result<Adoptee> identify_adoptee(
    std::span<const MemberEvidence> evidence,
    const std::vector<protocol::NamedTable>& of_operation,
    const std::string& target_key,
    const std::string& operation_id,
    const std::string& old_name
) {
    Adoptee adoptee;
    adoptee.old_name = old_name;
    bool several = false;
    const auto take = [&](const Uuid& uuid) {
        several = several || (!adoptee.uuid.is_nil() && adoptee.uuid != uuid);
        adoptee.uuid = uuid;
    };
    std::string seen;
    for (const MemberEvidence& member : evidence) {
        if (!member.catalogue) {
            continue;
        }
        const Uuid uuid = uuid_under(*member.catalogue, old_name);
        if (!uuid.is_nil()) {
            take(uuid);
            seen += (seen.empty() ? "" : ", ") + protocol::text(member.at) + " has " + uuid.text() + " as " +
                    old_name;
        }
    }
    for (const protocol::NamedTable& table : of_operation) {
        if (table.name == adopted_name(target_key, operation_id, table.uuid)) {
            take(table.uuid);
            seen += (seen.empty() ? "" : ", ") + table.uuid.text() + " is adopted as " + table.name;
        }
    }
    if (several) {
        return Failure(Code::generation_diverged, "not one table: " + seen);
    }
    if (adoptee.uuid.is_nil()) {
        return Failure(
            Code::candidate_not_ready,
            "no member shows " + old_name + ", nor a table that this operation has renamed"
        );
    }
    adoptee.new_name = adopted_name(target_key, operation_id, adoptee.uuid);
    return adoptee;
}

Whereabouts
find_adoptee(std::span<const MemberEvidence> evidence, const Adoptee& adoptee, std::size_t members) {
    Whereabouts where;
    std::size_t before = 0;
    std::size_t after = 0;
    bool unknown = evidence.size() != members || members == 0;
    bool foreign = false;
    for (const MemberEvidence& member : evidence) {
        std::string shown;
        if (!member.catalogue) {
            unknown = true;
            shown = "does not say what it has";
        } else {
            const Uuid old_uuid = uuid_under(*member.catalogue, adoptee.old_name);
            const Uuid new_uuid = uuid_under(*member.catalogue, adoptee.new_name);
            foreign = foreign || (!old_uuid.is_nil() && old_uuid != adoptee.uuid) ||
                      (!new_uuid.is_nil() && new_uuid != adoptee.uuid);
            before += old_uuid == adoptee.uuid && new_uuid.is_nil() ? 1U : 0U;
            after += new_uuid == adoptee.uuid && old_uuid.is_nil() ? 1U : 0U;
            const std::string as_old = shown_as(old_uuid, adoptee.uuid, adoptee.old_name);
            const std::string as_new = shown_as(new_uuid, adoptee.uuid, adoptee.new_name);
            shown = as_old + (as_old.empty() || as_new.empty() ? "" : " and ") + as_new;
            if (shown.empty()) {
                shown = "has it under neither name";
            }
        }
        where.layout += (where.layout.empty() ? "" : ", ") + protocol::text(member.at) + " " + shown;
    }
    if (foreign) {
        where.place = Whereabouts::Place::foreign;
    } else if (unknown) {
        where.place = Whereabouts::Place::unknown;
    } else if (before == members) {
        where.place = Whereabouts::Place::before;
    } else if (after == members) {
        where.place = Whereabouts::Place::after;
    } else {
        where.place = Whereabouts::Place::between;
    }
    return where;
}

} // namespace onceswap::engine
