#include "tools/refresh_load/load_run.hpp"

#include "engine/adoption.hpp"
#include "engine/publish.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/loading/loader.hpp"
#include "tools/refresh_load/load_request.hpp"
#include "tools/refresh_load/verbs.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

#include <string>
#include <utility>

namespace onceswap::refresh_load {

boost::asio::awaitable<LoadRun> run_load(cli::Session& session) {
    LoadRun run;
    if (!session.options().execute) {
        const int planned = co_await plan(session);
        if (planned == 0)
            session.note("nothing was done; with --execute it is");
        run.ended = planned;
        co_return run;
    }
    loading::Loader loader(session.options().from, session.options().table.database, session.progress());
    const int identified = co_await identify(session, loader);
    if (identified != 0) {
        run.ended = identified;
        co_return run;
    }
    engine::Context context = session.context();
    engine::PublishRequest request = request_of(session);
    engine::StageFunction stage = [&loader](engine::Context& within, const engine::Candidate& candidate) {
        return loader.stage(within, candidate);
    };
    std::string adopted = session.options().adopt.table;
    auto work = adopted.empty() ? engine::publish(context, std::move(request), std::move(stage))
                                : engine::adopt(context, std::move(request), std::move(adopted));
    protocol::Report ended = co_await std::move(work);
    if (session.stop_signal != 0) {
        co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
    }
    run.report = co_await cli::with_present_state(session, std::move(ended));
    co_return run;
}

} // namespace onceswap::refresh_load
