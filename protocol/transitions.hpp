#pragma once

#include "protocol/authority_record.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onceswap::protocol {

// How a record becomes the next one: one pure function for each row of the phase table in docs/protocol.md.
// None of them writes anything; the result is what a compare-and-swap shall put there. They can be chained
// where one write carries two steps: to_committed(bind_entry(...), receipt, stamp). Not where a step rests on
// the holder's own result: that must be in the record that was read, so set_holder_result is a write of its
// own before back_to_prepared or to_abandoned.
//
// All throw std::invalid_argument when `from` is not in a phase that the step starts from, or an argument
// cannot belong to the record: that is a defect of the caller, never a state of the cluster.

/// What every write brings of its own.
struct WriteStamp {
    WriteStamp() = default;

    WriteStamp(std::string write_id_, std::int64_t now_) : write_id(std::move(write_id_)), now(now_) {}

    std::string write_id; ///< 32 hex digits, never used before
    /// Seconds since the Unix epoch, UTC; a clock that runs behind never moves updated_at back.
    std::int64_t now = 0;
};

/// What a write that raises the epoch brings besides: the ownership, and the randomness of the correlation
/// token. The token itself is made here, for the new epoch; read it from current_attempt() of the result.
struct DispatchGrant {
    DispatchGrant() = default;

    DispatchGrant(std::string fence_token_, const std::array<std::uint8_t, 16>& token_entropy_)
        : fence_token(std::move(fence_token_)), token_entropy(token_entropy_) {}

    std::string fence_token; ///< 32 hex digits
    std::array<std::uint8_t, 16> token_entropy{};
};

/// What admission and staging found out about a new operation, and who prepares it.
struct Preparation {
    Preparation() = default;
    std::string cluster; ///< canonical name
    TargetName target;
    std::string operation_id;
    std::string plan_digest;
    std::string inventory_digest;
    std::vector<RecordedMember> members; ///< ordered by replica number
    std::optional<Generation> predecessor;
    Generation desired;
    std::string candidate;
    std::uint64_t staged_rows = 0;
    std::string fence_token;             ///< new, 32 hex digits
    std::optional<CanaryReceipt> canary; ///< none: the slot's own is kept
};

// --- PREPARED
// --------------------------------------------------------------------------------------------------------
/// none -> PREPARED, epoch 0.
AuthorityRecord prepare_new(const Preparation& preparation, const WriteStamp& stamp);

/// COMPLETED, ABANDONED -> PREPARED of a different operation, epoch + 1. The settled operation goes into
/// `recent` (the oldest falls out at limits::recent_operations); orphans and retained tables stay listed.
/// Throws for an operation that the slot already remembers.
AuthorityRecord
prepare_next(const AuthorityRecord& settled, const Preparation& preparation, const WriteStamp& stamp);

/// PREPARED -> PREPARED of the same operation with a new candidate, epoch kept. The old candidate becomes an
/// orphan.
AuthorityRecord
re_prepare(const AuthorityRecord& prepared, const Preparation& preparation, const WriteStamp& stamp);

/// DISPATCHING -> PREPARED: the permit holder's DDL was NotSent or Rejected and nothing is in the queue. The
/// token is forgotten, the epoch is not. Throws unless the attempt's result says so and no entry is bound.
AuthorityRecord back_to_prepared(const AuthorityRecord& dispatching, const WriteStamp& stamp);

// --- epoch + 1: a won write of these brings a permit
// ------------------------------------------------------------------
/// PREPARED -> DISPATCHING.
AuthorityRecord
to_dispatching(const AuthorityRecord& prepared, const DispatchGrant& grant, const WriteStamp& stamp);
/// COMMITTED -> SET_ASIDE_DISPATCHING. Throws without a predecessor.
AuthorityRecord to_set_aside_dispatching(
    const AuthorityRecord& committed, const DispatchGrant& grant, const WriteStamp& stamp
);
/// SET_ASIDE_DISPATCHING -> CLEANUP_DISPATCHING. Throws without the last set-aside's receipt.
AuthorityRecord
to_cleanup_dispatching(const AuthorityRecord& set_aside, const DispatchGrant& grant, const WriteStamp& stamp);
/// DISPATCHING, COMMITTED -> RETIRING.
AuthorityRecord to_retiring(const AuthorityRecord& from, const DispatchGrant& grant, const WriteStamp& stamp);

/// Whether the phase is a monotonic one and its list has room for one more attempt.
bool can_redispatch(const AuthorityRecord& record);
/// SET_ASIDE_DISPATCHING, CLEANUP_DISPATCHING, RETIRING -> itself. Throws unless can_redispatch.
AuthorityRecord redispatch(const AuthorityRecord& from, const DispatchGrant& grant, const WriteStamp& stamp);

