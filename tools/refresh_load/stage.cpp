#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/refresh_load/load_run.hpp"
#include "tools/refresh_load/verbs.hpp"

#include <string>

namespace onceswap::refresh_load {

using cli::Session;

namespace {

std::string command_to_publish(const Session& session) {
    return session.command_for("refresh-load", "publish") + " --invocation-id " +
           cli::shell_quoted(session.options().invocation_id) + " --execute";
}

} // namespace

boost::asio::awaitable<int> stage(Session& session) {
    if (session.options().demo) {
        session.error(
            "ONCESWAP_CONFIG_INVALID: stage has no demo; `publish --demo --demo-fault ready` shows one"
        );
        co_return cli::exit_usage;
    }
    const LoadRun run = co_await run_load(session);
    if (run.ended)
        co_return *run.ended;
    const protocol::Report& report = run.report;
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
