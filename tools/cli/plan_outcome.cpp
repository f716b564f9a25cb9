#include "tools/cli/plan_outcome.hpp"

#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/cli/report_document.hpp"
#include "tools/cli/status_table.hpp"

#include <unistd.h>
#include <utility>

namespace onceswap::cli {

int finish_plan(Session& session, engine::Plan plan) {
    protocol::Report& report = plan.report;
    const bool stopped = report.stopped_by.has_value();
    const int own = is_refused(report) ? exit_refused : stopped ? protocol::exit_code(report) : 0;
    int code = code_in_time(session, own);
    if (code != own)
        report = with_deadline(session, std::move(report));
    if (session.stop_signal != 0)
        code = 128 + session.stop_signal;
    const Terminal terminal = terminal_of(STDOUT_FILENO, session.options().color);
    std::string text = findings_list(report.findings, true, terminal);
    if (!plan.steps.empty())
        text += "\n" + plan_text(plan);
    if (!report.operation_id.empty())
        text += "\n" + status_table(report, terminal);
    const bool written = session.publish_result(text, plan_document(plan, code));
    if (code != 0 && session.stop_signal == 0)
        session.error(error_line(report, code));
    return written || code != 0 ? code : exit_failed;
}

} // namespace onceswap::cli
