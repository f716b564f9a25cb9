#include "http_transport/response.hpp"
#include "http_transport/transport_error.hpp"
#include "loop_fixture.hpp"

#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace onceswap::test {
namespace {

using http::TransportError;

const std::string answer = reply(200, one_row);

std::size_t reads_over(LoopFixture& fixture, ScriptedServer& server, std::size_t count) {
    std::size_t good = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto result = fixture.start_read(server.endpoint(), select_request());
        fixture.run_calls();
        good += result->value().evidence.reply_complete ? std::size_t{1} : std::size_t{0};
    }
    return good;
}

} // namespace

BOOST_AUTO_TEST_SUITE(pool)

BOOST_AUTO_TEST_CASE(reads_share_a_connection) {
    LoopFixture fixture;
    Script script;
    for (int i = 0; i < 5; ++i) {
        script.push_back(read_request());
        script.push_back(send(answer));
    }
    ScriptedServer server(fixture.loop, {script});
    BOOST_TEST(reads_over(fixture, server, 5) == 5u);
    fixture.run(server);
    BOOST_TEST(server.accepted() == 1u);
    BOOST_TEST(server.requests() == 5u);
    BOOST_TEST(server.received()[0].find("Connection: close") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(mutations_never_do) {
    LoopFixture fixture;
    const Script once = {read_request(), send(reply(200, ""))};
    ScriptedServer server(fixture.loop, {once, once, {read_request(), send(answer)}, once});
    for (const bool mutation : {true, true, false, true}) {
        const auto result = mutation ? fixture.start_mutation(server.endpoint(), insert_request())
                                     : fixture.start_read(server.endpoint(), select_request());
        fixture.run_calls();
        BOOST_TEST(result->value().evidence.reply_complete);
        BOOST_TEST(result->value().evidence.attempts == 1u);
    }
    fixture.run(server);
    BOOST_TEST(server.accepted() == 4u);
    BOOST_TEST(fixture.transport().sends() == 3u);
    for (const std::size_t mutation : {0u, 1u, 3u}) {
        BOOST_TEST(server.received()[mutation].find("\r\nConnection: close\r\n") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(what_ends_a_connection) {
    struct Row {
        const char* what;
        Act behind; ///< what the server does behind its first reply
        std::string first_reply;
    };

    const Row rows[] = {
        {"closed while idle", finish(), answer},
        {"reset while idle", reset(), answer},
        {"spoke while idle", send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"), answer},
        {"Connection: close", send(""), reply(200, one_row, "Connection: close\r\n")},
        {"keep-alive of no time", send(""), reply(200, one_row, "Keep-Alive: timeout=0\r\n")},
        {"bytes behind the reply", send(""), answer + "x"},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.what) {
            LoopFixture fixture;
            bool done = false;
            Script first = {read_request(), send(row.first_reply), row.behind, call([&done] {
                                done = true;
                            })};
            if (row.behind.kind == Act::Kind::reset) { // a reset ends the script
                first = {read_request(), send(row.first_reply), call([&done] { done = true; }), row.behind};
            }
            ScriptedServer server(fixture.loop, {first, {read_request(), send(answer)}});
            BOOST_TEST(reads_over(fixture, server, 1) == 1u);
            while (!done) {
                fixture.loop.restart();
                fixture.loop.run_one();
            }
            fixture.loop.restart();
            fixture.loop.poll();
            const auto second = fixture.start_read(server.endpoint(), select_request());
            fixture.run_calls();
            BOOST_TEST(second->value().evidence.reply_complete);
            // Found out before anything was written: no try was lost.
            BOOST_TEST(second->value().evidence.attempts == 1u);
            fixture.run(server);
            BOOST_TEST(server.accepted() == 2u);
            BOOST_TEST(server.requests() == 2u);
        }
    }
}

BOOST_AUTO_TEST_CASE(closed_just_when_the_next_request_comes) {
    LoopFixture fixture;
    ScriptedServer server(
        fixture.loop,
        {{read_request(), send(answer), read_request(), finish()}, {read_request(), send(answer)}}
    );
    BOOST_TEST(reads_over(fixture, server, 1) == 1u);
    const auto second = fixture.start_read(server.endpoint(), select_request());
    fixture.run(server);
    BOOST_TEST(second->value().evidence.reply_complete);
    BOOST_TEST(second->value().evidence.attempts == 2u);
    BOOST_TEST(server.accepted() == 2u);
}

BOOST_AUTO_TEST_CASE(an_old_connection_is_not_used) {
    LoopFixture fixture;
    auto options = patient_options();
    options.idle_limit = std::chrono::milliseconds(0);
    fixture.transport(options);
    ScriptedServer server(fixture.loop, {{read_request(), send(answer)}, {read_request(), send(answer)}});
    BOOST_TEST(reads_over(fixture, server, 2) == 2u);
    fixture.run(server);
    BOOST_TEST(server.accepted() == 2u);
}

BOOST_AUTO_TEST_CASE(no_more_connections_than_allowed_and_in_order) {
    for (const std::size_t limit : {1u, 2u, 3u}) {
        BOOST_TEST_CONTEXT("limit " << limit) {
            LoopFixture fixture;
            auto options = patient_options();
            options.connections_per_endpoint = limit;
            fixture.transport(options);
            std::size_t most = 0;
            ScriptedServer* peer = nullptr;
            Script script;
            for (int i = 0; i < 8; ++i) {
                script.push_back(read_request());
                script.push_back(call([&] { most = std::max(most, peer->open()); }));
                script.push_back(send(answer));
            }
            ScriptedServer server(fixture.loop, {script, script, script, script});
            peer = &server;
            std::vector<PendingExchange> results;
            for (int i = 0; i < 8; ++i) {
                results.push_back(fixture.start_read(server.endpoint(), select_request()));
            }
            fixture.run(server);
            for (const auto& result : results) {
                BOOST_TEST(result->value().evidence.reply_complete);
            }
            BOOST_TEST(server.requests() == 8u);
            BOOST_TEST(server.accepted() == limit);
            BOOST_TEST(most == limit);
        }
    }
}

BOOST_AUTO_TEST_CASE(waiting_for_a_place_ends_at_the_deadline) {
    LoopFixture fixture;
    auto options = patient_options();
    options.connections_per_endpoint = 1;
    fixture.transport(options);
    PendingExchange second;
    const ScriptedServer* peer = nullptr;
    const auto ask_too = [&] {
        second = fixture.start_read(peer->endpoint(), select_request(std::chrono::milliseconds(50)));
    };
    const auto second_is_over = [&] { return second->has_value(); };
    ScriptedServer server(
        fixture.loop, {{read_request(), call(ask_too), until(second_is_over), send(answer)}}
    );
    peer = &server;
    const auto first = fixture.start_read(server.endpoint(), select_request());
    fixture.run(server);
    BOOST_TEST((second->value().evidence.error == TransportError::deadline_reached));
    BOOST_TEST((second->value().evidence.phase == http::CallPhase::not_started));
    BOOST_TEST(first->value().evidence.reply_complete);
    BOOST_TEST(server.requests() == 1u);
}

BOOST_AUTO_TEST_CASE(a_redirect_is_not_followed) {
    LoopFixture fixture;
    ScriptedServer elsewhere(fixture.loop, {{read_request(), send(answer)}});
    const std::string location = "Location: " + elsewhere.endpoint().text() + "/\r\n";
    ScriptedServer server(fixture.loop, {{read_request(), send(reply(307, "", location))}});
    const auto result = fixture.start_read(server.endpoint(), select_request());
    fixture.run_calls();
    elsewhere.stop();
    fixture.run(server);
    const auto exchange = **result;
    BOOST_TEST(exchange.response.value().status == 307u);
    BOOST_TEST(!successful_body(exchange).has_value());
    BOOST_TEST(elsewhere.accepted() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(large_requests)

namespace {

http::Request big_insert(std::chrono::milliseconds limit = ample) {
    http::Request request = insert_request(limit);
    request.payload = std::string(30'000'000, 'x');
    return request;
}

const std::string too_large = reply(
    413,
    "Code: 497. DB::Exception: Not enough privileges\n",
    "X-ClickHouse-Exception-Code: 497\r\nConnection: close\r\n"
);

} // namespace

BOOST_AUTO_TEST_CASE(are_sent_whole) {
    LoopFixture fixture;
    bool written = false;
    ScriptedServer server(fixture.loop, {{read_request(), send(reply(200, ""))}});
    auto request = big_insert();
    request.on_written = [&written] {
        BOOST_TEST(!written);
        written = true;
    };
    const auto exchange = fixture.mutate(server, std::move(request));
    BOOST_TEST(exchange.evidence.reply_complete);
    BOOST_TEST(!exchange.evidence.request_cut);
    BOOST_TEST(written);
    BOOST_TEST(exchange.evidence.bytes_handed_over == server.received()[0].size());
}

BOOST_AUTO_TEST_CASE(an_early_refusal_is_read_however_the_server_goes_on) {
    const Script scripts[] = {
        {read_bytes(1'000), send(too_large), finish()},
        {read_bytes(1'000), send(too_large), reset()},
        {send(too_large.substr(0, 10)), read_bytes(1'000), send(too_large.substr(10))},
        {read_bytes(1'000),
         send("HTTP/1.1 102 Processing\r\n\r\n"),
         read_bytes(5'000'000),
         send(too_large),
         finish()},
    };
    for (const Script& script : scripts) {
        LoopFixture fixture;
        ScriptedServer server(fixture.loop, {script});
        const auto exchange = fixture.mutate(server, big_insert());
        const auto& evidence = exchange.evidence;
        BOOST_TEST(evidence.bytes_handed_over > 0u);
        BOOST_TEST(fixture.transport().sends() == 1u);
        if (script.back().kind == Act::Kind::reset && !evidence.reply_complete) {
            continue; // the reset may have thrown the reply away: then it is unknown, as checked elsewhere
        }
        BOOST_TEST(evidence.reply_complete, evidence.error.message());
        BOOST_TEST(evidence.request_cut);
        const auto outcome =
            classify_outcome(protocol::MutationKind::insert, observe(exchange, http::BodyShape::empty));
        BOOST_TEST((outcome == protocol::Outcome::rejected), protocol::text(outcome));
    }
}

BOOST_AUTO_TEST_CASE(an_early_success_is_none) {
    LoopFixture fixture;
    ScriptedServer server(fixture.loop, {{read_bytes(1'000), send(reply(200, "")), finish()}});
    bool written = false;
    auto request = big_insert();
    request.on_written = [&written] { written = true; };
    const auto exchange = fixture.mutate(server, std::move(request));
    BOOST_TEST(exchange.evidence.request_cut);
    BOOST_TEST(!written);
    const auto outcome =
        classify_outcome(protocol::MutationKind::insert, observe(exchange, http::BodyShape::empty));
    BOOST_TEST((outcome == protocol::Outcome::outcome_unknown), protocol::text(outcome));
}

BOOST_AUTO_TEST_CASE(a_server_that_stops_reading_is_left_at_the_deadline) {
    with_growing_limit([](std::chrono::milliseconds limit) {
        LoopFixture fixture;
        ScriptedServer server(fixture.loop, {{read_bytes(1'000), hold()}});
        const auto exchange = fixture.mutate(server, big_insert(limit));
        BOOST_TEST((exchange.evidence.error == TransportError::deadline_reached));
        BOOST_TEST((exchange.evidence.phase == http::CallPhase::write || !exchange.evidence.bytes_handed_over)
        );
        BOOST_TEST(exchange.evidence.request_cut == (exchange.evidence.bytes_handed_over > 0));
        return exchange.evidence.bytes_handed_over > 0;
    });
}

BOOST_AUTO_TEST_CASE(cancelled_while_writing) {
    LoopFixture fixture;
    ScriptedServer server(
        fixture.loop, {{read_bytes(1'000), call([&fixture] { fixture.cancel_all(); }), hold()}}
    );
    const auto exchange = fixture.mutate(server, big_insert());
    BOOST_TEST((exchange.evidence.error == boost::asio::error::operation_aborted));
    BOOST_TEST(exchange.evidence.bytes_handed_over > 0u);
    BOOST_TEST(exchange.evidence.request_cut);
    BOOST_TEST(fixture.transport().sends() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(warnings)

BOOST_AUTO_TEST_CASE(a_password_over_plain_http_is_told_once) {
    LoopFixture fixture;
    std::vector<std::string> told;
    auto options = patient_options();
    options.credentials = http::Credentials("loader", "hunter2");
    options.warn = [&told](std::string words) { told.push_back(std::move(words)); };
    fixture.transport(options);
    ScriptedServer server(fixture.loop, {{read_request(), send(answer)}});
    fixture.start_read(server.endpoint(), select_request());
    fixture.run_calls();
    BOOST_TEST(told.empty()); // loopback
    BOOST_TEST(server.received()[0].find("\r\nX-ClickHouse-Key: hunter2\r\n") != std::string::npos);
    const auto away = http::Endpoint::parse("http://no-such-host.invalid:1");
    fixture.start_read(*away, select_request());
    fixture.start_mutation(*away, insert_request());
    fixture.run(server);
    BOOST_REQUIRE(told.size() == 1u);
    BOOST_TEST(told[0].find("no-such-host.invalid") != std::string::npos);
    BOOST_TEST(told[0].find("hunter2") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::test
