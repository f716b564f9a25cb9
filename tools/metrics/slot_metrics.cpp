#include "tools/metrics/slot_metrics.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::metrics {

namespace {

using engine::EventKind;
using protocol::Report;
using Type = Exposition::Type;

Labels labels_of(const Report& report) {
    return {
        {"cluster", report.cluster},
        {"database", report.target.database},
        {"table", report.target.table},
    };
}

Labels with(Labels labels, std::string_view name, std::string_view value) {
    labels.emplace_back(name, std::string(value));
    return labels;
}

/// One family with one sample for each report that has a value.
template <class Value>
void append_each(
    Exposition& exposition,
    std::span<const Report> reports,
    std::string_view name,
    std::string_view help,
    const Value& value
) {
    exposition.family(name, Type::gauge, help);
    for (const Report& report : reports)
        if (const auto number = value(report))
            exposition.sample(labels_of(report), *number);
}

using Number = std::optional<std::uint64_t>;
using Time = std::optional<std::int64_t>;

void append_numbers(Exposition& exposition, std::span<const Report> reports) {
    append_each(
        exposition,
        reports,
        "onceswap_exit_code",
        "Exit code of the last reading, as docs/cli/exit-codes.md lists them.",
        [](const Report& report) { return Time(protocol::exit_code(report)); }
    );
    append_each(
        exposition,
        reports,
        "onceswap_observed_timestamp_seconds",
        "When the last reading ended.",
        [](const Report& report) { return Time(report.observed_at); }
    );
    append_each(
        exposition,
        reports,
        "onceswap_record_updated_timestamp_seconds",
        "When the record was written last.",
        [](const Report& report) {
            return report.record_updated_at > 0 ? Time(report.record_updated_at) : std::nullopt;
        }
    );
    append_each(
        exposition,
        reports,
        "onceswap_dispatch_epoch",
        "Dispatch epoch of the record.",
        [](const Report& report) { return report.phase ? Number(report.dispatch_epoch) : std::nullopt; }
    );
    append_each(
        exposition,
        reports,
        "onceswap_evidence_gaps",
        "Parts of the last reading that could not be read.",
        [](const Report& report) { return Number(report.evidence_gaps.size()); }
    );
}

/// Records that cannot be decoded have no name: a second one would be a second sample of the same series, and
/// a scrape with one is refused as a whole.
std::vector<Report> one_of_each(std::span<const Report> all) {
    std::set<Labels> seen;
    std::vector<Report> reports;
    for (const Report& report : all)
        if (seen.insert(labels_of(report)).second)
            reports.push_back(report);
    return reports;
}

void append_members(Exposition& exposition, std::span<const Report> reports) {
    exposition.family("onceswap_member_state", Type::gauge, "1 for the state that a member was seen in.");
    for (const Report& report : reports)
        for (const Report::Row& row : report.members)
            if (row.state.judged)
                exposition.sample(
                    with(
                        with(labels_of(report), "member", protocol::text(row.state.at)),
                        "state",
                        protocol::text(row.state.state)
                    ),
                    std::uint64_t{1}
                );
    exposition.family(
        "onceswap_member_healthy", Type::gauge, "Whether the target's replica on a member is healthy."
    );
    for (const Report& report : reports)
        for (const Report::Row& row : report.members)
            if (row.state.health.known)
                exposition.sample(
                    with(labels_of(report), "member", protocol::text(row.state.at)),
                    std::uint64_t{row.state.health.healthy ? 1U : 0U}
                );
}

} // namespace

void append_slots(Exposition& exposition, std::span<const Report> all) {
    const std::vector<Report> reports = one_of_each(all);
    exposition.family("onceswap_verdict", Type::gauge, "1 for the verdict of the last reading.");
    for (const Report& report : reports)
        exposition.sample(
            with(labels_of(report), "verdict", protocol::text(report.verdict.word)), std::uint64_t{1}
        );
    append_numbers(exposition, reports);
    append_members(exposition, reports);
}

void append_counters(Exposition& exposition, const EventCounters& counters) {
    const struct {
        EventKind kind;
        std::string_view name;
        std::string_view help;
    } rows[] = {
        {EventKind::pass, "onceswap_passes_total", "Readings of a recorded slot that were concluded."},
        {EventKind::verdict_change, "onceswap_verdict_changes_total", "Readings that told something new."},
        {EventKind::read_retry, "onceswap_read_retries_total", "Reads that were tried again."},
        {EventKind::gap, "onceswap_gaps_total", "Reads of a member or the queue that got no answer."},
        {EventKind::permit, "onceswap_permits_total", "Dispatching compare-and-swaps that were won."},
    };

    for (const auto& row : rows) {
        exposition.family(row.name, Type::counter, row.help);
        exposition.sample({}, counters.of(row.kind));
    }
    exposition.family(
        "onceswap_mutations_total", Type::counter, "Statements that change something, by outcome."
    );
    for (const auto& [mutation, count] : counters.mutations())
        exposition.sample(
            {{"statement", std::string(protocol::text(mutation.first))},
             {"outcome", std::string(protocol::text(mutation.second))}},
            count
        );
}

std::string slot_metrics(std::span<const Report> reports, const EventCounters& counters) {
    Exposition exposition;
    append_slots(exposition, reports);
    append_counters(exposition, counters);
    return exposition.text();
}

} // namespace onceswap::metrics
