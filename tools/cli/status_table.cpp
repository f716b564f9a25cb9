#include "tools/cli/status_table.hpp"

#include "protocol/error_code.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/cli/table_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace onceswap::cli {

namespace {

using protocol::Report;

constexpr std::string_view red = "\x1b[31m";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view yellow = "\x1b[33m";
constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view plain = "\x1b[0m";

std::string painted(std::string_view text, std::string_view color, const Terminal& terminal) {
    if (!terminal.color || text.empty())
        return std::string(text);
    return std::string(color) + std::string(text) + std::string(plain);
}

std::string_view color_of_exit_code(int code) {
    if (code == 0)
        return green;
    return code == 3 || code == 9 ? yellow : red;
}

std::string_view color_of_state(protocol::State state) {
    switch (state) {
    case protocol::State::committed:
    case protocol::State::aside:
    case protocol::State::cleaned:
        return green;
    case protocol::State::pending:
    case protocol::State::kept_old:
        return yellow;
    case protocol::State::foreign:
    case protocol::State::unavailable:
        return red;
    }
    return red;
}

std::string_view role_word(protocol::Role role) {
    switch (role) {
    case protocol::Role::desired:
        return "new";
    case protocol::Role::predecessor:
        return "old";
    case protocol::Role::absent:
        return "-";
    case protocol::Role::other:
        return "other";
    }
    return "?";
}

/// As many hex digits of uuids as tell all that are shown apart, at least 8.
std::size_t uuid_digits(const Report& report) {
    std::vector<std::string> all;
    for (const Report::Row& row : report.members) {
        for (const protocol::NameHolding* holding :
             {&row.state.target, &row.state.candidate, &row.state.aside}) {
            if (!holding->uuid.is_nil())
                all.push_back(holding->uuid.text());
        }
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::size_t digits = 8;
    for (std::size_t at = 1; at < all.size(); ++at) {
        const auto differ = std::mismatch(all[at].begin(), all[at].end(), all[at - 1].begin()).first;
        digits = std::max(digits, static_cast<std::size_t>(differ - all[at].begin()) + 1);
    }
    return digits;
}

std::string holding_text(const protocol::NameHolding& holding, std::size_t digits) {
    std::string out(role_word(holding.role));
    if (!holding.uuid.is_nil())
        out += " " + holding.uuid.text().substr(0, digits);
    return out;
}

/// Without a record there are no roles, only what is there.
std::string target_text(const protocol::MemberState& state, std::size_t digits) {
    if (state.judged)
        return holding_text(state.target, digits);
    return state.target.uuid.is_nil() ? "absent" : state.target.uuid.text().substr(0, digits);
}

std::string staging_text(const protocol::MemberState& state, std::size_t digits) {
    if (state.aside.role != protocol::Role::absent) {
        const std::string aside = "aside " + holding_text(state.aside, digits);
        if (state.candidate.role == protocol::Role::absent)
            return aside;
        return holding_text(state.candidate, digits) + ", " + aside;
    }
    return holding_text(state.candidate, digits);
}

std::string readonly_text(const protocol::Health& health) {
    if (!health.known)
        return "?";
    const auto readonly = [](const std::string& problem) { return problem.find("readonly") != problem.npos; };
    return std::any_of(health.problems.begin(), health.problems.end(), readonly) ? "yes" : "no";
}

constexpr std::size_t columns = 8;
constexpr std::array<std::string_view, columns> titles = {
    "HOST", "QUEUE", "CODE", "TARGET", "STAGING", "KEEPER PATH", "RO", "STATE"
};
constexpr std::size_t host_column = 0;
constexpr std::size_t code_column = 2;
constexpr std::size_t path_column = 5;
constexpr std::size_t state_column = 7;
using Cells = std::array<std::string, columns>;

Cells cells_of(const Report::Row& row, std::size_t digits) {
    Cells cells;
    const bool unavailable = row.state.judged && row.state.state == protocol::State::unavailable;
    cells[0] = printable(protocol::text(row.state.at));
    cells[1] = row.queue_status.empty() ? "-" : printable(row.queue_status);
    cells[2] = row.queue_status.empty() ? "-" : std::to_string(row.queue_code);
    cells[3] = unavailable ? "?" : target_text(row.state, digits);
    cells[4] = unavailable ? "?" : staging_text(row.state, digits);
    cells[5] = row.state.target.zookeeper_path.empty() ? "-" : printable(row.state.target.zookeeper_path);
    cells[6] = readonly_text(row.state.health);
    cells[7] = row.state.judged ? protocol::text(row.state.state) : "-";
    return cells;
}

/// `beginning…end`, at most `width` columns. Paths differ at their end.
std::string shortened(const std::string& text, std::size_t width) {
    if (text.size() <= width)
        return text;
    if (width < 4)
        return text.substr(0, width);
    const std::size_t tail = (width - 2) * 2 / 3;
    return text.substr(0, width - 2 - tail) + ".." + text.substr(text.size() - tail);
}

using Widths = std::array<std::size_t, columns>; // 0: the column is left out

std::size_t total_width(const Widths& widths) {
    std::size_t sum = 0;
    for (const std::size_t width : widths)
        sum += width == 0 ? 0 : width + (sum == 0 ? 0 : 2);
    return sum;
}

/// Shortens the Keeper path, then leaves it out, then the code, and then shortens the host: what tells
/// generations and states apart stays.
void fit(std::vector<Cells>& rows, Widths& widths, std::size_t limit) {
    if (limit == 0)
        return;
    const auto shorten = [&](std::size_t column, std::size_t least) {
        const std::size_t total = total_width(widths);
        const std::size_t over = total > limit ? total - limit : 0;
        const std::size_t width = widths[column];
        if (over == 0 || width <= least)
            return over == 0;
        widths[column] = width > over + least ? width - over : least;
        for (Cells& cells : rows)
            cells[column] = shortened(cells[column], widths[column]);
        return total_width(widths) <= limit;
    };
    constexpr std::size_t readable_path = 11;
    constexpr std::size_t readable_host = 12;
    if (shorten(path_column, readable_path))
        return;
    for (const std::size_t column : {path_column, code_column}) {
        if (total_width(widths) > limit)
            widths[column] = 0;
    }
    shorten(host_column, readable_host);
}

void append_matrix(std::string& out, const Report& report, const Terminal& terminal) {
    const std::size_t digits = uuid_digits(report);
    std::vector<Cells> rows;
    for (const Report::Row& row : report.members)
        rows.push_back(cells_of(row, digits));
    Widths widths{};
    for (std::size_t column = 0; column < columns; ++column) {
        widths[column] = titles[column].size();
        for (const Cells& cells : rows)
            widths[column] = std::max(widths[column], cells[column].size());
    }
    fit(rows, widths, terminal.width);
    const auto append_row = [&](const auto& cells, std::string_view state_color) {
        std::string line;
        for (std::size_t column = 0; column < columns; ++column) {
            if (widths[column] == 0)
                continue;
            std::string cell(cells[column]);
            if (column + 1 < columns)
                cell.resize(widths[column] + 2, ' ');
            line += cell;
        }
        if (terminal.width != 0 && line.size() > terminal.width)
            line.resize(terminal.width);
        else if (const std::size_t state = line.size() - std::string_view(cells[state_column]).size();
                 !state_color.empty())
            line = line.substr(0, state) + painted(line.substr(state), state_color, terminal);
        out += line + "\n";
    };
    append_row(titles, {});
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const Report::Row& row = report.members[at];
        append_row(rows[at], color_of_state(row.state.state));
        if (!row.state.reason.empty())
            out += "    " + printable(row.state.reason) + "\n";
        for (const std::string& warning : row.state.warnings)
            out += "    warning: " + printable(warning) + "\n";
        if (row.state.health.known && !row.state.health.healthy) {
            out += "    not healthy:";
            for (const std::string& problem : row.state.health.problems)
                out += " " + printable(problem) + (&problem == &row.state.health.problems.back() ? "" : ",");
            out += "\n";
        }
        if (!row.queue_text.empty())
            out += "    queue: " + printable(row.queue_text) + "\n";
    }
}

std::string age_text(std::int64_t seconds) {
    if (seconds < 0)
        return "0s";
    const auto part = [](std::int64_t count, const char* unit) { return std::to_string(count) + unit; };
    if (seconds < 60)
        return part(seconds, "s");
    if (seconds < 3600)
        return part(seconds / 60, "m") + part(seconds % 60, "s");
    if (seconds < 86'400)
        return part(seconds / 3600, "h") + part(seconds % 3600 / 60, "m");
    return part(seconds / 86'400, "d") + part(seconds % 86'400 / 3600, "h");
}

void append_header(std::string& out, const Report& report, const Terminal& terminal) {
    out += "target     " + painted(printable(text(report.target)), bold, terminal);
    if (!report.cluster.empty())
        out += " on cluster " + printable(report.cluster);
    out += "\n";
    if (report.operation_id.empty())
        return;
    out += "operation  " + report.operation_id + "\n";
    if (!report.phase)
        return; // nothing is recorded
    out += "record     phase " + std::string(protocol::text(*report.phase));
    out += ", epoch " + std::to_string(report.dispatch_epoch);
    if (report.record_version)
        out += ", version " + std::to_string(*report.record_version);
    if (report.record_updated_at > 0)
        out += ", age " + age_text(report.observed_at - report.record_updated_at);
    out += "\n";
    out += "queue      " + (report.entry.empty() ? std::string("no entry") : printable(report.entry)) + ", " +
           std::string(protocol::text(report.evidence)) + "\n";
    if (!report.candidate.empty())
        out += "candidate  " + printable(report.candidate) + "\n";
}

void append_lines(std::string& out, std::string_view title, const std::vector<std::string>& lines) {
    for (const std::string& line : lines)
        out += std::string(title) + printable(line) + "\n";
}

std::string uuid_or_nothing(const protocol::Uuid& uuid) {
    return uuid.is_nil() ? "nothing" : uuid.text();
}

/// What the target is after a repair, in the matrix's words.
std::string served_by(const protocol::Report::Repair& step) {
    switch (step.serve) {
    case protocol::Role::desired:
        return "the new generation";
    case protocol::Role::predecessor:
        return "the old generation";
    case protocol::Role::absent:
    case protocol::Role::other:
        break;
    }
    return "none";
}

/// Whose advice helps: that of what stopped the call, else of the verdict. A deadline has no better advice
/// than the verdict that it left open.
protocol::Code advising_code(const Report& report) {
    const bool has_reason = report.verdict.row != 0 && protocol::exit_code(report.verdict.word) != 0;
    if (report.stopped_by == protocol::Code::deadline_reached && has_reason)
        return report.verdict.reason;
    return leading_code(report);
}

/// Reason, next safe action and what not to do.
void append_footer(std::string& out, const Report& report) {
    const protocol::Verdict& verdict = report.verdict;
    const bool is_success = protocol::exit_code(verdict.word) == 0;
    if (report.stopped_by) {
        const std::string detail = leading_detail(report);
        out += "Stopped:   " + std::string(protocol::stable_name(leading_code(report)));
        out += detail.empty() ? "\n" : ": " + printable(detail) + "\n";
    }
    if (is_success && !verdict.detail.empty())
        out += "Reason:    " + printable(verdict.detail) + "\n";
    if (!is_success && (verdict.row != 0 || !report.stopped_by)) {
        out += "Reason:    " + std::string(protocol::stable_name(verdict.reason));
        out += verdict.detail.empty() ? "\n" : ": " + printable(verdict.detail) + "\n";
    }
    if (is_success && !report.stopped_by)
        return;
    const protocol::Code reason = advising_code(report);
    out += "Next:      " + std::string(protocol::next_safe_action(reason)) + "\n";
    if (const std::string_view avoid = protocol::what_not_to_do(reason); !avoid.empty())
        out += "Do not:    " + std::string(avoid.starts_with("Do not ") ? avoid.substr(7) : avoid) + "\n";
}

} // namespace

std::string printable(std::string_view given) {
    std::string out(given);
    for (char& c : out) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            c = '?';
    }
    return out;
}

