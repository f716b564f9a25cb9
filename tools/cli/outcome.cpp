#include "tools/cli/outcome.hpp"

#include "tools/cli/exit_status.hpp"
#include "tools/cli/report_document.hpp"
#include "tools/cli/status_table.hpp"

#include <chrono>
#include <unistd.h>
#include <utility>

namespace onceswap::cli {

std::string what_goes_on(const protocol::Report& report) {
    const std::string entry =
        report.entry.empty() ? "a statement that may already be sent" : "entry " + report.entry;
    if (!report.phase)
        return report.verdict.word == protocol::Word::no_record ? "nothing is recorded"
                                                                : "what the record says is not known";
    switch (*report.phase) {
    case protocol::Phase::prepared:
        return "nothing was dispatched; the staged table is kept for the next try";
    case protocol::Phase::dispatching:
    case protocol::Phase::set_aside_dispatching:
    case protocol::Phase::cleanup_dispatching:
    case protocol::Phase::retiring:
        return "only the waiting was stopped; " + entry + " goes on in the cluster";
    case protocol::Phase::committed:
        return "the publication is committed; the old generation is still there";
    case protocol::Phase::completed:
        return "the publication is completed";
    case protocol::Phase::abandoned:
        return "the operation is abandoned";
    }
    return {};
}

protocol::Report with_deadline(const Session& session, protocol::Report report) {
    const int code = protocol::exit_code(report);
    const bool cut_off =
        report.verdict.row == 0 || code == exit_failed || code == exit_unknown || code == exit_refused;
    const bool other_end = report.stopped_by == protocol::Code::config_invalid ||
                           report.stopped_by == protocol::Code::cancelled ||
                           report.stopped_by == protocol::Code::deadline_reached;
    if (!session.out_of_time() || !cut_off || other_end)
        return report;
    if (report.stopped_by) {
        const std::string met(protocol::stable_name(*report.stopped_by));
        report.stopped_detail = met + (report.stopped_detail.empty() ? "" : ": " + report.stopped_detail);
    }
    report.stopped_by = protocol::Code::deadline_reached;
    return report;
}

int code_in_time(const Session& session, int code) {
    const bool of_time = code != 0 && code != exit_usage && session.out_of_time();
    return of_time ? protocol::exit_code(protocol::Code::deadline_reached) : code;
}

int finish_failed(Session& session, const protocol::Failure& failure) {
    const int own = protocol::exit_code(failure.code);
    const int code = code_in_time(session, own);
    const std::string what = std::string(protocol::stable_name(failure.code)) + ": " + failure.detail;
    session.error(code == own ? what : deadline_line(what));
    return code;
}

boost::asio::awaitable<protocol::Report> with_present_state(Session& session, protocol::Report stopped) {
    stopped = with_deadline(session, std::move(stopped));
    const bool out_of_time = stopped.stopped_by == protocol::Code::deadline_reached &&
                             stopped.verdict.word == protocol::Word::outcome_unknown;
    if (session.stop_signal == 0 && !out_of_time)
        co_return stopped;
    // Whoever stops a program waits for it: a tenth of a second in all. A deadline has nobody waiting.
    constexpr auto after_signal = std::chrono::milliseconds(60);
    constexpr auto after_deadline = std::chrono::seconds(3);
    const std::chrono::milliseconds patience = session.stop_signal != 0 ? after_signal : after_deadline;
    engine::Context context = session.context();
    protocol::TargetName target = session.options().table;
    const engine::TimePoint deadline = session.clock().now() + patience;
    protocol::Report now = co_await engine::observe(context, std::move(target), deadline);
    if (!now.phase)
        co_return stopped; // nothing recorded, or nothing that could be read: the report of the call says
                           // more
    now.stopped_by = session.stop_signal != 0 ? protocol::Code::cancelled : protocol::Code::deadline_reached;
    now.stopped_detail = stopped.stopped_detail;
    now.warnings.insert(now.warnings.end(), stopped.warnings.begin(), stopped.warnings.end());
    if (now.orphans.empty())
        now.orphans = std::move(stopped.orphans);
    co_return now;
}

std::string superseded(const Options& options, const protocol::Report& report) {
    const bool known = report.phase || report.verdict.word == protocol::Word::no_record;
    if (!known)
        return {}; // what could not be read is no other operation
    if (!options.operation.empty() && report.operation_id != options.operation) {
        const std::string there =
            report.operation_id.empty() ? "no operation" : "operation " + report.operation_id;
        return "the slot holds " + there + ", not the one that is pinned";
    }
    if (options.epoch && report.dispatch_epoch != *options.epoch)
        return "the record is at epoch " + std::to_string(report.dispatch_epoch) +
               ", not at the one that is pinned";
    if (options.version && report.record_version != options.version)
        return "the record has another version than the one that is pinned";
    return {};
}

namespace {

int say_all(
    Session& session,
    const protocol::Report& ended,
    const std::string& go_on,
    std::optional<protocol::Word> asked_for,
    const Result& result
) {
    const Options& options = session.options();
    const protocol::Report report = result.reached ? ended : with_deadline(session, ended);
    const bool by_deadline = report.stopped_by == protocol::Code::deadline_reached;
    const bool reached = result.reached || (asked_for == report.verdict.word && !report.stopped_by);
    int code = reached ? 0 : protocol::exit_code(report);
    const std::string other = superseded(options, report);
    if (!other.empty() && !by_deadline && !result.reached)
        code = exit_superseded;
    if (session.stop_signal != 0)
        code = 128 + session.stop_signal;
    const Terminal terminal = terminal_of(STDOUT_FILENO, options.color);
    const std::string table = status_table(report, terminal) + result.text;
    boost::json::object document = report_document(report, code, options.invocation_id);
    if (result.around) {
        boost::json::object whole = *result.around;
        whole["exit_code"] = code;
        whole["report"] = std::move(document);
        document = std::move(whole);
    }
    const bool written = session.publish_result(table, document);
    if (session.stop_signal != 0) {
        session.note("stopped by signal; " + what_goes_on(report));
        if (!go_on.empty())
            session.note("to go on: " + go_on);
    } else if (!other.empty() && !result.reached) {
        session.error(by_deadline ? deadline_line(other) : other);
    } else if (code != 0) {
        session.error(error_line(report, code));
    }
    return written || code != 0 ? code : exit_failed;
}

} // namespace

int finish(
    Session& session,
    const protocol::Report& ended,
    const std::string& go_on,
    std::optional<protocol::Word> asked_for
) {
    return say_all(session, ended, go_on, asked_for, Result());
}

int finish_with(Session& session, const protocol::Report& ended, const Result& result) {
    return say_all(session, ended, {}, {}, result);
}

} // namespace onceswap::cli
