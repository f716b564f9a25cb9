// A loader process that embeds onceswap: it makes its rows itself, publishes them once, and exits with the
// verdict.
//
//   embed <cluster> <database.table> <invocation id> <rows> <url of member 1> <url of member 2> ...
#include "engine/publish.hpp"
#include "engine/row_insert.hpp"
#include "engine/system_clock.hpp"
#include "http_transport/beast_transport.hpp"
#include "protocol/digest.hpp"
#include "protocol/report.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

namespace asio = boost::asio;
namespace engine = onceswap::engine;
namespace http = onceswap::http;
namespace protocol = onceswap::protocol;

namespace {

// Fills the candidate. Called once admission has accepted the cluster, and not at all when an earlier try of
// the same invocation is already past staging.
asio::awaitable<protocol::Result<std::uint64_t>> stage(
    engine::Context& context,
    const engine::Candidate& candidate,
    protocol::TargetName target,
    std::uint64_t rows
) {
    std::string batch;
    for (std::uint64_t row = 1; row <= rows; ++row)
        batch += "{\"id\":" + std::to_string(row) + ",\"name\":\"row " + std::to_string(row) + "\"}\n";
    if (rows == 0)
        co_return protocol::Result<std::uint64_t>(0U); // an empty generation is a valid one

    const std::string token = engine::row_insert_token(candidate.uuid, 0, protocol::sha256_hex(batch));
    engine::RowInsert insert(
        context.cluster.endpoints.front(),
        protocol::TargetName(target.database, candidate.name),
        std::move(batch),
        token
    );
    const auto deadline = context.clock.now() + std::chrono::minutes(1);
    const auto result = co_await engine::insert_rows(context, std::move(insert), deadline);
    if (result.outcome != protocol::Outcome::acknowledged)
        co_return protocol::Result<std::uint64_t>(result.problem);
    co_return protocol::Result<std::uint64_t>(rows);
}

protocol::Report load(
    const protocol::TargetName& target,
    const std::string& invocation,
    std::uint64_t rows,
    engine::Cluster cluster
) {
    asio::io_context loop;
    const auto clock = engine::make_system_clock(loop.get_executor());
    const auto entropy = engine::make_system_entropy();
    auto transport = http::make_beast_transport(loop.get_executor(), http::TransportOptions());
    if (!transport)
        throw std::runtime_error(transport.error());
    engine::Context context(**transport, *clock, *entropy, engine::no_events(), std::move(cluster));

    engine::PublishRequest request;
    request.target = target;
    request.invocation_id = invocation; // the scheduler's: the same for every try of one run
    request.plan_digest = protocol::sha256_hex("embed example, rows " + std::to_string(rows));
    request.deadline = clock->now() + std::chrono::minutes(5);

    const engine::StageFunction fill = [target,
                                        rows](engine::Context& inner, const engine::Candidate& candidate) {
        return stage(inner, candidate, target, rows);
    };

    protocol::Report report;
    std::exception_ptr error;
    asio::co_spawn(
        loop,
        engine::publish(context, std::move(request), fill),
        [&](std::exception_ptr failed, protocol::Report done) {
            error = failed;
            report = std::move(done);
        }
    );
    loop.run();
    if (error)
        std::rethrow_exception(error);
    return report;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::string name = argc > 2 ? argv[2] : "";
        const auto dot = name.find('.');
        if (argc < 7 || dot == std::string::npos) {
            std::cerr << "usage: embed <cluster> <database.table> <invocation id> <rows> <url> <url>...\n";
            return 2;
        }
        engine::Cluster cluster;
        cluster.name = argv[1];
        for (int i = 5; i < argc; ++i) {
            auto endpoint = http::Endpoint::parse(argv[i]);
            if (!endpoint) {
                std::cerr << "embed: " << endpoint.error() << '\n';
                return 2;
            }
            cluster.endpoints.push_back(*endpoint);
        }
        const protocol::TargetName target(name.substr(0, dot), name.substr(dot + 1));
        const auto report = load(target, argv[3], std::stoull(argv[4]), std::move(cluster));
        std::cout << boost::json::serialize(protocol::to_json(report)) << '\n';
        return protocol::exit_code(report);
    } catch (const std::exception& error) {
        std::cerr << "embed: " << error.what() << '\n';
        return 1;
    }
}
