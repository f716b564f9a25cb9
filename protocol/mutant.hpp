#pragma once

namespace onceswap::protocol {

/// Deliberate defects, one for each guard that the protocol stands on. A test switches one on and shows that
/// the fault-injection harness notices (docs/mutants.md). What is shipped has none of them: there `mutated`
/// is the constant false, and the header is not installed. Only .cpp files include it, and those are compiled
/// a second time for onceswap-sim-mutants.
///
/// The switch stands last in its condition: that it was asked means that the guard would have mattered.
enum class Mutant {
    // --- the authority record ---
    acknowledged_write_not_read_back,
    candidate_dropped_after_lost_write,
    foreign_record_taken,
    keeper_map_not_strict,
    lowest_version_wins,
    permit_after_lost_write,
    permit_after_unknown_write,
    post_read_on_another_member,
    predicate_without_digest,
    predicate_without_fence,
    predicate_without_operation,
    predicate_without_phase,
    predicate_without_version,
    server_retries_writes,
    settled_operation_prepared_again,
    unfinished_slot_taken,
    write_id_not_compared,
    write_version_not_compared,
    // --- the one statement ---
    dispatched_entry_ignored,
    failed_publication_prepared_again,
    lost_ddl_sent_again,
    lost_publication_prepared_again,
    not_sent_ddl_sent_again,
    status_200_taken_as_success,
    timeout_taken_as_not_sent,
    unanswered_taken_as_not_sent,
    unsent_without_asking_the_queue,
    // --- what the queue says ---
    changed_entry_accepted,
    extra_host_ignored,
    failed_host_read_as_success,
    missing_host_ignored,
    newest_entry_taken,
    one_member_speaks_for_the_queue,
    receipt_not_persisted,
    receipt_of_unfinished_entry,
    removing_read_as_finished,
    working_host_read_as_finished,
    // --- what the catalogues say ---
    catalogue_not_asked,
    changed_record_kept,
    failure_alone_decides,
    inventory_not_read_again,
    odd_reading_believed,
    old_catalogue_with_terminal_reading,
    server_uuid_not_compared,
    unavailable_member_skipped,
    // --- the candidate ---
    alias_is_another_cluster,
    alias_records_not_looked_for,
    candidate_lag_not_checked,
    candidate_name_reused_by_next_operation,
    candidate_name_reused_by_next_try,
    candidate_not_read_again,
    candidate_rows_not_compared,
    candidate_uuid_left_to_server,
    total_rows_taken_as_count,
    unready_candidate_taken_over,
    // --- cleanup ---
    cleanup_by_name,
    cleanup_redispatched_in_progress,
    drop_without_set_aside,
    regressed_member_ignored,
    unhealthy_member_cleaned,
    visibility_wait_left_out,
    // --- operators ---
    abandoned_without_proof,
    closed_during_cleanup,
    closed_without_target,
    orphan_admitted_anyhow,
    retired_mixed_settled,
    retired_with_candidate_there,
    stale_pin_accepted,
    // --- endings ---
    cancelled_call_left_open,
    cancellation_not_passed_on,
    keeper_turn_not_passed_on,
    server_text_in_staging_problem,
    waits_past_the_deadline,
};

#ifdef ONCESWAP_MUTANTS
bool mutated(Mutant defect) noexcept;
#else
consteval bool mutated(Mutant) noexcept {
    return false;
}
#endif

} // namespace onceswap::protocol
