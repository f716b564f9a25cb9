#include "tools/demo_cluster/strikes.hpp"

// After the swap: the old generation loses its name and is dropped.

namespace onceswap::demo_cluster {

using protocol::StatementKind;
using sim::Effect;

std::vector<Step> set_aside_required_steps() {
    return {
        publish_that_dies(
            "the process will die when the swap is proven and the cleanup not begun",
            dies_at_write_of("SET_ASIDE_DISPATCHING")
        ),
        Step("what is left to do", Command::status)
    };
}

std::vector<Step> drop_required_steps() {
    return {
        publish_that_dies(
            "the process will die when the old generation has lost its name and is not dropped",
            dies_at_write_of("CLEANUP_DISPATCHING")
        ),
        Step("what is left to do", Command::status)
    };
}

std::vector<Step> completable_steps() {
    return {
        publish_that_dies(
            "the process will die when everything is done but the record's last step",
            dies_at_write_of("COMPLETED")
        ),
        Step("what is left to do", Command::status)
    };
}

std::vector<Step> cleanup_in_progress_steps() {
    Step step(
        "the DDL worker of ch-3 will stand still before the DROP of the old generation; --timeout 60s ends "
        "the waiting",
        Command::publish
    );
    step.timeout = std::chrono::seconds(60);
    step.faults.push_back(worker_stops(StatementKind::drop_aside, 2));
    return {step};
}

std::vector<Step> cleanup_incomplete_steps() {
    Step step("ch-2 will refuse to drop the old generation", Command::publish);
    sim::Fault refusal = host_fails(StatementKind::drop_aside, 1);
    refusal.code = 359;
    refusal.text = "Table or Partition in db was not dropped: size is greater than max_table_size_to_drop";
    step.faults.push_back(refusal);
    return {step};
}

std::vector<Step> cleanup_lost_steps() {
    Step step(
        "ch-2 will be slow to take the old generation's name, and the process dies before it keeps the "
        "queue's answer",
        Command::publish
    );
    step.ddl_task_timeout = std::chrono::seconds(3);
    step.faults.push_back(worker_stops(StatementKind::rename_aside, 1, std::chrono::seconds(20)));
    step.faults.push_back(dies_at_write_of("CLEANUP_DISPATCHING"));
    return {
        step,
        happens("the queue's cleaner removes all entries", {at_once(Effect::remove_entries)}),
        Step("what is left to do", Command::status)
    };
}

std::vector<Step> cleanup_unknown_steps() {
    sim::Fault unreadable = at_once(Effect::edit_queue);
    unreadable.queue_edit.what = sim::QueueEdit::What::unreadable;
    return {
        publish_that_dies(
            "the process will die when the old generation has lost its name and is not dropped",
            dies_at_write_of("CLEANUP_DISPATCHING")
        ),
        happens("system.distributed_ddl_queue cannot be read any more", {unreadable}),
        Step("what can be proven", Command::status)
    };
}

} // namespace onceswap::demo_cluster
