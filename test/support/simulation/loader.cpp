#include "loader.hpp"

#include "http_transport/response.hpp"
#include "protocol/error_code.hpp"
#include "protocol/statements.hpp"

#include <chrono>
#include <string>

namespace onceswap::simulation {

namespace asio = boost::asio;
using protocol::Failure;

namespace {

asio::awaitable<protocol::Result<std::uint64_t>>
send_rows(engine::Context& context, engine::Candidate candidate, std::uint64_t rows) {
    std::string body;
    for (std::uint64_t i = 0; i < rows; ++i) {
        body += "{\"id\":" + std::to_string(i) + ",\"name\":\"row\"}\n";
    }
    if (rows == 0) {
        co_return std::uint64_t{0};
    }
    const auto deadline = context.clock.now() + std::chrono::seconds(30);
    auto prepared = co_await context.transport.prepare(context.cluster.endpoints.front(), deadline);
    if (!prepared.call) {
        co_return Failure(protocol::Code::staging_failed, "no connection for the rows");
    }
    const protocol::TargetName table{"db", candidate.name};
    auto statement = protocol::insert_rows_statement(table, candidate.name + "-0");
    http::Request request(std::move(statement), "rows-" + candidate.name);
    request.payload = std::move(body);
    request.deadline = deadline;
    auto exchange = co_await prepared.call->send(std::move(request));
    const auto observed = http::observe(exchange, http::BodyShape::empty);
    const auto outcome = protocol::classify_outcome(protocol::MutationKind::insert, observed);
    if (outcome != protocol::Outcome::acknowledged) {
        co_return Failure(protocol::Code::staging_unknown, std::string(protocol::text(outcome)));
    }
    co_return rows;
}

} // namespace

engine::StageFunction loader(std::uint64_t rows) {
    return [rows](engine::Context& context, const engine::Candidate& candidate) {
        return send_rows(context, candidate, rows);
    };
}

} // namespace onceswap::simulation
