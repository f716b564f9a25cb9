#include "engine/entropy.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/loading/loader.hpp"
#include "tools/refresh_load/load_request.hpp"
#include "tools/refresh_load/verbs.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

#include <utility>

namespace onceswap::refresh_load {

using cli::Session;

namespace {

std::string command_to_publish(const Session& session) {
    return session.command_for("refresh-load", "publish") + " --invocation-id " +
           cli::shell_quoted(session.options().invocation_id) + " --execute";
}

} // namespace

boost::asio::awaitable<int> stage(Session& session) {
    if (!session.options().adopt.table.empty()) {
        session.error("ONCESWAP_CONFIG_INVALID: --adopt is not in this version; load the rows with --from");
        co_return cli::exit_usage;
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
    engine::StageFunction fill = [&loader](engine::Context& within, const engine::Candidate& candidate) {
        return loader.stage(within, candidate);
    };
    protocol::Report ended = co_await engine::publish(context, std::move(request), std::move(fill));
    if (session.stop_signal != 0) {
        co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
    }
    const protocol::Report report = co_await cli::with_present_state(session, std::move(ended));
    const bool recorded = report.phase.has_value();
    const bool read_once = session.options().from == "-" && !recorded;
    const std::string go_on = read_once ? std::string() : session.command_to_go_on();
    const int code = cli::finish(session, report, go_on, protocol::Word::ready);
    if (code == 0 && report.phase == protocol::Phase::prepared)
        session.note("staged; to publish it: " + command_to_publish(session));
    if (session.stop_signal != 0 && read_once)
        session.note("standard input cannot be read twice: start a new run with a new invocation id");
    co_return code;
}

} // namespace onceswap::refresh_load