std::string status_table(const Report& report, const Terminal& terminal) {
    std::string out;
    append_header(out, report, terminal);
    if (!report.members.empty()) {
        out += "\n";
        append_matrix(out, report, terminal);
    }
    if (const std::string findings = findings_list(report.findings, false, terminal); !findings.empty())
        out += "\n" + findings;
    out += "\n";
    append_lines(out, "gap:       ", report.evidence_gaps);
    append_lines(out, "warning:   ", report.warnings);
    for (const protocol::NamedTable& table : report.orphans)
        out += "orphan:    " + printable(table.name) + " " + table.uuid.text() + "\n";
    for (const protocol::NamedTable& table : report.retained)
        out += "retained:  " + printable(table.name) + " " + table.uuid.text() + "\n";
    for (const protocol::Report::Repair& step : report.repairs)
        out += "repair:    on " + printable(protocol::text(step.at)) + " alone, to serve " + served_by(step) +
               ": " + printable(step.sql) + " (the target holds " + uuid_or_nothing(step.before) +
               " before)\n";
    const std::string word(protocol::text(report.verdict.word));
    const std::string_view color = color_of_exit_code(protocol::exit_code(report.verdict.word));
    out += "Verdict:   " + painted(word, color, terminal) + "\n";
    append_footer(out, report);
    return out;
}