// --- epoch kept, phase kept: what was learnt about the current attempt. Never a permit
// ---------------------------------
/// Binds the one queue entry. Throws if another entry or digest is bound.
AuthorityRecord bind_entry(
    const AuthorityRecord& from,
    std::string_view entry,
    std::string_view query_digest,
    const WriteStamp& stamp
);
/// The permit holder's own result; only the fence token's owner knows it. Throws if another result is
/// recorded.
AuthorityRecord set_holder_result(const AuthorityRecord& from, HolderResult result, const WriteStamp& stamp);
/// The terminal receipt of the bound entry: hosts are put in member order, exception heads trimmed to the
/// limit. Throws unless it has exactly one row for each member, or if another receipt is there.
AuthorityRecord persist_receipt(const AuthorityRecord& from, Receipt receipt, const WriteStamp& stamp);
/// Remembers why the last invocation stopped; an empty code clears it. Text is made valid and cut. Chained
/// with any step; a write of its own only in a phase for which is_dispatching() holds, as
/// is_allowed_transition has it.
AuthorityRecord set_error(
    const AuthorityRecord& from, std::string_view code, std::string_view summary, const WriteStamp& stamp
);

// --- epoch kept: settled
// ------------------------------------------------------------------------------------------------
/// DISPATCHING -> COMMITTED. `receipt` is persisted as by persist_receipt; nullopt where the record has it
/// already.
AuthorityRecord
to_committed(const AuthorityRecord& dispatching, std::optional<Receipt> receipt, const WriteStamp& stamp);
/// COMMITTED (absent target, or the predecessor is gone) or CLEANUP_DISPATCHING -> COMPLETED. Throws where
/// the last cleanup attempt has no receipt.
AuthorityRecord to_completed(const AuthorityRecord& from, const WriteStamp& stamp);
/// PREPARED, or DISPATCHING with the holder's result NotSent or Rejected -> ABANDONED. The candidate becomes
/// an orphan.
AuthorityRecord to_abandoned(const AuthorityRecord& from, const WriteStamp& stamp);
/// RETIRING -> COMPLETED: every member's target is the desired generation. The predecessor, if there was one
/// and `predecessor_remains` on some member, is retained under the aside name. Throws without the last
/// attempt's receipt.
AuthorityRecord retire_to_completed(
    const AuthorityRecord& retiring, const WriteStamp& stamp, bool predecessor_remains = true
);
/// RETIRING -> ABANDONED: every member's target is the predecessor, or absent as before. The desired
/// generation is retained under the aside name. Throws without the last attempt's receipt.
AuthorityRecord retire_to_abandoned(const AuthorityRecord& retiring, const WriteStamp& stamp);
/// COMMITTED, SET_ASIDE_DISPATCHING, CLEANUP_DISPATCHING -> COMPLETED with the predecessor kept under the
/// names in `remaining`: a subset of {candidate, aside}, each with the predecessor's uuid.
AuthorityRecord close_keeping_predecessor(
    const AuthorityRecord& from, const std::vector<NamedTable>& remaining, const WriteStamp& stamp
);

// --- attempts
// -----------------------------------------------------------------------------------------------------------
/// Adds an attempt; the ones before it lose their receipts and keep token, entry and digest. Throws at
/// limits::attempts_per_action.
void append_attempt(std::vector<DdlAttempt>& attempts, DdlAttempt attempt);
/// Exception heads of all but the first limits::exception_heads failing hosts are dropped; code and SHA-256
/// stay.
Receipt trimmed(Receipt receipt);
/// Adds a table to a bounded list; the oldest falls out at limits::listed_tables. A name that is listed is
/// replaced.
void append_table(std::vector<NamedTable>& tables, NamedTable table);

// --- the phase table as a predicate
// --------------------------------------------------------------------------------------
/// How far the epoch moved in one write.
enum class EpochStep { same, plus_one, other };
EpochStep epoch_step(std::uint64_t from, std::uint64_t to);

/// The phase table alone, total over phases, epoch steps and whether both records are of one operation.
bool is_allowed_phase_step(Phase from, Phase to, EpochStep step, bool same_operation);

/// Whether a first record may be written into an empty slot.
bool is_allowed_creation(const AuthorityRecord& record);

/// The phase table plus what no step may change: the slot, within one operation its generations, members and
/// names (except when it is prepared again), entries, results and receipts that are there, attempts in their
/// order; and what every step must change: the write id, and the fence with a new operation. Every builder
/// above yields an allowed step.
bool is_allowed_transition(const AuthorityRecord& from, const AuthorityRecord& to);

} // namespace onceswap::protocol
