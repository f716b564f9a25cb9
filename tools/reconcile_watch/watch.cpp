#include "tools/reconcile_watch/watch.hpp"

#include "tools/reconcile_watch/watching.hpp"
#include "tools/reconcile_watch/watching_all.hpp"

#include <boost/system/system_error.hpp>

#include <utility>

namespace onceswap::reconcile_watch {

namespace {

boost::asio::awaitable<int> watch_all(cli::Session& session) {
    WatchingAll watching(session);
    try {
        co_await watching.rounds();
    } catch (const boost::system::system_error&) {
        if (session.stop_signal == 0)
            throw;
    }
    co_return watching.finish();
}

} // namespace

boost::asio::awaitable<int> watch(cli::Session& session) {
    if (session.options().all) {
        const int code = co_await watch_all(session);
        co_return code;
    }
    Watching watching(session);
    engine::Context context = watching.context();
    protocol::TargetName target = session.options().table;
    engine::PassFunction on_pass = [&watching](const protocol::Report& report, bool changed) {
        return watching.pass(report, changed);
    };
    const engine::TimePoint deadline = session.deadline();
    const protocol::Report ended =
        co_await engine::watch_passes(context, std::move(target), deadline, std::move(on_pass));
    co_return watching.finish(ended);
}

} // namespace onceswap::reconcile_watch
