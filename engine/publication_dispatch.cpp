// From PREPARED to the one statement.
#include "engine/deadline.hpp"
#include "engine/publication.hpp"
#include "engine/reconcile.hpp"
#include "engine/task_group.hpp"
#include "protocol/mutant.hpp"
#include "protocol/transitions.hpp"

#include <boost/asio/this_coro.hpp>

#include <exception>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;
using protocol::Phase;
using protocol::Word;

asio::awaitable<void> Publication::admit_again(std::optional<Admitted>& again) {
    auto admitted =
        co_await admit_publication(context_, discovery_, request_, operation_id_, candidate_.name);
    again.emplace(std::move(admitted));
}

asio::awaitable<void> Publication::admit_candidate_again(std::optional<protocol::CandidateAdmission>& again) {
    const std::chrono::milliseconds no_patience{0};
    auto admission = co_await admit_staged(
        context_, admitted_, candidate_, request_.target, no_patience, request_.deadline
    );
    again.emplace(std::move(admission));
}

asio::awaitable<void> Publication::pass_again(std::optional<Observation>& seen, TimePoint& read_at) {
    auto observation = co_await passes_.next();
    seen.emplace(std::move(observation));
    read_at = context_.clock.now();
}

/// Everything is read once more, at once, immediately before the write that dispatches: admission A and B,
/// the record, and on every member that the queue has no entry of this operation. True: the way is open.
/// False: ended, or somebody else has moved the record on. Where admission had to wait, for members that
/// differ or that are slow, record and queue are read again after it: a record that somebody puts back from a
/// backup meanwhile looks as it did, and only the queue says what was sent.
asio::awaitable<bool> Publication::proven(Observation& seen) {
    step("admission before dispatch");
    std::optional<Admitted> again;
    std::optional<protocol::CandidateAdmission> candidate;
    std::optional<Observation> pass;
    TimePoint read_at;
    auto executor = co_await asio::this_coro::executor;
    {
        TaskGroup group(executor);
        group.spawn(admit_again(again));
        group.spawn(admit_candidate_again(candidate));
        group.spawn(pass_again(pass, read_at));
        co_await group.join();
    }
    const auto shortest_wait = context_.limits.poll_initial / 2;
    if (context_.clock.now() - read_at >= shortest_wait) {
        co_await pass_again(pass, read_at);
    }
    seen = std::move(*pass);
    if (!seen.current || seen.current->record.operation_id != operation_id_ ||
        seen.current->record.phase != Phase::prepared) {
        co_return false;
    }
    const protocol::AuthorityRecord& record = seen.current->record;
    report_ = seen.report;
    if (again->refused()) {
        refuse(again->admission.findings);
    } else if (candidate->refused() && !mutated(protocol::Mutant::candidate_not_read_again)) {
        refuse(candidate->findings);
    } else if (again->inventory().digest() != record.inventory_digest &&
               !mutated(protocol::Mutant::inventory_not_read_again)) {
        end(Code::inventory_drift, "the members are not those that the operation was prepared for");
    } else if (seen.word() != Word::ready) {
        end(seen.report.verdict.reason, seen.report.verdict.detail);
    } else if (record.candidate != candidate_.name || seen.writers.empty()) {
        end(Code::cas_conflict, "the record was prepared again with another candidate");
    } else if (again->admission.target.has_value() != record.predecessor.has_value()) {
        end(Code::generation_diverged, "the target came or went since the operation was prepared");
    }
    co_return !ended_;
}

/// PREPARED to DISPATCHING, and the statement. Tried again only after a try that is proven to have sent
/// nothing.
asio::awaitable<void> Publication::dispatch_once_proven() {
    passes_.begin_with(discovery_);
    for (unsigned tries = 0; tries < context_.limits.publication_dispatches; ++tries) {
        Observation seen;
        const bool open = co_await proven(seen);
        if (!open) {
            co_return;
        }
        const bool done = co_await sent(std::move(seen));
        if (done || ended_) {
            co_return;
        }
        const bool waited = co_await passes_.pause();
        if (!waited) {
            end(Code::deadline_reached, "nothing was sent");
            co_return;
        }
    }
    if (!ended_) {
        end(Code::ddl_not_sent, "no way to send the statement; the operation is still prepared");
    }
}

/// False: nothing was sent and the record is PREPARED as before. A cancellation that comes while the way is
/// open is looked at afterwards: the slot is given back first.
asio::awaitable<bool> Publication::sent(Observation seen) {
    step("dispatch");
    auto next = protocol::to_dispatching(seen.current->record, fresh_grant(context_), fresh_stamp(context_));
    for (const protocol::NamedTable& leftover : admitted_.leftovers) {
        if (leftover.name !=
            next.candidate) { // another worker of this operation had staged it, and it was taken over
            protocol::append_table(next.orphans, leftover);
        }
    }
    const bool throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    std::exception_ptr error;
    bool done = true;
    try {
        auto dispatched = co_await dispatch_step(context_, passes_, std::move(seen), std::move(next));
        done = co_await take_in(std::move(dispatched));
    } catch (...) {
        error = std::current_exception();
    }
    co_await asio::this_coro::throw_if_cancelled(throwing);
    if (error) {
        std::rethrow_exception(error);
    }
    co_return done;
}

asio::awaitable<bool> Publication::take_in(Dispatched dispatched) {
    if (std::holds_alternative<Conflict>(dispatched.write)) {
        co_return true; // another worker's step: what it did is followed, never repeated
    }
    if (std::holds_alternative<NotSent>(dispatched.write)) {
        co_return false;
    }
    if (const Failure* problem = problem_of(dispatched.write); problem != nullptr) {
        end(*problem);
        co_return true;
    }
    auto outcome = dispatched.ddl->outcome;
    if (outcome == protocol::Outcome::outcome_unknown &&
        mutated(protocol::Mutant::timeout_taken_as_not_sent)) {
        outcome = dispatched.ddl->outcome = protocol::Outcome::not_sent;
    }
    if (outcome != protocol::Outcome::not_sent && outcome != protocol::Outcome::rejected) {
        co_return true;
    }
    auto returning = return_slot(holder_result(*dispatched.ddl), dispatched.ddl->problem);
    auto settled = co_await with_deferred_cancellation(std::move(returning));
    co_return settled;
}

/// The permit was won and its statement refused or never sent: the slot must not strand on it. True: the
/// publication goes on from the record, or has ended. Runs with cancellation deferred.
asio::awaitable<bool> Publication::return_slot(protocol::HolderResult result, Failure problem) {
    auto seen = co_await return_unsent(context_, passes_, result);
    const bool back = seen.current && seen.current->record.phase == Phase::prepared;
    if (back && result == protocol::HolderResult::not_sent) {
        co_return false;
    }
    if (seen.queue.reading) {
        co_return true;
    }
    end(seen.report);
    end(result == protocol::HolderResult::rejected ? Code::ddl_rejected : Code::ddl_not_sent, problem.detail);
    co_return true;
}

} // namespace onceswap::engine
