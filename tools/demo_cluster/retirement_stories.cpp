#include "tools/demo_cluster/strikes.hpp"

// An operator ends what cannot be proven.

namespace onceswap::demo_cluster {

using protocol::StatementKind;
using sim::Effect;

std::vector<Step> retire_in_progress_steps() {
    Step retire(
        "the DDL worker of ch-3 will not take the retiring RENAME; --timeout 60s ends the waiting",
        Command::retire
    );
    retire.timeout = std::chrono::seconds(60);
    retire.faults.push_back(worker_stops(StatementKind::rename_retire, 2));
    return {publish_that_dies_before_its_statement(), retire};
}

std::vector<Step> retire_incomplete_steps() {
    Step retire("ch-3 will answer the retiring RENAME with an error, every time", Command::retire);
    retire.faults.push_back(host_fails(StatementKind::rename_retire, 2));
    return {publish_that_dies_before_its_statement(), retire};
}

std::vector<Step> retire_lost_steps() {
    Step retire(
        "ch-2 will be slow to take the candidate's name, and the process dies before it keeps the queue's "
        "answer",
        Command::retire
    );
    retire.ddl_task_timeout = std::chrono::seconds(3);
    retire.faults.push_back(worker_stops(StatementKind::rename_retire, 1, std::chrono::seconds(20)));
    retire.faults.push_back(dies_at_write_of("ABANDONED"));
    return {
        publish_that_dies_before_its_statement(),
        retire,
        happens("the queue's cleaner removes all entries", {at_once(Effect::remove_entries)}),
        Step("what is left to do", Command::status)
    };
}

std::vector<Step> retire_unknown_steps() {
    Step retire("the process will die before it keeps the queue's answer", Command::retire);
    retire.faults.push_back(dies_at_write_of("ABANDONED"));
    sim::Fault unreadable = at_once(Effect::edit_queue);
    unreadable.queue_edit.what = sim::QueueEdit::What::unreadable;
    return {
        publish_that_dies_before_its_statement(),
        retire,
        happens("system.distributed_ddl_queue cannot be read any more", {unreadable}),
        Step("what can be proven", Command::status)
    };
}

std::vector<Step> retirable_steps() {
    Step retire("the process will die when everything is done but the record's last step", Command::retire);
    retire.faults.push_back(dies_at_write_of("ABANDONED"));
    return {publish_that_dies_before_its_statement(), retire, Step("what is left to do", Command::status)};
}

std::vector<Step> retired_mixed_steps() {
    Step publish("ch-2 will answer the EXCHANGE with an error, the others run it", Command::publish);
    publish.faults.push_back(host_fails(StatementKind::exchange, 1));
    return {publish, Step("the operator ends the publication", Command::retire)};
}

} // namespace onceswap::demo_cluster
