#include "engine/operator_call.hpp"
#include "engine/pass.hpp"
#include "engine/publish.hpp"
#include "engine/record_step.hpp"
#include "protocol/transitions.hpp"
#include "protocol/transitions_operator.hpp"

#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Phase;

namespace {

asio::awaitable<void> give_up(Context& context, Passes& passes, Pin pin, protocol::Report& report) {
    auto seen = co_await passes.next();
    report = seen.report;
    if (!seen.current || report.stopped_by) {
        co_return;
    }
    const auto& record = seen.current->record;
    auto refusal = protocol::check_pin(record, seen.current->version(), pin.operation_id, pin.version);
    if (!refusal) {
        refusal = protocol::may_abandon(record, seen.report.verdict);
    }
    if (refusal) {
        stop(report, *refusal);
        co_return;
    }
    if (seen.writers.empty()) {
        stop(report, Code::outcome_unknown, "no member shows the record as it stands");
        co_return;
    }
    auto next = protocol::to_abandoned(record, fresh_stamp(context));
    auto written = co_await write_step(context, passes, seen, std::move(next));
    if (const auto* won = std::get_if<Won>(&written); won != nullptr) {
        rejudge(seen, won->now);
        report = seen.report;
        co_return;
    }
    const protocol::Failure problem = *problem_of(written);
    co_await read_after(passes, written, seen, report);
    const bool abandoned = seen.current && seen.current->record.operation_id == pin.operation_id &&
                           seen.current->record.phase == Phase::abandoned;
    if (!abandoned) {
        stop(report, problem);
    }
}

} // namespace

asio::awaitable<protocol::Report>
abandon(Context& context, protocol::TargetName target, Pin pin, TimePoint deadline) {
    return report_on(
        context,
        std::move(target),
        deadline,
        [&context, pin = std::move(pin)](Passes& passes, protocol::Report& report) {
            return give_up(context, passes, pin, report);
        }
    );
}

} // namespace onceswap::engine
