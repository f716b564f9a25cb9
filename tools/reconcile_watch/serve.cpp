#include "tools/reconcile_watch/serve.hpp"

#include "protocol/error_code.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/metrics/event_counters.hpp"
#include "tools/serving/http_server.hpp"
#include "tools/serving/listen_address.hpp"
#include "tools/serving/routes.hpp"
#include "tools/serving/slot_watch.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace onceswap::reconcile_watch {

namespace asio = boost::asio;
using cli::Session;

namespace {

/// How long answers that are under way may take when the program is told to stop.
constexpr std::chrono::milliseconds last_answers{50};
constexpr std::chrono::milliseconds look_again{5};

serving::Watched watched_of(const cli::Options& options) {
    serving::Watched watched;
    watched.cluster = options.cluster;
    watched.database = options.table.database;
    watched.table = options.table.table;
    watched.interval = options.interval;
    return watched;
}

/// Who may ask; nullopt: said why not.
std::optional<serving::Access> access_of(Session& session, bool loopback_only) {
    std::optional<serving::BearerToken> token;
    const std::string& file = session.options().bearer_token_file;
    if (!file.empty()) {
        auto read = serving::BearerToken::from_file(file);
        if (!read) {
            session.error("--bearer-token-file: " + read.error());
            return std::nullopt;
        }
        token = *read;
    }
    return serving::Access(loopback_only, session.options().allowed_hosts, token);
}

void announce(Session& session, const serving::HttpServer& server) {
    const auto endpoint = server.endpoint();
    if (!endpoint.address().is_loopback()) {
        const bool open = session.options().bearer_token_file.empty();
        session.error(
            std::string("warning: --listen: others than this machine can connect, without TLS") +
            (open ? ", and without a token: --bearer-token-file would ask for one" : "")
        );
    }
    session.error("serving on http://" + serving::text(endpoint) + "/");
}

/// Lets the answers that are under way go out. Precondition: the cancellation state was reset.
asio::awaitable<void> end_serving(Session& session, serving::HttpServer& server) {
    server.stop();
    const engine::TimePoint until = session.clock().now() + last_answers;
    while (server.open_connections() > 0 && session.clock().now() < until) {
        const auto ignored = co_await session.clock().wait_until(session.clock().now() + look_again);
        static_cast<void>(ignored);
    }
}

asio::awaitable<bool>
watch_until_cancelled(engine::Context& context, serving::SlotBoard& board, engine::TimePoint deadline) {
    bool cancelled = false;
    try {
        co_await serving::watch_slots(context, board, deadline);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted)
            throw;
        cancelled = true;
    }
    co_return cancelled;
}

} // namespace

asio::awaitable<int> serve(Session& session) {
    const auto where = serving::parse_listen_address(session.options().listen);
    if (!where) {
        session.error("--listen: " + where.error());
        co_return cli::exit_usage;
    }
    auto access = access_of(session, where->address().is_loopback());
    if (!access)
        co_return cli::exit_usage;

    const engine::Context base = session.context();
    metrics::EventCounters events(base.events);
    engine::Context context(base.transport, base.clock, base.entropy, events, base.cluster, base.limits);
    serving::SlotBoard board(watched_of(session.options()), session.clock());
    const auto silence = serving::silence_limit(context.limits, board.watched());
    serving::Routes routes(board, events, std::move(*access), silence);
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const auto server =
        serving::HttpServer::listen(executor, *where, [&routes](const serving::HttpRequest& request) {
            return routes.answer(request);
        });
    if (!server) {
        session.error("--listen: " + server.error());
        co_return cli::exit_usage;
    }
    routes.show(**server);
    announce(session, **server);

    const bool cancelled = co_await watch_until_cancelled(context, board, session.deadline());
    if (cancelled) {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    }
    co_await end_serving(session, **server);
    if (cancelled)
        session.note("only the watching was stopped");
    co_return protocol::exit_code(protocol::Code::deadline_reached);
}

} // namespace onceswap::reconcile_watch
