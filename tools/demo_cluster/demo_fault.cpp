#include "tools/demo_cluster/demo_fault.hpp"

#include <algorithm>
#include <array>

namespace onceswap::demo_cluster {

namespace {

using protocol::Word;

constexpr auto table = std::to_array<DemoFault>({
    // a publication up to the swap
    {"completed", Word::completed, 0, "nothing goes wrong", completed_steps},
    {"committed", Word::committed, 0, "published, the old generation is kept", committed_steps},
    {"in-progress", Word::in_progress, 3, "no DDL worker takes the EXCHANGE", in_progress_steps},
    {"partial-in-progress",
     Word::partial_in_progress,
     3,
     "the DDL worker of one host stands still",
     partial_in_progress_steps},
    {"awaiting-receipt",
     Word::awaiting_receipt,
     3,
     "swapped everywhere, and one host never says so in the queue",
     awaiting_receipt_steps},
    {"partial-terminal",
     Word::partial_terminal,
     5,
     "one host fails the EXCHANGE, the others ran it",
     partial_terminal_steps},
    {"not-committed", Word::not_committed, 6, "every host fails the EXCHANGE", not_committed_steps},
    {"not-dispatched",
     Word::not_dispatched,
     6,
     "the EXCHANGE is refused before it is in the queue",
     not_dispatched_steps},
    {"outcome-unknown",
     Word::outcome_unknown,
     4,
     "the EXCHANGE hangs on its way and its sender is gone",
     outcome_unknown_steps},
    {"ready", Word::ready, 3, "killed when staged and not dispatched", ready_steps},
    {"abandoned", Word::abandoned, 6, "the same, given up by the operator", abandoned_steps},
    // the old generation
    {"set-aside-required",
     Word::set_aside_required,
     3,
     "killed between swap and cleanup",
     set_aside_required_steps},
    {"drop-required", Word::drop_required, 3, "killed before the DROP", drop_required_steps},
    {"completable", Word::completable, 0, "killed before the record's last step", completable_steps},
    {"cleanup-in-progress",
     Word::cleanup_in_progress,
     3,
     "one host does not take the DROP",
     cleanup_in_progress_steps},
    {"cleanup-incomplete", Word::cleanup_incomplete, 9, "one host refuses the DROP", cleanup_incomplete_steps
    },
    {"cleanup-lost",
     Word::cleanup_lost,
     3,
     "the cleanup's entry left the queue before its receipt was kept",
     cleanup_lost_steps},
    {"cleanup-unknown",
     Word::cleanup_unknown,
     4,
     "the queue cannot be read during the cleanup",
     cleanup_unknown_steps},
    // retire
    {"retire-in-progress",
     Word::retire_in_progress,
     3,
     "one host does not take the retiring RENAME",
     retire_in_progress_steps},
    {"retire-incomplete",
     Word::retire_incomplete,
     9,
     "one host refuses the retiring RENAME",
     retire_incomplete_steps},
    {"retire-lost",
     Word::retire_lost,
     3,
     "the retiring entry left the queue before its receipt was kept",
     retire_lost_steps},
    {"retire-unknown",
     Word::retire_unknown,
     4,
     "the queue cannot be read during the retirement",
     retire_unknown_steps},
    {"retirable", Word::retirable, 3, "killed before the record's last step", retirable_steps},
    {"retired-mixed",
     Word::retired_mixed,
     5,
     "a partial publication is ended, the hosts differ",
     retired_mixed_steps},
    // what others do
    {"no-record", Word::no_record, 6, "nothing was ever published", no_record_steps},
    {"authority-lost", Word::authority_lost, 4, "the record is gone from Keeper", authority_lost_steps},
    {"authority-invalid", Word::authority_invalid, 4, "the record was edited by hand", authority_invalid_steps
    },
    {"authority-foreign",
     Word::authority_foreign,
     4,
     "the record is that of other servers",
     authority_foreign_steps},
    {"inventory-drift", Word::inventory_drift, 4, "a host left the cluster under way", inventory_drift_steps},
    {"drifted", Word::drifted, 7, "the published table was renamed by hand on one host", drifted_steps},
});

} // namespace

std::string_view text(Command command) {
    switch (command) {
    case Command::publish:
        return "refresh-load publish";
    case Command::resume:
        return "refresh-load resume";
    case Command::retire:
        return "refresh-load retire";
    case Command::abandon:
        return "refresh-load abandon";
    case Command::status:
        return "reconcile-watch status";
    }
    return {};
}

std::span<const DemoFault> demo_faults() {
    return table;
}

const DemoFault* find_demo_fault(std::string_view name) {
    if (name.empty())
        return table.data();
    const auto found = std::ranges::find(table, name, &DemoFault::name);
    return found == table.end() ? nullptr : &*found;
}

} // namespace onceswap::demo_cluster
