// Rules for the permitted DDLs in a record: which phase holds which, and what a receipt must be.
#include "protocol/correlation_token.hpp"
#include "protocol/first_violation.hpp"
#include "protocol/mutant.hpp"
#include "protocol/record_forms.hpp"
#include "protocol/record_validation.hpp"
#include "protocol/utf8.hpp"

#include <algorithm>

namespace onceswap::protocol {

namespace {

void check_token(
    const AuthorityRecord& record,
    const DdlAttempt& attempt,
    Action action,
    std::string_view where,
    FirstViolation& violation
) {
    const auto token = CorrelationToken::parse(attempt.token);
    violation.demand(token.has_value(), where, "malformed token");
    if (!token)
        return;
    violation.demand(token->action == action, where, "a token of another action");
    violation.demand(token->epoch == attempt.epoch, where, "a token of another epoch");
    violation.demand(
        record.operation_id.starts_with(token->operation), where, "a token of another operation"
    );
}

void check_host(
    const HostReceipt& host, std::size_t failing, std::string_view where, FirstViolation& violation
) {
    const ExceptionDigest& exception = host.exception;
    violation.demand(
        host.code == 0 ? exception.sha256.empty() : is_sha256(exception.sha256),
        where,
        "a host's exception does not fit its code"
    );
    violation.demand(
        exception.head.empty() || (host.code != 0 && failing <= limits::exception_heads),
        where,
        "an exception head where none is kept"
    );
    // Exactly what digest_exception makes: the size of a receipt is bounded by it.
    violation.demand(
        printable_head(exception.head, limits::exception_head_bytes) == exception.head,
        where,
        "an exception head too long or not printable"
    );
}

void check_receipt(
    const AuthorityRecord& record, const Receipt& receipt, std::string_view where, FirstViolation& violation
) {
    violation.demand(is_recorded_time(receipt.observed_at), where, "observed_at out of range");
    violation.demand(
        receipt.hosts.size() == record.members.size(), where, "a receipt without one row for each member"
    );
    if (violation.found())
        return;
    std::size_t failing = 0;
    for (std::size_t i = 0; i < receipt.hosts.size(); ++i) {
        violation.demand(
            receipt.hosts[i].at == record.members[i].at, where, "a receipt not in the order of members"
        );
        if (receipt.hosts[i].code != 0)
            ++failing;
        check_host(receipt.hosts[i], failing, where, violation);
    }
}

void check_attempt(
    const AuthorityRecord& record, const DdlAttempt& attempt, Action action, FirstViolation& violation
) {
    const std::string_view where = text(action);
    check_token(record, attempt, action, where, violation);
    violation.demand(
        attempt.epoch >= 1 && attempt.epoch <= record.dispatch_epoch, where, "an epoch that never was"
    );
    violation.demand(
        attempt.entry.empty() == attempt.query_digest.empty(), where, "an entry bound without its digest"
    );
    violation.demand(attempt.entry.empty() || is_entry_name(attempt.entry), where, "malformed entry");
    violation.demand(
        attempt.query_digest.empty() || is_sha256(attempt.query_digest), where, "query_digest not a SHA-256"
    );
    violation.demand(!attempt.receipt || !attempt.entry.empty(), where, "a receipt of no entry");
    if (attempt.receipt)
        check_receipt(record, *attempt.receipt, where, violation);
}

void check_list(
    const AuthorityRecord& record,
    const std::vector<DdlAttempt>& attempts,
    Action action,
    std::uint64_t after,
    FirstViolation& violation
) {
    violation.demand(attempts.size() <= limits::attempts_per_action, text(action), "too many attempts");
    for (std::size_t i = 0; i < attempts.size(); ++i) {
        check_attempt(record, attempts[i], action, violation);
        violation.demand(attempts[i].epoch > after, text(action), "epochs do not ascend");
        violation.demand(
            i + 1 == attempts.size() || !attempts[i].receipt, text(action), "a receipt of an earlier attempt"
        );
        after = attempts[i].epoch;
    }
}

std::uint64_t last_epoch(const std::vector<DdlAttempt>& attempts, std::uint64_t otherwise) {
    return attempts.empty() ? otherwise : attempts.back().epoch;
}

bool has_last_receipt(const std::vector<DdlAttempt>& attempts) {
    return !attempts.empty() && attempts.back().receipt.has_value();
}

bool is_committed(const AuthorityRecord& record) {
    return record.publication && (record.publication->receipt || mutated(Mutant::receipt_not_persisted));
}

bool is_retained(const AuthorityRecord& record) {
    return std::any_of(record.retained.begin(), record.retained.end(), [&record](const NamedTable& table) {
        return table.name == record.candidate || table.name == record.aside;
    });
}

/// What each phase holds. The order of the lists is the order in which a publication can fill them.
bool holds_what_its_phase_needs(const AuthorityRecord& record) {
    const bool any_aside = !record.set_aside.empty();
    const bool any_cleanup = !record.cleanup.empty();
    const bool any_retire = !record.retire.empty();
    switch (record.phase) {
    case Phase::prepared:
        return !any_aside && !any_cleanup && !any_retire;
    case Phase::dispatching:
        return record.publication && !any_aside && !any_cleanup && !any_retire;
    case Phase::committed:
        return is_committed(record) && !any_aside && !any_cleanup && !any_retire;
    case Phase::set_aside_dispatching:
        return is_committed(record) && any_aside && !any_cleanup && !any_retire;
    case Phase::cleanup_dispatching:
        return is_committed(record) && has_last_receipt(record.set_aside) && any_cleanup && !any_retire;
    case Phase::retiring:
        return record.publication && any_retire && !any_aside && !any_cleanup;
    case Phase::completed:
        if (any_retire)
            return record.publication && has_last_receipt(record.retire) && !any_aside && !any_cleanup;
        if (any_cleanup)
            return is_committed(record) && has_last_receipt(record.set_aside) &&
                   (has_last_receipt(record.cleanup) || is_retained(record));
        return is_committed(record) && (!any_aside || is_retained(record));
    case Phase::abandoned:
        return !any_aside && !any_cleanup &&
               (!any_retire || (record.publication && has_last_receipt(record.retire)));
    }
    return false;
}

bool epoch_is_the_last_attempts(const AuthorityRecord& record) {
    switch (record.phase) {
    case Phase::dispatching:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
    case Phase::retiring: {
        const DdlAttempt* attempt = current_attempt(record);
        return attempt != nullptr && attempt->epoch == record.dispatch_epoch;
    }
    case Phase::committed:
        return record.publication && record.publication->epoch == record.dispatch_epoch;
    case Phase::prepared:
    case Phase::completed:
    case Phase::abandoned:
        return true;
    }
    return false;
}

} // namespace

std::optional<std::string> find_attempt_violation(const AuthorityRecord& record) {
    FirstViolation violation;
    violation.demand(
        holds_what_its_phase_needs(record), text(record.phase), "wrong attempts or receipts for this phase"
    );
    violation.demand(
        epoch_is_the_last_attempts(record), text(record.phase), "dispatch_epoch is not the attempt's"
    );
    if (record.publication)
        check_attempt(record, *record.publication, Action::publish, violation);
    const std::uint64_t published = record.publication ? record.publication->epoch : 0;
    check_list(record, record.set_aside, Action::aside, published, violation);
    check_list(record, record.cleanup, Action::cleanup, last_epoch(record.set_aside, published), violation);
    check_list(record, record.retire, Action::retire, published, violation);
    return violation.take();
}

} // namespace onceswap::protocol
