#include "tools/cli/watch_lines.hpp"

#include "protocol/timestamp.hpp"
#include "tools/cli/report_document.hpp"
#include "tools/cli/status_table.hpp"
#include "tools/cli/table_name.hpp"

#include <boost/json/array.hpp>

#include <utility>

namespace onceswap::cli {

namespace json = boost::json;

namespace {

json::object line(std::string_view event, bool is_final) {
    json::object document;
    document["schema_version"] = 1;
    document["event"] = event;
    document["final"] = is_final;
    return document;
}

} // namespace

json::object change_document(const protocol::Report& report) {
    json::object document = line("change", false);
    document["report"] = cli::report_document(report, protocol::exit_code(report), {});
    return document;
}

json::object heartbeat_document(const protocol::Report& report) {
    json::object document = line("heartbeat", false);
    document["observed_at"] = protocol::rfc3339(report.observed_at);
    document["verdict"] = protocol::text(report.verdict.word);
    document["evidence_gaps"] = report.evidence_gaps.size();
    return document;
}

json::object final_document(const protocol::Report& report, int exit_code, const std::string& superseded) {
    json::object document = line("final", true);
    document["exit_code"] = exit_code;
    if (!superseded.empty())
        document["superseded"] = superseded;
    document["report"] = cli::report_document(report, exit_code, {});
    return document;
}

json::object
slots_heartbeat_document(const std::vector<protocol::Report>& reports, std::int64_t observed_at) {
    json::object document = line("heartbeat", false);
    document["observed_at"] = protocol::rfc3339(observed_at);
    json::array slots;
    for (const protocol::Report& report : reports)
        slots.push_back(json::object{
            {"database", report.target.database},
            {"table", report.target.table},
            {"verdict", protocol::text(report.verdict.word)},
            {"evidence_gaps", report.evidence_gaps.size()},
        });
    document["slots"] = std::move(slots);
    return document;
}

json::object slots_final_document(const std::vector<protocol::Report>& reports, int exit_code) {
    json::object document = line("final", true);
    document["exit_code"] = exit_code;
    json::array slots;
    for (const protocol::Report& report : reports)
        slots.push_back(json::object{
            {"database", report.target.database},
            {"table", report.target.table},
            {"verdict", protocol::text(report.verdict.word)},
            {"exit_code", protocol::exit_code(report)},
            {"report", cli::report_document(report, protocol::exit_code(report), {})},
        });
    document["slots"] = std::move(slots);
    return document;
}

std::string change_line(const protocol::Report& report) {
    std::string line = protocol::rfc3339(report.observed_at) + " " + cli::status_line(report);
    const char* before = "; ";
    for (const protocol::Report::Row& row : report.members) {
        if (!row.state.judged)
            continue;
        line += before + cli::printable(protocol::text(row.state.at)) + " " +
                std::string(protocol::text(row.state.state));
        before = ", ";
    }
    return line;
}

std::string waiting_line(const protocol::Report& report, std::size_t width) {
    std::string line = "read at " + protocol::rfc3339(report.observed_at) +
                       ", reading again; Ctrl-C stops only the watching";
    if (width != 0 && line.size() >= width)
        line.resize(width - 1);
    return line + "\n";
}

} // namespace onceswap::cli
