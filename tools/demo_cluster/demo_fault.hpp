#pragma once

#include "fixtures/sim/fault.hpp"
#include "protocol/verdict.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::demo_cluster {

/// What an operator types; each is a process of its own.
enum class Command { publish, resume, retire, abandon, status };
std::string_view text(Command command); ///< `refresh-load publish`, `reconcile-watch status`

/// One part of a demo: what goes wrong, and the command that meets it.
struct Step {
    Step(std::string says_, std::optional<Command> command_) : says(std::move(says_)), command(command_) {}

    std::string says;               ///< what happens, for people
    std::optional<Command> command; ///< none: only the faults happen
    std::vector<sim::Fault> faults; ///< from before the command on; those without a place to strike at once
    std::chrono::seconds timeout{600};         ///< of the command
    std::chrono::seconds ddl_task_timeout{30}; ///< how long the initiator of a statement waits for the hosts
    bool cleanup = true;                       ///< of a publication
};

/// A row of the closed table: a name, what goes wrong, and how it ends.
struct DemoFault {
    std::string_view name;
    protocol::Word word;
    int exit_code;
    std::string_view summary;
    std::vector<Step> (*steps)();
};

/// Every verdict once, in the order of docs/cli/refresh-load.md; the first is the publication without a
/// fault.
std::span<const DemoFault> demo_faults();
/// nullptr: no such name. The empty name is the first row.
const DemoFault* find_demo_fault(std::string_view name);

/// The members of the demo's cluster.
inline constexpr sim::MemberIndex member_count = 3;

// The stories behind the rows: one for each verdict.
std::vector<Step> completed_steps();
std::vector<Step> committed_steps();
std::vector<Step> in_progress_steps();
std::vector<Step> partial_in_progress_steps();
std::vector<Step> awaiting_receipt_steps();
std::vector<Step> partial_terminal_steps();
std::vector<Step> not_committed_steps();
std::vector<Step> not_dispatched_steps();
std::vector<Step> outcome_unknown_steps();
std::vector<Step> ready_steps();
std::vector<Step> abandoned_steps();

std::vector<Step> set_aside_required_steps();
std::vector<Step> drop_required_steps();
std::vector<Step> completable_steps();
std::vector<Step> cleanup_in_progress_steps();
std::vector<Step> cleanup_incomplete_steps();
std::vector<Step> cleanup_lost_steps();
std::vector<Step> cleanup_unknown_steps();

std::vector<Step> retire_in_progress_steps();
std::vector<Step> retire_incomplete_steps();
std::vector<Step> retire_lost_steps();
std::vector<Step> retire_unknown_steps();
std::vector<Step> retirable_steps();
std::vector<Step> retired_mixed_steps();

std::vector<Step> no_record_steps();
std::vector<Step> authority_lost_steps();
std::vector<Step> authority_invalid_steps();
std::vector<Step> authority_foreign_steps();
std::vector<Step> inventory_drift_steps();
std::vector<Step> drifted_steps();

} // namespace onceswap::demo_cluster
