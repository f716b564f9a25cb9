#include "engine/row_insert.hpp"

#include "engine/system_clock.hpp"
#include "protocol/digest.hpp"
#include "recorded_events.hpp"
#include "row_server.hpp"
#include "seeded_entropy.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace onceswap;
using testing::Fate;

BOOST_AUTO_TEST_SUITE(row_insert)

namespace {

struct Fixture {
    boost::asio::io_context loop;
    std::unique_ptr<engine::Clock> clock = engine::make_system_clock(loop.get_executor());
    testing::SeededEntropy entropy{1};
    testing::RecordedEvents events;
    testing::RowServer server;
    boost::asio::cancellation_signal stop;
    http::Endpoint endpoint = *http::Endpoint::parse("http://ch-1:8123");

    engine::Context context() {
        engine::Limits limits;
        limits.poll_initial = std::chrono::milliseconds(1);
        limits.poll_max = std::chrono::milliseconds(1);
        return engine::Context(server, *clock, entropy, events, engine::Cluster(), limits);
    }

    engine::RowInsertResult insert(engine::TimePoint deadline = engine::TimePoint::max()) {
        engine::Context with = context();
        protocol::TargetName table;
        table.database = "db";
        table.table = "candidate";
        engine::RowInsert rows(endpoint, table, "{\"id\":1}\n", "token-1");
        std::optional<engine::RowInsertResult> result;
        boost::asio::co_spawn(
            loop,
            engine::insert_rows(with, rows, deadline),
            boost::asio::bind_cancellation_slot(
                stop.slot(),
                [&result](const std::exception_ptr& error, engine::RowInsertResult value) {
                    if (error)
                        std::rethrow_exception(error);
                    result.emplace(std::move(value));
                }
            )
        );
        loop.restart();
        loop.run();
        BOOST_REQUIRE(result.has_value());
        return std::move(*result);
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(every_row_of_outcomes) {
    using protocol::Code;
    using protocol::Outcome;

    const struct {
        std::vector<Fate> fates;
        std::size_t requests;
        std::optional<Code> problem;
        std::size_t blocks;
    } rows[] = {
        {{}, 1, std::nullopt, 1},
        {{Fate::not_sent}, 1, std::nullopt, 1},
        {{Fate::not_sent, Fate::not_sent, Fate::not_sent, Fate::not_sent}, 1, std::nullopt, 1},
        {{Fate::not_sent, Fate::not_sent, Fate::not_sent, Fate::not_sent, Fate::not_sent},
         0,
         Code::staging_failed,
         0},
        {{Fate::lost_before}, 2, std::nullopt, 1},
        {{Fate::lost_after}, 2, std::nullopt, 1},
        {{Fate::lost_after, Fate::lost_after}, 3, std::nullopt, 1},
        {{Fate::lost_after, Fate::lost_before, Fate::lost_after}, 3, Code::staging_unknown, 1},
        {{Fate::server_error, Fate::server_error, Fate::server_error}, 3, Code::staging_failed, 1},
        {{Fate::server_error}, 2, std::nullopt, 1},
        {{Fate::refused_direct}, 1, Code::staging_failed, 0},
        {{Fate::bad_row}, 1, Code::input_malformed, 0},
        {{Fate::lost_after, Fate::bad_row}, 2, Code::input_malformed, 1},
    };

    for (const auto& row : rows) {
        Fixture fixture;
        fixture.server.fates.assign(row.fates.begin(), row.fates.end());
        const engine::RowInsertResult result = fixture.insert();
        BOOST_TEST_CONTEXT("row " << &row - rows << ": " << result.problem.detail) {
            BOOST_TEST((result.outcome == Outcome::acknowledged) == !row.problem.has_value());
            if (row.problem)
                BOOST_TEST((result.problem.code == *row.problem));
            BOOST_TEST(fixture.server.inserts.size() == row.requests);
            BOOST_TEST(result.requests == row.requests);
            BOOST_TEST(fixture.server.sends() == row.requests); // each request is one send
            BOOST_TEST(fixture.server.blocks.size() == row.blocks);
            BOOST_TEST(result.problem.detail.find("s3cret") == std::string::npos);
            BOOST_TEST(fixture.events.of(engine::EventKind::mutation).size() == row.requests);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_repeat_is_a_new_request_with_the_same_bytes_and_token_to_the_same_member) {
    Fixture fixture;
    fixture.server.fates = {Fate::lost_after, Fate::server_error};
    fixture.insert();
    BOOST_REQUIRE(fixture.server.inserts.size() == 3);
    std::set<std::string> query_ids;
    for (const http::Request& request : fixture.server.inserts) {
        query_ids.insert(request.query_id);
        BOOST_TEST(request.payload == "{\"id\":1}\n");
        BOOST_TEST(request.statement.sql == fixture.server.inserts.front().statement.sql);
        BOOST_TEST((request.statement.settings == fixture.server.inserts.front().statement.settings));
        BOOST_TEST((request.statement.kind == protocol::StatementKind::insert_rows));
    }
    BOOST_TEST(query_ids.size() == 3);
    for (const http::Endpoint& endpoint : fixture.server.endpoints)
        BOOST_TEST(endpoint.text() == "http://ch-1:8123");
    BOOST_TEST(fixture.server.stored == "{\"id\":1}\n");
}

BOOST_AUTO_TEST_CASE(cancellation_is_a_value_and_ends_the_trying) {
    Fixture fixture;
    fixture.server.fates = {Fate::never_answered};
    fixture.server.on_send = [&] {
        boost::asio::post(fixture.loop, [&] { fixture.stop.emit(boost::asio::cancellation_type::terminal); });
    };
    const engine::RowInsertResult result = fixture.insert();
    BOOST_TEST((result.problem.code == protocol::Code::cancelled));
    BOOST_TEST(fixture.server.inserts.size() == 1);
}

BOOST_AUTO_TEST_CASE(a_deadline_ends_the_trying) {
    Fixture fixture;
    fixture.server.fates = {Fate::lost_after};
    const engine::RowInsertResult result = fixture.insert(fixture.clock->now());
    BOOST_TEST((result.problem.code == protocol::Code::deadline_reached));
    BOOST_TEST(fixture.server.inserts.size() == 1);
}

BOOST_AUTO_TEST_CASE(tokens_tell_candidates_batches_and_bytes_apart) {
    const auto one = *protocol::Uuid::parse("11111111-2222-4333-8444-555555555555");
    const auto two = *protocol::Uuid::parse("11111111-2222-4333-8444-555555555556");
    const std::string a = protocol::sha256_hex("a");
    const std::string b = protocol::sha256_hex("b");
    BOOST_TEST(engine::row_insert_token(one, 7, a) == "11111111-2222-4333-8444-555555555555-7-" + a);
    const std::set<std::string> all = {
        engine::row_insert_token(one, 0, a),
        engine::row_insert_token(two, 0, a),
        engine::row_insert_token(one, 1, a),
        engine::row_insert_token(one, 0, b),
    };
    BOOST_TEST(all.size() == 4);
}

BOOST_AUTO_TEST_CASE(what_an_exception_says_without_quoting_rows) {
    const struct {
        const char* text;
        std::optional<std::uint64_t> row;
        const char* shown;
    } rows[] = {
        {"Code: 27. DB::Exception: Cannot parse: s3cret: (at row 12): x. (CANNOT_PARSE_INPUT) (version 24.8)",
         12,
         "code 27, CANNOT_PARSE_INPUT"},
        {"Code: 27. (at row 3) then (at row 14)", 14, "code 27"},
        {"Code: 27. (at row 0)", std::nullopt, "code 27"},
        {"Code: 27. (at row x)", std::nullopt, "code 27"},
        {"Code: 27. (at row 99999999999999999999999)", std::nullopt, "code 27"},
        {"Code: 27. (at row 3", std::nullopt, "code 27"},
        {"", std::nullopt, "code 27"},
        {"Code: 27, e.displayText() = DB::Exception: (s3cret) (version 18.16.1)", std::nullopt, "code 27"},
        {"((((", std::nullopt, "code 27"},
    };

    for (const auto& row : rows) {
        protocol::ServerException exception;
        exception.code = 27;
        exception.text = row.text;
        BOOST_TEST((engine::row_of(exception) == row.row), row.text);
        BOOST_TEST(engine::code_and_name(exception) == row.shown, row.text);
    }
    BOOST_TEST(engine::is_about_rows(27));
    BOOST_TEST(!engine::is_about_rows(999));
    BOOST_TEST(!engine::is_about_rows(0));
}

BOOST_AUTO_TEST_SUITE_END()
