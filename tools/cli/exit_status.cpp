#include "tools/cli/exit_status.hpp"

#include <algorithm>

namespace onceswap::cli {

namespace {

const protocol::Finding* first_refusal(const protocol::Report& report) {
    const auto refuses = [](const protocol::Finding& finding) {
        return finding.severity == protocol::Severity::refuse;
    };
    const auto found = std::find_if(report.findings.begin(), report.findings.end(), refuses);
    return found == report.findings.end() ? nullptr : &*found;
}

} // namespace

bool is_refused(const protocol::Report& report) {
    return first_refusal(report) != nullptr;
}

protocol::Code leading_code(const protocol::Report& report) {
    if (const protocol::Finding* refusal = first_refusal(report))
        return refusal->code;
    return report.stopped_by.value_or(report.verdict.reason);
}

std::string error_line(const protocol::Report& report, int exit_code) {
    if (exit_code == 0)
        return {};
    const protocol::Code code = leading_code(report);
    std::string out(protocol::stable_name(code));
    const protocol::Finding* refusal = first_refusal(report);
    std::string detail = report.verdict.detail;
    if (report.stopped_by && !report.stopped_detail.empty())
        detail = report.stopped_detail;
    if (refusal != nullptr)
        detail = (refusal->host.empty() ? "" : refusal->host + ": ") + refusal->detail;
    out += ": " + (detail.empty() ? std::string(protocol::meaning(code)) : detail);
    const auto refusals =
        std::count_if(report.findings.begin(), report.findings.end(), [](const auto& finding) {
            return finding.severity == protocol::Severity::refuse;
        });
    if (refusals > 1)
        out += " (and " + std::to_string(refusals - 1) + " more)";
    return out;
}

} // namespace onceswap::cli
