#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/cli/plan_outcome.hpp"
#include "tools/demo_cluster/demo_run.hpp"
#include "tools/loading/loader.hpp"
#include "tools/refresh_load/load_request.hpp"
#include "tools/refresh_load/verbs.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

#include <utility>

namespace onceswap::refresh_load {

namespace {

using cli::Session;

std::string command_to_go_on(Session& session, const protocol::Report& report) {
    const bool staged = report.phase.has_value() && *report.phase != protocol::Phase::prepared;
    if (session.options().from != "-" || !staged)
        return session.options().from == "-" ? std::string() : session.command_to_go_on();
    return session.command_for("refresh-load", "resume") + " --execute";
}

} // namespace

boost::asio::awaitable<int> plan(Session& session) {
    loading::Loader loader(session.options().from, session.options().table.database, session.progress());
    const int identified = co_await identify(session, loader);
    if (identified != 0)
        co_return identified;
    engine::Context context = session.context();
    engine::PublishRequest request = request_of(session);
    const engine::Plan result = co_await engine::plan(context, std::move(request));
    co_return cli::finish_plan(session, result);
}

boost::asio::awaitable<int> publish(Session& session) {
    if (session.options().demo) {
        const int code = co_await demo_cluster::run_demo(session);
        co_return code;
    }
    if (!session.options().execute) {
        const int planned = co_await plan(session);
        if (planned == 0)
            session.note("nothing was done; with --execute it is");
        co_return planned;
    }
    loading::Loader loader(session.options().from, session.options().table.database, session.progress());
    const int identified = co_await identify(session, loader);
    if (identified != 0)
        co_return identified;
    engine::Context context = session.context();
    engine::PublishRequest request = request_of(session);
    engine::StageFunction stage = [&loader](engine::Context& within, const engine::Candidate& candidate) {
        return loader.stage(within, candidate);
    };
    protocol::Report ended = co_await engine::publish(context, std::move(request), std::move(stage));
    if (session.stop_signal != 0) {
        co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
    }
    const protocol::Report report = co_await cli::with_present_state(session, std::move(ended));
    const std::string go_on = command_to_go_on(session, report);
    if (session.stop_signal != 0 && go_on.empty())
        session.note("standard input cannot be read twice: start a new run with a new invocation id");
    co_return cli::finish(session, report, go_on);
}

} // namespace onceswap::refresh_load