std::string status_line(const Report& report) {
    std::string out(protocol::text(report.verdict.word));
    out += " " + printable(text(report.target));
    if (!report.cluster.empty())
        out += " on " + printable(report.cluster);
    if (!report.operation_id.empty())
        out += ": epoch " + std::to_string(report.dispatch_epoch);
    if (!report.entry.empty())
        out += ", " + printable(report.entry);
    return out;
}

std::string
findings_list(std::span<const protocol::Finding> findings, bool with_passes, const Terminal& terminal) {
    std::string out;
    for (const protocol::Finding& finding : findings) {
        std::string_view word = "pass  ";
        std::string_view color = green;
        switch (finding.severity) {
        case protocol::Severity::pass:
            if (!with_passes)
                continue;
            break;
        case protocol::Severity::warn:
            word = "warn  ";
            color = yellow;
            break;
        case protocol::Severity::refuse:
            word = "refuse";
            color = red;
            break;
        }
        out += painted(word, color, terminal) + "  " + printable(finding.check);
        if (finding.severity != protocol::Severity::pass)
            out += "  " + std::string(protocol::stable_name(finding.code));
        if (!finding.host.empty())
            out += "  " + printable(finding.host);
        if (!finding.detail.empty())
            out += "  " + printable(finding.detail);
        out += "\n";
    }
    return out;
}

} // namespace onceswap::cli
