#include "engine/pass.hpp"
#include "engine/publish.hpp"
#include "protocol/report_comparison.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;

namespace {

asio::awaitable<void>
follow(Context& context, Passes& passes, protocol::Report& report, const PassFunction& on_pass) {
    std::string before;
    while (true) {
        auto seen = co_await passes.next();
        report = seen.report;
        report.stopped_by.reset(); // a cluster that does not answer yet is a gap, watching goes on
        std::string now = protocol::without_time(report);
        const bool changed = now != before;
        if (changed) {
            before = std::move(now);
            Event event;
            event.kind = EventKind::verdict_change;
            event.verdict = seen.word();
            context.events.on_event(event);
        }
        const bool goes_on = co_await on_pass(report, changed);
        if (!goes_on || protocol::ends_watch(seen.word())) {
            co_return;
        }
        const bool waited = co_await passes.pause();
        if (!waited) {
            report.stopped_by = Code::deadline_reached;
            co_return;
        }
    }
}

asio::awaitable<bool> tell(
    const std::function<void(const protocol::Report&)>& on_change,
    const protocol::Report& report,
    bool changed
) {
    if (changed && on_change) {
        on_change(report);
    }
    co_return true;
}

asio::awaitable<void> look_once(Passes& passes, protocol::Report& report) {
    auto seen = co_await passes.next();
    report = seen.report;
}

protocol::Report stopped_watching(const Passes& passes, protocol::TargetName target) {
    protocol::Report report = passes.last().report;
    report.target = std::move(target);
    report.stopped_by = Code::cancelled;
    report.stopped_detail = "only the watching was stopped";
    return report;
}

bool was_cancelled(const boost::system::system_error& error) {
    return error.code() == asio::error::operation_aborted;
}

} // namespace

asio::awaitable<protocol::Report>
watch_passes(Context& context, protocol::TargetName target, TimePoint deadline, PassFunction on_pass) {
    Passes passes(context, target, deadline);
    protocol::Report report;
    bool cancelled = false;
    try {
        co_await follow(context, passes, report, on_pass);
    } catch (const boost::system::system_error& error) {
        if (!was_cancelled(error)) {
            throw;
        }
        cancelled = true;
    }
    if (cancelled) {
        co_return stopped_watching(passes, target);
    }
    co_return report;
}

asio::awaitable<protocol::Report> watch(
    Context& context,
    protocol::TargetName target,
    TimePoint deadline,
    std::function<void(const protocol::Report&)> on_change
) {
    PassFunction on_pass = [&on_change](const protocol::Report& report, bool changed) {
        return tell(on_change, report, changed);
    };
    protocol::Report report = co_await watch_passes(context, std::move(target), deadline, std::move(on_pass));
    co_return report;
}

asio::awaitable<protocol::Report> observe(Context& context, protocol::TargetName target, TimePoint deadline) {
    Passes passes(context, target, deadline);
    protocol::Report report;
    bool cancelled = false;
    try {
        co_await look_once(passes, report);
    } catch (const boost::system::system_error& error) {
        if (!was_cancelled(error)) {
            throw;
        }
        cancelled = true;
    }
    if (cancelled) {
        co_return stopped_watching(passes, target);
    }
    co_return report;
}

} // namespace onceswap::engine
