#include "engine/operator_call.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;

void stop(protocol::Report& report, Code code, std::string detail) {
    report.stopped_by = code;
    report.stopped_detail = std::move(detail);
}

void stop(protocol::Report& report, const protocol::Failure& failure) {
    stop(report, failure.code, failure.detail);
}

asio::awaitable<protocol::Report>
report_on(Context& context, protocol::TargetName target, TimePoint deadline, OperatorWork work) {
    Passes passes(context, target, deadline);
    protocol::Report report;
    report.target = target;
    bool cancelled = false;
    try {
        co_await work(passes, report);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) {
            throw;
        }
        cancelled = true;
    }
    co_return ended(passes, std::move(report), cancelled);
}

protocol::Report ended(const Passes& passes, protocol::Report report, bool cancelled) {
    if (cancelled) {
        const protocol::TargetName target = report.target;
        report = passes.last().report;
        report.target = target;
        stop(report, Code::cancelled, "the waiting was stopped; what was sent goes on in the cluster");
    }
    return passes.as_of_now(std::move(report));
}

asio::awaitable<void>
read_after(Passes& passes, const WriteResult& written, Observation& seen, protocol::Report& report) {
    if (!std::holds_alternative<Conflict>(written) && !std::holds_alternative<OutcomeUnknown>(written)) {
        co_return;
    }
    seen = co_await passes.next();
    report = seen.report;
}

} // namespace onceswap::engine
