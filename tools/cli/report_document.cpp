#include "tools/cli/report_document.hpp"

#include "tools/cli/status_table.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value_from.hpp>

#include <utility>

namespace onceswap::cli {

namespace json = boost::json;

json::object
report_document(const protocol::Report& report, int exit_code, const std::string& invocation_id) {
    json::object document = protocol::to_json(report);
    document["exit_code"] = exit_code;
    if (!invocation_id.empty())
        document["invocation_id"] = invocation_id;
    return document;
}

json::object plan_document(const engine::Plan& plan, int exit_code) {
    json::object document = report_document(plan.report, exit_code, {});
    json::array steps;
    for (const engine::Plan::Step& step : plan.steps) {
        json::object one;
        one["statement"] = step.statement;
        one["scope"] = step.scope;
        one["hosts"] = json::value_from(step.hosts);
        steps.push_back(std::move(one));
    }
    document["steps"] = std::move(steps);
    return document;
}

json::object slots_document(const std::vector<protocol::Report>& reports, int exit_code) {
    json::object document;
    document["schema_version"] = 1;
    document["exit_code"] = exit_code;
    json::array slots;
    for (const protocol::Report& report : reports)
        slots.push_back(protocol::to_json(report));
    document["slots"] = std::move(slots);
    return document;
}

std::string plan_text(const engine::Plan& plan) {
    std::string out;
    std::size_t number = 0;
    for (const engine::Plan::Step& step : plan.steps) {
        out += std::to_string(++number) + ". " + printable(step.statement) + "\n   " + step.scope;
        for (const std::string& host : step.hosts)
            out += (&host == &step.hosts.front() ? ": " : ", ") + printable(host);
        out += "\n";
    }
    return out;
}

} // namespace onceswap::cli
