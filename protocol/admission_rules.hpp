#pragma once

#include "protocol/error_code.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace onceswap::protocol {

/// Every rule of admission and every hazard, one for each thing that can be found. In the order of the
/// checklist. A finding carries its rule; the rule has the code, and `doctor` has a line for each.
enum class Rule : std::uint8_t {
    // who answers at all
    reachable,
    user_accepted,
    endpoint_given,
    endpoint_answers,
    server_uuid,
    one_server_per_url,
    // the members
    cluster_known,
    members_unique,
    cluster_shape,
    internal_replication,
    inventory_equal,
    roster_answers,
    roster_complete,
    roster_equal,
    servers_differ,
    endpoint_is_member,
    endpoints_differ,
    member_has_endpoint,
    own_row,
    port_equal,
    host_resolved,
    clocks,
    // what the servers can do and the user may
    version,
    capabilities_answer,
    settings_known,
    settings_changeable,
    settings_accepted,
    entry_format,
    queue_columns,
    readonly_user,
    skip_unavailable_shards,
    ddl_allowed,
    keeper_retries,
    drop_waits,
    grants_answer,
    grants,
    watch_grants,
    // database and authority
    database_exists,
    database_atomic,
    keeper_map_prefix,
    authority_definition,
    authority_answers,
    authority_equal,
    other_names_free,
    other_names_known,
    authority_room,
    slot_readable,
    slot_valid,
    slot_foreign,
    slot_free,
    lost_tables,
    lost_entries,
    // the target
    target_pattern,
    target_everywhere,
    target_engine,
    target_answers,
    target_healthy,
    target_identity,
    target_path,
    target_equal,
    replica_names,
    replica_count,
    replicas_active,
    target_lag,
    macros,
    exchange_proven,
    // hazards
    views,
    dictionaries,
    followers,
    policies_answer,
    row_policies,
    drop_limit,
    ttl,
    foreign_ddl,
    removing_leftovers,
    queue_backlog,
    queue_full,
    queue_stuck,
    // a staged candidate
    candidate_asked,
    candidate_member,
    candidate_answers,
    candidate_server,
    candidate_present,
    candidate_engine,
    candidate_views,
    candidate_identity,
    candidate_uuid,
    candidate_path,
    candidate_own_path,
    candidate_schema,
    candidate_same_engine,
    candidate_clause,
    candidate_equal,
    candidate_converged,
    candidate_replicas,
    candidate_rows,
};

/// What must have been read before the absence of a finding means that the rule holds. A set of bits.
using Needs = std::uint16_t;

namespace needs {
// of every endpoint
inline constexpr Needs catalogue = 1U << 0U;
inline constexpr Needs keeper = 1U << 1U;
inline constexpr Needs capabilities = 1U << 2U;
inline constexpr Needs row_policies = 1U << 3U;
inline constexpr Needs grants = 1U << 4U;
inline constexpr Needs environment = 1U << 5U; ///< doctor's own reading, without any setting
// of the cluster
inline constexpr Needs roster = 1U << 6U;
inline constexpr Needs queue = 1U << 7U;
inline constexpr Needs inventory = 1U << 8U;
inline constexpr Needs slot = 1U << 9U;
// not a reading: where there is none the rule has nothing to say
inline constexpr Needs target = 1U << 10U;
inline constexpr Needs candidate = 1U << 11U;
// every member has the endpoint that speaks for it
inline constexpr Needs members = 1U << 13U;
// admission's probes of settings, which a readonly user cannot send
inline constexpr Needs probes = 1U << 12U;
} // namespace needs

/// One row of the checklist.
struct RuleRow {
    Rule rule;
    std::string_view name; ///< stable: `internal-replication`
    Code code;
    Needs needed;
    bool decides;              ///< a publication must not go on where this is not known
    std::string_view question; ///< what holds where the rule passes
    /// What to do where it does not; lines that can be pasted begin with four spaces. `{host}`, `{cluster}`,
    /// `{db}`, `{table}`, `{user}`, `{root}` stand for values. Empty: made from the finding.
    std::string_view remedy;
};

/// All rules, in the order of the checklist.
std::span<const RuleRow> admission_rules();
const RuleRow& row_of(Rule rule);
std::string_view text(Rule rule);
Code code_of(Rule rule);

} // namespace onceswap::protocol
