#include "engine/pass.hpp"
#include "engine/publish.hpp"
#include "engine/record_step.hpp"
#include "protocol/mutant.hpp"
#include "protocol/transitions.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Phase;
using protocol::Word;

namespace {

void stop(protocol::Report& report, Code code, std::string detail) {
    report.stopped_by = code;
    report.stopped_detail = std::move(detail);
}

/// Nothing was dispatched: in PREPARED by the phase alone, in DISPATCHING by the holder's own recorded
/// result, with no entry in sight.
bool nothing_dispatched(const Observation& seen) {
    return seen.current->record.phase == Phase::prepared || seen.word() == Word::not_dispatched ||
           mutated(protocol::Mutant::abandoned_without_proof);
}

asio::awaitable<void> give_up(Context& context, Passes& passes, Pin pin, protocol::Report& report) {
    auto seen = co_await passes.next();
    report = seen.report;
    if (!seen.current) {
        co_return;
    }
    const auto& record = seen.current->record;
    const bool pinned = record.operation_id == pin.operation_id && seen.current->version() == pin.version;
    if (!pinned && !mutated(protocol::Mutant::stale_pin_accepted)) {
        stop(
            report, Code::cas_conflict, "the slot is no longer at the operation and version that were named"
        );
        co_return;
    }
    if (!nothing_dispatched(seen)) {
        stop(
            report, seen.report.verdict.reason, "something may have been dispatched: only `retire` settles it"
        );
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
    const auto& problem = *problem_of(written);
    stop(report, problem.code, problem.detail);
}

} // namespace

asio::awaitable<protocol::Report>
abandon(Context& context, protocol::TargetName target, Pin pin, TimePoint deadline) {
    Passes passes(context, target, deadline);
    protocol::Report report;
    report.target = target;
    bool cancelled = false;
    try {
        co_await give_up(context, passes, std::move(pin), report);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) {
            throw;
        }
        cancelled = true;
    }
    if (cancelled) {
        stop(report, Code::cancelled, "stopped before the record was written");
    }
    co_return report;
}

} // namespace onceswap::engine
