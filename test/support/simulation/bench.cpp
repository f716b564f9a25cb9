#include "bench.hpp"

#include "engine/deadline.hpp"
#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/state.hpp"
#include "protocol/error_code.hpp"
#include "protocol/statements.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <map>
#include <set>

namespace onceswap::simulation {

std::string Bench::facts() {
    std::string text = recorder.describe() + world.truth().describe();
    if (std::getenv("ONCESWAP_TRACE") != nullptr) {
        text += world.trace();
    }
    return text;
}

std::string Recorder::describe() const {
    std::string text;
    for (const auto& event : events) {
        if (event.kind == engine::EventKind::wait || event.kind == engine::EventKind::gap) {
            continue;
        }
        text += std::string(engine::text(event.kind)) + " " + event.name + " " + event.host;
        if (event.kind == engine::EventKind::mutation) {
            text += std::string(protocol::text(event.statement)) + " " +
                    std::string(protocol::text(event.outcome));
        }
        if (event.kind == engine::EventKind::pass) {
            text += std::string(protocol::text(event.verdict));
        }
        text += " " + event.detail + "\n";
    }
    return text;
}

std::vector<std::string> Recorder::steps() const {
    std::vector<std::string> names;
    for (const auto& event : events) {
        if (event.kind == engine::EventKind::step) {
            names.push_back(event.name);
        }
    }
    return names;
}

Bench::Bench(sim::Scenario scenario, std::uint64_t seed) : world(scenario, seed), scenario_(scenario) {
    for (const auto& table : scenario_.tables) {
        if (table.name == "pattern") {
            like = protocol::TargetName{"db", "pattern"};
        }
    }
}

sim::Publisher& Bench::process() {
    return world.publisher("p" + std::to_string(++processes_));
}

engine::Context& Bench::context_of(sim::Publisher& process) {
    contexts_.push_back(std::make_unique<engine::Context>(process.context(recorder, limits)));
    return *contexts_.back();
}

engine::PublishRequest Bench::request(std::string invocation) const {
    engine::PublishRequest request;
    request.target = target;
    request.like = like;
    request.invocation_id = std::move(invocation);
    request.plan_digest = std::string(64, 'a');
    request.deadline = world.in(std::chrono::minutes(10));
    return request;
}

sim::Started<protocol::Report>
Bench::start_publish(sim::Publisher& process, engine::PublishRequest request, std::uint64_t rows) {
    return world.start<protocol::Report>(
        process, engine::publish(context_of(process), std::move(request), loader(rows))
    );
}

std::optional<protocol::Report>
Bench::publish(sim::Publisher& process, engine::PublishRequest request, std::uint64_t rows) {
    auto started = start_publish(process, std::move(request), rows);
    world.run();
    return started.result();
}

std::optional<protocol::Report> Bench::publish(std::string invocation, std::uint64_t rows) {
    return publish(process(), request(std::move(invocation)), rows);
}

std::optional<protocol::Report> Bench::resume() {
    auto& who = process();
    return world.run<protocol::Report>(
        who, engine::resume(context_of(who), target, world.in(std::chrono::minutes(10)))
    );
}

std::optional<protocol::Report> Bench::observe() {
    auto& who = process();
    return world.run<protocol::Report>(
        who, engine::observe(context_of(who), target, world.in(std::chrono::minutes(1)))
    );
}

std::string Bench::target_uuid(sim::MemberIndex member) {
    const auto storage = world.cluster().state().members.at(member).find(target.database, target.table);
    return storage ? storage->uuid : std::string();
}

std::string describe(const std::optional<protocol::Report>& report) {
    if (!report) {
        return "no report (crashed)";
    }
    std::string text(protocol::text(report->verdict.word));
    text += " row " + std::to_string(report->verdict.row) + ": " + report->verdict.detail;
    if (report->stopped_by) {
        text += "; stopped by " + std::string(protocol::stable_name(*report->stopped_by)) + ": " +
                report->stopped_detail;
    }
    for (const auto& gap : report->evidence_gaps) {
        text += "; gap " + gap;
    }
    return text;
}

void check_invariants(Bench& bench, std::string_view what, std::size_t operations) {
    const sim::GroundTruth& truth = bench.world.truth();
    BOOST_TEST_CONTEXT(what << ", seed " << bench.world.seed() << "\n" << bench.facts()) {
        // 1. One statement per operation that can publish, and its entry once.
        std::map<std::string, std::size_t> publishing;
        std::set<std::string> ids;
        std::set<std::string> statements;
        for (const auto& send : truth.sends) {
            if (!sim::is_mutation(send.statement_class)) {
                continue;
            }
            // 2. Every mutation left once.
            BOOST_TEST(ids.insert(send.query_id).second, "sent twice: " << send.sql);
            if (send.statement_class != sim::StatementClass::insert_rows) {
                BOOST_TEST(statements.insert(send.token + send.sql).second, "sent twice: " << send.sql);
            }
            if (send.token.find("-publish-") != std::string::npos) {
                ++publishing[send.token.substr(0, 32)];
            }
        }
        for (const auto& [operation, count] : publishing) {
            BOOST_TEST(count == 1U, operation << " sent " << count << " publishing statements");
        }
        BOOST_TEST(publishing.size() <= operations);
        // 3. What is dropped was a target once, or a candidate that no record ever named.
        std::set<std::string> wanted;
        for (sim::MemberIndex member = 0; member < bench.members(); ++member) {
            wanted.insert(bench.target_uuid(member));
        }
        for (const auto& drop : truth.drops) {
            BOOST_TEST(!wanted.contains(drop.uuid), "the target's generation was dropped: " << drop.uuid);
        }
        // 4. Versions only rise by one.
        std::map<std::string, std::int32_t> version;
        for (const auto& write : truth.authority_writes) {
            if (write.by_fault) {
                continue;
            }
            const auto known = version.find(write.target_key);
            if (known != version.end()) {
                BOOST_TEST(write.version == known->second + 1);
            }
            version[write.target_key] = write.version;
        }
    }
}

void check_published(Bench& bench, const std::optional<protocol::Report>& report, std::string_view what) {
    check_invariants(bench, what);
    const sim::GroundTruth& truth = bench.world.truth();
    BOOST_TEST_CONTEXT(
        what << ", seed " << bench.world.seed() << ": " << describe(report) << "\n"
             << bench.facts()
    ) {
        BOOST_REQUIRE(report.has_value());
        BOOST_TEST(protocol::text(report->verdict.word) == protocol::text(protocol::Word::completed));
        BOOST_TEST(!report->stopped_by.has_value());
        BOOST_TEST(truth.entries_with("-publish-") == 1U);
        for (sim::MemberIndex member = 0; member < bench.members(); ++member) {
            BOOST_TEST(bench.target_uuid(member) == bench.target_uuid(0));
            BOOST_TEST(!bench.target_uuid(member).empty());
        }
        BOOST_TEST(bench.world.leftovers().empty());
    }
}

std::string word(const std::optional<protocol::Report>& report) {
    return report ? std::string(protocol::text(report->verdict.word)) : "crashed";
}

} // namespace onceswap::simulation
