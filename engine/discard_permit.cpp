#include "engine/discard_permit.hpp"

#include <algorithm>
#include <stdexcept>

namespace onceswap::engine {

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
