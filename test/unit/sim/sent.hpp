#pragma once

#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/world.hpp"
#include "http_transport/transport.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <type_traits>
#include <utility>

namespace onceswap::sim::test {

/// What one call brought, flat: for tables of expectations.
struct Sent {
    Sent() = default;
    unsigned status = 0;
    int code = 0;
    std::string body;
    bool complete = false;
    http::Evidence evidence;
};

static_assert(!std::is_aggregate_v<Sent>);

inline Sent flatten(const http::Exchange& exchange) {
    Sent sent;
    sent.evidence = exchange.evidence;
    sent.complete = exchange.evidence.reply_complete;
    if (exchange.response) {
        sent.status = exchange.response->status;
        sent.code = exchange.response->exception_code.value_or(0);
        sent.body = exchange.response->body;
    }
    return sent;
}

inline boost::asio::awaitable<Sent> send(
    World& world,
    Publisher& publisher,
    MemberIndex member,
    protocol::Statement statement,
    std::string rows,
    engine::Duration patience
) {
    http::Request request(std::move(statement), publisher.entropy().hex32());
    request.payload = std::move(rows);
    request.deadline = world.in(patience);
    const http::Endpoint endpoint = world.endpoint(member);
    if (!protocol::is_mutation(request.statement.kind)) {
        http::Exchange read = co_await publisher.transport().read(endpoint, std::move(request));
        co_return flatten(read);
    }
    http::Prepared prepared = co_await publisher.transport().prepare(endpoint, request.deadline);
    if (!prepared.call) {
        Sent sent;
        sent.evidence = prepared.evidence;
        co_return sent;
    }
    http::Exchange exchange = co_await prepared.call->send(std::move(request));
    co_return flatten(exchange);
}

/// Sends one statement as publisher `p1` and runs the world until the answer is there.
inline Sent
ask(World& world,
    MemberIndex member,
    protocol::Statement statement,
    std::string rows = {},
    engine::Duration patience = std::chrono::seconds(60)) {
    Publisher& publisher = world.publisher();
    auto sent =
        world.run(publisher, send(world, publisher, member, std::move(statement), std::move(rows), patience));
    return sent ? *sent : Sent();
}

/// SQL under the kind of a statement of ours.
inline protocol::Statement
sql(std::string text,
    protocol::StatementKind kind = protocol::StatementKind::settings_probe,
    protocol::Settings settings = {}) {
    return protocol::Statement(kind, std::move(text), std::move(settings));
}

} // namespace onceswap::sim::test
