// What is learnt about a permitted DDL, and the bounds of the lists that remember it.
#include "protocol/record_step.hpp"
#include "protocol/transitions.hpp"
#include "protocol/utf8.hpp"

#include <algorithm>

namespace onceswap::protocol {

using step::require;
using step::stamped;

namespace {

DdlAttempt& mutable_attempt(AuthorityRecord& record) {
    require(current_attempt(record) != nullptr, "no attempt is current in this phase");
    const step::AttemptList list = step::monotonic_list(record.phase);
    return list == nullptr ? *record.publication : (record.*list).back();
}

Receipt in_member_order(const AuthorityRecord& record, Receipt receipt) {
    require(receipt.hosts.size() == record.members.size(), "a receipt has one row for each member");
    Receipt ordered;
    ordered.observed_at = receipt.observed_at;
    for (const RecordedMember& member : record.members) {
        const auto host =
            std::find_if(receipt.hosts.begin(), receipt.hosts.end(), [&member](const HostReceipt& each) {
                return each.at == member.at;
            });
        require(host != receipt.hosts.end(), "a receipt has one row for each member");
        ordered.hosts.push_back(*host);
    }
    return ordered;
}

} // namespace

void append_attempt(std::vector<DdlAttempt>& attempts, DdlAttempt attempt) {
    require(attempts.size() < limits::attempts_per_action, "the attempts of this action are used up");
    for (DdlAttempt& earlier : attempts)
        earlier.receipt.reset();
    attempts.push_back(std::move(attempt));
}

Receipt trimmed(Receipt receipt) {
    std::size_t failing = 0;
    for (HostReceipt& host : receipt.hosts)
        if (host.code != 0 && ++failing > limits::exception_heads)
            host.exception.head.clear();
    return receipt;
}

void append_table(std::vector<NamedTable>& tables, NamedTable table) {
    std::erase_if(tables, [&table](const NamedTable& listed) { return listed.name == table.name; });
    if (tables.size() >= limits::listed_tables)
        tables.erase(tables.begin());
    tables.push_back(std::move(table));
}

AuthorityRecord bind_entry(
    const AuthorityRecord& from,
    std::string_view entry,
    std::string_view query_digest,
    const WriteStamp& stamp
) {
    AuthorityRecord record = stamped(from, stamp);
    DdlAttempt& attempt = mutable_attempt(record);
    require(!entry.empty() && !query_digest.empty(), "an entry is bound with its digest");
    require(attempt.entry.empty() || attempt.entry == entry, "another entry is bound");
    require(
        attempt.query_digest.empty() || attempt.query_digest == query_digest, "another query digest is bound"
    );
    attempt.entry = entry;
    attempt.query_digest = query_digest;
    return record;
}

AuthorityRecord set_holder_result(const AuthorityRecord& from, HolderResult result, const WriteStamp& stamp) {
    AuthorityRecord record = stamped(from, stamp);
    DdlAttempt& attempt = mutable_attempt(record);
    require(attempt.result == HolderResult::none || attempt.result == result, "another result is recorded");
    attempt.result = result;
    return record;
}

AuthorityRecord persist_receipt(const AuthorityRecord& from, Receipt receipt, const WriteStamp& stamp) {
    AuthorityRecord record = stamped(from, stamp);
    DdlAttempt& attempt = mutable_attempt(record);
    require(!attempt.entry.empty(), "a receipt belongs to a bound entry");
    Receipt kept = trimmed(in_member_order(record, std::move(receipt)));
    require(!attempt.receipt || attempt.receipt->hosts == kept.hosts, "another receipt is persisted");
    if (!attempt.receipt)
        attempt.receipt = std::move(kept);
    return record;
}

AuthorityRecord set_error(
    const AuthorityRecord& from, std::string_view code, std::string_view summary, const WriteStamp& stamp
) {
    AuthorityRecord record = stamped(from, stamp);
    record.error.reset();
    if (!code.empty())
        record.error = RecordedError{std::string(code), printable_head(summary, limits::error_summary_bytes)};
    return record;
}

} // namespace onceswap::protocol
