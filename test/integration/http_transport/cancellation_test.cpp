#include "http_transport/response.hpp"
#include "http_transport/transport_error.hpp"
#include "loop_fixture.hpp"
#include "test_certificates.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

namespace onceswap::test {
namespace {

namespace asio = boost::asio;
using http::BodyShape;
using protocol::MutationKind;
using protocol::Outcome;

enum class When {
    during, ///< while the step runs: nothing waits, only the next check can see it
    behind  ///< from the loop, so while the call waits if it waits at all
};

/// What must hold wherever the call was cancelled.
void check(
    const http::Exchange& exchange, LoopFixture& fixture, const ScriptedServer& server, bool cancelled
) {
    const http::Evidence& evidence = exchange.evidence;
    const bool executed = server.requests() == 1 && server.received()[0].ends_with("VALUES (1)");
    const Outcome outcome = classify_outcome(MutationKind::insert, observe(exchange, BodyShape::empty));
    BOOST_TEST((outcome != Outcome::not_sent || !executed));
    BOOST_TEST(fixture.transport().sends() == (evidence.bytes_handed_over > 0 ? 1u : 0u));
    if (!evidence.reply_complete) {
        BOOST_TEST(cancelled);
        BOOST_TEST((evidence.error == asio::error::operation_aborted), evidence.error.message());
        BOOST_TEST(
            (outcome == (evidence.bytes_handed_over > 0 ? Outcome::outcome_unknown : Outcome::not_sent))
        );
    }
    BOOST_TEST(server.open() == 0u); // the client's side of it is closed
}

void sweep(When when, bool with_tls) {
    const TestCertificates certificates;
    auto options = patient_options();
    options.tls.ca_file = certificates.ca_file();
    const auto tls = with_tls ? certificates.server("IP:127.0.0.1") : nullptr;
    bool reached_end = false;
    std::size_t not_sent = 0;
    std::size_t unknown = 0;
    for (std::size_t step = 1; !reached_end; ++step) {
        BOOST_TEST_CONTEXT("cancelled " << (when == When::during ? "during" : "behind") << " step " << step) {
            LoopFixture fixture;
            const auto plan = std::make_shared<StepPlan>();
            plan->at_step = step;
            plan->before = [&fixture, when] {
                if (when == When::during) {
                    fixture.cancel_all();
                } else {
                    asio::post(fixture.loop, [&fixture] { fixture.cancel_all(); });
                }
            };
            fixture.transport(options, shaped_by(plan));
            ScriptedServer server(fixture.loop, {{read_request(), send(reply(200, ""))}}, tls);
            const auto exchange = fixture.mutate(server, insert_request());
            check(exchange, fixture, server, plan->reached());
            not_sent += !exchange.evidence.reply_complete && exchange.evidence.bytes_handed_over == 0 ? 1 : 0;
            unknown += !exchange.evidence.reply_complete && exchange.evidence.bytes_handed_over > 0 ? 1 : 0;
            reached_end = !plan->reached();
        }
        BOOST_REQUIRE(step < 1'000);
    }
    // A plain call waits only for its reply, which may be there before a signal from the loop: see the cases
    // below.
    if (with_tls || when == When::during) {
        BOOST_TEST(not_sent > 0u);
        BOOST_TEST(unknown > 0u);
    }
}

/// Tells whether its own cancellation state still throws after the call, as the caller had it.
asio::awaitable<http::Exchange>
read_then_wait(http::Transport& transport, http::Endpoint endpoint, bool& read_returned, bool& threw_behind) {
    http::Request request = select_request();
    http::Exchange exchange = co_await transport.read(std::move(endpoint), std::move(request));
    read_returned = true;
    try {
        co_await asio::post(asio::use_awaitable);
    } catch (const boost::system::system_error&) {
        threw_behind = true;
    }
    co_return exchange;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cancellation)

BOOST_AUTO_TEST_CASE(during_every_step) {
    sweep(When::during, false);
}

BOOST_AUTO_TEST_CASE(behind_every_step) {
    sweep(When::behind, false);
}

BOOST_AUTO_TEST_CASE(during_every_step_of_tls) {
    sweep(When::during, true);
}

BOOST_AUTO_TEST_CASE(behind_every_step_of_tls) {
    sweep(When::behind, true);
}

BOOST_AUTO_TEST_CASE(while_the_server_is_silent) {
    LoopFixture fixture;
    ScriptedServer server(fixture.loop, {{read_request(), call([&fixture] { fixture.cancel_all(); })}});
    const auto exchange = fixture.mutate(server, insert_request());
    check(exchange, fixture, server, true);
    BOOST_TEST(exchange.evidence.bytes_handed_over == server.received()[0].size());
    BOOST_TEST(!exchange.evidence.any_reply_byte);
}

BOOST_AUTO_TEST_CASE(inside_the_reply) {
    LoopFixture fixture;
    ScriptedServer server(
        fixture.loop,
        {{read_request(), send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"), call([&fixture] {
              fixture.cancel_all();
          })}}
    );
    const auto exchange = fixture.mutate(server, insert_request());
    check(exchange, fixture, server, true);
}

BOOST_AUTO_TEST_CASE(while_a_name_is_looked_up) {
    LoopFixture fixture;
    ScriptedServer server(fixture.loop, {{read_request(), send(reply(200, ""))}});
    const auto result = fixture.start_mutation(server.endpoint("localhost"), insert_request());
    asio::post(fixture.loop, [&fixture] { fixture.cancel_all(); });
    fixture.run(server);
    const auto& evidence = result->value().evidence;
    BOOST_TEST(evidence.bytes_handed_over == 0u);
    BOOST_TEST((evidence.error == asio::error::operation_aborted), evidence.error.message());
    BOOST_TEST(fixture.transport().sends() == 0u);
}

BOOST_AUTO_TEST_CASE(while_waiting_for_a_place_in_the_pool) {
    LoopFixture fixture;
    auto options = patient_options();
    options.connections_per_endpoint = 1;
    fixture.transport(options);
    ScriptedServer server(
        fixture.loop,
        {{read_request(), call([&fixture] { fixture.cancel_all(); })},
         {read_request(), send(reply(200, one_row))}}
    );
    const auto first = fixture.start_read(server.endpoint(), select_request());
    const auto second = fixture.start_read(server.endpoint(), select_request());
    fixture.run_calls();
    BOOST_TEST((first->value().evidence.error == asio::error::operation_aborted));
    BOOST_TEST((second->value().evidence.error == asio::error::operation_aborted));
    BOOST_TEST(server.accepted() == 1u);
    // The place was given back: the next read finds it.
    const auto third = fixture.start_read(server.endpoint(), select_request());
    fixture.run(server);
    BOOST_TEST(third->value().evidence.reply_complete);
}

BOOST_AUTO_TEST_CASE(the_callers_own_state_is_left_as_it_was) {
    LoopFixture fixture;
    ScriptedServer server(fixture.loop, {{read_request(), call([&fixture] { fixture.cancel_all(); })}});
    bool read_returned = false;
    bool threw_behind = false;
    const auto result =
        fixture.start(read_then_wait(fixture.transport(), server.endpoint(), read_returned, threw_behind));
    fixture.run(server);
    BOOST_TEST(read_returned);
    BOOST_TEST(threw_behind);
    BOOST_TEST((result->value().evidence.error == asio::error::operation_aborted));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::test
