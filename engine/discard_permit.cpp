#include "engine/discard_permit.hpp"

#include "protocol/transitions_operator.hpp"

#include <algorithm>
#include <stdexcept>

namespace onceswap::engine {

namespace {

using protocol::Code;
using protocol::Failure;

/// The one uuid that a member shows under a name; nil where it shows none. nullopt: the name is there twice.
std::optional<protocol::Uuid>
shown_under(const protocol::CatalogueFacts& catalogue, const std::string& name) {
    std::optional<protocol::Uuid> shown;
    for (const protocol::TableRow& row : catalogue.tables) {
        if (row.name != name) {
            continue;
        }
        if (shown) {
            return std::nullopt;
        }
        shown = row.uuid;
    }
    return shown.value_or(protocol::Uuid());
}

} // namespace

std::optional<DiscardPermit> DiscardPermit::for_orphan(
    const protocol::CorrelationToken& token,
    const protocol::AuthorityRecord& record,
    const protocol::NamedTable& orphan,
    std::span<const protocol::MemberEvidence> evidence,
    protocol::Failure& why
) {
    if (token.action != protocol::Action::setup || protocol::may_drop_orphan(record, orphan)) {
        throw std::logic_error(
            "DiscardPermit: not an orphan of the record, or the token's action is not `setup`"
        );
    }
    bool somewhere = false;
    for (const protocol::RecordedMember& member : record.members) {
        const auto answer = std::ranges::find(evidence, member.at, &protocol::MemberEvidence::at);
        const std::string who = protocol::text(member.at);
        if (answer == evidence.end() || !answer->catalogue ||
            answer->catalogue->identity.server_uuid != member.server_uuid) {
            why = Failure(Code::outcome_unknown, who + " does not show what it holds");
            return std::nullopt;
        }
        const auto inventory = protocol::Inventory::from_rows(record.cluster, answer->catalogue->clusters);
        if (!inventory || inventory->digest() != record.inventory_digest) {
            why = Failure(Code::inventory_drift, who + " does not show the members that the record names");
            return std::nullopt;
        }
        const auto shown = shown_under(*answer->catalogue, orphan.name);
        if (!shown || (!shown->is_nil() && *shown != orphan.uuid)) {
            why = Failure(
                Code::transition_refused,
                who + " shows another table under " + orphan.name + " than " + orphan.uuid.text()
            );
            return std::nullopt;
        }
        somewhere = somewhere || !shown->is_nil();
    }
    if (!somewhere) {
        why = Failure(Code::transition_refused, "no member has " + orphan.name + " any more");
        return std::nullopt;
    }
    return DiscardPermit(token.text(), orphan.name);
}

std::optional<DiscardPermit> DiscardPermit::from_evidence(
    const protocol::CorrelationToken& token,
    std::string table,
    const protocol::Uuid& uuid,
    const protocol::Inventory& inventory,
    std::span<const protocol::MemberEvidence> evidence
) {
    if (token.action != protocol::Action::setup) {
        throw std::logic_error("DiscardPermit: the token's action is not `setup`");
    }
    for (const protocol::Member& member : inventory.members()) {
        const bool shown = std::ranges::any_of(evidence, [&](const protocol::MemberEvidence& answer) {
            return answer.at == member.at && answer.catalogue &&
                   std::ranges::any_of(answer.catalogue->tables, [&](const protocol::TableRow& row) {
                       return row.name == table && row.uuid == uuid;
                   });
        });
        if (!shown) {
            return std::nullopt;
        }
    }
    return DiscardPermit(token.text(), std::move(table));
}

} // namespace onceswap::engine
