#include "tools/cli/exit_status.hpp"

#include "protocol/leading_refusal.hpp"

#include <algorithm>
#include <array>

namespace onceswap::cli {

int worst_exit(int a, int b) {
    constexpr auto order = std::to_array<int>({1, 8, 4, 5, 7, 9, 6, 3, 0});
    return *std::find_if(order.begin(), order.end(), [&](int code) {
        return code == a || code == b || code == 0;
    });
}

namespace {

bool refuses(const protocol::Finding& finding) {
    return finding.severity == protocol::Severity::refuse;
}

const protocol::Finding* leading_refusal(const protocol::Report& report) {
    return protocol::leading_refusal(report.findings);
}

} // namespace

bool is_refused(const protocol::Report& report) {
    return leading_refusal(report) != nullptr;
}

namespace {

bool is_by_deadline(const protocol::Report& report) {
    return report.stopped_by == protocol::Code::deadline_reached;
}

} // namespace

std::string deadline_line(std::string_view what) {
    const protocol::Code code = protocol::Code::deadline_reached;
    std::string out = std::string(protocol::stable_name(code)) + ": " + std::string(protocol::meaning(code));
    return what.empty() ? out : out + " " + std::string(what);
}

protocol::Code leading_code(const protocol::Report& report) {
    if (is_by_deadline(report))
        return *report.stopped_by;
    if (const protocol::Finding* refusal = leading_refusal(report))
        return refusal->code;
    return report.stopped_by.value_or(report.verdict.reason);
}

std::string leading_detail(const protocol::Report& report) {
    if (is_by_deadline(report))
        return report.stopped_detail;
    if (const protocol::Finding* refusal = leading_refusal(report))
        return (refusal->host.empty() ? "" : refusal->host + ": ") + refusal->detail;
    if (report.stopped_by)
        return report.stopped_detail;
    return report.verdict.detail;
}

std::string error_line(const protocol::Report& report, int exit_code) {
    if (exit_code == 0)
        return {};
    if (is_by_deadline(report)) {
        const bool has_verdict = report.verdict.row != 0;
        const std::string last =
            has_verdict ? "The last verdict is " + std::string(protocol::text(report.verdict.word)) + "."
                        : "";
        return deadline_line(report.stopped_detail.empty() || !last.empty() ? last : report.stopped_detail);
    }
    const protocol::Code code = leading_code(report);
    const std::string detail = leading_detail(report);
    std::string out(protocol::stable_name(code));
    out += ": " + (detail.empty() ? std::string(protocol::meaning(code)) : detail);
    const auto refusals = std::count_if(report.findings.begin(), report.findings.end(), refuses);
    if (refusals > 1)
        out += " (and " + std::to_string(refusals - 1) + " more)";
    return out;
}

} // namespace onceswap::cli
