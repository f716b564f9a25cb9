#include "live_engine.hpp"

#include <boost/test/unit_test.hpp>

#include <thread>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(interface)

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_result_comes_in_the_format_that_is_asked_for) {
    LiveEngine& engine = LiveEngine::get();
    const Reply reply = engine.ask(
        0,
        "SELECT 1 AS a, 'x' AS b, toUInt64(18446744073709551615) AS c",
        {{"default_format", "JSONCompactEachRowWithNamesAndTypes"},
         {"output_format_json_quote_64bit_integers", "1"},
         {"query_id", "q-1"}}
    );
    BOOST_TEST(reply.status == 200U);
    BOOST_TEST(
        reply.body ==
        "[\"a\", \"b\", \"c\"]\n[\"UInt8\", \"String\", \"UInt64\"]\n[1, \"x\", \"18446744073709551615\"]\n"
    );
    for (const char* header :
         {"Content-Type: application/json; charset=UTF-8\r\n",
          "Transfer-Encoding: chunked\r\n",
          "X-ClickHouse-Query-Id: q-1\r\n",
          "X-ClickHouse-Format: JSONCompactEachRowWithNamesAndTypes\r\n"})
        BOOST_TEST(contains(reply.head, header), reply.head);
    BOOST_TEST(engine.rows(0, "SELECT 1 FORMAT JSONEachRow") == "{\"1\":1}\n");
    BOOST_TEST(engine.rows(0, "SELECT 1 WHERE 0") == "");
    BOOST_TEST(engine.rows(0, "SELECT getSetting('max_threads')", {{"max_threads", "3"}}) == "3\n");
}

BOOST_AUTO_TEST_CASE(an_error_has_its_code_its_status_and_its_text) {
    struct Row {
        const char* sql;
        Settings parameters;
        unsigned status;
        int code;
        const char* text;
    };

    const Row rows[] = {
        {"SELEC 1", {}, 400, 62, "Syntax error"},
        {"SELECT 1; SELECT 2", {}, 400, 62, "Multi-statements are not allowed"},
        {"SELECT * FROM nowhere.t", {}, 404, 81, "UNKNOWN_DATABASE"},
        {"SELECT * FROM system.nothing", {}, 404, 60, "UNKNOWN_TABLE"},
        {"SELECT nothing", {}, 404, 47, "UNKNOWN_IDENTIFIER"},
        {"SELECT 1", {{"no_such_setting", "1"}}, 404, 115, "UNKNOWN_SETTING"},
        {"SELECT 1", {{"user", "reader"}, {"password", "wrong"}}, 403, 516, "Authentication failed"},
        {"SELECT 1", {{"user", "nobody"}}, 403, 516, "Authentication failed"},
        {"DROP TABLE db.t ON CLUSTER c1", {{"readonly", "1"}}, 500, 164, "readonly"},
        {"CREATE DATABASE x ENGINE = Atomic", {{"readonly", "1"}}, 500, 164, "readonly"},
        {"EXCHANGE TABLES db.a AND db.b ON CLUSTER nowhere",
         {},
         500,
         701,
         "Requested cluster 'nowhere' not found"},
    };
    LiveEngine& engine = LiveEngine::get();
    for (const Row& row : rows) {
        const Reply reply = engine.ask(0, row.sql, row.parameters);
        BOOST_TEST_CONTEXT(row.sql << ": " << reply.head << reply.body) {
            BOOST_TEST(reply.status == row.status);
            BOOST_TEST(reply.code() == row.code);
            BOOST_TEST(reply.body.starts_with("Code: " + std::to_string(row.code) + ". DB::Exception: "));
            BOOST_TEST(contains(reply.body, row.text));
            BOOST_TEST(reply.body.ends_with(" (version 26.7.2.1 (official build))\n"));
            BOOST_TEST(reply.body.find(" (version ") == reply.body.rfind(" (version "));
        }
    }
    BOOST_TEST(engine.rows(0, "SELECT 1", {{"user", "reader"}, {"password", "secret"}}) == "1\n");
}

