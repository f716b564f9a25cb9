#include "engine/dispatch.hpp"

#include "engine/authority_write.hpp"
#include "engine/cancellation.hpp"
#include "engine/deadline.hpp"
#include "engine/one_shot.hpp"
#include "engine/task_group.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/mutant.hpp"
#include "protocol/transitions.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Action;
using protocol::Code;
using protocol::Failure;
using protocol::Phase;

namespace {

std::optional<Action> action_of(Phase phase) {
    switch (phase) {
    case Phase::dispatching:
        return Action::publish;
    case Phase::set_aside_dispatching:
        return Action::aside;
    case Phase::cleanup_dispatching:
        return Action::cleanup;
    case Phase::retiring:
        return Action::retire;
    case Phase::prepared:
    case Phase::committed:
    case Phase::completed:
    case Phase::abandoned:
        return std::nullopt;
    }
    return std::nullopt;
}

/// Everything that could stop the DDL after the CAS for a reason that was known before.
void check(const DispatchOrder& order) {
    if (!is_dispatching_write(order.current.record, order.next))
        throw std::logic_error("dispatch: not a dispatching write");
    const protocol::DdlAttempt* attempt = protocol::current_attempt(order.next);
    if (!attempt || attempt->epoch != order.next.dispatch_epoch)
        throw std::logic_error("dispatch: no attempt with the new epoch");
    const auto token = protocol::CorrelationToken::parse(attempt->token);
    if (!token || token->epoch != attempt->epoch || token->action != action_of(order.next.phase))
        throw std::logic_error("dispatch: the attempt's token is not one of this phase and epoch");
    if (log_comment(order.statement) != attempt->token || !fits(order.statement.kind, token->action))
        throw std::logic_error(
            "dispatch: the statement does not carry the attempt's token, or is of another kind"
        );
    if (order.hosts.empty())
        throw std::logic_error("dispatch: no members");
}

} // namespace

class DispatchSection {
  public:
    DispatchSection(Context& context, Authority& authority, Ddl& ddl, DispatchOrder order)
        : context_(context), authority_(authority), ddl_(ddl), order_(std::move(order)) {}

    asio::awaitable<Dispatched> run() {
        // From here on a cancellation is looked at, never thrown: the caller always learns what happened.
        const bool throwing = co_await asio::this_coro::throw_if_cancelled();
        co_await asio::this_coro::throw_if_cancelled(false);
        std::exception_ptr error;
        try {
            co_await open_ways();
            const auto cancellation = co_await asio::this_coro::cancellation_state;
            const bool cancelled = cancellation.cancelled() != asio::cancellation_type::none;
            Failure obstacle = obstacle_before_sending(cancelled);
            if (obstacle.detail.empty()) {
                co_await send_both();
            } else {
                not_sent(std::move(obstacle));
            }
        } catch (...) {
            error = std::current_exception();
        }
        co_await asio::this_coro::throw_if_cancelled(throwing);
        if (error)
            std::rethrow_exception(error);
        co_return std::move(dispatched_);
    }

  private:
    asio::awaitable<void> open_ddl_way(TimePoint until) {
        auto way = co_await ddl_.prepare(order_.member, until);
        ddl_way_.emplace(std::move(way));
    }

    asio::awaitable<void> open_authority_way(TimePoint until) {
        std::optional<VersionedRecord> current(order_.current);
        auto way = co_await authority_.prepare_write(order_.member, std::move(current), order_.next, until);
        authority_way_.emplace(std::move(way));
    }

    asio::awaitable<void> open_ways() {
        const TimePoint until = earlier_of(context_.clock, context_.limits.mutation_timeout, order_.deadline);
        auto executor = co_await asio::this_coro::executor;
        TaskGroup group(executor);
        group.spawn(open_ddl_way(until));
        group.spawn(open_authority_way(until));
        // A cancellation while the ways are being opened ends as NotSent, and join has joined both.
        std::exception_ptr error;
        try {
            co_await group.join();
        } catch (...) {
            error = std::current_exception();
        }
        if (error && !is_cancellation(error))
            std::rethrow_exception(error);
    }

    /// Empty detail: none.
    Failure obstacle_before_sending(bool cancelled) const {
        if (cancelled)
            return Failure(Code::cancelled, name(order_.member) + ": cancelled before the first byte");
        if (!ddl_way_ || !ddl_way_->open())
            return ddl_way_ ? ddl_way_->problem() : no_way();
        if (!authority_way_ || !authority_way_->call)
            return authority_way_ ? authority_way_->problem : no_way();
        if (context_.clock.now() >= order_.deadline)
            return Failure(Code::deadline_reached, name(order_.member) + ": deadline before the first byte");
        return {};
    }

    Failure no_way() const {
        return Failure(Code::ddl_not_sent, name(order_.member) + ": the way was not opened");
    }

    void not_sent(Failure obstacle) {
        const OneShot shot(
            name(order_.member), protocol::StatementKind::authority_update, protocol::MutationKind::authority
        );
        report_mutation(context_, shot, protocol::Outcome::not_sent, obstacle.detail);
        dispatched_.write = NotSent(std::move(obstacle));
        if (authority_way_ && authority_way_->call && mutated(protocol::Mutant::cancelled_call_left_open))
            static_cast<void>(authority_way_->call.release());
        ddl_way_.reset();
        authority_way_.reset();
    }

    asio::awaitable<void> send_both() {
        section_end_ = earlier_of(context_.clock, context_.limits.dispatch_reserve, TimePoint::max());
        auto section = write_then_execute();
        co_await defer_cancellation_until(context_.clock, section_end_, end_, std::move(section));
    }

    asio::awaitable<void> write_then_execute() {
        co_await asio::this_coro::throw_if_cancelled(false);
        dispatched_.write = co_await authority_.write_once(std::move(*authority_way_), section_end_);
        auto permit = Authority::permit_for(order_.current.record, dispatched_.write);
        if (!permit) {
            ddl_way_.reset();
            co_return;
        }
        report_permit(*permit);
        // The bytes go within the reserve; the answer is waited for as long as the caller's own deadline
        // allows.
        const TimePoint answer_by = std::max(section_end_, order_.deadline);
        std::function<void()> written = DeferralLift(end_);
        auto result = co_await ddl_.execute_once(
            std::move(*permit),
            std::move(*ddl_way_),
            order_.statement,
            order_.hosts,
            answer_by,
            std::move(written)
        );
        dispatched_.ddl.emplace(std::move(result));
    }

    void report_permit(const DispatchPermit& permit) {
        Event event;
        event.kind = EventKind::permit;
        event.name = protocol::text(order_.statement.kind);
        event.host = name(order_.member);
        event.statement = order_.statement.kind;
        event.count = permit.epoch();
        context_.events.on_event(event);
    }

    /// A type of its own, because a capturing lambda must not stand in a statement with co_await.
    class DeferralLift {
      public:
        explicit DeferralLift(DeferralEnd& end) : end_(&end) {}

        void operator()() const { end_->lift(); }

      private:
        DeferralEnd* end_;
    };

    Context& context_;
    Authority& authority_;
    Ddl& ddl_;
    DispatchOrder order_;
    std::optional<PreparedDdl> ddl_way_;
    std::optional<Authority::Way> authority_way_;
    TimePoint section_end_;
    DeferralEnd end_;
    Dispatched dispatched_;
};

asio::awaitable<Dispatched> dispatch(Context& context, Authority& authority, Ddl& ddl, DispatchOrder order) {
    check(order);
    DispatchSection section(context, authority, ddl, std::move(order));
    auto dispatched = co_await section.run();
    co_return dispatched;
}

} // namespace onceswap::engine
