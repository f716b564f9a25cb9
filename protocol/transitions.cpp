#include "protocol/transitions.hpp"

#include "protocol/correlation_token.hpp"
#include "protocol/mutant.hpp"
#include "protocol/record_step.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <stdexcept>

namespace onceswap::protocol {

using step::require;

namespace {

void require_phase(const AuthorityRecord& record, std::initializer_list<Phase> phases) {
    if (std::find(phases.begin(), phases.end(), record.phase) == phases.end())
        throw std::invalid_argument("this step does not start from " + std::string(text(record.phase)));
}

AuthorityRecord moved_to(const AuthorityRecord& from, Phase phase, const WriteStamp& stamp) {
    AuthorityRecord record = step::stamped(from, stamp);
    record.phase = phase;
    return record;
}

std::uint64_t next_epoch(std::uint64_t epoch) {
    require(epoch != std::numeric_limits<std::uint64_t>::max(), "the dispatch epoch cannot rise further");
    return epoch + 1;
}

/// Raises the epoch and makes the attempt that the epoch stands for.
DdlAttempt grant_attempt(AuthorityRecord& record, Action action, const DispatchGrant& grant) {
    record.dispatch_epoch = next_epoch(record.dispatch_epoch);
    record.fence_token = grant.fence_token;
    record.error.reset();
    DdlAttempt attempt;
    attempt.epoch = record.dispatch_epoch;
    attempt.token =
        make_token(record.operation_id, action, record.dispatch_epoch, grant.token_entropy).text();
    return attempt;
}

/// What a preparation says, in a slot that says nothing yet.
AuthorityRecord fill(const Preparation& preparation, const WriteStamp& stamp) {
    AuthorityRecord record;
    record.target_key = target_key(preparation.cluster, preparation.target);
    record.cluster = preparation.cluster;
    record.target = preparation.target;
    record.candidate = preparation.candidate;
    record.aside = aside_name(preparation.candidate);
    record.operation_id = preparation.operation_id;
    record.plan_digest = preparation.plan_digest;
    record.inventory_digest = preparation.inventory_digest;
    record.members = preparation.members;
    record.predecessor = preparation.predecessor;
    record.desired = preparation.desired;
    record.staged_rows = preparation.staged_rows;
    record.fence_token = preparation.fence_token;
    record.canary = preparation.canary;
    record.write_id = stamp.write_id;
    record.created_at = stamp.now;
    record.updated_at = stamp.now;
    return record;
}

/// What a slot remembers whatever is prepared in it.
void carry_over(AuthorityRecord& record, const AuthorityRecord& from) {
    require(record.target_key == from.target_key, "this slot belongs to another target");
    record.dispatch_epoch = from.dispatch_epoch;
    record.orphans = from.orphans;
    record.retained = from.retained;
    record.recent = from.recent;
    if (!record.canary)
        record.canary = from.canary;
}

bool remembers(const AuthorityRecord& slot, const std::string& operation_id) {
    return slot.operation_id == operation_id ||
           std::any_of(slot.recent.begin(), slot.recent.end(), [&operation_id](const RecentOperation& each) {
               return each.operation_id == operation_id;
           });
}

void remember(std::vector<RecentOperation>& recent, RecentOperation operation) {
    if (recent.size() >= limits::recent_operations)
        recent.erase(recent.begin());
    recent.push_back(std::move(operation));
}

Action action_of_redispatch(Phase phase) {
    if (phase == Phase::set_aside_dispatching)
        return Action::aside;
    return phase == Phase::cleanup_dispatching ? Action::cleanup : Action::retire;
}

void require_receipt(const std::vector<DdlAttempt>& attempts) {
    const bool there = !attempts.empty() && attempts.back().receipt;
    require(there || mutated(Mutant::receipt_not_persisted), "the last attempt has no receipt");
}

} // namespace

AuthorityRecord prepare_new(const Preparation& preparation, const WriteStamp& stamp) {
    return fill(preparation, stamp);
}

AuthorityRecord
prepare_next(const AuthorityRecord& settled, const Preparation& preparation, const WriteStamp& stamp) {
    if (!mutated(Mutant::unfinished_slot_taken))
        require_phase(settled, {Phase::completed, Phase::abandoned});
    require(
        !remembers(settled, preparation.operation_id) || mutated(Mutant::settled_operation_prepared_again),
        "this operation is settled already"
    );
    AuthorityRecord record = fill(preparation, stamp);
    carry_over(record, settled);
    record.dispatch_epoch = next_epoch(settled.dispatch_epoch);
    record.updated_at = std::max(settled.updated_at, stamp.now); // another worker's clock may run ahead
    remember(record.recent, {settled.operation_id, settled.phase, settled.dispatch_epoch});
    return record;
}

AuthorityRecord
re_prepare(const AuthorityRecord& prepared, const Preparation& preparation, const WriteStamp& stamp) {
    require_phase(prepared, {Phase::prepared});
    require(prepared.operation_id == preparation.operation_id, "only the same operation prepares again");
    require(
        prepared.candidate != preparation.candidate || mutated(Mutant::candidate_name_reused_by_next_try),
        "a candidate's name is never used again"
    );
    AuthorityRecord record = fill(preparation, stamp);
    carry_over(record, prepared);
    append_table(record.orphans, {prepared.candidate, prepared.desired.uuid});
    record.created_at = prepared.created_at;
    record.updated_at = std::max(prepared.updated_at, stamp.now);
    return record;
}

AuthorityRecord back_to_prepared(const AuthorityRecord& dispatching, const WriteStamp& stamp) {
    require_phase(dispatching, {Phase::dispatching});
    require(step::was_not_dispatched(dispatching.publication), "it is not known that nothing was dispatched");
    AuthorityRecord record = moved_to(dispatching, Phase::prepared, stamp);
    record.publication.reset();
    return record;
}

AuthorityRecord
to_dispatching(const AuthorityRecord& prepared, const DispatchGrant& grant, const WriteStamp& stamp) {
    require_phase(prepared, {Phase::prepared});
    require(!prepared.publication, "a prepared record with a token is invalid");
    AuthorityRecord record = moved_to(prepared, Phase::dispatching, stamp);
    record.publication = grant_attempt(record, Action::publish, grant);
    return record;
}

AuthorityRecord to_set_aside_dispatching(
    const AuthorityRecord& committed, const DispatchGrant& grant, const WriteStamp& stamp
) {
    require_phase(committed, {Phase::committed});
    require(committed.predecessor.has_value(), "there is no predecessor to set aside");
    AuthorityRecord record = moved_to(committed, Phase::set_aside_dispatching, stamp);
    append_attempt(record.set_aside, grant_attempt(record, Action::aside, grant));
    return record;
}

AuthorityRecord to_cleanup_dispatching(
    const AuthorityRecord& set_aside, const DispatchGrant& grant, const WriteStamp& stamp
) {
    require_phase(set_aside, {Phase::set_aside_dispatching});
    require(set_aside.predecessor.has_value(), "there is no predecessor to drop");
    require_receipt(set_aside.set_aside);
    AuthorityRecord record = moved_to(set_aside, Phase::cleanup_dispatching, stamp);
    append_attempt(record.cleanup, grant_attempt(record, Action::cleanup, grant));
    return record;
}

AuthorityRecord
to_retiring(const AuthorityRecord& from, const DispatchGrant& grant, const WriteStamp& stamp) {
    require_phase(from, {Phase::dispatching, Phase::committed});
    AuthorityRecord record = moved_to(from, Phase::retiring, stamp);
    append_attempt(record.retire, grant_attempt(record, Action::retire, grant));
    return record;
}

bool can_redispatch(const AuthorityRecord& record) {
    const step::AttemptList list = step::monotonic_list(record.phase);
    return list != nullptr && (record.*list).size() < limits::attempts_per_action;
}

AuthorityRecord redispatch(const AuthorityRecord& from, const DispatchGrant& grant, const WriteStamp& stamp) {
    require(can_redispatch(from), "this phase cannot dispatch again");
    AuthorityRecord record = moved_to(from, from.phase, stamp);
    DdlAttempt attempt = grant_attempt(record, action_of_redispatch(from.phase), grant);
    append_attempt(record.*step::monotonic_list(from.phase), std::move(attempt));
    return record;
}

AuthorityRecord
to_committed(const AuthorityRecord& dispatching, std::optional<Receipt> receipt, const WriteStamp& stamp) {
    require_phase(dispatching, {Phase::dispatching});
    AuthorityRecord record = receipt ? persist_receipt(dispatching, *std::move(receipt), stamp) : dispatching;
    const bool there = record.publication && record.publication->receipt;
    require(there || mutated(Mutant::receipt_not_persisted), "a commit carries its receipt");
    record = moved_to(record, Phase::committed, stamp);
    record.error.reset();
    return record;
}

AuthorityRecord to_completed(const AuthorityRecord& from, const WriteStamp& stamp) {
    require_phase(from, {Phase::committed, Phase::cleanup_dispatching});
    if (from.phase == Phase::cleanup_dispatching)
        require_receipt(from.cleanup);
    AuthorityRecord record = moved_to(from, Phase::completed, stamp);
    record.error.reset();
    return record;
}

AuthorityRecord to_abandoned(const AuthorityRecord& from, const WriteStamp& stamp) {
    require_phase(from, {Phase::prepared, Phase::dispatching});
    if (from.phase == Phase::dispatching)
        require(step::was_not_dispatched(from.publication), "it is not known that nothing was dispatched");
    AuthorityRecord record = moved_to(from, Phase::abandoned, stamp);
    append_table(record.orphans, {from.candidate, from.desired.uuid});
    return record;
}

AuthorityRecord
retire_to_completed(const AuthorityRecord& retiring, const WriteStamp& stamp, bool predecessor_remains) {
    require_phase(retiring, {Phase::retiring});
    require_receipt(retiring.retire);
    AuthorityRecord record = moved_to(retiring, Phase::completed, stamp);
    if (retiring.predecessor && predecessor_remains)
        append_table(record.retained, {retiring.aside, retiring.predecessor->uuid});
    return record;
}

AuthorityRecord retire_to_abandoned(const AuthorityRecord& retiring, const WriteStamp& stamp) {
    require_phase(retiring, {Phase::retiring});
    require_receipt(retiring.retire);
    AuthorityRecord record = moved_to(retiring, Phase::abandoned, stamp);
    append_table(record.retained, {retiring.aside, retiring.desired.uuid});
    return record;
}

AuthorityRecord close_keeping_predecessor(
    const AuthorityRecord& from, const std::vector<NamedTable>& remaining, const WriteStamp& stamp
) {
    require_phase(from, {Phase::committed, Phase::set_aside_dispatching, Phase::cleanup_dispatching});
    require(from.predecessor.has_value() && !remaining.empty(), "there is no predecessor to keep");
    AuthorityRecord record = moved_to(from, Phase::completed, stamp);
    for (const NamedTable& table : remaining) {
        require(
            (table.name == from.candidate || table.name == from.aside) &&
                table.uuid == from.predecessor->uuid,
            "only the predecessor is kept, under the candidate's or the aside name"
        );
        append_table(record.retained, table);
    }
    return record;
}

} // namespace onceswap::protocol
