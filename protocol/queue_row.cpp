#include "protocol/mutant.hpp"
#include "protocol/queue_evidence.hpp"

#include <limits>
#include <set>

namespace onceswap::protocol {

std::string_view text(QueueEvidence evidence) {
    switch (evidence) {
    case QueueEvidence::none:
        return "none";
    case QueueEvidence::in_progress:
        return "in progress";
    case QueueEvidence::success:
        return "success";
    case QueueEvidence::failure:
        return "failure";
    case QueueEvidence::several:
        return "several entries";
    case QueueEvidence::unreadable:
        return "unreadable";
    case QueueEvidence::changed:
        return "changed";
    case QueueEvidence::gone:
        return "gone";
    case QueueEvidence::unknown_rows:
        return "unknown rows";
    case QueueEvidence::diverged:
        return "diverged";
    }
    return "unknown rows";
}

bool is_terminal(QueueEvidence evidence) {
    return evidence == QueueEvidence::success || evidence == QueueEvidence::failure;
}

RowResult normalize_row(const QueueRow& row) {
    if (!row.status)
        return RowResult::unknown;
    if (*row.status == "Removing" && mutated(Mutant::removing_read_as_finished))
        return RowResult::success;
    if (*row.status == "Active" && mutated(Mutant::working_host_read_as_finished))
        return RowResult::success;
    if (*row.status == "Inactive" || *row.status == "Active")
        return !row.exception_code && !row.exception_text ? RowResult::in_progress : RowResult::unknown;
    // The server fills both on Finished rows and only there; the code is a UInt16.
    if (*row.status != "Finished" || !row.exception_code || !row.exception_text)
        return RowResult::unknown;
    const std::int64_t code = *row.exception_code;
    if (code == 0 && row.exception_text->empty())
        return RowResult::success;
    if (code > 0 && code <= std::numeric_limits<std::uint16_t>::max() && !row.exception_text->empty())
        return mutated(Mutant::failed_host_read_as_success) ? RowResult::success : RowResult::failure;
    return RowResult::unknown;
}

namespace {

/// Why a row means nothing, for people.
std::string oddity(const QueueRow& row) {
    const std::string code = row.exception_code ? std::to_string(*row.exception_code) : "NULL";
    const std::string exception = !row.exception_text           ? "NULL"
                                  : row.exception_text->empty() ? "empty"
                                                                : "given";
    return "status " + row.status.value_or("NULL") + ", exception code " + code + ", exception text " +
           exception;
}

RowResult aggregate(const EntryReading& reading) {
    RowResult result = RowResult::success;
    for (const EntryReading::Host& host : reading.members) {
        if (host.result == RowResult::unknown)
            return RowResult::unknown;
        if (host.result == RowResult::in_progress)
            result = RowResult::in_progress;
        if (host.result == RowResult::failure && result != RowResult::in_progress)
            result = RowResult::failure;
    }
    return result;
}

} // namespace

EntryReading read_entry(const Inventory& inventory, std::string_view entry, std::span<const QueueRow> rows) {
    EntryReading reading;
    reading.entry = std::string(entry);
    for (const Member& member : inventory.members())
        reading.members.push_back({member.at, RowResult::unknown, {}, 0, {}});

    bool hosts_are_exact = true;
    std::set<HostPort> seen;
    for (const QueueRow& row : rows) {
        if (row.entry != entry)
            continue;
        if (!row.host || !row.port) {
            hosts_are_exact = false;
            reading.problems.push_back("a row without host");
            continue;
        }
        const HostPort at{*row.host, *row.port};
        const auto index = inventory.find(at);
        if (!index) {
            hosts_are_exact = hosts_are_exact && mutated(Mutant::extra_host_ignored);
            reading.problems.push_back(text(at) + " is no member");
            continue;
        }
        if (!seen.insert(at).second) {
            hosts_are_exact = false;
            reading.problems.push_back(text(at) + " has more than one row");
            continue;
        }
        EntryReading::Host& host = reading.members[*index];
        host.result = normalize_row(row);
        host.status = row.status.value_or("NULL");
        host.code = row.exception_code.value_or(0);
        host.exception_text = row.exception_text.value_or("");
        if (host.result == RowResult::unknown)
            reading.problems.push_back(text(at) + ": " + oddity(row));
    }
    for (const Member& member : inventory.members())
        if (!seen.contains(member.at)) {
            if (mutated(Mutant::missing_host_ignored)) {
                reading.members[*inventory.find(member.at)].result = RowResult::success;
                continue;
            }
            hosts_are_exact = false;
            reading.problems.push_back(text(member.at) + " has no row");
        }
    reading.aggregate = hosts_are_exact ? aggregate(reading) : RowResult::unknown;
    return reading;
}

} // namespace onceswap::protocol
