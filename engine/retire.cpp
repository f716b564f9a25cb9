#include "engine/retire.hpp"

#include "engine/operator_call.hpp"
#include "engine/pass.hpp"
#include "engine/record_step.hpp"
#include "engine/retirement.hpp"
#include "protocol/transitions_operator.hpp"

#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Phase;

namespace {

/// DISPATCHING or COMMITTED to RETIRING, and the one statement. False: the slot is not being retired.
asio::awaitable<bool> begin(Context& context, Passes& passes, Observation& seen, protocol::Report& report) {
    const auto learnt = with_evidence(context, seen);
    const auto& base = learnt ? *learnt : seen.current->record;
    const std::string operation = base.operation_id;
    auto next = protocol::to_retiring(base, fresh_grant(context), fresh_stamp(context));
    auto dispatched = co_await dispatch_step(context, passes, seen, std::move(next));
    if (const auto* won = std::get_if<Won>(&dispatched.write); won != nullptr) {
        adopt(seen, won->now);
        report = seen.report;
        co_return true;
    }
    const protocol::Failure problem = *problem_of(dispatched.write);
    const bool unknown = std::holds_alternative<OutcomeUnknown>(dispatched.write);
    co_await read_after(passes, dispatched.write, seen, report);
    // Without the permit nothing was sent; where the write took effect after all, the statement is sent again
    // under the rules for a lost one.
    if (unknown && seen.current && seen.current->record.operation_id == operation &&
        seen.current->record.phase == Phase::retiring) {
        co_return true;
    }
    stop(report, problem);
    co_return false;
}

asio::awaitable<void> settle(Context& context, Passes& passes, Pin pin, protocol::Report& report) {
    auto seen = co_await passes.next();
    report = seen.report;
    if (!seen.current || report.stopped_by) {
        co_return;
    }
    const auto& record = seen.current->record;
    auto refusal = protocol::check_pin(record, seen.current->version(), pin.operation_id, pin.version);
    if (!refusal) {
        refusal = protocol::may_retire(record, seen.states);
    }
    if (refusal) {
        stop(report, *refusal);
        co_return;
    }
    if (record.phase != Phase::retiring) {
        if (seen.writers.empty()) {
            stop(report, Code::outcome_unknown, "no member shows the record as it stands");
            co_return;
        }
        const bool retiring = co_await begin(context, passes, seen, report);
        if (!retiring) {
            co_return;
        }
    }
    auto settled = co_await finish_retirement(context, passes);
    report = std::move(settled.report);
}

} // namespace

asio::awaitable<protocol::Report>
retire(Context& context, protocol::TargetName target, Pin pin, TimePoint deadline) {
    return report_on(
        context,
        std::move(target),
        deadline,
        [&context, pin = std::move(pin)](Passes& passes, protocol::Report& report) {
            return settle(context, passes, pin, report);
        }
    );
}

} // namespace onceswap::engine
