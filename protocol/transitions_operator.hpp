#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/failure.hpp"
#include "protocol/member_state.hpp"
#include "protocol/queue_evidence.hpp"
#include "protocol/verdict.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace onceswap::protocol {

// Whether an operator's command may be carried out from what a pass read. Pure and total over phases; the
// steps themselves are in transitions.hpp. A refusal has the code transition_refused where the phase or the
// tables do not allow the step, and another one where a better reading can.

/// Why not; nullopt: it may be.
using Refusal = std::optional<Failure>;

/// The slot must still be what `status` printed: cas_conflict otherwise.
Refusal
check_pin(const AuthorityRecord& record, std::int32_t at, std::string_view operation, std::int32_t version);

/// PREPARED by the phase alone; DISPATCHING only with the verdict NOT_DISPATCHED.
Refusal may_abandon(const AuthorityRecord& record, const Verdict& verdict);

/// DISPATCHING, COMMITTED, and RETIRING to go on. No member may show a table of neither generation under the
/// candidate's name, which the RENAME would move. Members that do not answer do it when they come back.
Refusal may_retire(const AuthorityRecord& record, std::span<const MemberState> members);

/// What `close --keep-predecessor` may write.
struct Closing {
    Closing() = default;
    Refusal refused;
    /// Names under which members show the predecessor; the aside name where none does and no receipt says
    /// that it was dropped.
    std::vector<NamedTable> remaining;
    std::vector<std::string> warnings; ///< what may still happen to them
};

static_assert(!std::is_aggregate_v<Closing>);

/// COMMITTED, SET_ASIDE_DISPATCHING or CLEANUP_DISPATCHING with a predecessor; `members` has one state per
/// member of the record and each shows the desired generation as target; something of the predecessor
/// remains, or in CLEANUP_DISPATCHING nothing does and the last statement's entry shows no end; no cleanup
/// statement is in progress or unreadable.
Closing may_close(
    const AuthorityRecord& record,
    std::span<const MemberState> members,
    QueueEvidence evidence,
    const Verdict& verdict
);

/// The record lists exactly this name with this uuid as an orphan, keeps it for nothing else, and is settled
/// or names other tables.
Refusal may_drop_orphan(const AuthorityRecord& record, const NamedTable& orphan);

} // namespace onceswap::protocol
