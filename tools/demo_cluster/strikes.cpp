#include "tools/demo_cluster/strikes.hpp"

#include <utility>

namespace onceswap::demo_cluster {

using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::MemberIndex;
using sim::Point;

Fault dies_at(StatementKind kind) {
    return Fault(Point::send, Match(kind), Effect::crash_client);
}

Fault dies_at_write_of(std::string_view phase) {
    Fault death(Point::send, Match(StatementKind::authority_update), Effect::crash_client);
    death.match.sql = "phase = '" + std::string(phase) + "', dispatch_epoch";
    return death;
}

Fault worker_stops(StatementKind kind, MemberIndex member, sim::Time lasts) {
    Fault stop(Point::enqueued, Match(kind), Effect::stop_worker);
    stop.on = member;
    stop.lasts = lasts;
    return stop;
}

Fault host_fails(StatementKind kind, MemberIndex member) {
    Fault failure(Point::worker_after_active, Match(kind), Effect::host_error);
    failure.match.member = member;
    failure.times = 0;
    failure.code = 630;
    failure.text = "Cannot rename, some tables depend on it: db.by_language";
    return failure;
}

Fault at_once(Effect effect) {
    return Fault(sim::Time{}, effect);
}

Step publish_that_dies(std::string says, Fault death) {
    Step step(std::move(says), Command::publish);
    step.faults.push_back(std::move(death));
    return step;
}

Step happens(std::string says, std::vector<Fault> faults) {
    Step step(std::move(says), std::nullopt);
    step.faults = std::move(faults);
    return step;
}

Step publish_that_dies_before_its_statement() {
    return publish_that_dies(
        "the process will die after the record says DISPATCHING and before the EXCHANGE is sent",
        dies_at(StatementKind::exchange)
    );
}

} // namespace onceswap::demo_cluster
