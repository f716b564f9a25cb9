#include "engine/cleanup.hpp"
#include "engine/pass.hpp"
#include "engine/publish.hpp"
#include "engine/reconcile.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Phase;

namespace {

/// DISPATCHING is reconciled, what is COMMITTED or later is cleaned up; a PREPARED operation is its own
/// publisher's.
asio::awaitable<void> go_on(Context& context, Passes& passes, protocol::Report& report) {
    auto seen = co_await reconcile(context, passes);
    report = seen.report;
    if (!seen.current || seen.report.stopped_by) {
        co_return;
    }
    switch (seen.current->record.phase) {
    case Phase::committed:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching: {
        auto cleaned = co_await clean_up(context, passes);
        report = cleaned.report;
        break;
    }
    case Phase::prepared:
    case Phase::dispatching:
    case Phase::retiring:
    case Phase::completed:
    case Phase::abandoned:
        break;
    }
}

} // namespace

asio::awaitable<protocol::Report> resume(Context& context, protocol::TargetName target, TimePoint deadline) {
    Passes passes(context, target, deadline);
    protocol::Report report;
    bool cancelled = false;
    try {
        co_await go_on(context, passes, report);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) {
            throw;
        }
        cancelled = true;
    }
    if (cancelled) {
        report = passes.last().report;
        report.target = target;
        report.stopped_by = Code::cancelled;
        report.stopped_detail = "the waiting was stopped; what was sent goes on in the cluster";
    }
    co_return report;
}

} // namespace onceswap::engine
