#include "tools/reconcile_watch/watching_all.hpp"

#include "engine/backoff.hpp"
#include "engine/deadline.hpp"
#include "engine/task_group.hpp"
#include "protocol/report_comparison.hpp"
#include "tools/cli/evidence_file.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/cli/report_document.hpp"
#include "tools/cli/status_table.hpp"
#include "tools/cli/table_name.hpp"
#include "tools/cli/watch_lines.hpp"
#include "tools/metrics/slot_metrics.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <unistd.h>

namespace onceswap::reconcile_watch {

namespace asio = boost::asio;

namespace {

constexpr std::size_t readings_at_once = 8;
constexpr std::chrono::milliseconds reader_pause{10};
constexpr std::chrono::milliseconds first_wait{1'000}; ///< as `watch` of one slot

std::string cut(std::string line, std::size_t width) {
    if (width != 0 && line.size() >= width)
        line.resize(width - 1);
    return line + "\n";
}

} // namespace

WatchingAll::WatchingAll(cli::Session& session)
    : session_(session), counters_(session.progress()),
      terminal_(cli::terminal_of(STDOUT_FILENO, session.options().color)),
      redraws_(terminal_.can_redraw && !session.options().json && !session.options().verbose) {
    session_.status = [this] {
        return slots_.empty() ? "nothing was read yet: " + session_.progress().now() : summary(0);
    };
}

WatchingAll::~WatchingAll() {
    session_.status = nullptr;
}

engine::Context WatchingAll::context() {
    return session_.context(counters_);
}

std::vector<protocol::Report> WatchingAll::reports() const {
    std::vector<protocol::Report> all;
    for (const auto& [name, slot] : slots_)
        all.push_back(slot.report);
    return all;
}

void WatchingAll::keep(Round& round, const std::string& key, protocol::Report report) {
    Slot& slot = slots_[key];
    std::string seen = protocol::without_time(report);
    slot.report = std::move(report);
    if (seen == slot.seen)
        return;
    slot.seen = std::move(seen);
    const std::string line = session_.options().json
                                 ? boost::json::serialize(cli::change_document(slot.report))
                                 : cli::change_line(slot.report);
    round.changes.push_back(line + "\n");
}

asio::awaitable<void> WatchingAll::list(Round& round) {
    engine::Context with = context();
    std::string database = session_.options().table.database;
    const auto patience = with.limits.read_timeout * static_cast<int>(with.cluster.endpoints.size() + 1);
    const engine::TimePoint until = engine::earlier_of(session_.clock(), patience, session_.deadline());
    const auto found = co_await engine::list_targets(with, std::move(database), until);
    if (!found) {
        const protocol::Failure& failure = found.error();
        std::string problem = std::string(protocol::stable_name(failure.code)) + ": " + failure.detail;
        if (problem != list_problem_ && !redraws_ && !session_.out_of_time())
            session_.note(problem);
        list_problem_ = std::move(problem);
        co_return;
    }
    list_problem_.clear();
    listed_ = true;
    round.targets = found->targets;
    // A slot whose record is gone is still read: what became of it is no longer what was last read of it.
    for (const auto& [name, slot] : slots_) {
        const protocol::TargetName& known = slot.report.target;
        if (!known.table.empty() && std::ranges::find(round.targets, known) == round.targets.end())
            round.targets.push_back(known);
    }
    // What cannot be decoded has no name; what is said of it begins with its key.
    std::set<std::string> unreadable;
    for (const protocol::Report& report : found->unreadable) {
        const std::string key = "unreadable record: " + report.verdict.detail;
        unreadable.insert(key);
        keep(round, key, report);
    }
    std::erase_if(slots_, [&](const auto& each) {
        return each.second.report.target.table.empty() && !unreadable.contains(each.first);
    });
}

asio::awaitable<void> WatchingAll::read(Round& round) {
    engine::Context with = context();
    while (round.next < round.targets.size() && !session_.out_of_time()) {
        protocol::TargetName target = round.targets[round.next++];
        const std::string key = cli::text(target);
        const engine::TimePoint deadline = session_.deadline();
        protocol::Report report = co_await engine::observe(with, std::move(target), deadline);
        if (session_.stop_signal != 0)
            throw boost::system::system_error(asio::error::operation_aborted);
        keep(round, key, cli::with_deadline(session_, std::move(report)));
    }
}

bool WatchingAll::write_files(bool changed) {
    const cli::Options& options = session_.options();
    const std::vector<protocol::Report> all = reports();
    std::string problem;
    if (changed && !options.evidence_file.empty()) {
        const std::string document = boost::json::serialize(cli::slots_document(all, code_of_slots())) + "\n";
        if (const auto written = cli::write_evidence_file(options.evidence_file, document); !written)
            problem = "--evidence: " + written.error();
    }
    if (!options.metrics_file.empty()) {
        const std::string text = metrics::slot_metrics(all, counters_);
        if (const auto written = cli::write_metrics_file(options.metrics_file, text); !written)
            problem = "--metrics-file: " + written.error();
    }
    if (!problem.empty() && !std::exchange(files_failed_, true))
        session_.error(problem);
    return problem.empty();
}

std::string WatchingAll::blocks() const {
    std::string text;
    for (const auto& [name, slot] : slots_)
        text += (text.empty() ? "" : "\n") + cli::status_table(slot.report, terminal_);
    return text;
}

std::string WatchingAll::summary(std::size_t width) const {
    std::string text;
    for (const auto& [name, slot] : slots_)
        text += cut(cli::status_line(slot.report), width);
    return text;
}

/// One round: a frame on a terminal, lines elsewhere.
std::string WatchingAll::printed(const Round& round) {
    const cli::Options& options = session_.options();
    if (redraws_) {
        terminal_ = cli::terminal_of(STDOUT_FILENO, options.color); // its size may have changed
        std::string text = blocks();
        // Where the tables do not fit, each slot has one line that begins with its verdict.
        if (terminal_.height != 0 && cli::rows_of(text, terminal_.width) + 2 > terminal_.height)
            text = summary(terminal_.width);
        if (!list_problem_.empty())
            text += cut("gap: " + cli::printable(list_problem_), terminal_.width);
        text +=
            cut(std::to_string(slots_.size()) + " slots, reading again; Ctrl-C stops only the watching",
                terminal_.width);
        return screen_.frame(text, terminal_.width, terminal_.height);
    }
    std::string text;
    if (!options.quiet || options.json)
        for (const std::string& line : round.changes)
            text += line;
    if (options.json && round.changes.empty())
        text =
            boost::json::serialize(cli::slots_heartbeat_document(reports(), session_.clock().wall_seconds())
            ) +
            "\n";
    return text;
}

/// Waits for a reader that reads slowly, and can be stopped meanwhile.
asio::awaitable<void> WatchingAll::write(std::string text) {
    std::string_view rest = text;
    while (!rest.empty() && !reader_gone_) {
        const auto written = cli::write_some(STDOUT_FILENO, rest);
        if (!written) {
            reader_gone_ = true;
        } else if (*written != 0) {
            rest.remove_prefix(*written);
        } else {
            const engine::TimePoint when = session_.clock().now() + reader_pause;
            const auto stopped = co_await session_.clock().wait_until(when);
            if (stopped)
                throw boost::system::system_error(stopped);
        }
    }
}

/// Waiting changes nothing any more: the slots are known, and each has its last verdict.
bool WatchingAll::is_settled() const {
    return listed_ && list_problem_.empty() && std::ranges::all_of(slots_, [](const auto& each) {
               return protocol::ends_watch(each.second.report.verdict.word) && !each.second.report.stopped_by;
           });
}

asio::awaitable<void> WatchingAll::rounds() {
    const auto executor = co_await asio::this_coro::executor;
    const std::chrono::milliseconds longest = session_.options().interval;
    engine::Backoff backoff(std::min(first_wait, longest), longest);
    while (true) {
        Round round;
        co_await list(round);
        engine::TaskGroup readers(executor);
        for (std::size_t i = 0; i < std::min(readings_at_once, round.targets.size()); ++i)
            readers.spawn(read(round));
        co_await readers.join();
        write_files(!round.changes.empty());
        const bool all_read = round.next >= round.targets.size();
        if (is_settled() && all_read && (redraws_ || round.changes.empty()))
            co_return; // the last words say the same
        std::string text = printed(round);
        co_await write(std::move(text));
        if (reader_gone_ || (is_settled() && all_read))
            co_return;
        if (!session_.out_of_time()) {
            if (!round.changes.empty())
                backoff.reset();
            const std::chrono::milliseconds wait = backoff.next(session_.entropy());
            const engine::TimePoint next = engine::earlier_of(session_.clock(), wait, session_.deadline());
            const auto stopped = co_await session_.clock().wait_until(next);
            if (stopped)
                throw boost::system::system_error(stopped);
        }
        if (session_.out_of_time()) {
            late_ = true;
            co_return;
        }
    }
}

int WatchingAll::code_of_slots() const {
    int code = listed_ && list_problem_.empty() ? 0 : cli::exit_unknown;
    for (const auto& [name, slot] : slots_)
        code = cli::worst_exit(code, protocol::exit_code(slot.report));
    return code;
}

void WatchingAll::say_end(int code) {
    if (session_.stop_signal != 0) {
        if (slots_.empty())
            session_.note("stopped by signal; nothing was read yet");
        for (const auto& [name, slot] : slots_)
            session_.note(
                "stopped by signal; " + cli::printable(name) + ": " + cli::what_goes_on(slot.report)
            );
        session_.note("to go on: " + session_.command_to_go_on());
        return;
    }
    if (slots_.empty() && listed_)
        session_.note("no slot in this database");
    if (reader_gone_ || code == 0)
        return;
    if (late_) {
        session_.error(cli::deadline_line(list_problem_));
        return;
    }
    for (const auto& [name, slot] : slots_) {
        const std::string line = cli::error_line(slot.report, protocol::exit_code(slot.report));
        if (!line.empty())
            session_.error(cli::printable(name) + ": " + line);
    }
}

int WatchingAll::finish() {
    int code = late_ ? protocol::exit_code(protocol::Code::deadline_reached) : code_of_slots();
    if (files_failed_ && code == 0)
        code = cli::exit_failed;
    if (session_.stop_signal != 0)
        code = 128 + session_.stop_signal;
    const std::vector<protocol::Report> all = reports();
    if (!session_.write_evidence(cli::slots_document(all, code)) && code == 0)
        code = cli::exit_failed;
    if (!reader_gone_) {
        std::string text;
        if (session_.options().json) {
            text = boost::json::serialize(cli::slots_final_document(all, code)) + "\n";
        } else {
            text = blocks();
            if (slots_.size() > 1)
                text += "\n" + summary(redraws_ ? terminal_.width : 0);
            if (redraws_)
                text = screen_.frame(text, terminal_.width, terminal_.height);
        }
        if (session_.stop_signal != 0)
            cli::write_while_read(STDOUT_FILENO, text);
        else
            cli::write_fully(STDOUT_FILENO, text);
    }
    say_end(code);
    return code;
}

} // namespace onceswap::reconcile_watch
