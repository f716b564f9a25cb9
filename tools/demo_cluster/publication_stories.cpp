#include "tools/demo_cluster/strikes.hpp"

// A publication up to the swap, and what comes between.

namespace onceswap::demo_cluster {

using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::MemberIndex;
using sim::Point;

std::vector<Step> completed_steps() {
    return {Step("nothing goes wrong", Command::publish)};
}

std::vector<Step> committed_steps() {
    Step step("the old generation is to stay: --no-cleanup", Command::publish);
    step.cleanup = false;
    return {step};
}

std::vector<Step> in_progress_steps() {
    Step step(
        "no DDL worker of the cluster will take the EXCHANGE; --timeout 60s ends the waiting",
        Command::publish
    );
    step.timeout = std::chrono::seconds(60);
    for (MemberIndex member = 0; member < member_count; ++member)
        step.faults.push_back(worker_stops(StatementKind::exchange, member));
    return {step};
}

std::vector<Step> partial_in_progress_steps() {
    Step step(
        "the DDL worker of ch-2 will not take the EXCHANGE; --timeout 60s ends the waiting", Command::publish
    );
    step.timeout = std::chrono::seconds(60);
    step.faults.push_back(worker_stops(StatementKind::exchange, 1));
    return {step};
}

std::vector<Step> awaiting_receipt_steps() {
    Step step(
        "ch-3 will run the EXCHANGE and never say in the queue that it did; --timeout 60s ends the waiting",
        Command::publish
    );
    step.timeout = std::chrono::seconds(60);
    Fault mute(Point::worker_before_status, Match(StatementKind::exchange), Effect::stop_worker);
    mute.match.member = 2;
    step.faults.push_back(mute);
    return {step};
}

std::vector<Step> partial_terminal_steps() {
    Step step("ch-2 will answer the EXCHANGE with an error, the others run it", Command::publish);
    step.faults.push_back(host_fails(StatementKind::exchange, 1));
    return {step};
}

std::vector<Step> not_committed_steps() {
    Step step("every host will answer the EXCHANGE with an error", Command::publish);
    step.faults.push_back(host_fails(StatementKind::exchange, sim::any_member));
    return {step};
}

std::vector<Step> not_dispatched_steps() {
    Step step(
        "the initiator will refuse the EXCHANGE before it is in the queue, and --timeout 8s is too short to "
        "prove that no copy of it comes later",
        Command::publish
    );
    step.timeout = std::chrono::seconds(8);
    Fault refusal(Point::arrive, Match(StatementKind::exchange), Effect::answer);
    refusal.code = 497;
    refusal.text = "Code: 497. DB::Exception: demo: Not enough privileges. (ACCESS_DENIED)";
    step.faults.push_back(refusal);
    return {step};
}

std::vector<Step> outcome_unknown_steps() {
    Step step("the EXCHANGE will hang on its way, and its sender dies", Command::publish);
    step.faults.push_back(Fault(Point::arrive, Match(StatementKind::exchange), Effect::crash_client));
    step.faults.push_back(Fault(Point::arrive, Match(StatementKind::exchange), Effect::hold));
    Step after("nobody can tell whether the statement still comes; --timeout 60s", Command::resume);
    after.timeout = std::chrono::seconds(60);
    return {step, after};
}

std::vector<Step> ready_steps() {
    return {
        publish_that_dies(
            "the process will die when everything is staged and nothing dispatched",
            dies_at_write_of("DISPATCHING")
        ),
        Step("the staged table is recorded", Command::status)
    };
}

std::vector<Step> abandoned_steps() {
    return {
        publish_that_dies(
            "the process will die when everything is staged and nothing dispatched",
            dies_at_write_of("DISPATCHING")
        ),
        Step("the operator gives this operation up", Command::abandon)
    };
}

} // namespace onceswap::demo_cluster
