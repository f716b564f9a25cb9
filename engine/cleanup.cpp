#include "engine/cleanup.hpp"

#include "engine/record_step.hpp"
#include "engine/redispatch.hpp"
#include "protocol/mutant.hpp"

#include <algorithm>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Next;
using protocol::Phase;
using protocol::QueueEvidence;
using protocol::Word;

namespace {

/// What the verdict asks for, in the words of this file.
enum class Move { stop, wait, wait_for_health, wait_for_grace, set_aside, drop, redispatch, complete };

class Cleanup {
  public:
    Cleanup(Context& context, Passes& passes)
        : context_(context), passes_(passes), redispatches_(context, passes), began_(context.clock.now()) {}

    asio::awaitable<Observation> run() {
        while (true) {
            auto seen = co_await passes_.next();
            if (!seen.current) {
                co_return seen;
            }
            const Move move = decide(seen);
            bool done = false;
            switch (move) {
            case Move::stop:
                co_return seen;
            case Move::wait:
            case Move::wait_for_health:
                done = co_await learn(seen);
                break;
            case Move::wait_for_grace:
                done = co_await wait_for_grace(seen);
                break;
            case Move::set_aside:
            case Move::drop:
            case Move::redispatch:
                done = co_await send(seen, move);
                break;
            case Move::complete:
                done = co_await complete(seen);
                break;
            }
            if (done) {
                co_return seen;
            }
            if (move != Move::wait && move != Move::wait_for_health && !seen.report.stopped_by &&
                !lost_.conflicted()) {
                continue;
            }
            const bool waited = co_await passes_.pause();
            if (!waited) {
                seen.report.stopped_by = Code::deadline_reached;
                if (move == Move::wait_for_health) {
                    seen.report.stopped_detail = "waited for healthy replication: " + seen.unhealthy();
                }
                co_return seen;
            }
        }
    }

  private:
    Move decide(const Observation& seen) const {
        if (seen.word() == Word::cleanup_unknown) {
            const bool changes = is_transient(seen.queue.evidence) && redispatches_.visibility_pending();
            return changes || seen.queue.evidence == QueueEvidence::unreadable ? Move::wait : Move::stop;
        }
        if (seen.word() == Word::drop_required) { // its receipt is kept by the write that dispatches the DROP
            if (context_.clock.now() < grace_ends(seen)) {
                return Move::wait_for_grace;
            }
            return gated(seen, Move::drop);
        }
        switch (seen.report.verdict.next) {
        case Next::set_aside:
            return gated(seen, Move::set_aside);
        case Next::redispatch_set_aside:
        case Next::redispatch_cleanup:
            return redispatch(seen);
        case Next::complete:
            return Move::complete;
        case Next::wait_for_entry:
        case Next::read_again:
            return Move::wait;
        case Next::drop:
        case Next::none:
        case Next::report:
        case Next::dispatch:
        case Next::back_to_prepared:
        case Next::persist_receipt:
        case Next::redispatch_retire:
        case Next::settle_retired:
        case Next::operator_retire:
        case Next::operator_abandon:
        case Next::operator_repair:
            break;
        }
        return Move::stop;
    }

    Move redispatch(const Observation& seen) const {
        switch (redispatches_.ask(seen)) {
        case Redispatches::Answer::send:
            return gated(seen, Move::redispatch);
        case Redispatches::Answer::wait:
            return Move::wait;
        case Redispatches::Answer::stop:
            return Move::stop;
        }
        return Move::stop;
    }

    /// Nothing is moved away or dropped while a member does not have the new generation healthy.
    Move gated(const Observation& seen, Move move) const {
        if (seen.writers.empty()) {
            return Move::wait;
        }
        if (seen.healthy() || mutated(protocol::Mutant::unhealthy_member_cleaned)) {
            return move;
        }
        const bool patient = context_.clock.now() - began_ < context_.limits.candidate_wait;
        return patient ? Move::wait_for_health : Move::stop;
    }

