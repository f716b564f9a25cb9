#include "engine/adoption.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/cli/plan_outcome.hpp"
#include "tools/demo_cluster/demo_run.hpp"
#include "tools/loading/loader.hpp"
#include "tools/refresh_load/load_request.hpp"
#include "tools/refresh_load/load_run.hpp"
#include "tools/refresh_load/verbs.hpp"

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
    std::string adopted = session.options().adopt.table;
    const engine::Plan result =
        co_await engine::plan_adoption(context, std::move(request), std::move(adopted));
    co_return cli::finish_plan(session, result);
}

boost::asio::awaitable<int> publish(Session& session) {
    if (session.options().demo) {
        const int code = co_await demo_cluster::run_demo(session);
        co_return code;
    }
    const LoadRun run = co_await run_load(session);
    if (run.ended)
        co_return *run.ended;
    const std::string go_on = command_to_go_on(session, run.report);
    if (session.stop_signal != 0 && go_on.empty())
        session.note("standard input cannot be read twice: start a new run with a new invocation id");
    co_return cli::finish(session, run.report, go_on);
}

} // namespace onceswap::refresh_load
