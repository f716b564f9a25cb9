#include "engine/member_read.hpp"

#include "engine/deadline.hpp"
#include "http_transport/response.hpp"
#include "protocol/mutant.hpp"

#include <boost/asio/this_coro.hpp>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

bool is_cancelled(const asio::cancellation_state& state) {
    return state.cancelled() != asio::cancellation_type::none;
}

} // namespace

std::string wrong_server(const protocol::Uuid& shown, const protocol::Uuid& expected) {
    if (shown.is_nil())
        return "answered without a server UUID";
    return "answered as server " + shown.text() + ", expected " + expected.text();
}

bool is_from(const protocol::Uuid& shown, const protocol::Uuid& expected) {
    return !shown.is_nil() &&
           (expected.is_nil() || shown == expected || mutated(protocol::Mutant::server_uuid_not_compared));
}

bool is_unknown_table(const MemberAnswer& answer) {
    constexpr int unknown_table = 60;
    return answer.exception && answer.exception->code == unknown_table;
}

void report_gap(Context& context, const MemberRead& read, const std::string& problem) {
    if (read.quiet)
        return;
    Event event;
    event.kind = EventKind::gap;
    event.name = protocol::text(read.statement.kind);
    event.host = read.who;
    event.detail = problem;
    event.statement = read.statement.kind;
    context.events.on_event(event);
}

std::string fresh_query_id(Entropy& entropy) {
    return "onceswap-" + entropy.hex32();
}

asio::awaitable<MemberAnswer> read_once(Context& context, MemberRead read, TimePoint deadline) {
    const TimePoint until = earlier_of(context.clock, context.limits.read_timeout, deadline);
    MemberAnswer answer;
    KeeperGate::Turn turn;
    if (read.keeper_backed) {
        turn = co_await context.keeper_gate.enter(context.clock, read.endpoint, until);
        if (!turn) {
            answer.problem = "an earlier read of this endpoint did not end in time";
            report_gap(context, read, answer.problem);
            co_return answer;
        }
    }
    http::Request request(read.statement, fresh_query_id(context.entropy));
    request.deadline = until;
    http::Exchange exchange = co_await context.transport.read(read.endpoint, std::move(request));
    auto body = http::successful_body(std::move(exchange)); // takes the body of a success and nothing else
    if (body) {
        answer.body = std::move(*body);
        co_return answer;
    }
    answer.problem = body.error();
    if (exchange.response)
        answer.exception = http::find_exception(*exchange.response);
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (!is_cancelled(cancellation))
        report_gap(context, read, answer.problem);
    co_return answer;
}

} // namespace onceswap::engine
