#include "protocol/report.hpp"
#include "protocol/timestamp.hpp"
#include "protocol/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace onceswap::protocol {

namespace {

namespace json = boost::json;

constexpr std::size_t most_text_bytes = 4096;

json::string clean(std::string_view text) {
    return json::string(printable_head(text, most_text_bytes));
}

/// null where there is nothing to say, so that a reader need not know which emptiness means none.
json::value or_null(std::string_view text) {
    return text.empty() ? json::value() : json::value(clean(text));
}

json::value time(std::int64_t seconds) {
    return or_null(rfc3339(seconds));
}

json::array texts(const std::vector<std::string>& all) {
    json::array out;
    for (const std::string& each : all)
        out.push_back(clean(each));
    return out;
}

json::array tables(const std::vector<NamedTable>& all) {
    json::array out;
    for (const NamedTable& each : all)
        out.push_back(json::object{{"name", clean(each.name)}, {"uuid", each.uuid.text()}});
    return out;
}

json::object holding(const NameHolding& held) {
    return {
        {"role", text(held.role)},
        {"uuid", held.uuid.is_nil() ? json::value() : json::value(held.uuid.text())},
        {"zookeeper_path", or_null(held.zookeeper_path)},
        {"difference", or_null(held.difference)},
    };
}

json::object member(const Report::Row& row) {
    const MemberState& state = row.state;
    return {
        {"host", clean(state.at.host)},
        {"port", state.at.port},
        {"endpoint", or_null(row.endpoint)},
        {"state", state.judged ? text(state.state) : std::string_view("UNJUDGED")},
        {"reason", or_null(state.reason)},
        {"target", holding(state.target)},
        {"candidate", holding(state.candidate)},
        {"aside", holding(state.aside)},
        {"warnings", texts(state.warnings)},
        {"health",
         json::object{
             {"known", state.health.known},
             {"healthy", state.health.healthy},
             {"problems", texts(state.health.problems)},
         }},
        {"queue",
         json::object{
             {"status", or_null(row.queue_status)},
             {"code", row.queue_code},
             {"text", or_null(row.queue_text)},
         }},
    };
}

json::object explained(Code code) {
    return {
        {"code", stable_name(code)},
        {"meaning", meaning(code)},
        {"next_safe_action", next_safe_action(code)},
        {"what_not_to_do", or_null(what_not_to_do(code))},
    };
}

json::object verdict(const Verdict& verdict) {
    json::object out{
        {"word", text(verdict.word)},
        {"row", verdict.row},
        {"next", text(verdict.next)},
        {"detail", or_null(verdict.detail)},
        {"reason", nullptr},
    };
    if (exit_code(verdict.word) != 0)
        out["reason"] = explained(verdict.reason);
    return out;
}

std::string_view text(Severity severity) {
    switch (severity) {
    case Severity::pass:
        return "pass";
    case Severity::warn:
        return "warn";
    case Severity::refuse:
        return "refuse";
    }
    return "refuse";
}

json::value uuid(const Uuid& value) {
    return value.is_nil() ? json::value() : json::value(value.text());
}

json::object repair(const Report::Repair& step) {
    return {
        {"host", clean(step.at.host)},
        {"port", step.at.port},
        {"serve", text(step.serve)},
        {"before", uuid(step.before)},
        {"after", uuid(step.after)},
        {"statement", clean(step.sql)},
    };
}

json::object finding(const Finding& finding) {
    const bool passed = finding.severity == Severity::pass;
    return {
        {"severity", text(finding.severity)},
        {"check", clean(finding.check)},
        {"code", passed ? json::value() : json::value(stable_name(finding.code))},
        {"host", or_null(finding.host)},
        {"detail", or_null(finding.detail)},
    };
}

} // namespace

json::object to_json(const Report& report) {
    json::array members;
    for (const Report::Row& row : report.members)
        members.push_back(member(row));
    json::array findings;
    for (const Finding& each : report.findings)
        findings.push_back(finding(each));
    json::array steps;
    for (const Report::Repair& each : report.repairs)
        steps.push_back(repair(each));
    json::value stopped;
    if (report.stopped_by) {
        json::object how = explained(*report.stopped_by);
        how["detail"] = or_null(report.stopped_detail);
        stopped = std::move(how);
    }
    const bool has_record = report.phase.has_value();
    return {
        {"schema_version", 1},
        {"cluster", clean(report.cluster)},
        {"database", clean(report.target.database)},
        {"table", clean(report.target.table)},
        {"observed_at", time(report.observed_at)},
        {"operation_id", or_null(report.operation_id)},
        {"inventory_digest", or_null(report.inventory_digest)},
        {"phase", has_record ? json::value(text(*report.phase)) : json::value()},
        {"dispatch_epoch", has_record ? json::value(std::to_string(report.dispatch_epoch)) : json::value()},
        {"record_version",
         report.record_version ? json::value(std::to_string(*report.record_version)) : json::value()},
        {"record_updated_at", report.record_updated_at == 0 ? json::value() : time(report.record_updated_at)},
        {"candidate", or_null(report.candidate)},
        {"entry", or_null(report.entry)},
        {"evidence", text(report.evidence)},
        {"verdict", verdict(report.verdict)},
        {"members", std::move(members)},
        {"evidence_gaps", texts(report.evidence_gaps)},
        {"warnings", texts(report.warnings)},
        {"findings", std::move(findings)},
        {"stopped", std::move(stopped)},
        {"retained", tables(report.retained)},
        {"orphans", tables(report.orphans)},
        {"repairs", std::move(steps)},
    };
}

} // namespace onceswap::protocol
