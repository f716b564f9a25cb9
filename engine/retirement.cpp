#include "engine/retirement.hpp"

#include "engine/record_step.hpp"
#include "engine/redispatch.hpp"

#include <algorithm>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Phase;
using protocol::QueueEvidence;
using protocol::Role;
using protocol::State;
using protocol::Word;

namespace {

/// What the verdict asks for, in the words of this file.
enum class Move { stop, wait, redispatch, settle, learn_and_stop };

class Retirement {
  public:
    Retirement(Context& context, Passes& passes)
        : context_(context), passes_(passes), redispatches_(context, passes) {}

    asio::awaitable<Observation> run() {
        while (true) {
            auto seen = co_await passes_.next();
            if (!seen.current || seen.current->record.phase != Phase::retiring) {
                co_return seen;
            }
            const Move move = decide(seen);
            bool done = false;
            switch (move) {
            case Move::stop:
                co_return seen;
            case Move::wait:
                done = co_await learn(seen);
                break;
            case Move::learn_and_stop:
                if (!with_evidence(context_, seen) || seen.writers.empty()) {
                    co_return seen;
                }
                done = co_await learn(seen);
                break;
            case Move::redispatch:
                done = co_await send(seen);
                break;
            case Move::settle:
                done = co_await settle(seen);
                break;
            }
            if (done) {
                co_return seen;
            }
            if (move != Move::wait && !seen.report.stopped_by && !lost_.conflicted()) {
                continue;
            }
            const bool waited = co_await passes_.pause();
            if (!waited) {
                seen.report.stopped_by = Code::deadline_reached;
                co_return seen;
            }
        }
    }

  private:
    Move decide(const Observation& seen) const {
        const Word word = seen.word();
        if (word == Word::retirable) {
            return seen.writers.empty() ? Move::wait : Move::settle;
        }
        if (word == Word::retired_mixed) {
            return Move::learn_and_stop;
        }
        if (word == Word::retire_lost || word == Word::retire_incomplete) {
            return redispatch(seen);
        }
        if (word == Word::retire_unknown) {
            const bool changes = is_transient(seen.queue.evidence) && redispatches_.visibility_pending();
            return changes || seen.queue.evidence == QueueEvidence::unreadable ? Move::wait : Move::stop;
        }
        if (word == Word::outcome_unknown) {
            // Who does not answer may come back; a table that is not of this publication stays until somebody
            // moves it.
            const bool foreign = std::ranges::any_of(seen.states, [](const protocol::MemberState& member) {
                return member.state == State::foreign;
            });
            return foreign ? Move::stop : Move::wait;
        }
        return word == Word::retire_in_progress ? Move::wait : Move::stop;
    }

    Move redispatch(const Observation& seen) const {
        switch (redispatches_.ask(seen)) {
        case Redispatches::Answer::send:
            return seen.writers.empty() ? Move::wait : Move::redispatch;
        case Redispatches::Answer::wait:
            return Move::wait;
        case Redispatches::Answer::stop:
            return Move::learn_and_stop;
        }
        return Move::stop;
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

    /// True: the end.
    asio::awaitable<bool> send(Observation& seen) {
        const auto learnt = with_evidence(context_, seen);
        const auto& base = learnt ? *learnt : seen.current->record;
        auto next = protocol::redispatch(base, fresh_grant(context_), fresh_stamp(context_));
        redispatches_.sent();
        auto dispatched = co_await dispatch_step(context_, passes_, seen, std::move(next));
        const bool on = note(dispatched.write, seen);
        if (dispatched.ddl && dispatched.ddl->outcome == protocol::Outcome::rejected) {
            seen.report.stopped_by = Code::ddl_rejected;
            seen.report.stopped_detail = dispatched.ddl->problem.detail;
            co_return true;
        }
        co_return !on;
    }

    /// RETIRABLE: every member's target is the desired generation, or none is.
    asio::awaitable<bool> settle(Observation& seen) {
        const auto learnt = with_evidence(context_, seen);
        const auto& base = learnt ? *learnt : seen.current->record;
        const auto holds = [](Role role) {
            return [role](const protocol::MemberState& member) { return member.target.role == role; };
        };
        const bool published = std::ranges::all_of(seen.states, holds(Role::desired));
        const bool remains = std::ranges::any_of(seen.states, [](const protocol::MemberState& member) {
            return member.aside.role == Role::predecessor;
        });
        auto next = published ? protocol::retire_to_completed(base, fresh_stamp(context_), remains)
                              : protocol::retire_to_abandoned(base, fresh_stamp(context_));
        auto written = co_await write_step(context_, passes_, seen, std::move(next));
        const bool on = note(written, seen);
        if (const auto* won = std::get_if<Won>(&written); won != nullptr) {
            rejudge(seen, won->now);
            co_return true;
        }
        co_return !on;
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
};

} // namespace

asio::awaitable<Observation> finish_retirement(Context& context, Passes& passes) {
    Retirement retirement(context, passes);
    auto seen = co_await retirement.run();
    co_return seen;
}

} // namespace onceswap::engine
