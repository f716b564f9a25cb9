#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/member_state.hpp"
#include "protocol/report.hpp"

#include <span>
#include <vector>

namespace onceswap::protocol {

/// RETIRED_MIXED: the statement that a person sends to one host alone, for each host and each of the two
/// outcomes in which the members would agree again; first those that serve the desired generation. Never sent
/// by this program, and never with ON CLUSTER. An outcome that some member cannot reach, because the
/// generation is not there, is left out. Empty for members whose candidate's name is still taken.
std::vector<Report::Repair> repairs(const AuthorityRecord& record, std::span<const MemberState> members);

} // namespace onceswap::protocol
