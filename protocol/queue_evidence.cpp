#include "protocol/queue_evidence.hpp"

#include "protocol/digest.hpp"
#include "protocol/mutant.hpp"
#include "protocol/statement_parser.hpp"

#include <algorithm>
#include <set>

namespace onceswap::protocol {

namespace {

/// One entry as one member shows it.
struct Sight {
    std::vector<QueueRow> rows; ///< of the one entry with the token
    EntryReading reading;
};

bool carries(const QueueRow& row, std::string_view token) {
    const auto found = row.settings.find("log_comment");
    return found != row.settings.end() && found->second == token;
}

bool is_finished(const EntryReading::Host& host) {
    return host.result == RowResult::success || host.result == RowResult::failure;
}

/// A row that the queue's cleaner has half removed says nothing against what another member read before.
bool is_being_removed(const EntryReading::Host& host) {
    return host.status == "Removing";
}

/// One host as several members show it, made one; nullopt where two of them show different ends. `Finished`
/// is stable: once one member has read it, another that still shows the host at work merely lags. What means
/// nothing dominates.
std::optional<EntryReading::Host> merge(std::span<const EntryReading::Host* const> shown) {
    const EntryReading::Host* finished = nullptr;
    const EntryReading::Host* odd = nullptr;
    const EntryReading::Host* removed = nullptr;
    const EntryReading::Host* at_work = nullptr;
    for (const EntryReading::Host* host : shown) {
        if (is_finished(*host)) {
            if (finished != nullptr && finished->code != host->code)
                return std::nullopt;
            finished = host;
        } else if (host->result == RowResult::in_progress) {
            if (at_work == nullptr || host->status == "Active")
                at_work = host;
        } else if (is_being_removed(*host)) {
            removed = host;
        } else {
            odd = host;
        }
    }
    for (const EntryReading::Host* most_telling : {odd, finished, removed, at_work})
        if (most_telling != nullptr)
            return *most_telling;
    return std::nullopt;
}

RowResult aggregate(const std::vector<EntryReading::Host>& hosts) {
    const auto some = [&hosts](RowResult result) {
        return std::any_of(hosts.begin(), hosts.end(), [result](const EntryReading::Host& host) {
            return host.result == result;
        });
    };
    if (hosts.empty() || some(RowResult::unknown))
        return RowResult::unknown;
    if (some(RowResult::in_progress))
        return RowResult::in_progress;
    return some(RowResult::failure) ? RowResult::failure : RowResult::success;
}

QueueEvidence evidence_of(RowResult aggregate) {
    switch (aggregate) {
    case RowResult::in_progress:
        return QueueEvidence::in_progress;
    case RowResult::success:
        return QueueEvidence::success;
    case RowResult::failure:
        return QueueEvidence::failure;
    case RowResult::unknown:
        return QueueEvidence::unknown_rows;
    }
    return QueueEvidence::unknown_rows;
}

QueueConclusion conclude(QueueEvidence evidence, std::vector<std::string> problems) {
    QueueConclusion conclusion;
    conclusion.evidence = evidence;
    conclusion.problems = std::move(problems);
    return conclusion;
}

QueueConclusion
from_receipt(const Inventory& inventory, const ExpectedEntry& expected, const Receipt& receipt) {
    EntryReading reading;
    reading.entry = expected.entry;
    std::set<HostPort> hosts;
    for (const HostReceipt& host : receipt.hosts)
        hosts.insert(host.at);
    for (const Member& member : inventory.members())
        for (const HostReceipt& host : receipt.hosts)
            if (host.at == member.at)
                reading.members.push_back(
                    {host.at,
                     host.code == 0 ? RowResult::success : RowResult::failure,
                     "Finished",
                     host.code,
                     host.exception.head}
                );
    const bool exact = hosts.size() == receipt.hosts.size() && hosts.size() == inventory.size() &&
                       reading.members.size() == inventory.size();
    if (!exact) // nothing may be concluded for a member that the receipt does not speak of
        return conclude(QueueEvidence::unknown_rows, {"the receipt's hosts are not the cluster's members"});
    reading.aggregate = aggregate(reading.members);
    QueueConclusion conclusion = conclude(evidence_of(reading.aggregate), {});
    conclusion.query_digest = expected.query_digest;
    conclusion.reading = std::move(reading);
    return conclusion;
}

/// Why the rows of an entry are not the statement that was sent; empty if they are.
std::string changed_how(const ExpectedEntry& expected, const std::vector<QueueRow>& rows) {
    const QueueRow& first = rows.front();
    for (const QueueRow& row : rows) {
        if (!carries(row, expected.token))
            return first.entry + " does not carry the token on every row";
        if (row.query != first.query || row.settings != first.settings ||
            row.entry_version != first.entry_version)
            return first.entry + " shows different statements on its rows";
    }
    if (!same_statement(first.query, expected.statement) && !mutated(Mutant::changed_entry_accepted))
        return first.entry + " holds another statement";
    if (!expected.query_digest.empty() && sha256_hex(first.query) != expected.query_digest &&
        !mutated(Mutant::changed_entry_accepted))
        return first.entry + " holds another text than when it was bound";
    return {};
}

/// Whether the reading's trouble is about which hosts there are, not about what they show.
bool has_other_hosts(const Inventory& inventory, const std::vector<QueueRow>& rows) {
    std::multiset<HostPort> hosts;
    for (const QueueRow& row : rows) {
        if (!row.host || !row.port)
            return true;
        hosts.insert({*row.host, *row.port});
    }
    if (hosts.size() > inventory.size() && mutated(Mutant::extra_host_ignored))
        return false;
    if (hosts.size() < inventory.size() && mutated(Mutant::missing_host_ignored))
        return false;
    return hosts.size() != inventory.size() ||
           std::any_of(
               inventory.members().begin(),
               inventory.members().end(),
               [&hosts](const Member& member) { return hosts.count(member.at) != 1; }
           );
}

void append(std::vector<std::string>& into, const std::vector<std::string>& more) {
    constexpr std::size_t most = 64;
    for (const std::string& each : more)
        if (into.size() < most && std::find(into.begin(), into.end(), each) == into.end())
            into.push_back(each);
}

} // namespace

QueueConclusion conclude_queue(
    const Inventory& inventory,
    const ExpectedEntry& expected,
    const std::optional<Receipt>& receipt,
    std::span<const QueueReading> readings
) {
    if (receipt)
        return from_receipt(inventory, expected, *receipt);

    const bool bound = !expected.entry.empty();
    std::vector<std::string> problems;
    std::vector<Sight> sights;
    std::set<std::string> entries;
    bool readable = false;
    bool two_at_once = false;
    for (const QueueReading& member : readings) {
        if (!member.readable) {
            append(problems, {member.problem});
            continue;
        }
        readable = true;
        std::set<std::string> here;
        Sight sight;
        for (const QueueRow& row : member.rows)
            if (carries(row, expected.token) || (bound && row.entry == expected.entry))
                here.insert(row.entry);
        if (here.size() > 1 && mutated(Mutant::newest_entry_taken))
            here = {*here.rbegin()};
        for (const QueueRow& row : member.rows)
            if (here.contains(row.entry))
                sight.rows.push_back(row);
        two_at_once = two_at_once || here.size() > 1;
        entries.insert(here.begin(), here.end());
        if (!sight.rows.empty())
            sights.push_back(std::move(sight));
    }

    if (!readable)
        return conclude(QueueEvidence::unreadable, std::move(problems));
    if (entries.empty())
        return conclude(bound ? QueueEvidence::gone : QueueEvidence::none, std::move(problems));
    std::string seen;
    for (const std::string& entry : entries)
        seen += (seen.empty() ? "" : ", ") + entry;
    if (two_at_once || (bound && (entries.size() > 1 || !entries.contains(expected.entry)))) {
        problems.push_back("entries with the token: " + seen + (bound ? ", bound is " + expected.entry : ""));
        return conclude(QueueEvidence::several, std::move(problems));
    }
    if (entries.size() > 1) {
        problems.push_back("members show different entries with the token: " + seen);
        return conclude(QueueEvidence::diverged, std::move(problems));
    }

    // From here on all members that show one show the same entry.
    for (const Sight& sight : sights)
        if (const std::string how = changed_how(expected, sight.rows); !how.empty()) {
            problems.push_back(how);
            return conclude(QueueEvidence::changed, std::move(problems));
        }
    for (const Sight& sight : sights)
        if (sight.rows.front().query != sights.front().rows.front().query) {
            problems.push_back("members show different texts of " + seen);
            return conclude(QueueEvidence::diverged, std::move(problems));
        }
    bool other_hosts = false;
    for (Sight& sight : sights) {
        sight.reading = read_entry(inventory, seen, sight.rows);
        other_hosts = other_hosts || has_other_hosts(inventory, sight.rows);
        append(problems, sight.reading.problems);
    }
    EntryReading merged = sights.front().reading;
    for (std::size_t k = 0; k < merged.members.size(); ++k) {
        std::vector<const EntryReading::Host*> shown;
        for (const Sight& sight : sights)
            shown.push_back(&sight.reading.members[k]);
        auto host = merge(shown);
        if (!host) {
            problems.push_back("members show different results of " + text(merged.members[k].at));
            return conclude(QueueEvidence::diverged, std::move(problems));
        }
        merged.members[k] = *std::move(host);
    }
    merged.aggregate = other_hosts ? RowResult::unknown : aggregate(merged.members);
    merged.problems = problems;
    QueueConclusion conclusion = conclude(evidence_of(merged.aggregate), std::move(problems));
    if (bound && other_hosts)
        conclusion.evidence = QueueEvidence::changed;
    conclusion.query_digest = sha256_hex(sights.front().rows.front().query);
    conclusion.reading = std::move(merged);
    return conclusion;
}

Receipt make_receipt(const EntryReading& reading, std::int64_t observed_at) {
    Receipt receipt;
    receipt.observed_at = observed_at;
    std::size_t heads = 0;
    for (const EntryReading::Host& host : reading.members) {
        HostReceipt& row = receipt.hosts.emplace_back();
        row.at = host.at;
        row.code = static_cast<std::uint16_t>(host.code);
        if (host.result != RowResult::failure)
            continue;
        row.exception = digest_exception(host.exception_text);
        if (++heads > limits::exception_heads)
            row.exception.head.clear();
    }
    return receipt;
}

} // namespace onceswap::protocol
