#include "engine/entropy.hpp"
#include "protocol/digest.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/cli/plan_outcome.hpp"
#include "tools/cli/table_name.hpp"
#include "tools/demo_cluster/demo_run.hpp"
#include "tools/loading/loader.hpp"
#include "tools/refresh_load/verbs.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json/object.hpp>

#include <utility>

namespace onceswap::refresh_load {

namespace {

using cli::Options;
using cli::Session;

/// What is loaded, from where, how: the same for every try of one run. A file stands for its bytes, standard
/// input for this one invocation.
std::string default_plan_digest(const Options& options, const std::string& source) {
    const protocol::TargetName& like = options.like.table.empty() ? options.table : options.like;
    boost::json::object plan;
    plan["target"] = cli::text(options.table);
    plan["like"] = cli::text(like);
    plan["format"] = "JSONEachRow";
    plan["source"] = source;
    return protocol::digest(plan);
}

engine::PublishRequest request_of(Session& session) {
    const Options& options = session.options();
    engine::PublishRequest request;
    request.target = options.table;
    request.like = options.like;
    request.invocation_id = options.invocation_id;
    request.plan_digest = options.plan_digest;
    request.accept_lost_authority = options.accept_lost_authority;
    request.allow_view_depends = options.allow_view_depends;
    request.cleanup = options.cleanup;
    request.source_is_repeatable = options.from != "-";
    request.deadline = session.deadline();
    return request;
}

/// Completes invocation id and plan digest. 0: go on.
boost::asio::awaitable<int> identify(Session& session, loading::Loader& loader) {
    Options& options = session.options();
    const bool made_up = options.invocation_id.empty();
    if (made_up)
        options.invocation_id = session.entropy().hex32();
    if (options.plan_digest.empty()) {
        std::string source = "none";
        if (options.from == "-") {
            source = "stdin " + options.invocation_id;
        } else if (!options.from.empty()) {
            protocol::Result<std::string> digest = co_await loader.digest();
            if (!digest) {
                session.error(digest.error().detail);
                co_return cli::exit_failed;
            }
            source = "sha256 " + *digest;
        }
        options.plan_digest = default_plan_digest(options, source);
    }
    if (made_up && options.execute)
        session.note(
            "invocation id " + options.invocation_id +
            "; if this is interrupted: " + session.command_to_go_on()
        );
    co_return 0;
}

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