BOOST_AUTO_TEST_CASE(a_record_of_keeper_map_is_compared_and_swapped) {
    LiveEngine& engine = LiveEngine::get();
    const Settings strict{
        {"keeper_map_strict_mode", "1"}, {"insert_keeper_max_retries", "0"}, {"async_insert", "0"}
    };
    engine.rows(0, "CREATE DATABASE swap ON CLUSTER c1 ENGINE = Atomic");
    engine.rows(
        0, "CREATE TABLE swap.r ON CLUSTER c1 (k String, v String) ENGINE = KeeperMap('/swap') PRIMARY KEY k"
    );
    engine.rows(0, "INSERT INTO swap.r VALUES ('a', 'one')", strict);
    const Reply second = engine.ask(1, "INSERT INTO swap.r VALUES ('a', 'two')", strict);
    BOOST_TEST(second.status == 500U);
    BOOST_TEST(second.code() == 999);
    BOOST_TEST(contains(second.body, "(Node exists)"), second.body);
    BOOST_TEST(engine.rows(1, "SELECT v, _version FROM swap.r") == "one\t0\n");
    const std::string update = "ALTER TABLE swap.r UPDATE v = 'three' WHERE k = 'a' AND _version = 0";
    BOOST_TEST(engine.rows(1, update, strict) == "");
    BOOST_TEST(engine.rows(0, "SELECT v, _version FROM swap.r") == "three\t1\n");
    BOOST_TEST(engine.rows(1, update, strict) == ""); // stale: a success that changes nothing
    BOOST_TEST(engine.rows(0, "SELECT v, _version FROM swap.r") == "three\t1\n");
}

BOOST_AUTO_TEST_CASE(of_two_publishers_with_one_version_one_wins_each_round) {
    LiveEngine& engine = LiveEngine::get();
    const Settings strict{
        {"keeper_map_strict_mode", "1"}, {"insert_keeper_max_retries", "0"}, {"async_insert", "0"}
    };
    engine.rows(0, "CREATE DATABASE rounds ON CLUSTER c1 ENGINE = Atomic");
    engine.rows(
        0,
        "CREATE TABLE rounds.r ON CLUSTER c1 (k String, v String) ENGINE = KeeperMap('/rounds') PRIMARY KEY k"
    );
    engine.rows(0, "INSERT INTO rounds.r VALUES ('a', 'none')", strict);
    constexpr int rounds = 100;
    for (int version = 0; version < rounds; ++version) {
        Reply replies[2];
        std::thread threads[2];
        for (const std::size_t member : {0U, 1U})
            threads[member] = std::thread([&, member] {
                replies[member] = engine.ask(
                    member,
                    "ALTER TABLE rounds.r UPDATE v = 'member " + std::to_string(member) +
                        "' WHERE k = 'a' AND _version = " + std::to_string(version),
                    strict
                );
            });
        for (std::thread& thread : threads)
            thread.join();
        const std::string row = engine.rows(0, "SELECT v, _version FROM rounds.r");
        const bool first = row == "member 0\t" + std::to_string(version + 1) + "\n";
        const bool second = row == "member 1\t" + std::to_string(version + 1) + "\n";
        BOOST_TEST_CONTEXT("round " << version << ": " << row << replies[0].body << replies[1].body) {
            BOOST_REQUIRE(first != second); // once, and whole
            const Reply& winner = replies[first ? 0 : 1];
            const Reply& loser = replies[first ? 1 : 0];
            BOOST_TEST(winner.status == 200U);
            // A stale no-op, or a conflict between its two phases.
            BOOST_TEST(
                (loser.status == 200U || (loser.code() == 999 && contains(loser.body, "(Bad version)")))
            );
        }
    }
}

BOOST_AUTO_TEST_CASE(every_member_says_who_it_is_and_one_says_who_all_are) {
    LiveEngine& engine = LiveEngine::get();
    const std::string first = "6f1c1c2e-0000-4000-8000-000000000001";
    const std::string second = "6f1c1c2e-0000-4000-8000-000000000002";
    BOOST_TEST(engine.rows(0, "SELECT toString(serverUUID()) AS u") == first + "\n");
    BOOST_TEST(engine.rows(1, "SELECT toString(serverUUID()) AS u") == second + "\n");
    BOOST_TEST(
        engine.rows(
            1, "SELECT _shard_num AS s, toString(serverUUID()) AS u FROM clusterAllReplicas('c1', system.one)"
        ) == "1\t" + first + "\n2\t" + second + "\n"
    );
    const Reply other = engine.ask(0, "SELECT count() FROM clusterAllReplicas('c1', system.tables)");
    BOOST_TEST(other.code() == 48, other.body);
    BOOST_TEST(
        engine.rows(
            1, "SELECT host_name, port, is_local FROM system.clusters WHERE cluster = 'c1' ORDER BY port"
        ) == "127.0.0.1\t19101\t0\n127.0.0.1\t19102\t1\n"
    );
    BOOST_TEST(engine.rows(1, "SELECT tcpPort()") == "19102\n");
}

BOOST_AUTO_TEST_SUITE_END()
