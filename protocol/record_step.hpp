#pragma once

// What the builders of the next record have in common. Not for users of transitions.hpp.

#include "protocol/authority_record.hpp"
#include "protocol/transitions.hpp"

#include <vector>

namespace onceswap::protocol::step {

/// Throws std::invalid_argument(rule) unless it holds.
void require(bool holds, const char* rule);

/// A copy with the write's own id and time.
AuthorityRecord stamped(const AuthorityRecord& record, const WriteStamp& stamp);

/// The list of attempts of a phase whose DDL is monotonic and may be dispatched again; null for the other
/// phases.
using AttemptList = std::vector<DdlAttempt> AuthorityRecord::*;
AttemptList monotonic_list(Phase phase);

/// The holder itself knows that the server got nothing or refused it, and no bound entry contradicts that.
bool was_not_dispatched(const std::optional<DdlAttempt>& publication);

} // namespace onceswap::protocol::step
