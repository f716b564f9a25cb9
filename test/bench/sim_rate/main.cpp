// Complete publications per CPU second in simulated worlds, and requests per publication. A measurement, not
// a test: it fails only when a publication does not end as COMPLETED.
//
//   bench_sim_rate [worlds] [publications per world] [first seed]

#include "engine/publish.hpp"
#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/world.hpp"
#include "protocol/statements.hpp"
#include "protocol/verdict.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace onceswap;

namespace {

/// CPU time of this process so far: what others do on the machine does not count.
double cpu_seconds() {
    std::timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

boost::asio::awaitable<protocol::Result<std::uint64_t>>
send_rows(engine::Context& context, engine::Candidate candidate) {
    const auto deadline = context.clock.now() + std::chrono::seconds(30);
    auto prepared = co_await context.transport.prepare(context.cluster.endpoints.front(), deadline);
    if (!prepared.call) {
        co_return protocol::Failure(protocol::Code::staging_failed, "no connection for the rows");
    }
    const protocol::TargetName table{"db", candidate.name};
    auto statement = protocol::insert_rows_statement(table, candidate.name + "-0");
    http::Request request(std::move(statement), "rows-" + candidate.name);
    request.payload = "{\"id\":1,\"name\":\"row\"}\n{\"id\":2,\"name\":\"row\"}\n";
    request.deadline = deadline;
    auto exchange = co_await prepared.call->send(std::move(request));
    if (!exchange.response) {
        co_return protocol::Failure(protocol::Code::staging_unknown, "no answer");
    }
    co_return std::uint64_t{2};
}

struct Load {
    std::string_view name;
    std::size_t members;
    bool faulty;
};

sim::Fault fault_of(std::uint64_t seed) {
    sim::Fault fault;
    switch (seed % 5) {
    case 0:
        fault.point = sim::Point::effect;
        fault.match.statement_class = sim::StatementClass::exchange;
        fault.effect = sim::Effect::lose;
        break;
    case 1:
        fault.point = sim::Point::worker_after_active;
        fault.effect = sim::Effect::crash;
        fault.lasts = std::chrono::seconds(20);
        break;
    case 2:
        fault.point = sim::Point::send;
        fault.match.statement_class = sim::StatementClass::queue;
        fault.times = 3;
        fault.effect = sim::Effect::reset;
        break;
    case 3:
        fault.point = sim::Point::after_commit;
        fault.match.statement_class = sim::StatementClass::authority_update;
        fault.effect = sim::Effect::keeper_loss;
        break;
    default:
        fault.point = sim::Point::arrive;
        fault.match.statement_class = sim::StatementClass::drop;
        fault.effect = sim::Effect::duplicate;
        fault.delay = std::chrono::milliseconds(40);
    }
    return fault;
}

struct Counts {
    std::uint64_t publications = 0;
    std::uint64_t completed = 0;
    std::uint64_t requests = 0;
    std::uint64_t fired = 0;
};

void run_world(const Load& load, std::uint64_t seed, std::uint64_t publications, Counts& counts) {
    std::vector<std::unique_ptr<engine::Context>> contexts;
    sim::World world(sim::simple_scenario(load.members), seed);
    if (load.faulty) {
        world.add(fault_of(seed));
    }
    for (std::uint64_t i = 0; i < publications; ++i) {
        sim::Publisher& process = world.publisher("p" + std::to_string(i));
        contexts.push_back(std::make_unique<engine::Context>(process.context()));
        engine::PublishRequest request;
        request.target = protocol::TargetName{"db", "target"};
        request.like = request.target;
        request.invocation_id = "run-" + std::to_string(i);
        request.plan_digest = std::string(64, 'a');
        request.deadline = world.in(std::chrono::minutes(10));
        auto report = world.run<protocol::Report>(
            process, engine::publish(*contexts.back(), std::move(request), send_rows)
        );
        ++counts.publications;
        counts.completed += report && report->verdict.word == protocol::Word::completed ? 1U : 0U;
    }
    counts.requests += world.truth().requests.size();
    counts.fired += world.truth().fired.empty() ? 0U : 1U;
}

std::uint64_t number(const char* text) {
    const std::string_view digits(text);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) {
        throw std::invalid_argument("bench_sim_rate [worlds] [publications per world] [first seed]");
    }
    return value;
}

int run(int argc, char** argv) {
    const std::uint64_t worlds = argc > 1 ? number(argv[1]) : 200;
    const std::uint64_t publications = argc > 2 ? number(argv[2]) : 1;
    const std::uint64_t first_seed = argc > 3 ? number(argv[3]) : 1;
    static constexpr Load loads[] = {
        {"2 members", 2, false},
        {"3 members", 3, false},
        {"5 members", 5, false},
        {"2 members, a fault", 2, true},
        {"3 members, a fault", 3, true},
        {"5 members, a fault", 5, true},
    };
    bool all_completed = true;
    std::printf("%-20s %12s %12s %12s %10s\n", "world", "per CPU s", "requests", "us/request", "completed");
    double all_seconds = 0;
    double all_publications = 0;
    for (const Load& load : loads) {
        Counts counts;
        const double begin = cpu_seconds();
        for (std::uint64_t seed = first_seed; seed < first_seed + worlds; ++seed) {
            run_world(load, seed, publications, counts);
        }
        const double seconds = cpu_seconds() - begin;
        const auto done = static_cast<double>(counts.publications);
        const auto requests = static_cast<double>(counts.requests);
        std::printf(
            "%-20s %12.1f %12.1f %12.2f %9llu%%\n",
            std::string(load.name).c_str(),
            done / seconds,
            requests / done,
            seconds * 1e6 / requests,
            static_cast<unsigned long long>(counts.completed * 100 / counts.publications)
        );
        all_completed = all_completed && (load.faulty || counts.completed == counts.publications);
        all_seconds += seconds;
        all_publications += done;
    }
    std::printf("%-20s %12.1f\n", "all", all_publications / all_seconds);
    return all_completed ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
