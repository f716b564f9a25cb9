#include "tools/reconcile_watch/watching.hpp"

#include "protocol/timestamp.hpp"
#include "tools/cli/evidence_file.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/cli/report_document.hpp"
#include "tools/cli/status_table.hpp"
#include "tools/cli/watch_lines.hpp"
#include "tools/metrics/slot_metrics.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <unistd.h>
#include <utility>

namespace onceswap::reconcile_watch {

namespace asio = boost::asio;

Watching::Watching(cli::Session& session)
    : session_(session), counters_(session.progress()),
      terminal_(cli::terminal_of(STDOUT_FILENO, session.options().color)),
      redraws_(terminal_.can_redraw && !session.options().json && !session.options().verbose) {
    session_.status = [this] {
        return read_ ? cli::status_line(last_) : "nothing was read yet: " + session_.progress().now();
    };
}

Watching::~Watching() {
    session_.status = nullptr;
}

engine::Context Watching::context() {
    engine::Context context = session_.context(counters_);
    constexpr std::chrono::milliseconds shortest = std::chrono::seconds(1);
    context.limits.poll_initial = std::min(shortest, session_.options().interval);
    context.limits.poll_max = session_.options().interval;
    return context;
}

bool Watching::write_files(const protocol::Report& report, bool changed) {
    const cli::Options& options = session_.options();
    std::string problem;
    if (changed && !options.evidence_file.empty()) {
        const std::string document =
            boost::json::serialize(cli::report_document(report, protocol::exit_code(report), {})) + "\n";
        if (const auto written = cli::write_evidence_file(options.evidence_file, document); !written)
            problem = "--evidence: " + written.error();
    }
    if (!options.metrics_file.empty()) {
        const std::string text = metrics::slot_metrics({&report, 1}, counters_);
        if (const auto written = cli::write_metrics_file(options.metrics_file, text); !written)
            problem = "--metrics-file: " + written.error();
    }
    if (!problem.empty() && !std::exchange(files_failed_, true))
        session_.error(problem);
    return problem.empty();
}

std::string Watching::printed(const protocol::Report& report, bool changed) {
    const cli::Options& options = session_.options();
    if (options.json)
        return boost::json::serialize(
                   changed ? cli::change_document(report) : cli::heartbeat_document(report)
               ) +
               "\n";
    if (redraws_) {
        terminal_ = cli::terminal_of(STDOUT_FILENO, options.color); // its size may have changed
        const std::string text =
            cli::status_table(report, terminal_) + cli::waiting_line(report, terminal_.width);
        return screen_.frame(text, terminal_.width, terminal_.height);
    }
    return changed && !options.quiet ? cli::change_line(report) + "\n" : std::string();
}

/// Waits for a reader that reads slowly, and can be stopped meanwhile.
asio::awaitable<void> Watching::write(std::string text) {
    constexpr auto pause = std::chrono::milliseconds(10);
    std::string_view rest = text;
    while (!rest.empty() && !reader_gone_) {
        const auto written = cli::write_some(STDOUT_FILENO, rest);
        if (!written) {
            reader_gone_ = true;
        } else if (*written != 0) {
            rest.remove_prefix(*written);
        } else {
            const engine::TimePoint when = session_.clock().now() + pause;
            co_await session_.clock().wait_until(when);
        }
    }
}

asio::awaitable<bool> Watching::pass(const protocol::Report& report, bool changed) {
    last_ = report;
    read_ = true;
    superseded_ = cli::superseded(session_.options(), report);
    write_files(report, changed);
    if (!superseded_.empty())
        co_return false;
    std::string text = printed(report, changed);
    co_await write(std::move(text));
    co_return !reader_gone_;
}

std::string Watching::last_document(const protocol::Report& report, int code) const {
    return boost::json::serialize(cli::final_document(report, code, superseded_)) + "\n";
}

std::string Watching::last_text(const protocol::Report& report) {
    const std::string table = cli::status_table(report, terminal_);
    return redraws_ ? screen_.frame(table, terminal_.width, terminal_.height) : table;
}

void Watching::say_end(const protocol::Report& report, int code) {
    if (session_.stop_signal != 0) {
        session_.note(
            "stopped by signal; " + (read_ ? cli::what_goes_on(report) : std::string("nothing was read yet"))
        );
        session_.note("to go on: " + session_.command_to_go_on());
    } else if (!superseded_.empty()) {
        session_.error(superseded_);
    } else if (code != 0 && !reader_gone_) {
        session_.error(cli::error_line(report, code));
    }
}

int Watching::finish(const protocol::Report& ended) {
    protocol::Report report = superseded_.empty() ? cli::with_deadline(session_, ended) : ended;
    if (!read_) {
        report.cluster = session_.options().cluster;
        report.observed_at = session_.clock().wall_seconds();
    }
    int code = protocol::exit_code(report);
    if (!superseded_.empty())
        code = cli::exit_superseded;
    if (files_failed_ && code == 0)
        code = cli::exit_failed;
    if (session_.stop_signal != 0)
        code = 128 + session_.stop_signal;
    const cli::Options& options = session_.options();
    const std::string document = last_document(report, code);
    if (!session_.write_evidence(cli::report_document(report, code, {})) && code == 0)
        code = cli::exit_failed;
    if (!reader_gone_) {
        const std::string text = options.json ? document : last_text(report);
        if (session_.stop_signal != 0)
            cli::write_while_read(STDOUT_FILENO, text);
        else
            cli::write_fully(STDOUT_FILENO, text);
    }
    say_end(report, code);
    return code;
}

} // namespace onceswap::reconcile_watch
