#include "tools/reconcile_watch/watch.hpp"

#include "tools/reconcile_watch/watching.hpp"

#include <utility>

namespace onceswap::reconcile_watch {

boost::asio::awaitable<int> watch(cli::Session& session) {
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
