#include "protocol/report.hpp"

#include <algorithm>
#include <array>

namespace onceswap::protocol {

namespace {

/// From the best to the worst to be told; a failure of this program hides no verdict that needs a person.
int badness(int exit_code) {
    constexpr auto order = std::to_array({0, 3, 1, 6, 2, 9, 8, 7, 5, 4});
    const auto found = std::find(order.begin(), order.end(), exit_code);
    return static_cast<int>(found - order.begin());
}

/// What ended the call from outside says nothing about the publication; the document has the verdict beside
/// it.
bool hides_verdict(Code stopped_by) {
    return stopped_by == Code::config_invalid || stopped_by == Code::cancelled ||
           stopped_by == Code::deadline_reached;
}

bool has_refusal(const std::vector<Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.severity == Severity::refuse;
    });
}

} // namespace

int exit_code(Code code) {
    switch (code) {
    // 1: this program or its network
    case Code::input_not_repeatable:
    case Code::staging_failed:
    case Code::staging_unknown:
    case Code::staging_count_mismatch:
    case Code::connection_failed:
        return 1;
    // 2: what it was given is wrong, and the same again will be
    case Code::input_malformed:
    case Code::config_invalid:
        return 2;
    // 3: still going on
    case Code::ready:
    case Code::in_progress:
    case Code::partial_in_progress:
    case Code::awaiting_receipt:
    case Code::set_aside_required:
    case Code::drop_required:
    case Code::cleanup_in_progress:
    case Code::cleanup_lost:
    case Code::retire_in_progress:
    case Code::retire_lost:
    case Code::retirable:
    case Code::deadline_reached:
        return 3;
    // 4: unknown
    case Code::inventory_drift:
    case Code::authority_invalid:
    case Code::authority_foreign:
    case Code::authority_lost:
    case Code::authority_bootstrap_unknown:
    case Code::cas_outcome_unknown:
    case Code::ddl_unbound:
    case Code::ddl_ambiguous:
    case Code::ddl_changed:
    case Code::queue_unreadable:
    case Code::queue_diverged:
    case Code::outcome_unknown:
    case Code::cleanup_unknown:
    case Code::retire_unknown:
        return 4;
    // 5: mixed
    case Code::partial_terminal:
    case Code::retired_mixed:
        return 5;
    // 6: proven not published
    case Code::operation_abandoned:
    case Code::ddl_not_sent:
    case Code::ddl_rejected:
    case Code::no_record:
    case Code::not_dispatched:
    case Code::not_committed:
        return 6;
    // 7: somebody else's
    case Code::authority_conflict:
    case Code::cas_conflict:
    case Code::drifted:
        return 7;
    // 8: refused before anything was done
    case Code::topology_unsupported:
    case Code::inventory_incomplete:
    case Code::inventory_invalid:
    case Code::endpoint_mismatch:
    case Code::capability_missing:
    case Code::canary_failed:
    case Code::access_insufficient:
    case Code::database_unsupported:
    case Code::engine_unsupported:
    case Code::generation_unknown:
    case Code::generation_diverged:
    case Code::target_unhealthy:
    case Code::candidate_not_ready:
    case Code::hazard_view_depends:
    case Code::hazard_dictionary_depends:
    case Code::hazard_row_policy:
    case Code::hazard_drop_limit:
    case Code::hazard_queue_backlog:
    case Code::hazard_queue_stuck:
    case Code::hazard_removing_leftovers:
    case Code::hazard_clock_skew:
    case Code::hazard_is_local:
    case Code::hazard_ttl:
    case Code::hazard_profile:
    case Code::hazard_address:
    case Code::hazard_keeper_map_prefix:
    case Code::hazard_macros:
    case Code::hazard_follows_name:
    case Code::hazard_exchange_unproven:
    case Code::foreign_ddl_pending:
    case Code::authority_absent:
    case Code::authority_full:
    case Code::target_absent:
    case Code::transition_refused:
        return 8;
    // 9: committed, not cleaned
    case Code::cleanup_incomplete:
    case Code::retire_incomplete:
        return 9;
    case Code::cancelled:
        return 130;
    }
    return 4;
}

int exit_code(const Report& report) {
    constexpr int refused = 8;
    const bool has_verdict = report.verdict.row != 0;
    if (!report.stopped_by) {
        if (has_verdict)
            return exit_code(report.verdict.word);
        return has_refusal(report.findings) ? refused : exit_code(Code::outcome_unknown);
    }
    const int stopped = exit_code(*report.stopped_by);
    if (!has_verdict || hides_verdict(*report.stopped_by))
        return stopped;
    const int proven = exit_code(report.verdict.word);
    return badness(stopped) > badness(proven) ? stopped : proven;
}

} // namespace onceswap::protocol
