#include "engine/close.hpp"

#include "engine/operator_call.hpp"
#include "engine/pass.hpp"
#include "engine/record_step.hpp"
#include "protocol/transitions.hpp"
#include "protocol/transitions_operator.hpp"

#include <algorithm>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Phase;
using protocol::QueueEvidence;

namespace {

/// A cleanup statement that was permitted and is not in sight may be on its way: it gets its visibility wait.
bool may_come_into_sight(const Context& context, const Passes& passes, const Observation& seen) {
    return seen.current->record.phase != Phase::committed && seen.queue.evidence == QueueEvidence::none &&
           passes.unchanged_for() < context.limits.visibility_wait;
}

/// The record is what this command was to make of it, whoever wrote it.
bool is_closed(const Observation& seen, const Pin& pin, const protocol::Closing& closing) {
    if (!seen.current || seen.current->record.operation_id != pin.operation_id ||
        seen.current->record.phase != Phase::completed) {
        return false;
    }
    const auto& retained = seen.current->record.retained;
    return std::ranges::all_of(closing.remaining, [&](const protocol::NamedTable& table) {
        return std::ranges::find(retained, table) != retained.end();
    });
}

asio::awaitable<void> keep(Context& context, Passes& passes, Pin pin, protocol::Report& report) {
    auto seen = co_await passes.next();
    protocol::Closing closing;
    while (true) {
        report = seen.report;
        if (!seen.current || report.stopped_by) {
            co_return;
        }
        const auto& record = seen.current->record;
        closing = protocol::Closing();
        closing.refused = protocol::check_pin(record, seen.current->version(), pin.operation_id, pin.version);
        if (!closing.refused) {
            closing = protocol::may_close(record, seen.states, seen.queue.evidence, seen.report.verdict);
        }
        if (closing.refused) {
            stop(report, *closing.refused);
            co_return;
        }
        if (!may_come_into_sight(context, passes, seen)) {
            break;
        }
        const bool waited = co_await passes.pause();
        if (!waited) {
            stop(report, Code::deadline_reached, "an entry of the last cleanup statement may still come");
            co_return;
        }
        seen = co_await passes.next();
    }
    if (seen.writers.empty()) {
        stop(report, Code::outcome_unknown, "no member shows the record as it stands");
        co_return;
    }
    const auto learnt = with_evidence(context, seen);
    const auto& base = learnt ? *learnt : seen.current->record;
    auto next = protocol::close_keeping_predecessor(base, closing.remaining, fresh_stamp(context));
    auto written = co_await write_step(context, passes, seen, std::move(next));
    if (const auto* won = std::get_if<Won>(&written); won != nullptr) {
        rejudge(seen, won->now);
        report = seen.report;
    } else {
        const protocol::Failure problem = *problem_of(written);
        co_await read_after(passes, written, seen, report);
        if (!is_closed(seen, pin, closing)) {
            stop(report, problem);
            co_return;
        }
    }
    report.warnings.insert(report.warnings.end(), closing.warnings.begin(), closing.warnings.end());
}

} // namespace

asio::awaitable<protocol::Report>
close_keeping_predecessor(Context& context, protocol::TargetName target, Pin pin, TimePoint deadline) {
    return report_on(
        context,
        std::move(target),
        deadline,
        [&context, pin = std::move(pin)](Passes& passes, protocol::Report& report) {
            return keep(context, passes, pin, report);
        }
    );
}

} // namespace onceswap::engine
