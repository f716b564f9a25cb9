#include "http_transport/response.hpp"
#include "http_transport/transport_error.hpp"
#include "loop_fixture.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <stdexcept>
#include <string>

namespace onceswap::test {
namespace {

namespace asio = boost::asio;

using http::BodyShape;
using http::TransportError;
using protocol::MutationKind;
using protocol::Outcome;

const std::string ddl_rows =
    "[\"host\",\"port\",\"status\",\"error\"]\n[\"String\",\"UInt16\",\"Int64\",\"String\"]\n"
    "[\"ch1\",9000,0,\"\"]\n[\"ch2\",9000,0,\"\"]\n";

/// As a server writes it: header, text and status agree.
std::string refusal(unsigned status, int code, const std::string& message) {
    const std::string number = std::to_string(code);
    return reply(
        status,
        "Code: " + number + ". DB::Exception: " + message + "\n",
        "X-ClickHouse-Exception-Code: " + number + "\r\n"
    );
}

struct Row {
    const char* what;
    MutationKind kind;
    BodyShape shape;
    std::string reply;
    Outcome outcome;
};

std::vector<Row> rows() {
    constexpr auto authority = MutationKind::authority;
    constexpr auto ddl = MutationKind::ddl;
    constexpr auto insert = MutationKind::insert;
    constexpr auto empty = BodyShape::empty;
    constexpr auto result_set = BodyShape::result_set;
    const std::string race = "Transaction failed (Node exists): Op #0, path: /x. (KEEPER_EXCEPTION)";
    const std::string host_error =
        "There was an error on [ch2:9000]: Code: 60. DB::Exception: Table does not exist.";
    return {
        {"acknowledged insert", authority, empty, reply(200, ""), Outcome::acknowledged},
        {"acknowledged, chunked", authority, empty, chunked_reply(200, {}), Outcome::acknowledged},
        {"acknowledged DDL", ddl, result_set, chunked_reply(200, {ddl_rows}), Outcome::acknowledged},
        {"acknowledged after 100",
         insert,
         empty,
         "HTTP/1.1 100 Continue\r\n\r\n" + reply(200, ""),
         Outcome::acknowledged},
        {"DDL without its rows", ddl, result_set, reply(200, ""), Outcome::outcome_unknown},
        {"insert with a page", insert, empty, reply(200, "<html>"), Outcome::outcome_unknown},
        {"200 with an exception header",
         authority,
         empty,
         reply(200, "", "X-ClickHouse-Exception-Code: 209\r\n"),
         Outcome::outcome_unknown},
        {"200, then a text (24.8)",
         ddl,
         result_set,
         chunked_reply(200, {ddl_rows, "Code: 159. DB::Exception: Timeout exceeded\n"}),
         Outcome::outcome_unknown},
        {"200, then a tagged block (25.11)",
         ddl,
         result_set,
         chunked_reply(
             200,
             {ddl_rows,
              "\r\n__exception__\r\nabcdefghijklmnop\r\nCode: 57. DB::Exception: x\n27 "
              "abcdefghijklmnop\r\n__exception__\r\n"},
             "X-ClickHouse-Exception-Tag: abcdefghijklmnop\r\n"
         ),
         Outcome::host_failed},
        {"syntax", authority, empty, refusal(400, 62, "Syntax error"), Outcome::rejected},
        {"unknown setting", ddl, result_set, refusal(404, 115, "Unknown setting"), Outcome::rejected},
        {"password", insert, empty, refusal(403, 516, "default: Authentication failed"), Outcome::rejected},
        {"unknown table, authority",
         authority,
         empty,
         refusal(404, 60, "Table does not exist"),
         Outcome::rejected},
        {"unknown table, insert",
         insert,
         empty,
         refusal(404, 60, "Table does not exist"),
         Outcome::outcome_unknown},
        {"unknown cluster",
         ddl,
         result_set,
         refusal(500, 701, "Requested cluster not found"),
         Outcome::rejected},
        {"18.x text without header",
         authority,
         empty,
         reply(
             500,
             "Code: 47, e.displayText() = DB::Exception: Unknown identifier: x, e.what() = DB::Exception\n"
         ),
         Outcome::rejected},
        {"lost the race", authority, empty, refusal(500, 999, race), Outcome::conflict},
        {"lost the race, other class",
         authority,
         empty,
         reply(
             500, "Code: 999. Coordination::Exception: " + race + "\n", "X-ClickHouse-Exception-Code: 999\r\n"
         ),
         Outcome::conflict},
        {"other 999",
         authority,
         empty,
         refusal(500, 999, "Coordination error: Connection loss"),
         Outcome::outcome_unknown},
        {"a host's error", ddl, result_set, refusal(404, 60, host_error), Outcome::host_failed},
        {"a host's error with a rejecting code",
         ddl,
         result_set,
         refusal(
             403, 497, "There was an error on [ch2:9000]: Code: 497. DB::Exception: Not enough privileges."
         ),
         Outcome::host_failed},
        {"DDL timeout",
         ddl,
         result_set,
         refusal(408, 159, "Distributed DDL task is not finished"),
         Outcome::outcome_unknown},
        {"running already",
         authority,
         empty,
         refusal(500, 216, "Query with id = x is already running."),
         Outcome::outcome_unknown},
        {"301",
         authority,
         empty,
         reply(301, "", "Location: http://127.0.0.1:1/\r\n"),
         Outcome::outcome_unknown},
        {"408", authority, empty, reply(408, "timeout"), Outcome::outcome_unknown},
        {"429", authority, empty, reply(429, ""), Outcome::outcome_unknown},
        {"502",
         ddl,
         result_set,
         reply(502, "<html>Error Code: 502. Bad gateway</html>"),
         Outcome::outcome_unknown},
        {"503", ddl, result_set, reply(503, "no backend"), Outcome::outcome_unknown},
        {"504", insert, empty, reply(504, ""), Outcome::outcome_unknown},
    };
}

void expect(const http::Exchange& exchange, const Row& row) {
    const auto seen = observe(exchange, row.shape);
    const Outcome outcome = classify_outcome(row.kind, seen);
    BOOST_TEST((outcome == row.outcome), text(outcome) << " instead of " << text(row.outcome));
}

asio::awaitable<http::Exchange>
send_twice(http::Transport& transport, http::Endpoint endpoint, http::Request request, bool& refused) {
    const auto deadline = request.deadline;
    http::Prepared prepared = co_await transport.prepare(std::move(endpoint), deadline);
    BOOST_REQUIRE(prepared.call);
    http::Request again = request;
    http::Exchange exchange = co_await prepared.call->send(std::move(request));
    try {
        co_await prepared.call->send(std::move(again));
    } catch (const std::logic_error&) {
        refused = true;
    }
    co_return exchange;
}

asio::awaitable<http::Exchange> prepare_only(http::Transport& transport, http::Endpoint endpoint) {
    const auto deadline = std::chrono::steady_clock::now() + ample;
    http::Prepared prepared = co_await transport.prepare(std::move(endpoint), deadline);
    BOOST_TEST(static_cast<bool>(prepared.call));
    http::Exchange exchange;
    exchange.evidence = prepared.evidence;
    co_return exchange;
}

asio::awaitable<http::Exchange>
read_a_mutation(http::Transport& transport, http::Endpoint endpoint, bool& refused) {
    http::Request request = insert_request();
    http::Exchange exchange;
    try {
        exchange = co_await transport.read(std::move(endpoint), std::move(request));
    } catch (const std::logic_error&) {
        refused = true;
    }
    co_return exchange;
}

} // namespace

BOOST_AUTO_TEST_SUITE(outcomes)

BOOST_AUTO_TEST_CASE(every_row_of_the_list) {
    for (const Row& row : rows()) {
        BOOST_TEST_CONTEXT(row.what) {
            LoopFixture fixture;
            ScriptedServer server(fixture.loop, {{read_request(), send(row.reply)}});
            const auto exchange = fixture.mutate(server, insert_request());
            BOOST_TEST(exchange.evidence.reply_complete);
            BOOST_TEST(exchange.evidence.attempts == 1u);
            BOOST_TEST(fixture.transport().sends() == 1u);
            BOOST_TEST(server.requests() == 1u);
            BOOST_TEST(exchange.evidence.bytes_handed_over == server.received().at(0).size());
            expect(exchange, row);
        }
    }
}

BOOST_AUTO_TEST_CASE(no_reply_is_unknown_however_it_ends) {
    struct Ending {
        const char* what;
        Script script;
    };

    const Ending endings[] = {
        {"read, FIN", {read_request(), finish()}},
        {"read, RST", {read_request(), reset()}},
        {"read a little, RST", {read_bytes(10), reset()}},
        {"garbage", {read_request(), send("SSH-2.0-OpenSSH\r\n\r\n")}},
        {"both framings",
         {read_request(), send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n")}
        },
        {"close-delimited success",
         {read_request(), send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), finish()}},
        {"close-delimited, kept open", {read_request(), send("HTTP/1.1 200 OK\r\n\r\n")}},
        {"24.12 marker without last chunk",
         {read_request(),
          send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2a\r\n__exception__\r\nCode: 62. "
               "DB::Exception: x\r\n"),
          finish()}},
        {"refusal cut before its end",
         {read_request(),
          send("HTTP/1.1 400 Bad\r\nX-ClickHouse-Exception-Code: 62\r\nContent-Length: 99\r\n\r\nCode: 62. DB"
          ),
          finish()}},
        {"101", {read_request(), send("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n")}},
    };
    for (const Ending& ending : endings) {
        BOOST_TEST_CONTEXT(ending.what) {
            LoopFixture fixture;
            ScriptedServer server(fixture.loop, {ending.script});
            const auto exchange = fixture.mutate(server, insert_request());
            BOOST_TEST(!exchange.evidence.reply_complete);
            BOOST_TEST(static_cast<bool>(exchange.evidence.error));
            BOOST_TEST(fixture.transport().sends() == 1u);
            BOOST_TEST(exchange.evidence.bytes_handed_over > 0u);
            for (const auto kind : {MutationKind::authority, MutationKind::ddl, MutationKind::insert}) {
                for (const auto shape : {BodyShape::empty, BodyShape::result_set}) {
                    const Outcome outcome = classify_outcome(kind, observe(exchange, shape));
                    BOOST_TEST((outcome == Outcome::outcome_unknown), text(outcome));
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(silence_ends_at_the_deadline) {
    with_growing_limit([](std::chrono::milliseconds limit) {
        LoopFixture fixture;
        ScriptedServer server(fixture.loop, {{read_request()}});
        const auto exchange = fixture.mutate(server, insert_request(limit));
        BOOST_TEST((exchange.evidence.error == TransportError::deadline_reached));
        BOOST_TEST(!exchange.evidence.any_reply_byte);
        const bool sent = exchange.evidence.bytes_handed_over > 0;
        const auto outcome = classify_outcome(MutationKind::ddl, observe(exchange, BodyShape::result_set));
        BOOST_TEST((outcome == (sent ? Outcome::outcome_unknown : Outcome::not_sent)));
        if (sent) {
            BOOST_TEST((exchange.evidence.phase == http::CallPhase::first_byte));
            BOOST_TEST(exchange.evidence.bytes_handed_over == server.received().at(0).size());
        }
        return sent;
    });
}

BOOST_AUTO_TEST_CASE(not_one_byte_is_not_sent) {
    const auto expect_not_sent = [](LoopFixture& fixture, const http::Exchange& exchange) {
        BOOST_TEST(exchange.evidence.bytes_handed_over == 0u);
        BOOST_TEST(fixture.transport().sends() == 0u);
        BOOST_TEST(static_cast<bool>(exchange.evidence.error));
        BOOST_TEST(!exchange.response.has_value());
        const auto outcome = classify_outcome(MutationKind::ddl, observe(exchange, BodyShape::result_set));
        BOOST_TEST((outcome == Outcome::not_sent));
    };
    BOOST_TEST_CONTEXT("refused") {
        LoopFixture fixture;
        ScriptedServer server(fixture.loop, {});
        const auto endpoint = server.endpoint();
        server.stop();
        const auto result = fixture.start_mutation(endpoint, insert_request());
        fixture.run(server);
        expect_not_sent(fixture, **result);
        BOOST_TEST((result->value().evidence.phase == http::CallPhase::connect));
        BOOST_TEST((result->value().evidence.error == boost::asio::error::connection_refused));
        BOOST_TEST(result->value().evidence.detail.find("127.0.0.1:") == 0u, result->value().evidence.detail);
    }
    BOOST_TEST_CONTEXT("no such host") {
        LoopFixture fixture;
        ScriptedServer server(fixture.loop, {});
        const auto result = fixture.start_mutation(server.endpoint("no-such-host.invalid"), insert_request());
        fixture.run(server);
        expect_not_sent(fixture, **result);
        BOOST_TEST((result->value().evidence.phase == http::CallPhase::resolve));
        BOOST_TEST(result->value().evidence.detail.find("no-such-host.invalid") == 0u);
    }
    BOOST_TEST_CONTEXT("the deadline has passed") {
        LoopFixture fixture;
        ScriptedServer server(fixture.loop, {{read_request()}});
        const auto exchange = fixture.mutate(server, insert_request(std::chrono::milliseconds(-1)));
        expect_not_sent(fixture, exchange);
        BOOST_TEST((exchange.evidence.error == TransportError::deadline_reached));
    }
    BOOST_TEST_CONTEXT("a reply before the request") {
        LoopFixture fixture;
        ScriptedServer server(fixture.loop, {{send(reply(503, "busy"))}});
        Arrivals arrivals;
        auto& transport = fixture.transport(patient_options(), arrivals.factory());
        const auto result =
            fixture.start(mutate_after_arrival(transport, arrivals, server.endpoint(), insert_request()));
        fixture.run(server);
        const auto exchange = **result;
        expect_not_sent(fixture, exchange);
        BOOST_TEST((exchange.evidence.error == TransportError::unsolicited_reply));
        BOOST_TEST(server.received().at(0).empty());
    }
    BOOST_TEST_CONTEXT("closed before the request") {
        LoopFixture fixture;
        ScriptedServer server(fixture.loop, {{finish()}});
        Arrivals arrivals;
        auto& transport = fixture.transport(patient_options(), arrivals.factory());
        const auto result =
            fixture.start(mutate_after_arrival(transport, arrivals, server.endpoint(), insert_request()));
        fixture.run(server);
        const auto exchange = **result;
        expect_not_sent(fixture, exchange);
        BOOST_TEST((exchange.evidence.error == TransportError::closed_before_send));
    }
    BOOST_TEST_CONTEXT("reset before the request") {
        LoopFixture fixture;
        ScriptedServer server(fixture.loop, {{reset()}});
        Arrivals arrivals;
        auto& transport = fixture.transport(patient_options(), arrivals.factory());
        const auto result =
            fixture.start(mutate_after_arrival(transport, arrivals, server.endpoint(), insert_request()));
        fixture.run(server);
        const auto exchange = **result;
        expect_not_sent(fixture, exchange);
    }
    BOOST_TEST_CONTEXT("a request that cannot be sent") {
        LoopFixture fixture;
        ScriptedServer server(fixture.loop, {{read_request()}});
        auto request = insert_request();
        request.statement.settings.emplace_back("log_comment", std::string(2'000'000, 'x'));
        const auto exchange = fixture.mutate(server, std::move(request));
        expect_not_sent(fixture, exchange);
        BOOST_TEST((exchange.evidence.error == TransportError::request_not_sendable));
        BOOST_TEST(server.received().at(0).empty());
    }
}

BOOST_AUTO_TEST_CASE(limits_are_failures) {
    auto options = patient_options();
    options.max_header_bytes = 1'000;

    struct Case {
        const char* what;
        std::string reply;
        unsigned status;
    };

    const Case cases[] = {
        {"header", reply(200, "", "X: " + std::string(1'000, 'x') + "\r\n"), 0},
        {"body by its length", reply(200, std::string(101, 'x')), 200},
        {"body by its chunks", chunked_reply(200, {std::string(60, 'x'), std::string(60, 'x')}), 200},
    };
    for (const Case& each : cases) {
        BOOST_TEST_CONTEXT(each.what) {
            LoopFixture fixture;
            fixture.transport(options);
            ScriptedServer server(fixture.loop, {{read_request(), send(each.reply)}});
            auto request = insert_request();
            request.max_body_bytes = 100;
            const auto exchange = fixture.mutate(server, std::move(request));
            BOOST_TEST(!exchange.evidence.reply_complete);
            BOOST_TEST((exchange.response ? exchange.response->status : 0u) == each.status);
            const auto seen = observe(exchange, BodyShape::empty);
            BOOST_TEST((classify_outcome(MutationKind::insert, seen) == Outcome::outcome_unknown));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_prepared_call_sends_once) {
    LoopFixture fixture;
    ScriptedServer server(fixture.loop, {{read_request(), send(reply(200, ""))}});
    bool refused = false;
    fixture.start(send_twice(fixture.transport(), server.endpoint(), insert_request(), refused));
    fixture.run(server);
    BOOST_TEST(refused);
    BOOST_TEST(fixture.transport().sends() == 1u);
    BOOST_TEST(server.requests() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_not_used_sends_nothing) {
    LoopFixture fixture;
    ScriptedServer server(fixture.loop, {{}});
    fixture.start(prepare_only(fixture.transport(), server.endpoint()));
    fixture.run(server);
    BOOST_TEST(server.accepted() == 1u);
    BOOST_TEST(server.received().at(0).empty());
    BOOST_TEST(fixture.transport().sends() == 0u);
}

BOOST_AUTO_TEST_CASE(a_mutation_is_refused_by_the_client_that_tries_again) {
    LoopFixture fixture;
    ScriptedServer server(fixture.loop, {{}});
    bool refused = false;
    fixture.start(read_a_mutation(fixture.transport(), server.endpoint(), refused));
    fixture.run(server);
    BOOST_TEST(refused);
    BOOST_TEST(server.accepted() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::test
