#include "operator_calls.hpp"

#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/state.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace onceswap::simulation {

using protocol::Phase;
using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

/// The first process dies when it is about to hand over the statement of that kind.
Fault death_at(StatementKind kind) {
    Fault death(Point::send, Match(kind), Effect::crash_client);
    death.match.client = "p1";
    return death;
}

Fault death_at_write_of(std::string_view phase) {
    Fault death(Point::send, Match(StatementKind::authority_update), Effect::crash_client);
    death.match.client = "p1";
    death.match.sql = "phase = '" + std::string(phase) + "', dispatch_epoch";
    return death;
}

std::optional<Fault> death_in(Phase phase) {
    switch (phase) {
    case Phase::prepared:
        return death_at_write_of("DISPATCHING");
    case Phase::dispatching:
        return death_at(StatementKind::exchange);
    case Phase::set_aside_dispatching:
        return death_at(StatementKind::rename_aside);
    case Phase::cleanup_dispatching:
        return death_at(StatementKind::drop_aside);
    case Phase::retiring:
    case Phase::committed:
    case Phase::completed:
    case Phase::abandoned:
        break;
    }
    return std::nullopt;
}

} // namespace

std::string_view text(Command command) {
    switch (command) {
    case Command::abandon:
        return "abandon";
    case Command::retire:
        return "retire";
    case Command::close:
        return "close";
    case Command::resume:
        return "resume";
    }
    return "";
}

std::string stopped_by(const std::optional<protocol::Report>& report) {
    return report && report->stopped_by ? std::string(protocol::stable_name(*report->stopped_by)) : "";
}

engine::Pin pin_of(Bench& bench) {
    const auto seen = bench.observe();
    BOOST_REQUIRE(seen.has_value());
    BOOST_REQUIRE_MESSAGE(seen->record_version.has_value(), describe(seen));
    return engine::Pin(seen->operation_id, *seen->record_version);
}

sim::Started<protocol::Report>
start(Bench& bench, Command command, engine::Pin pin, sim::Publisher& process) {
    auto& context = bench.context_of(process);
    const auto deadline = bench.world.in(std::chrono::minutes(10));
    switch (command) {
    case Command::abandon:
        return bench.world.start<protocol::Report>(
            process, engine::abandon(context, bench.target, std::move(pin), deadline)
        );
    case Command::retire:
        return bench.world.start<protocol::Report>(
            process, engine::retire(context, bench.target, std::move(pin), deadline)
        );
    case Command::close:
        return bench.world.start<protocol::Report>(
            process, engine::close_keeping_predecessor(context, bench.target, std::move(pin), deadline)
        );
    case Command::resume:
        break;
    }
    return bench.world.start<protocol::Report>(process, engine::resume(context, bench.target, deadline));
}

std::optional<protocol::Report> run(Bench& bench, Command command, engine::Pin pin) {
    auto started = start(bench, command, std::move(pin), bench.process());
    bench.world.run();
    return started.result();
}

std::optional<protocol::Report> run(Bench& bench, Command command) {
    return run(bench, command, pin_of(bench));
}

std::optional<engine::OrphanDrop> drop(Bench& bench, engine::Pin pin, protocol::NamedTable orphan) {
    auto& process = bench.process();
    return bench.world.run<engine::OrphanDrop>(
        process,
        engine::drop_orphan(
            bench.context_of(process),
            bench.target,
            std::move(pin),
            std::move(orphan),
            bench.world.in(std::chrono::minutes(10))
        )
    );
}

protocol::Result<engine::OrphanListing> list(Bench& bench) {
    auto& process = bench.process();
    auto listed = bench.world.run<protocol::Result<engine::OrphanListing>>(
        process,
        engine::list_orphans(bench.context_of(process), "db", bench.world.in(std::chrono::minutes(1)))
    );
    BOOST_REQUIRE(listed.has_value());
    return *listed;
}

std::unique_ptr<Bench> bench_in(Phase phase, sim::Scenario scenario, std::uint64_t seed) {
    const Phase begun = phase == Phase::retiring ? Phase::dispatching : phase;
    if (const auto death = death_in(begun)) {
        scenario.faults.push_back(*death);
    }
    if (phase == Phase::retiring) {
        Fault death(Point::send, Match(StatementKind::rename_retire), Effect::crash_client);
        scenario.faults.push_back(death);
    }
    auto bench = std::make_unique<Bench>(std::move(scenario), seed);
    auto request = bench->request("run-1");
    request.cleanup = phase != Phase::committed;
    const bool to_abandon = phase == Phase::abandoned;
    if (to_abandon) {
        bench->world.add(death_at_write_of("DISPATCHING"));
    }
    bench->publish(bench->process(), std::move(request));
    if (to_abandon) {
        run(*bench, Command::abandon);
    }
    if (phase == Phase::retiring) {
        run(*bench, Command::retire);
    }
    const auto seen = bench->observe();
    BOOST_TEST_CONTEXT("seed " << seed << ": " << describe(seen) << bench->facts()) {
        BOOST_REQUIRE(seen.has_value());
        BOOST_REQUIRE(seen->phase.has_value());
        BOOST_REQUIRE(protocol::text(*seen->phase) == protocol::text(phase));
    }
    return bench;
}

std::size_t mutations_of(Bench& bench, std::string_view client) {
    const auto& sends = bench.world.truth().sends;
    return static_cast<std::size_t>(std::ranges::count_if(sends, [&](const auto& send) {
        return send.client == client && sim::is_mutation(send.statement_class);
    }));
}

std::string uuid_of(Bench& bench, sim::MemberIndex member, const std::string& table) {
    const auto storage = bench.world.cluster().state().members.at(member).find("db", table);
    return storage ? storage->uuid : std::string();
}

void check_settled(Bench& bench, const std::optional<protocol::Report>& report, std::string_view what) {
    check_invariants(bench, what);
    BOOST_TEST_CONTEXT(
        what << ", seed " << bench.world.seed() << ": " << describe(report) << "\n"
             << bench.facts()
    ) {
        BOOST_TEST((word(report) == "COMPLETED" || word(report) == "ABANDONED"));
        BOOST_TEST(stopped_by(report) == "");
        for (sim::MemberIndex member = 1; member < bench.members(); ++member) {
            BOOST_TEST(bench.target_uuid(member) == bench.target_uuid(0));
        }
        BOOST_TEST(bench.world.leftovers().empty());
    }
}

} // namespace onceswap::simulation
