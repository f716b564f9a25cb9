#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/names.hpp"

#include <optional>
#include <string>
#include <vector>

namespace onceswap::protocol {

/// Which table a row's payload is about, also where the row is no valid record: another digest, a column that
/// disagrees, a field that is not known.
struct SlotClaim {
    SlotClaim() = default;
    std::string cluster; ///< empty: it names none
    TargetName target;
    std::vector<RecordedMember> members; ///< those that can be read
};

/// For seeing that a damaged record stands, never for acting on what it says. nullopt: the payload is longer
/// than a record's, no JSON object, or names no table.
std::optional<SlotClaim> claim_of(const AuthorityRow& row);

} // namespace onceswap::protocol
