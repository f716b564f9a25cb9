#include "tools/refresh_load/resume_service.hpp"

#include "protocol/report_comparison.hpp"
#include "tools/cli/diagnostics.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/cli/report_document.hpp"
#include "tools/cli/status_table.hpp"
#include "tools/cli/table_name.hpp"
#include "tools/cli/tell_hook.hpp"
#include "tools/cli/watch_lines.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <unistd.h>
#include <utility>

namespace onceswap::refresh_load {

namespace {

namespace asio = boost::asio;

/// How long one slot may hold the round up while its entry is waited for. Longer than what a cleanup's
/// dispatch reserves, so that it can always be begun.
constexpr std::chrono::seconds longest_stay{60};

} // namespace

bool ResumeService::is_over() const {
    return session_.stop_signal != 0 || session_.clock().now() >= session_.deadline();
}

void ResumeService::print(const std::string& text) const {
    if (session_.stop_signal != 0)
        cli::write_while_read(STDOUT_FILENO, text);
    else
        cli::write_fully(STDOUT_FILENO, text);
}

asio::awaitable<void> ResumeService::tell(Slot& slot, protocol::Report report) {
    if (report.stopped_by == protocol::Code::deadline_reached) {
        report.stopped_by.reset(); // only this slot's part of the round is over
        report.stopped_detail.clear();
    }
    std::string now = protocol::without_time(report);
    slot.report = std::move(report);
    if (now == slot.told)
        co_return;
    slot.told = std::move(now);
    const cli::Options& options = session_.options();
    const int code = protocol::exit_code(slot.report);
    const boost::json::object document = cli::report_document(slot.report, code, {});
    if (options.json)
        print(boost::json::serialize(cli::change_document(slot.report)) + "\n");
    else if (!options.quiet)
        print(cli::change_line(slot.report) + "\n");
    session_.write_evidence(document);
    co_await cli::tell_hook(session_, document, code);
}

asio::awaitable<void> ResumeService::resume_slot(protocol::TargetName target) {
    engine::Context context = session_.context();
    const std::string name = cli::text(target);
    const engine::TimePoint until = std::min(session_.deadline(), session_.clock().now() + longest_stay);
    protocol::Report report = co_await engine::resume(context, std::move(target), until);
    if (session_.stop_signal != 0)
        co_return; // what was told before the stop is the last word; the record has the rest
    Slot& slot = slots_[name];
    co_await tell(slot, std::move(report));
}

asio::awaitable<void> ResumeService::round() {
    if (!session_.options().all) {
        protocol::TargetName target = session_.options().table;
        co_await resume_slot(std::move(target));
        co_return;
    }
    engine::Context context = session_.context();
    std::string database = session_.options().table.database;
    const engine::TimePoint until = std::min(session_.deadline(), session_.clock().now() + longest_stay);
    const auto found = co_await engine::list_targets(context, std::move(database), until);
    std::string problem;
    if (!found) {
        problem = std::string(protocol::stable_name(found.error().code)) + ": " + found.error().detail;
    } else {
        for (const protocol::Report& report : found->unreadable)
            problem += (problem.empty() ? "unreadable record: " : "; ") + report.verdict.detail;
    }
    if (problem != list_problem_ && !problem.empty())
        session_.error(problem);
    list_problem_ = std::move(problem);
    if (!found)
        co_return;
    for (const protocol::TargetName& each : found->targets) {
        if (is_over())
            co_return;
        protocol::TargetName target = each;
        co_await resume_slot(std::move(target));
    }
}

std::string ResumeService::what_slots_say() const {
    std::string out;
    for (const auto& [name, slot] : slots_)
        out += (out.empty() ? "" : ", ") + cli::printable(name) + ": " +
               std::string(protocol::text(slot.report.verdict.word));
    if (!list_problem_.empty())
        out += (out.empty() ? "" : "; ") + list_problem_;
    return out.empty() ? "No slot was read." : out;
}

int ResumeService::finish() const {
    // It ends by nothing else than a signal or its deadline.
    const int code = session_.stop_signal != 0 ? 128 + session_.stop_signal
                                               : protocol::exit_code(protocol::Code::deadline_reached);
    for (const auto& [name, slot] : slots_) {
        if (session_.options().json)
            print(boost::json::serialize(cli::final_document(slot.report, code, {})) + "\n");
        if (session_.stop_signal != 0)
            session_.note(name + ": " + cli::what_goes_on(slot.report));
    }
    if (session_.stop_signal != 0)
        session_.note("stopped by signal; to go on: " + session_.command_to_go_on());
    else
        session_.error(cli::deadline_line(what_slots_say()));
    return code;
}

asio::awaitable<int> ResumeService::run() {
    while (!is_over()) {
        co_await round();
        if (is_over())
            break;
        const engine::TimePoint next =
            std::min(session_.deadline(), session_.clock().now() + session_.options().interval);
        const auto stopped = co_await session_.clock().wait_until(next);
        if (stopped)
            break;
    }
    co_return finish();
}

} // namespace onceswap::refresh_load
