#include "tools/reconcile_watch/status.hpp"

#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/cli/report_document.hpp"
#include "tools/cli/status_table.hpp"

#include <unistd.h>
#include <utility>
#include <vector>

namespace onceswap::reconcile_watch {

namespace {

using cli::Session;

/// Worst of the slots, or 3 where the deadline cut one off or came before it.
int finish_all(Session& session, std::vector<protocol::Report> reports, bool all_read) {
    const cli::Terminal terminal = cli::terminal_of(STDOUT_FILENO, session.options().color);
    int code = 0;
    bool late = !all_read;
    std::string text;
    for (protocol::Report& report : reports) {
        report = cli::with_deadline(session, std::move(report));
        late = late || report.stopped_by == protocol::Code::deadline_reached;
        code = cli::worst_exit(code, protocol::exit_code(report));
        text += (text.empty() ? "" : "\n") + cli::status_table(report, terminal);
    }
    if (late)
        code = protocol::exit_code(protocol::Code::deadline_reached);
    if (session.stop_signal != 0)
        code = 128 + session.stop_signal;
    const bool written = session.publish_result(text, cli::slots_document(reports, code));
    if (reports.empty())
        session.note("no slot in this database");
    if (late && session.stop_signal == 0)
        session.error(cli::deadline_line(all_read ? "" : "Not every slot was read."));
    return written || code != 0 ? code : cli::exit_failed;
}

boost::asio::awaitable<int> status_of_all(Session& session) {
    engine::Context context = session.context();
    std::string database = session.options().table.database;
    const engine::TimePoint deadline = session.deadline();
    const auto slots = co_await engine::list_targets(context, std::move(database), deadline);
    if (!slots)
        co_return cli::finish_failed(session, slots.error());
    std::vector<protocol::Report> reports = slots->unreadable;
    for (const protocol::TargetName& each : slots->targets) {
        if (session.stop_signal != 0 || session.out_of_time())
            break;
        protocol::TargetName target = each;
        protocol::Report report = co_await engine::observe(context, std::move(target), deadline);
        reports.push_back(std::move(report));
    }
    const bool all_read = reports.size() == slots->unreadable.size() + slots->targets.size();
    co_return finish_all(session, std::move(reports), all_read || session.stop_signal != 0);
}

} // namespace

boost::asio::awaitable<int> status(Session& session) {
    if (session.options().all) {
        const int code = co_await status_of_all(session);
        co_return code;
    }
    engine::Context context = session.context();
    protocol::TargetName target = session.options().table;
    const engine::TimePoint deadline = session.deadline();
    const protocol::Report report = co_await engine::observe(context, std::move(target), deadline);
    co_return cli::finish(session, report, {});
}

} // namespace onceswap::reconcile_watch
