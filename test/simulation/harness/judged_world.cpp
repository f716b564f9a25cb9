#include "judged_world.hpp"

#include "simulation/loader.hpp"

namespace onceswap::harness_test {

namespace asio = boost::asio;
using simulation::loader;

JudgedWorld::JudgedWorld(sim::Scenario scenario, std::uint64_t seed)
    : world(std::move(scenario), seed), judge(world) {}

sim::Publisher& JudgedWorld::process() {
    return world.publisher("p" + std::to_string(++processes_));
}

engine::Context& JudgedWorld::context_of(sim::Publisher& process) {
    contexts_.push_back(std::make_unique<engine::Context>(process.context(engine::no_events(), limits)));
    return *contexts_.back();
}

engine::PublishRequest JudgedWorld::request(std::string invocation) const {
    engine::PublishRequest request;
    request.target = target;
    request.invocation_id = std::move(invocation);
    request.plan_digest = std::string(64, 'a');
    request.deadline = world.in(std::chrono::minutes(10));
    return request;
}

std::optional<protocol::Report>
JudgedWorld::heard(sim::Publisher& process, std::optional<protocol::Report> report) {
    if (report) {
        judge.said(process.name(), *report);
    }
    return report;
}

std::optional<protocol::Report> JudgedWorld::publish(std::string invocation, bool cleanup) {
    sim::Publisher& who = process();
    auto wanted = request(std::move(invocation));
    wanted.cleanup = cleanup;
    return heard(
        who, run<protocol::Report>(who, engine::publish(context_of(who), std::move(wanted), loader(20)))
    );
}

std::optional<protocol::Report> JudgedWorld::resume() {
    sim::Publisher& who = process();
    return heard(
        who,
        run<protocol::Report>(
            who, engine::resume(context_of(who), target, world.in(std::chrono::minutes(10)))
        )
    );
}

std::optional<protocol::Report> JudgedWorld::observe() {
    sim::Publisher& who = process();
    return heard(
        who,
        run<protocol::Report>(
            who, engine::observe(context_of(who), target, world.in(std::chrono::minutes(1)))
        )
    );
}

bool JudgedWorld::step() {
    const bool more = world.step();
    judge.after_step();
    return more;
}

void JudgedWorld::idle() {
    while (step()) {
    }
}

std::string JudgedWorld::found(harness::Invariant invariant) const {
    for (const harness::Violation& one : judge.violations()) {
        if (one.invariant == invariant) {
            return one.detail;
        }
    }
    return {};
}

std::string JudgedWorld::violations() const {
    std::string text;
    for (const harness::Violation& one : judge.violations()) {
        text += std::string(harness::text(one.invariant)) + ": " + one.detail + "\n";
    }
    return text;
}

} // namespace onceswap::harness_test
