#include "engine/record_step.hpp"

#include "engine/action_statement.hpp"
#include "engine/ddl.hpp"
#include "engine/deadline.hpp"
#include "protocol/mutant.hpp"

#include <stdexcept>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

constexpr unsigned bearable_lost_writes = 3;

/// A member that showed the record as it stands: through another one the predicate could read an older row.
BoundMember writer_of(const Observation& seen) {
    if (seen.writers.empty()) {
        throw std::logic_error("a record that no member showed cannot be written");
    }
    return seen.writers.front();
}

/// Exactly one entry, and it is the expected statement, whatever its rows say so far.
bool is_bindable(protocol::QueueEvidence evidence) {
    switch (evidence) {
    case protocol::QueueEvidence::in_progress:
    case protocol::QueueEvidence::success:
    case protocol::QueueEvidence::failure:
    case protocol::QueueEvidence::unknown_rows:
        return true;
    case protocol::QueueEvidence::none:
    case protocol::QueueEvidence::several:
    case protocol::QueueEvidence::unreadable:
    case protocol::QueueEvidence::changed:
    case protocol::QueueEvidence::gone:
    case protocol::QueueEvidence::diverged:
        return false;
    }
    return false;
}

/// Whether the cluster may differ now from what the pass before it saw. A won write alone does not change
/// what the members hold.
bool may_have_changed(const Dispatched& dispatched) {
    if (std::holds_alternative<OutcomeUnknown>(dispatched.write)) {
        return true;
    }
    return dispatched.ddl && dispatched.ddl->outcome != protocol::Outcome::not_sent &&
           dispatched.ddl->outcome != protocol::Outcome::rejected;
}

} // namespace

protocol::WriteStamp fresh_stamp(Context& context) {
    return protocol::WriteStamp(context.entropy.hex32(), context.clock.wall_seconds());
}

protocol::DispatchGrant fresh_grant(Context& context) {
    auto fence = context.entropy.hex32();
    return protocol::DispatchGrant(std::move(fence), context.entropy.bytes16());
}

std::optional<protocol::AuthorityRecord> with_evidence(Context& context, const Observation& seen) {
    const protocol::AuthorityRecord& record = seen.current->record;
    const protocol::DdlAttempt* attempt = protocol::current_attempt(record);
    if (attempt == nullptr || !seen.queue.reading) {
        return std::nullopt;
    }
    const bool bind = attempt->entry.empty() && is_bindable(seen.queue.evidence);
    const bool early =
        is_bindable(seen.queue.evidence) && mutated(protocol::Mutant::receipt_of_unfinished_entry);
    const bool receipt = !attempt->receipt && (protocol::is_terminal(seen.queue.evidence) || early) &&
                         !mutated(protocol::Mutant::receipt_not_persisted);
    if (!bind && !receipt) {
        return std::nullopt;
    }
    const auto stamp = fresh_stamp(context);
    protocol::AuthorityRecord next = record;
    if (bind) {
        next = protocol::bind_entry(next, seen.queue.reading->entry, seen.queue.query_digest, stamp);
    }
    if (receipt) {
        next = protocol::persist_receipt(next, protocol::make_receipt(*seen.queue.reading, stamp.now), stamp);
    }
    return next;
}

asio::awaitable<WriteResult>
write_step(Context& context, Passes& passes, Observation seen, protocol::AuthorityRecord next) {
    Authority authority(context, next.target.database, next.target_key);
    auto member = writer_of(seen);
    const TimePoint deadline = earlier_of(context.clock, context.limits.mutation_timeout, passes.deadline());
    auto result = co_await authority.compare_and_swap(
        std::move(member), std::move(*seen.current), std::move(next), deadline
    );
    if (const auto* won = std::get_if<Won>(&result); won != nullptr) {
        passes.moved(won->now);
    } else if (std::holds_alternative<OutcomeUnknown>(result)) {
        passes.outdate();
    }
    co_return result;
}

asio::awaitable<Dispatched>
dispatch_step(Context& context, Passes& passes, Observation seen, protocol::AuthorityRecord next) {
    Authority authority(context, next.target.database, next.target_key);
    Ddl ddl(context);
    DispatchOrder order;
    order.member = writer_of(seen);
    order.current = std::move(*seen.current);
    order.statement = action_statement(next, context.limits).value();
    order.hosts = hosts_of_record(next);
    order.deadline = passes.deadline();
    const std::string token = protocol::current_attempt(next)->token;
    order.next = std::move(next);
    auto dispatched = co_await dispatch(context, authority, ddl, std::move(order));
    if (const auto* won = std::get_if<Won>(&dispatched.write); won != nullptr) {
        passes.moved(won->now);
        if (dispatched.ddl) {
            passes.holder_saw(token, holder_result(*dispatched.ddl));
        }
    }
    if (may_have_changed(dispatched)) {
        passes.outdate();
    }
    co_return dispatched;
}

bool LostWrites::go_on(const WriteResult& result, protocol::Report& report) {
    conflicted_ = std::holds_alternative<Conflict>(result);
    if (std::holds_alternative<Won>(result) || conflicted_) {
        return true; // a conflict is somebody else's step: the next pass shows it
    }
    const protocol::Failure& problem = *problem_of(result);
    report.stopped_by = problem.code;
    report.stopped_detail = problem.detail;
    if (std::holds_alternative<Rejected>(result)) {
        return false;
    }
    return ++lost_ < bearable_lost_writes;
}

} // namespace onceswap::engine