    /// Measured from the set-aside's receipt, so that a crash does not begin it again.
    TimePoint grace_ends(const Observation& seen) const {
        const auto& attempts = seen.current->record.set_aside;
        if (context_.limits.grace.count() <= 0 || attempts.empty()) {
            return TimePoint::min();
        }
        std::int64_t since = context_.clock.wall_seconds();
        if (attempts.back().receipt) {
            since = attempts.back().receipt->observed_at;
        }
        const auto elapsed = std::chrono::seconds(context_.clock.wall_seconds() - since);
        return context_.clock.now() + context_.limits.grace - elapsed;
    }

    /// Binds the entry and keeps its receipt before the queue forgets it. True: it cannot be written, the
    /// end.
    asio::awaitable<bool> learn(Observation& seen) {
        auto next = with_evidence(context_, seen);
        if (!next || seen.writers.empty()) {
            co_return false;
        }
        auto written = co_await write_step(context_, passes_, seen, std::move(*next));
        const bool on = note(written, seen);
        co_return !on;
    }

    asio::awaitable<bool> wait_for_grace(Observation& seen) {
        const auto& attempts = seen.current->record.set_aside;
        if (attempts.empty() || !attempts.back().receipt) {
            auto stop = co_await learn(seen);
            co_return stop;
        }
        const TimePoint until = std::min(grace_ends(seen), passes_.deadline());
        co_await context_.clock.wait_until(until);
        if (passes_.out_of_time()) {
            seen.report.stopped_by = Code::deadline_reached;
            co_return true;
        }
        co_return false;
    }

    /// True: the end.
    asio::awaitable<bool> send(Observation& seen, Move move) {
        const auto learnt = with_evidence(context_, seen);
        const auto& base = learnt ? *learnt : seen.current->record;
        protocol::AuthorityRecord next;
        if (move == Move::set_aside) {
            next = protocol::to_set_aside_dispatching(base, fresh_grant(context_), fresh_stamp(context_));
        } else if (move == Move::drop) {
            next = protocol::to_cleanup_dispatching(base, fresh_grant(context_), fresh_stamp(context_));
        } else {
            redispatches_.sent();
            next = protocol::redispatch(base, fresh_grant(context_), fresh_stamp(context_));
        }
        auto dispatched = co_await dispatch_step(context_, passes_, seen, std::move(next));
        const bool stop = !note(dispatched.write, seen);
        if (dispatched.ddl && dispatched.ddl->outcome == protocol::Outcome::rejected) {
            seen.report.stopped_by = Code::ddl_rejected;
            seen.report.stopped_detail = dispatched.ddl->problem.detail;
            co_return true; // no entry of the new attempt exists
        }
        co_return stop;
    }

    asio::awaitable<bool> complete(Observation& seen) {
        const auto learnt = with_evidence(context_, seen);
        const auto& base = learnt ? *learnt : seen.current->record;
        auto next = protocol::to_completed(base, fresh_stamp(context_));
        auto written = co_await write_step(context_, passes_, seen, std::move(next));
        const bool stop = !note(written, seen);
        if (const auto* won = std::get_if<Won>(&written); won != nullptr) {
            rejudge(seen, won->now);
            co_return true;
        }
        co_return stop;
    }

    /// False: too much was lost, stop.
    bool note(const WriteResult& written, Observation& seen) {
        const bool on = lost_.go_on(written, seen.report);
        if (const auto* won = std::get_if<Won>(&written); won != nullptr) {
            adopt(seen, won->now);
        }
        return on;
    }

    Context& context_;
    Passes& passes_;
    Redispatches redispatches_;
    LostWrites lost_;
    TimePoint began_;
};

} // namespace

asio::awaitable<Observation> clean_up(Context& context, Passes& passes) {
    Cleanup cleanup(context, passes);
    auto seen = co_await cleanup.run();
    co_return seen;
}

} // namespace onceswap::engine
