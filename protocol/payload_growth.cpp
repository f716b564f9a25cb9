// How long a record can become: the longest one is built and encoded, nothing is estimated.
#include "protocol/canonical_json.hpp"
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

std::vector<DdlAttempt> longest_attempts(const AuthorityRecord& record, Action action) {
    std::vector<DdlAttempt> attempts(limits::attempts_per_action, longest_attempt(record, action));
    attempts.back().receipt = longest_receipt(record);
    return attempts;
}

std::vector<NamedTable> longest_tables(const AuthorityRecord& record) {
    return std::vector<NamedTable>(limits::listed_tables, NamedTable{record.aside, Uuid()});
}

CanaryReceipt longest_canary(const AuthorityRecord& record) {
    CanaryReceipt canary;
    canary.versions.assign(record.members.size(), std::string(limits::version_bytes, '9'));
    canary.servers.assign(record.members.size(), Uuid());
    canary.entry = "query-9999999999";
    return canary;
}

/// Everything that fills up whatever way the operation takes.
AuthorityRecord filled_slot(const AuthorityRecord& record) {
    AuthorityRecord full = record;
    full.dispatch_epoch = longest_epoch(record);
    full.publication = longest_attempt(record, Action::publish);
    full.publication->receipt = longest_receipt(record);
    full.set_aside.clear();
    full.cleanup.clear();
    full.retire.clear();
    full.orphans = longest_tables(record);
    full.retained = longest_tables(record);
    const RecentOperation operation{std::string(64, 'f'), Phase::completed, full.dispatch_epoch};
    full.recent.assign(limits::recent_operations, operation);
    if (!full.canary)
        full.canary = longest_canary(record);
    full.created_at = longest_time;
    full.updated_at = longest_time;
    full.error =
        RecordedError{std::string(limits::error_code_bytes, 'X'), longest_text(limits::error_summary_bytes)};
    return full;
}

std::size_t payload_bytes(const AuthorityRecord& record) {
    return canonical_json(to_payload_json(record)).size();
}

} // namespace

std::size_t worst_case_payload_bytes(const AuthorityRecord& record) {
    AuthorityRecord cleaned = filled_slot(record);
    cleaned.phase = Phase::set_aside_dispatching; // the longest word; the lists are those of cleanup
    cleaned.set_aside = longest_attempts(record, Action::aside);
    cleaned.cleanup = longest_attempts(record, Action::cleanup);
    AuthorityRecord retired = filled_slot(record);
    retired.phase = Phase::set_aside_dispatching;
    retired.retire = longest_attempts(record, Action::retire);
    return std::max(payload_bytes(cleaned), payload_bytes(retired));
}

} // namespace onceswap::protocol
