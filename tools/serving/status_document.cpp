#include "tools/serving/status_document.hpp"

#include "protocol/timestamp.hpp"
#include "protocol/utf8.hpp"
#include "tools/cli/report_document.hpp"

#include <boost/json/array.hpp>

#include <utility>

namespace onceswap::serving {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_name = 512;

json::value text_or_null(const std::string& text) {
    return text.empty() ? json::value() : json::value(protocol::printable_head(text, longest_name));
}

json::value time_or_null(std::int64_t seconds) {
    return seconds == 0 ? json::value() : json::value(protocol::rfc3339(seconds));
}

json::object as_json(const Happening& happening) {
    return {
        {"at", protocol::rfc3339(happening.at)},
        {"change", text(happening.change)},
        {"host", text_or_null(happening.host)},
        {"from", text_or_null(happening.from)},
        {"to", text_or_null(happening.to)},
    };
}

json::object as_json(const PassRun& run) {
    return {
        {"verdict", protocol::text(run.word)},
        {"exit_code", protocol::exit_code(run.word)},
        {"count", std::to_string(run.count)},
        {"first_at", protocol::rfc3339(run.first_at)},
        {"last_at", protocol::rfc3339(run.last_at)},
    };
}

json::object as_json(const Mutation& mutation) {
    json::array hosts;
    for (const protocol::HostPort& host : mutation.hosts)
        hosts.emplace_back(protocol::printable_head(protocol::text(host), longest_name));
    return {
        {"operation", mutation.operation},
        {"statement", protocol::text(mutation.action)},
        {"epoch", std::to_string(mutation.epoch)},
        {"step", text(mutation.step)},
        {"outcome", text_or_null(mutation.outcome)},
        {"entry", text_or_null(mutation.entry)},
        {"hosts", std::move(hosts)},
        {"at", protocol::rfc3339(mutation.at)},
        {"at_latest", mutation.at_latest},
        {"source", text(mutation.source)},
    };
}

json::object slot_of(const protocol::Report& report, const SlotHistory* history) {
    json::array runs;
    json::array happenings;
    json::array mutations;
    if (history != nullptr) {
        for (const PassRun& run : history->runs())
            runs.push_back(as_json(run));
        for (const Happening& happening : history->happenings())
            happenings.push_back(as_json(happening));
        for (const Mutation& mutation : history->mutations())
            mutations.push_back(as_json(mutation));
    }
    json::object slot;
    slot["report"] = cli::report_document(report, protocol::exit_code(report), {});
    slot["passes"] = history == nullptr ? "0" : std::to_string(history->passes());
    slot["runs"] = std::move(runs);
    slot["timeline"] = std::move(happenings);
    slot["forgotten"] = history == nullptr ? "0" : std::to_string(history->forgotten());
    slot["mutations"] = std::move(mutations);
    slot["older_mutations"] = history != nullptr && history->has_older_mutations();
    return slot;
}

} // namespace

json::object status_document(const SlotBoard& board) {
    const Watched& watched = board.watched();
    json::array slots;
    for (const auto& [target, history] : board.slots())
        slots.push_back(slot_of(history.last(), &history));
    for (const protocol::Report& report : board.unreadable())
        slots.push_back(slot_of(report, nullptr));
    return {
        {"schema_version", 1},
        {"cluster", protocol::printable_head(watched.cluster, longest_name)},
        {"database", protocol::printable_head(watched.database, longest_name)},
        {"table", text_or_null(watched.table)},
        {"interval_ms", watched.interval.count()},
        {"started_at", protocol::rfc3339(board.started_at())},
        {"rounds", std::to_string(board.rounds())},
        {"last_round_at", time_or_null(board.last_round_at())},
        {"problem", text_or_null(board.problem())},
        {"omitted_slots", board.omitted()},
        {"slots", std::move(slots)},
    };
}

} // namespace onceswap::serving
