#pragma once

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace onceswap::protocol {

/// Every stable code that a user, a script or a page under docs/errors can meet. The printed form is
/// `ONCESWAP_` + the upper-case name. Numbers are not stable, names are; a name is never reused.
enum class Code : int {
    // admission: the cluster
    topology_unsupported = 1,
    inventory_incomplete,
    inventory_invalid,
    inventory_drift,
    endpoint_mismatch,
    capability_missing,
    canary_failed,
    access_insufficient,
    database_unsupported,
    engine_unsupported,
    generation_unknown,
    generation_diverged,
    target_unhealthy,
    candidate_not_ready,
    // admission: hazards
    hazard_view_depends,
    hazard_dictionary_depends,
    hazard_row_policy,
    hazard_drop_limit,
    hazard_queue_backlog,
    hazard_queue_stuck,
    hazard_removing_leftovers,
    hazard_clock_skew,
    hazard_is_local,
    hazard_ttl,
    hazard_profile,
    hazard_address,
    hazard_keeper_map_prefix,
    hazard_macros,
    hazard_follows_name,
    hazard_exchange_unproven,
    foreign_ddl_pending,
    // authority
    authority_absent,
    authority_full,
    authority_invalid,
    authority_foreign,
    authority_lost,
    authority_bootstrap_unknown,
    authority_conflict,
    cas_conflict,
    cas_outcome_unknown,
    operation_abandoned,
    transition_refused,
    // the one DDL
    ddl_not_sent,
    ddl_rejected,
    ddl_unbound,
    ddl_ambiguous,
    ddl_changed,
    queue_unreadable,
    queue_diverged,
    // verdicts that are not a success
    no_record,
    ready,
    not_dispatched,
    in_progress,
    partial_in_progress,
    awaiting_receipt,
    not_committed,
    partial_terminal,
    outcome_unknown,
    drifted,
    set_aside_required,
    drop_required,
    cleanup_in_progress,
    cleanup_unknown,
    cleanup_lost,
    cleanup_incomplete,
    retire_in_progress,
    retire_unknown,
    retire_lost,
    retire_incomplete,
    retired_mixed,
    retirable,
    // the loader
    input_malformed,
    input_not_repeatable,
    target_absent,
    staging_failed,
    staging_unknown,
    staging_count_mismatch,
    // this program
    config_invalid,
    connection_failed,
    cancelled,
    deadline_reached,
};

/// All codes, in declaration order. Used by the tests that hold docs/errors complete.
std::span<const Code> all_codes();

/// `ONCESWAP_CAS_CONFLICT` for Code::cas_conflict.
std::string_view stable_name(Code code);

/// The code of a stable name, with or without the `ONCESWAP_` prefix, any letter case.
std::optional<Code> code_from_name(std::string_view name);

/// One sentence: what it means. The page docs/errors/<NAME>.md says the rest.
std::string_view meaning(Code code);

/// The next safe action, one sentence, for the last line of a report.
std::string_view next_safe_action(Code code);

/// What must not be done now, one sentence; empty where there is nothing to warn of.
std::string_view what_not_to_do(Code code);

const boost::system::error_category& onceswap_category();

inline boost::system::error_code make_error_code(Code code) {
    return {static_cast<int>(code), onceswap_category()};
}

} // namespace onceswap::protocol

template <>
struct boost::system::is_error_code_enum<onceswap::protocol::Code> : std::true_type {};
