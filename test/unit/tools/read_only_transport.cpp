#include "tools/cli/read_only_transport.hpp"

#include "http_transport/transport_error.hpp"
#include "loop.hpp"
#include "scripted_transport.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace onceswap;
using protocol::StatementKind;

BOOST_AUTO_TEST_SUITE(read_only_transport)

BOOST_AUTO_TEST_CASE(every_kind_passes_or_is_refused_before_a_byte) {
    std::uint64_t mutations = 0;
    for (const StatementKind kind : protocol::all_statement_kinds()) {
        http::Request request(protocol::Statement(kind, "SELECT 1"), "id");
        const bool mutation = protocol::is_mutation(kind);
        BOOST_TEST(cli::refusal_of(request).empty() == !mutation, protocol::text(kind));
        mutations += mutation ? 1U : 0U;
        if (mutation)
            BOOST_TEST(cli::refusal_of(request).starts_with(protocol::text(kind)), cli::refusal_of(request));
    }
    BOOST_TEST(mutations != 0U);
}

BOOST_AUTO_TEST_CASE(a_text_that_changes_something_is_refused_under_any_name) {
    for (const char* sql :
         {"DROP TABLE db.t",
          "INSERT INTO db.t VALUES (1)",
          "ALTER TABLE db.t DELETE WHERE 1",
          "EXCHANGE TABLES db.a AND db.b",
          "SYSTEM DROP REPLICA 'r'",
          "SET readonly = 0",
          "select 1", // not as we write it
          " SELECT 1",
          "SELECTED",
          "/* c */ DROP TABLE db.t",
          ""}) {
        http::Request request(protocol::Statement(StatementKind::catalogue, sql), "id");
        BOOST_TEST(!cli::refusal_of(request).empty(), sql);
    }
}

BOOST_AUTO_TEST_CASE(what_passes_and_what_does_not_is_counted_and_nothing_refused_is_seen_inside) {
    testing::Loop loop;
    auto scripted = std::make_unique<testing::ScriptedTransport>(loop.clock);
    testing::ScriptedTransport& inner = *scripted;
    inner.script = [](const testing::Call&) { return testing::reply_ok("1\n"); };
    cli::ReadOnlyTransport gate(std::move(scripted));
    const http::Endpoint endpoint = *http::Endpoint::parse("http://ch-1:8123");
    const auto read = [&](StatementKind kind, const char* sql, const char* rows) {
        http::Request request(protocol::Statement(kind, sql), "id");
        request.payload = rows;
        request.deadline = loop.clock.now() + std::chrono::seconds(10);
        return loop.get(gate.read(endpoint, std::move(request)));
    };

    BOOST_TEST(read(StatementKind::catalogue, "SELECT 1", "").response.has_value());
    BOOST_TEST(read(StatementKind::grants, "SHOW GRANTS", "").response.has_value());
    BOOST_TEST(gate.passed() == 2U);
    BOOST_TEST(gate.refused() == 0U);

    const std::vector<http::Exchange> refused = {
        read(StatementKind::exchange, "SELECT 1", ""),
        read(StatementKind::catalogue, "DROP TABLE db.t", ""),
        read(StatementKind::catalogue, "SELECT 1", "{\"id\":1}\n"),
    };
    for (const http::Exchange& exchange : refused) {
        BOOST_TEST(!exchange.response.has_value());
        BOOST_TEST((exchange.evidence.error == http::TransportError::request_not_sendable));
        BOOST_TEST(exchange.evidence.bytes_handed_over == 0U);
        BOOST_TEST((exchange.evidence.phase == http::CallPhase::not_started));
        BOOST_TEST(
            exchange.evidence.detail.starts_with("this program only reads: "), exchange.evidence.detail
        );
    }
    const http::Prepared way = loop.get(gate.prepare(endpoint, loop.clock.now() + std::chrono::seconds(1)));
    BOOST_TEST((way.call == nullptr));
    BOOST_TEST((way.evidence.error == http::TransportError::request_not_sendable));
    BOOST_TEST(gate.refused() == 4U);
    BOOST_TEST(gate.passed() == 2U);
    BOOST_TEST(gate.sends() == 0U);
    BOOST_TEST(inner.calls.size() == 2U);
    BOOST_TEST(inner.ways_opened == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
