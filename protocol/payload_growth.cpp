// How long a record can become: the longest one is measured, nothing is estimated. Lists of equal elements
// are counted by one of them.
#include "protocol/correlation_token.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/payload_json.hpp"

#include <algorithm>
#include <limits>

namespace onceswap::protocol {

namespace {

/// Longer texts than any epoch or time can have while this operation lasts.
constexpr std::uint64_t epoch_margin = 1'000'000;
constexpr std::int64_t longest_time = 253'402'300'799;

std::uint64_t longest_epoch(const AuthorityRecord& record) {
    constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    return record.dispatch_epoch > last - epoch_margin ? last : record.dispatch_epoch + epoch_margin;
}

/// The characters of a head that canonical JSON makes longest: digest_exception leaves only quotes and
/// backslashes.
std::string longest_text(std::size_t bytes) {
    return std::string(bytes, '"');
}

Receipt longest_receipt(const AuthorityRecord& record) {
    Receipt receipt;
    receipt.observed_at = longest_time;
    for (const RecordedMember& member : record.members) {
        HostReceipt host;
        host.at = member.at;
        host.code = std::numeric_limits<std::uint16_t>::max();
        host.exception.sha256 = std::string(64, 'f');
        if (receipt.hosts.size() < limits::exception_heads)
            host.exception.head = longest_text(limits::exception_head_bytes);
        receipt.hosts.push_back(std::move(host));
    }
    return receipt;
}

DdlAttempt longest_attempt(const AuthorityRecord& record, Action action) {
    DdlAttempt attempt;
    attempt.epoch = longest_epoch(record);
    const CorrelationToken token{std::string(20, 'f'), action, attempt.epoch, std::string(32, 'f')};
    attempt.token = token.text();
    attempt.query_digest = std::string(64, 'f');
    attempt.entry = "query-9999999999";
    attempt.result = HolderResult::outcome_unknown;
    return attempt;
}

/// What `count` elements and their commas take in a list.
template <class Element>
std::size_t list_bytes(const Element& element, std::size_t count) {
    return count * (element_bytes(element) + 1) - 1;
}

/// Every attempt that is allowed; only the last one keeps its receipt.
std::size_t attempts_bytes(const AuthorityRecord& record, const Receipt& receipt, Action action) {
    DdlAttempt attempt = longest_attempt(record, action);
    const std::size_t older = list_bytes(attempt, limits::attempts_per_action - 1);
    attempt.receipt = receipt;
    return older + 1 + element_bytes(attempt);
}

std::size_t tables_bytes(const AuthorityRecord& record) {
    return list_bytes(NamedTable{record.aside, Uuid()}, limits::listed_tables);
}

std::size_t recent_bytes(const AuthorityRecord& record) {
    const RecentOperation operation{std::string(64, 'f'), Phase::completed, longest_epoch(record)};
    return list_bytes(operation, limits::recent_operations);
}

CanaryReceipt longest_canary(const AuthorityRecord& record) {
    CanaryReceipt canary;
    canary.versions.assign(record.members.size(), std::string(limits::version_bytes, '9'));
    canary.servers.assign(record.members.size(), Uuid());
    canary.entry = "query-9999999999";
    return canary;
}

/// Everything that fills up whatever way the operation takes, but for the lists, which are empty.
AuthorityRecord filled_slot(const AuthorityRecord& record, const Receipt& receipt) {
    AuthorityRecord full = record;
    full.phase = Phase::set_aside_dispatching; // the longest word
    full.dispatch_epoch = longest_epoch(record);
    full.publication = longest_attempt(record, Action::publish);
    full.publication->receipt = receipt;
    full.set_aside.clear();
    full.cleanup.clear();
    full.retire.clear();
    full.orphans.clear();
    full.retained.clear();
    full.recent.clear();
    if (!full.canary)
        full.canary = longest_canary(record);
    full.created_at = longest_time;
    full.updated_at = longest_time;
    full.error =
        RecordedError{std::string(limits::error_code_bytes, 'X'), longest_text(limits::error_summary_bytes)};
    return full;
}

} // namespace

std::size_t worst_case_payload_bytes(const AuthorityRecord& record) {
    const Receipt receipt = longest_receipt(record);
    const std::size_t cleaned =
        attempts_bytes(record, receipt, Action::aside) + attempts_bytes(record, receipt, Action::cleanup);
    const std::size_t retired = attempts_bytes(record, receipt, Action::retire);
    return payload_bytes(filled_slot(record, receipt)) + 2 * tables_bytes(record) + recent_bytes(record) +
           std::max(cleaned, retired);
}

} // namespace onceswap::protocol
