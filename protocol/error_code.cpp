#include "protocol/error_code.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace onceswap::protocol {
namespace {

struct Row {
    Code code;
    std::string_view name;
    std::string_view meaning;
    std::string_view next;
    std::string_view avoid;
};

// In declaration order: the number of a code is its place, which the static_asserts below hold.
constexpr auto rows = std::to_array<Row>({
    // admission: the cluster
    {Code::topology_unsupported,
     "ONCESWAP_TOPOLOGY_UNSUPPORTED",
     "The cluster is not one shard with two or more replicas and internal_replication = 1.",
     "Name a cluster of that shape, or correct remote_servers on every member, and run `doctor` again.",
     "Do not publish shard by shard through several one-shard clusters: nothing would join their outcomes."},
    {Code::inventory_incomplete,
     "ONCESWAP_INVENTORY_INCOMPLETE",
     "Not every expected member answered, or no endpoint was given for one of them.",
     "Give one URL for every member and bring the missing ones back, then run `doctor` again.",
     "Do not take a member out of the list to get past this: an unseen member can hold either generation."},
    {Code::inventory_invalid,
     "ONCESWAP_INVENTORY_INVALID",
     "The members' lists of the cluster contradict each other or name one server twice.",
     "Make remote_servers equal on every member, each host and port once, and run `doctor` again.",
     "Do not publish while the members disagree about who belongs to the cluster."},
    {Code::inventory_drift,
     "ONCESWAP_INVENTORY_DRIFT",
     "The cluster's members are no longer those that the record of this publication names.",
     "Restore the recorded members, or finish the publication with `retire` after looking at every host.",
     "Do not conclude anything from the members that are left."},
    {Code::endpoint_mismatch,
     "ONCESWAP_ENDPOINT_MISMATCH",
     "An endpoint answers for another server than the member it stands for, or two endpoints are one server.",
     "Give each member's own address instead of a balancer's, and check DNS and port mappings.",
     "Do not put a load balancer between this tool and a member."},
    {Code::capability_missing,
     "ONCESWAP_CAPABILITY_MISSING",
     "A member lacks a version, a setting or a table column that the protocol relies on.",
     "Upgrade that member or lift the constraint on the named setting, then run `doctor` again.",
     "Do not skip the check: without the capability a lost answer could not be decided."},
    {Code::canary_failed,
     "ONCESWAP_CANARY_FAILED",
     "The harmless distributed DDL that tests the queue did not come back as it was sent.",
     "Compare the queue entry with the finding and repair the DDL queue or its path on the named member.",
     "Do not publish before the canary passes: the same queue would carry the EXCHANGE."},
    {Code::access_insufficient,
     "ONCESWAP_ACCESS_INSUFFICIENT",
     "The user lacks privileges that the protocol needs; what cannot be read would look absent.",
     "Grant the named privileges on every member and run `doctor` again.",
     "Do not grant on one member only: users are checked on each."},
    {Code::database_unsupported,
     "ONCESWAP_DATABASE_UNSUPPORTED",
     "The target's database is missing on a member or its engine is not Atomic.",
     "Use a database with engine Atomic on every member.",
     "Do not convert a database in place while a publication is open."},
    {Code::engine_unsupported,
     "ONCESWAP_ENGINE_UNSUPPORTED",
     "A table is not of the Replicated MergeTree family, or its Keeper path does not contain {uuid}.",
     "Create the table with a Replicated engine whose path contains {uuid}, ON CLUSTER.",
     "Do not publish a Distributed table or a view: its name holds no generation."},
    {Code::generation_unknown,
     "ONCESWAP_GENERATION_UNKNOWN",
     "It could not be established which physical table stands behind a name on a member.",
     "Read the named problem, repair that member's answer or Keeper session, and run again.",
     "Do not assume the table is absent because it could not be seen."},
    {Code::generation_diverged,
     "ONCESWAP_GENERATION_DIVERGED",
     "The target is not the same physical table on every member.",
     "Compare uuid and zookeeper_path per host and repair the minority by hand before publishing.",
     "Do not send an EXCHANGE ON CLUSTER to repair it: it would swap the healthy members too."},
    {Code::target_unhealthy,
     "ONCESWAP_TARGET_UNHEALTHY",
     "The target's replica on a member is read-only or has lost its Keeper session.",
     "Repair the named replica's Keeper connection and run `doctor` again.",
     "Do not publish or clean up while a replica cannot follow its own log."},
    {Code::candidate_not_ready,
     "ONCESWAP_CANDIDATE_NOT_READY",
     "The staged table is not complete, healthy and equal on every member.",
     "Wait for replication on the named host or repair it, then run the same command again.",
     "Do not write to the candidate any more: it must not change until the publication is completed."},
    // admission: hazards
    {Code::hazard_view_depends,
     "ONCESWAP_HAZARD_VIEW_DEPENDS",
     "A materialized view reads from or writes to the target or the candidate.",
     "Remove the dependence or move the view to another table, then run `doctor` again.",
     "Do not rely on the view following the swap: versions differ and rows can be lost silently."},
    {Code::hazard_dictionary_depends,
     "ONCESWAP_HAZARD_DICTIONARY_DEPENDS",
     "A dictionary loads from the target or the candidate.",
     "Plan a reload of the dictionary after the publication.",
     "Do not read the dictionary as new before it was reloaded."},
    {Code::hazard_row_policy,
     "ONCESWAP_HAZARD_ROW_POLICY",
     "A row policy names the target, the candidate or the whole database.",
     "Check that the policy still filters the published table as meant on every member.",
     "Do not take for granted that a policy follows a table through a swap."},
    {Code::hazard_drop_limit,
     "ONCESWAP_HAZARD_DROP_LIMIT",
     "The predecessor is larger than max_table_size_to_drop on a member, so its DROP will be refused there.",
     "Raise the limit on that member, or `close --keep-predecessor` after the publication.",
     "Do not set the limit to 0 for good just to get rid of one table."},
    {Code::hazard_queue_backlog,
     "ONCESWAP_HAZARD_QUEUE_BACKLOG",
     "Many entries stand in the distributed DDL queue; the evidence of an entry can be cleaned away early.",
     "Wait until the queue is short, or raise max_tasks_in_queue, before publishing.",
     "Do not send more ON CLUSTER statements to find out what is slow."},
    {Code::hazard_queue_stuck,
     "ONCESWAP_HAZARD_QUEUE_STUCK",
     "An entry of the distributed DDL queue has been unfinished for long on a member; ours would wait behind "
     "it.",
     "Find out why the named entry does not finish on that host before publishing.",
     "Do not repeat the stuck statement."},
    {Code::hazard_removing_leftovers,
     "ONCESWAP_HAZARD_REMOVING_LEFTOVERS",
     "The distributed DDL queue holds entries that are half removed; their rows mean nothing.",
     "Wait for the queue's cleanup, or have the leftovers looked at if they stay.",
     "Do not delete Keeper nodes by hand while DDL workers run."},
    {Code::hazard_clock_skew,
     "ONCESWAP_HAZARD_CLOCK_SKEW",
     "The members' clocks differ by more than five minutes.",
     "Synchronize the clocks.",
     "Do not compare times of different members until then."},
    {Code::hazard_is_local,
     "ONCESWAP_HAZARD_IS_LOCAL",
     "A member does not recognize exactly one row of the cluster as itself; its DDL worker may skip our "
     "entry.",
     "Check the member's own host name, address and port in remote_servers.",
     "Do not wait for an entry that this member's worker never takes."},
    {Code::hazard_ttl,
     "ONCESWAP_HAZARD_TTL",
     "The table deletes rows by TTL, so rows that already expire make the members' counts fall by "
     "themselves.",
     "Stage only rows that live on for longer than the publication takes.",
     "Do not stage rows that already expire: the candidate would never be ready."},
    {Code::hazard_profile,
     "ONCESWAP_HAZARD_PROFILE",
     "The user's profile changes how this program's statements run: readonly, skipped shards, retries or a "
     "forbidden DDL.",
     "Change the named setting in the user's profile, or use another user.",
     "Do not judge a cluster by what a profile with skip_unavailable_shards = 1 shows of it."},
    {Code::hazard_address,
     "ONCESWAP_HAZARD_ADDRESS",
     "A member's address in remote_servers is not one that the member has itself: another port, or a name "
     "without an address.",
     "Write the member's own host name and native port into remote_servers on every member.",
     "Do not publish through an entry that the member's DDL worker may never take."},
    {Code::hazard_keeper_map_prefix,
     "ONCESWAP_HAZARD_KEEPER_MAP_PREFIX",
     "It is not proven that keeper_map_path_prefix is configured on every member; without it the authority "
     "table cannot be created.",
     "Look into the configuration of the named member and set keeper_map_path_prefix, the same on every "
     "member.",
     "Do not create the authority table by hand on the members that have the prefix."},
    {Code::hazard_macros,
     "ONCESWAP_HAZARD_MACROS",
     "A macro that the table's Keeper path or replica name uses is missing on a member, or two members share "
     "a replica name.",
     "Define the macros on the named member and restart it.",
     "Do not create the candidate by hand with another path to get around it."},
    {Code::hazard_follows_name,
     "ONCESWAP_HAZARD_FOLLOWS_NAME",
     "A view, a Distributed, Buffer or Merge table names the target or the candidate.",
     "Make sure that what reads or writes through it may see the new generation from one statement to the "
     "next.",
     "Do not write through a Buffer or a Distributed table while a publication is open: rows can end in the "
     "old generation."},
    {Code::hazard_exchange_unproven,
     "ONCESWAP_HAZARD_EXCHANGE_UNPROVEN",
     "No publication of this table was ever completed here, so it is not proven that every member's file "
     "system can exchange two tables.",
     "Check the file system of the data path on every member before the first publication.",
     "Do not conclude from one member that the others can do it too."},
    {Code::foreign_ddl_pending,
     "ONCESWAP_FOREIGN_DDL_PENDING",
     "Somebody else's unfinished distributed DDL names the target or the candidate.",
     "Wait until that entry is finished on every member and run the same command again.",
     "Do not publish around it: its effect would come later and unseen."},
    // authority
    {Code::authority_absent,
     "ONCESWAP_AUTHORITY_ABSENT",
     "The authority table does not exist on every member.",
     "Let a publish create it, with the privileges that `doctor` lists.",
     "Do not create it by hand with other columns or another root."},
    {Code::authority_full,
     "ONCESWAP_AUTHORITY_FULL",
     "The authority table was made with a limit of keys, and this target's record would be one too many.",
     "Give the authority table a higher keys_limit on every member, or none, and run the same command again.",
     "Do not drop the authority table to make it anew: its records go with it."},
    {Code::authority_invalid,
     "ONCESWAP_AUTHORITY_INVALID",
     "The authority table or this target's record in it is not what this program writes.",
     "Keep the record as it is, find out who wrote it, and restore what stood there.",
     "Do not edit or delete the record to make the error go away."},
    {Code::authority_foreign,
     "ONCESWAP_AUTHORITY_FOREIGN",
     "The record was written by another installation: none of its servers is one of ours.",
     "Give this installation its own --authority-root.",
     "Do not overwrite the other installation's record."},
    {Code::authority_lost,
     "ONCESWAP_AUTHORITY_LOST",
     "There is no record, but tables or queue entries of an earlier publication of this target are in sight.",
     "Find out what became of the record; say --accept-lost-authority only when every leftover is explained.",
     "Do not drop the leftovers: one of them may be a generation that is still needed."},
    {Code::authority_bootstrap_unknown,
     "ONCESWAP_AUTHORITY_BOOTSTRAP_UNKNOWN",
     "It is not known whether the creation of the authority table took effect on every member.",
     "Run the same command again: it reads first and only goes on where every member agrees.",
     "Do not drop the authority table to start over."},
    {Code::authority_conflict,
     "ONCESWAP_AUTHORITY_CONFLICT",
     "Another operation holds this target's slot, or the members show different records for it.",
     "Resume or finish the other operation first; its id is in the report.",
     "Do not remove the other operation's record."},
    {Code::cas_conflict,
     "ONCESWAP_CAS_CONFLICT",
     "Somebody else changed the record first; our write had no effect.",
     "Run the same command again: it goes on from the record as it is now.",
     "Do not run two workers of one operation on purpose."},
    {Code::cas_outcome_unknown,
     "ONCESWAP_CAS_OUTCOME_UNKNOWN",
     "It is not known whether our write of the record took effect; no right to send DDL came from it.",
     "Run `resume`: it reads the record and concludes from what it finds.",
     "Do not send the DDL by hand."},
    {Code::operation_abandoned,
     "ONCESWAP_OPERATION_ABANDONED",
     "This operation was abandoned and can never be published.",
     "Start a new run with a new invocation id.",
     "Do not reuse the invocation id."},
    {Code::transition_refused,
     "ONCESWAP_TRANSITION_REFUSED",
     "The operator's command does not apply to the state that the slot is in; nothing was sent.",
     "Read the reason, which says what applies instead, and look at `status` before the next command.",
     "Do not do by hand what the command refused to do."},
    // the one DDL
    {Code::ddl_not_sent,
     "ONCESWAP_DDL_NOT_SENT",
     "Not one byte of the DDL was handed to the network; nothing happened.",
     "Run the same command again when the endpoint can be reached.",
     ""},
    {Code::ddl_rejected,
     "ONCESWAP_DDL_REJECTED",
     "The server refused the DDL before any effect.",
     "Repair what the server's message names and run the same command again.",
     ""},
    {Code::ddl_unbound,
     "ONCESWAP_DDL_UNBOUND",
     "No entry with this publication's token was seen in the queue within the visibility wait.",
     "Run `watch` or `resume` later; if no entry ever appears, an operator ends it with `retire`.",
     "Do not send the statement again: the first one can still arrive."},
    {Code::ddl_ambiguous,
     "ONCESWAP_DDL_AMBIGUOUS",
     "More than one queue entry carries this publication's token.",
     "Look at both entries and every host's tables, then end it with `retire`.",
     "Do not take the newest entry for the right one."},
    {Code::ddl_changed,
     "ONCESWAP_DDL_CHANGED",
     "The queue entry that belongs to this publication shows another statement, cluster or token than was "
     "sent.",
     "Look at the entry and at every host's tables, then end it with `retire`.",
     "Do not believe the entry's results: they are those of another statement."},
    {Code::queue_unreadable,
     "ONCESWAP_QUEUE_UNREADABLE",
     "No member could read the distributed DDL queue.",
     "Repair the reason in the finding; then `watch` or `resume` goes on by itself.",
     "Do not take an unreadable queue for an empty one."},
    {Code::queue_diverged,
     "ONCESWAP_QUEUE_DIVERGED",
     "Members that can read the queue contradict each other about the same entry.",
     "Check that all members use the same Keeper and the same queue path.",
     "Do not pick the member whose answer suits."},
    // verdicts that are not a success
    {Code::no_record,
     "ONCESWAP_NO_RECORD",
     "No publication of this target was ever recorded.",
     "Nothing is open; publish when there is something to publish.",
     ""},
    {Code::ready,
     "ONCESWAP_READY",
     "The candidate is recorded and nothing was dispatched.",
     "Run `publish` or `resume` with the same invocation id, or `abandon`.",
     "Do not swap the tables by hand."},
    {Code::not_dispatched,
     "ONCESWAP_NOT_DISPATCHED",
     "The DDL provably did not leave, and every member still has the old generation.",
     "The same invocation goes back to PREPARED by itself; otherwise an operator uses `abandon`.",
     "Do not send the DDL by hand."},
    {Code::in_progress,
     "ONCESWAP_IN_PROGRESS",
     "The DDL is in the queue and no member has swapped yet.",
     "Wait for this entry: `watch` or `resume`.",
     "Do not send the statement again."},
    {Code::partial_in_progress,
     "ONCESWAP_PARTIAL_IN_PROGRESS",
     "Some members have swapped and the queue entry is still open on others.",
     "Wait for this entry and look at the member that lags.",
     "Do not send the statement again: members that are done would swap back."},
    {Code::awaiting_receipt,
     "ONCESWAP_AWAITING_RECEIPT",
     "Every member has swapped and the queue entry is not finished everywhere.",
     "Wait for the entry's terminal rows: `watch` or `resume`.",
     "Do not drop the old generation yet: an open entry can still run."},
    {Code::not_committed,
     "ONCESWAP_NOT_COMMITTED",
     "The DDL failed and every member still has the old generation.",
     "Read each host's error, then an operator ends the operation with `retire` and starts a new run.",
     "Do not repeat the EXCHANGE under this operation."},
    {Code::partial_terminal,
     "ONCESWAP_PARTIAL_TERMINAL",
     "The DDL is finished and the members hold different generations.",
     "Use the matrix to decide, run `retire`, then the printed local statement on each host that differs.",
     "Do not send an EXCHANGE ON CLUSTER: it would swap the members that are right."},
    {Code::outcome_unknown,
     "ONCESWAP_OUTCOME_UNKNOWN",
     "The evidence does not prove which generation is published.",
     "Read the reason, bring back what is missing and run `status` or `resume` again.",
     "Do not repeat the DDL and do not drop either generation."},
    {Code::drifted,
     "ONCESWAP_DRIFTED",
     "The publication was completed, but the target is another table now on some member.",
     "Find out who changed the target on the named host.",
     "Do not take the record's COMPLETED for the present state."},
    {Code::set_aside_required,
     "ONCESWAP_SET_ASIDE_REQUIRED",
     "The publication is committed; the old generation still has the candidate's name.",
     "Run `resume`: it takes the name away and then drops the old generation.",
     "Do not drop the old generation by name."},
    {Code::drop_required,
     "ONCESWAP_DROP_REQUIRED",
     "The publication is committed and the old generation is set aside on every member.",
     "Run `resume` to drop it, or `close --keep-predecessor`.",
     "Do not drop it with SYNC: that can block a host's DDL queue."},
    {Code::cleanup_in_progress,
     "ONCESWAP_CLEANUP_IN_PROGRESS",
     "The publication is committed; a cleanup statement is still in the queue.",
     "Wait for this entry: `watch` or `resume`.",
     "Do not send the cleanup again."},
    {Code::cleanup_unknown,
     "ONCESWAP_CLEANUP_UNKNOWN",
     "The publication is committed; what became of a cleanup statement cannot be told.",
     "Read the reason; once the queue is readable again, `resume` goes on.",
     "Do not drop the old generation by hand before every member shows it aside."},
    {Code::cleanup_lost,
     "ONCESWAP_CLEANUP_LOST",
     "The publication is committed; no queue entry of the last cleanup statement is in sight.",
     "Run `resume`: after a full visibility wait it sends the cleanup again.",
     ""},
    {Code::cleanup_incomplete,
     "ONCESWAP_CLEANUP_INCOMPLETE",
     "The publication is committed; a host refused or missed a cleanup statement.",
     "Repair what the host's message names and run `resume`, or `close --keep-predecessor`.",
     "Do not read this as a failed publication."},
    {Code::retire_in_progress,
     "ONCESWAP_RETIRE_IN_PROGRESS",
     "The statement that takes the candidate's name away is still in the queue.",
     "Wait for this entry: `watch` or `resume`.",
     "Do not send it again."},
    {Code::retire_unknown,
     "ONCESWAP_RETIRE_UNKNOWN",
     "What became of the statement that takes the candidate's name away cannot be told.",
     "Read the reason; once the queue is readable again, `resume` goes on.",
     "Do not reuse the candidate's name."},
    {Code::retire_lost,
     "ONCESWAP_RETIRE_LOST",
     "No queue entry of the retiring statement is in sight.",
     "Run `resume`: after a full visibility wait it sends the statement again.",
     ""},
    {Code::retire_incomplete,
     "ONCESWAP_RETIRE_INCOMPLETE",
     "The candidate's name still exists on some member after the retiring statement ended.",
     "Repair what the host's message names and run `resume`.",
     "Do not drop the candidate by name."},
    {Code::retired_mixed,
     "ONCESWAP_RETIRED_MIXED",
     "No late statement can swap any more, and the members hold different generations.",
     "Run the printed local statement on each host that differs, then `resume`.",
     "Do not send a swap ON CLUSTER."},
    {Code::retirable,
     "ONCESWAP_RETIRABLE",
     "No late statement can swap any more and all members agree; only the record is not settled yet.",
     "Run `resume`: it settles the record and lists the tables that are kept.",
     ""},
    // the loader
    {Code::input_malformed,
     "ONCESWAP_INPUT_MALFORMED",
     "The input has a line that is not a row of this table.",
     "Correct the line at the named place and run again.",
     "Do not skip rows silently."},
    {Code::input_not_repeatable,
     "ONCESWAP_INPUT_NOT_REPEATABLE",
     "The input was standard input of an earlier try and cannot be read a second time.",
     "Run from a file, or start a new run with a new invocation id.",
     "Do not go on with rows of two different readings in one table."},
    {Code::target_absent,
     "ONCESWAP_TARGET_ABSENT",
     "The target does not exist and no table was named to be like.",
     "Create the target, or name a table whose structure the new one copies.",
     "Do not create it on one member only."},
    {Code::staging_failed,
     "ONCESWAP_STAGING_FAILED",
     "The rows could not be staged; the target was not touched.",
     "Repair what the message names and run the same command again.",
     ""},
    {Code::staging_unknown,
     "ONCESWAP_STAGING_UNKNOWN",
     "It is not known whether a batch of rows was stored; this candidate will not be published.",
     "Run the same command again: it stages a new candidate.",
     "Do not send the batch again into the same candidate by hand."},
    {Code::staging_count_mismatch,
     "ONCESWAP_STAGING_COUNT_MISMATCH",
     "The members do not hold exactly the rows that were staged.",
     "Look at the counts per host; stage again after the cause is found.",
     "Do not publish a candidate whose rows are not accounted for."},
    // this program
    {Code::config_invalid,
     "ONCESWAP_CONFIG_INVALID",
     "A flag, a variable or the configuration file is not valid.",
     "Correct what the message names.",
     ""},
    {Code::connection_failed,
     "ONCESWAP_CONNECTION_FAILED",
     "An endpoint could not be reached or its TLS identity could not be verified.",
     "Check address, port, certificate and network, then run again.",
     "Do not switch verification off to get through."},
    {Code::cancelled,
     "ONCESWAP_CANCELLED",
     "The waiting was stopped; what was already sent goes on in the cluster.",
     "Run `status`, `watch` or `resume` to see what became of it.",
     "Do not send the statement again."},
    {Code::deadline_reached,
     "ONCESWAP_DEADLINE_REACHED",
     "The time given for waiting is over; this says nothing about the publication.",
     "Run `watch` or `resume` with more time.",
     "Do not treat this as a failure and repeat the DDL."},
});

constexpr std::size_t index_of(Code code) {
    return static_cast<std::size_t>(code) - 1;
}

constexpr bool in_declaration_order() {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (index_of(rows[i].code) != i)
            return false;
    return true;
}

static_assert(in_declaration_order());
static_assert(rows.size() == index_of(Code::deadline_reached) + 1, "a code without a row");

constexpr auto codes = [] {
    std::array<Code, rows.size()> all{};
    for (std::size_t i = 0; i < rows.size(); ++i)
        all[i] = rows[i].code;
    return all;
}();

constexpr std::string_view prefix = "ONCESWAP_";

char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool equal_ignoring_case(std::string_view name, std::string_view upper_case) {
    if (name.size() != upper_case.size())
        return false;
    for (std::size_t i = 0; i < name.size(); ++i)
        if (upper(name[i]) != upper_case[i])
            return false;
    return true;
}

// The base's destructor is protected and not virtual on purpose; g++ 12 warns all the same.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
#endif
class Category final : public boost::system::error_category {
  public:
    const char* name() const noexcept override { return "onceswap"; }

    std::string message(int value) const override {
        if (value < 1 || static_cast<std::size_t>(value) > rows.size())
            return "ONCESWAP: no such code";
        const Row& row = rows[static_cast<std::size_t>(value) - 1];
        return std::string(row.name) + ": " + std::string(row.meaning);
    }
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

} // namespace

std::span<const Code> all_codes() {
    return codes;
}

std::string_view stable_name(Code code) {
    return rows[index_of(code)].name;
}

std::optional<Code> code_from_name(std::string_view name) {
    for (const Row& row : rows)
        if (equal_ignoring_case(name, row.name) || equal_ignoring_case(name, row.name.substr(prefix.size())))
            return row.code;
    return std::nullopt;
}

std::string_view meaning(Code code) {
    return rows[index_of(code)].meaning;
}

std::string_view next_safe_action(Code code) {
    return rows[index_of(code)].next;
}

std::string_view what_not_to_do(Code code) {
    return rows[index_of(code)].avoid;
}

const boost::system::error_category& onceswap_category() {
    static const Category category;
    return category;
}

} // namespace onceswap::protocol
