#include "engine/reconcile.hpp"

#include "engine/record_step.hpp"
#include "protocol/mutant.hpp"

#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Next;
using protocol::Phase;
using protocol::QueueEvidence;
using protocol::Word;

namespace {

constexpr int no_usable_evidence = 15; ///< row of the verdict table

/// The write that follows from the pass, if any.
std::optional<protocol::AuthorityRecord> next_record(Context& context, const Observation& seen) {
    auto learnt = with_evidence(context, seen);
    const bool failed =
        seen.word() == Word::not_committed && mutated(protocol::Mutant::failed_publication_prepared_again);
    const bool lost = seen.report.verdict.row == no_usable_evidence &&
                      seen.queue.evidence == QueueEvidence::none &&
                      mutated(protocol::Mutant::lost_publication_prepared_again);
    if (failed || lost) {
        return protocol::back_to_prepared(seen.current->record, fresh_stamp(context));
    }
    if (seen.word() != Word::committed) {
        return learnt;
    }
    const auto& base = learnt ? *learnt : seen.current->record;
    return protocol::to_committed(base, std::nullopt, fresh_stamp(context));
}

/// Whether another pass can show more.
bool worth_waiting(const Passes& passes, const Observation& seen, const Limits& limits) {
    const protocol::Verdict& verdict = seen.report.verdict;
    if (verdict.row == no_usable_evidence) {
        // A queue that cannot be read may be readable later; one that shows nothing, or nonsense, has a
        // visibility wait.
        return seen.queue.evidence == QueueEvidence::unreadable ||
               (is_transient(seen.queue.evidence) && passes.unchanged_for() < limits.visibility_wait);
    }
    return verdict.next == Next::wait_for_entry || (verdict.next == Next::read_again && !is_odd(verdict));
}

/// Whether the slot, whose holder saw its statement fail, can be given back after this pass.
bool may_go_back(const Observation& seen) {
    const bool proven = seen.word() == Word::not_dispatched && !seen.queue.reading;
    return mutated(protocol::Mutant::unsent_without_asking_the_queue) ||
           (proven && seen.current && !seen.writers.empty() && !seen.report.stopped_by);
}

/// A refusal speaks of the copy of the request that met it. Where something on the way sent it twice, the
/// other one may still arrive: the queue must stay without it for a whole visibility wait. Out of time, the
/// report says so, and the slot is not given back.
asio::awaitable<Observation> unseen_for_good(Context& context, Passes& passes, Observation seen) {
    const TimePoint since = context.clock.now();
    while (may_go_back(seen) && context.clock.now() - since < context.limits.visibility_wait) {
        const bool waited = co_await passes.pause();
        if (!waited) {
            seen.report.stopped_by = Code::deadline_reached;
            co_return seen;
        }
        seen = co_await passes.next();
    }
    co_return seen;
}

} // namespace

asio::awaitable<Observation> reconcile(Context& context, Passes& passes) {
    LostWrites lost;
    while (true) {
        auto seen = co_await passes.next();
        if (!seen.current || seen.current->record.phase != Phase::dispatching) {
            co_return seen;
        }
        const bool writable = !seen.writers.empty();
        auto next = next_record(context, seen);
        if (next && writable) {
            const bool commits = next->phase == Phase::committed;
            auto written = co_await write_step(context, passes, seen, std::move(*next));
            if (const auto* won = std::get_if<Won>(&written); won != nullptr) {
                adopt(seen, won->now);
                if (commits) {
                    co_return seen;
                }
            } else if (!lost.go_on(written, seen.report)) {
                co_return seen;
            } else {
                seen.report.stopped_by.reset();
                const bool more = co_await passes.pause();
                if (more) {
                    continue;
                }
            }
        }
        if (!worth_waiting(passes, seen, context.limits)) {
            co_return seen;
        }
        const bool waited = co_await passes.pause();
        if (!waited) {
            seen.report.stopped_by = Code::deadline_reached;
            co_return seen;
        }
    }
}

asio::awaitable<Observation> return_unsent(Context& context, Passes& passes, protocol::HolderResult result) {
    auto seen = co_await passes.next();
    if (!seen.current || seen.current->record.phase != Phase::dispatching || seen.writers.empty()) {
        co_return seen;
    }
    const bool entry_seen = seen.queue.reading.has_value();
    if (entry_seen && !mutated(protocol::Mutant::unsent_without_asking_the_queue)) {
        co_return seen; // it was sent after all: the queue counts, not what the holder saw
    }
    const bool give_back =
        seen.word() == Word::not_dispatched || mutated(protocol::Mutant::unsent_without_asking_the_queue);
    auto known = protocol::set_holder_result(seen.current->record, result, fresh_stamp(context));
    auto written = co_await write_step(context, passes, seen, std::move(known));
    if (const auto* won = std::get_if<Won>(&written); won != nullptr && give_back) {
        adopt(seen, won->now);
        if (result == protocol::HolderResult::rejected) {
            seen = co_await unseen_for_good(context, passes, std::move(seen));
            if (!may_go_back(seen)) {
                co_return seen;
            }
        }
        auto prepared = protocol::back_to_prepared(seen.current->record, fresh_stamp(context));
        written = co_await write_step(context, passes, seen, std::move(prepared));
    }
    if (const auto* won = std::get_if<Won>(&written); won != nullptr) {
        adopt(seen, won->now);
    } else {
        const auto& problem = *problem_of(written);
        seen.report.stopped_by = problem.code;
        seen.report.stopped_detail = problem.detail;
    }
    co_return seen;
}

} // namespace onceswap::engine
