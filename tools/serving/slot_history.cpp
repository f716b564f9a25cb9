#include "tools/serving/slot_history.hpp"

#include "protocol/utf8.hpp"

#include <algorithm>
#include <utility>

namespace onceswap::serving {

namespace {

using protocol::Report;

constexpr std::size_t longest_text = 256;

std::string record_text(const Report& report) {
    if (!report.phase)
        return {};
    std::string out(protocol::text(*report.phase));
    if (report.dispatch_epoch > 0)
        out += ", epoch " + std::to_string(report.dispatch_epoch);
    if (report.record_version)
        out += ", version " + std::to_string(*report.record_version);
    if (!report.operation_id.empty())
        out += ", operation " + report.operation_id.substr(0, 12);
    return out;
}

std::string queue_text(const Report::Row& row) {
    std::string out = row.queue_status;
    if (!out.empty() && row.queue_code != 0)
        out += " with code " + std::to_string(row.queue_code);
    return out;
}

/// What the names hold: `new`, `old` and so on, and the state where there is a record to judge by.
std::string member_text(const Report::Row& row) {
    if (!row.state.judged)
        return "target " + std::string(protocol::text(row.state.target.role));
    std::string out(protocol::text(row.state.state));
    if (row.state.state == protocol::State::unavailable)
        return out; // who did not answer did not say that a name is empty either
    out += ": target " + std::string(protocol::text(row.state.target.role));
    out += ", candidate " + std::string(protocol::text(row.state.candidate.role));
    out += ", aside " + std::string(protocol::text(row.state.aside.role));
    return out;
}

const Report::Row* row_of(const Report& report, const protocol::HostPort& at) {
    for (const Report::Row& row : report.members)
        if (row.state.at == at)
            return &row;
    return nullptr;
}

bool holds(const std::vector<std::string>& texts, const std::string& text) {
    return std::ranges::find(texts, text) != texts.end();
}

} // namespace

std::string_view text(Change change) {
    switch (change) {
    case Change::first:
        return "first";
    case Change::verdict:
        return "verdict";
    case Change::record:
        return "record";
    case Change::entry:
        return "entry";
    case Change::queue:
        return "queue";
    case Change::member:
        return "member";
    case Change::gap:
        return "gap";
    }
    return "first";
}

void SlotHistory::add(const SlotReading& reading) {
    const Report& report = reading.report;
    const protocol::Word word = report.verdict.word;
    if (passes_ == 0)
        note(Change::first, {}, {}, std::string(protocol::text(word)), report.observed_at);
    else
        compare(report);
    if (runs_.empty() || runs_.back().word != word) {
        runs_.push_back(PassRun());
        runs_.back().word = word;
        runs_.back().first_at = report.observed_at;
        if (runs_.size() > most_runs)
            runs_.pop_front();
    }
    ++runs_.back().count;
    runs_.back().last_at = report.observed_at;
    ++passes_;
    last_ = report;
    settled_ = reading.settled;
    const bool pruned = merge_mutations(mutations_, reading.mutations, most_mutations);
    has_older_mutations_ = has_older_mutations_ || pruned;
}

void SlotHistory::compare(const Report& now) {
    const std::int64_t at = now.observed_at;
    if (now.verdict.word != last_.verdict.word)
        note(
            Change::verdict,
            {},
            std::string(protocol::text(last_.verdict.word)),
            std::string(protocol::text(now.verdict.word)),
            at
        );
    // A reading without an answer from Keeper has no record to compare: the gap says so.
    const bool both_read = now.evidence_gaps.empty() || now.phase.has_value();
    if (both_read && record_text(now) != record_text(last_))
        note(Change::record, {}, record_text(last_), record_text(now), at);
    if (both_read && now.entry != last_.entry)
        note(Change::entry, {}, last_.entry, now.entry, at);
    compare_members(now);
    for (const std::string& gap : last_.evidence_gaps)
        if (!holds(now.evidence_gaps, gap))
            note(Change::gap, {}, gap, {}, at);
    for (const std::string& gap : now.evidence_gaps)
        if (!holds(last_.evidence_gaps, gap))
            note(Change::gap, {}, {}, gap, at);
}

void SlotHistory::compare_members(const Report& now) {
    for (const Report::Row& row : now.members) {
        const Report::Row* before = row_of(last_, row.state.at);
        const std::string host = protocol::text(row.state.at);
        if (before == nullptr) {
            note(Change::member, host, {}, member_text(row), now.observed_at);
            continue;
        }
        if (queue_text(*before) != queue_text(row))
            note(Change::queue, host, queue_text(*before), queue_text(row), now.observed_at);
        if (member_text(*before) != member_text(row))
            note(Change::member, host, member_text(*before), member_text(row), now.observed_at);
    }
    for (const Report::Row& row : last_.members)
        if (row_of(now, row.state.at) == nullptr && !now.members.empty())
            note(Change::member, protocol::text(row.state.at), member_text(row), {}, now.observed_at);
}

void SlotHistory::note(Change change, std::string host, std::string from, std::string to, std::int64_t at) {
    Happening happening;
    happening.at = at;
    happening.change = change;
    happening.host = protocol::printable_head(host, longest_text);
    happening.from = protocol::printable_head(from, longest_text);
    happening.to = protocol::printable_head(to, longest_text);
    happenings_.push_back(std::move(happening));
    if (happenings_.size() > most_happenings) {
        happenings_.pop_front();
        ++forgotten_;
    }
}

} // namespace onceswap::serving
