#include "loop_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <exception>
#include <utility>

namespace onceswap::test {

namespace asio = boost::asio;
using http::Endpoint;
using http::Exchange;
using http::Request;

namespace {

/// No part of any expectation: a healthy test ends long before it.
constexpr std::chrono::seconds stuck{60};

Request request_of(protocol::StatementKind kind, std::string sql, std::chrono::milliseconds limit) {
    Request request(protocol::Statement(kind, std::move(sql)), "onceswap-test-1");
    request.deadline = std::chrono::steady_clock::now() + limit;
    return request;
}

} // namespace

asio::awaitable<Exchange> mutate_once(http::Transport& transport, Endpoint endpoint, Request request) {
    // A caller that wants to know what became of a cancelled call does not let the next co_await throw it
    // away.
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto deadline = request.deadline;
    http::Prepared prepared = co_await transport.prepare(std::move(endpoint), deadline);
    Exchange exchange;
    exchange.evidence = prepared.evidence;
    if (prepared.call) {
        BOOST_TEST(!prepared.evidence.error);
        BOOST_TEST(prepared.evidence.bytes_handed_over == 0u);
        exchange = co_await prepared.call->send(std::move(request));
    }
    co_return exchange;
}

asio::awaitable<Exchange>
mutate_after_arrival(http::Transport& transport, Arrivals& arrivals, Endpoint endpoint, Request request) {
    const auto deadline = request.deadline;
    http::Prepared prepared = co_await transport.prepare(std::move(endpoint), deadline);
    BOOST_REQUIRE(prepared.call);
    while (!arrivals.something_is_there()) {
        co_await asio::post(asio::use_awaitable);
    }
    Exchange exchange = co_await prepared.call->send(std::move(request));
    co_return exchange;
}

Request select_request(std::chrono::milliseconds limit) {
    return request_of(protocol::StatementKind::catalogue, "SELECT 1", limit);
}

Request insert_request(std::chrono::milliseconds limit) {
    return request_of(protocol::StatementKind::authority_insert, "INSERT INTO t VALUES (1)", limit);
}

http::TransportOptions patient_options() {
    http::TransportOptions options;
    options.connect_timeout = ample;
    options.idle_limit = std::chrono::hours(1);
    return options;
}

void with_growing_limit(const std::function<bool(std::chrono::milliseconds)>& attempt) {
    for (std::chrono::milliseconds limit{100}; limit <= ample; limit *= 3) {
        if (attempt(limit)) {
            return;
        }
    }
    BOOST_ERROR("the call never came far enough");
}

LoopFixture::LoopFixture() = default;

LoopFixture::~LoopFixture() {
    transport_.reset();
    BOOST_TEST(running_ == 0u);
}

http::Transport& LoopFixture::transport(http::TransportOptions options, http::StreamFactory decorate) {
    if (!transport_) {
        auto made = http::make_transport_over(loop.get_executor(), std::move(options), std::move(decorate));
        BOOST_REQUIRE_MESSAGE(made, (made ? std::string() : made.error()));
        transport_ = std::move(*made);
    }
    return *transport_;
}

PendingExchange LoopFixture::start(asio::awaitable<Exchange> call) {
    auto result = std::make_shared<std::optional<Exchange>>();
    ++running_;
    signals_.emplace_back();
    asio::co_spawn(
        loop,
        std::move(call),
        asio::bind_cancellation_slot(
            signals_.back().slot(),
            [this, result](std::exception_ptr failure, Exchange exchange) {
                --running_;
                BOOST_TEST(!failure, "a call threw");
                *result = std::move(exchange);
            }
        )
    );
    return result;
}

PendingExchange LoopFixture::start_read(Endpoint endpoint, Request request) {
    return start(transport().read(std::move(endpoint), std::move(request)));
}

PendingExchange LoopFixture::start_mutation(Endpoint endpoint, Request request) {
    return start(mutate_once(transport(), std::move(endpoint), std::move(request)));
}

void LoopFixture::cancel_all() {
    for (auto& signal : signals_) {
        signal.emit(asio::cancellation_type::terminal);
    }
}

void LoopFixture::run_calls() {
    const auto limit = std::chrono::steady_clock::now() + stuck;
    loop.restart();
    while (running_ > 0 && std::chrono::steady_clock::now() < limit) {
        loop.run_one_until(limit);
    }
    BOOST_REQUIRE_MESSAGE(running_ == 0, "a call did not come back");
}

void LoopFixture::run(ScriptedServer& server) {
    run_calls();
    // What the client has done has arrived: the server shall see it before it goes.
    loop.restart();
    while (loop.poll() > 0) {
        loop.restart();
    }
    server.stop();
    loop.restart();
    loop.run_until(std::chrono::steady_clock::now() + stuck);
    BOOST_REQUIRE_MESSAGE(loop.stopped(), "something is left on the loop");
}

Exchange LoopFixture::read(ScriptedServer& server, Request request) {
    const auto result = start_read(server.endpoint(), std::move(request));
    run(server);
    return **result;
}

Exchange LoopFixture::mutate(ScriptedServer& server, Request request) {
    const auto result = start_mutation(server.endpoint(), std::move(request));
    run(server);
    const Exchange exchange = **result;
    BOOST_TEST(server.requests() <= 1u);
    BOOST_TEST(transport().sends() == (exchange.evidence.bytes_handed_over > 0 ? 1u : 0u));
    return exchange;
}

} // namespace onceswap::test
