#include "engine/finish.hpp"
#include "engine/pass.hpp"
#include "engine/publish.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;

asio::awaitable<protocol::Report> resume(Context& context, protocol::TargetName target, TimePoint deadline) {
    Passes passes(context, target, deadline);
    protocol::Report report;
    bool cancelled = false;
    try {
        auto seen = co_await finish(context, passes);
        report = passes.as_of_now(std::move(seen.report));
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) {
            throw;
        }
        cancelled = true;
    }
    if (cancelled) {
        report = passes.as_of_now(passes.last().report);
        report.target = target;
        report.stopped_by = Code::cancelled;
        report.stopped_detail = "the waiting was stopped; what was sent goes on in the cluster";
    }
    co_return report;
}

} // namespace onceswap::engine
