#include "fixtures/sim/row_scan.hpp"
#include "fixtures/sim/server_error.hpp"
#include "world_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using namespace std::chrono_literals;

namespace {

Sent insert(World& world, MemberIndex member, const std::string& token, const std::string& rows) {
    return ask(world, member, protocol::insert_rows_statement({"db", "target"}, token), rows);
}

std::uint64_t rows_on(World& world, MemberIndex member) {
    return world.cluster().state().members[member].find("db", "target")->rows;
}

const std::string two_rows = "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n";

std::vector<ColumnSetup> columns() {
    std::vector<ColumnSetup> all;
    for (const auto& [name, type] : std::vector<std::pair<const char*, const char*>>{
             {"id", "UInt64"},
             {"name", "String"},
             {"maybe", "Nullable(Int32)"},
             {"list", "Array(UInt8)"},
             {"share", "Float64"},
             {"code", "FixedString(3)"},
             {"at", "DateTime"},
             {"low", "LowCardinality(String)"},
             {"yes", "Bool"},
             {"map", "Map(String, String)"}
         })
        all.emplace_back(name, type);
    return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(inserts)

BOOST_AUTO_TEST_CASE(replicate_after_a_while) {
    Scenario scenario = simple_scenario(3, 0);
    scenario.replication = Latency(1s, 2s);
    World world(scenario, 1);
    BOOST_TEST(insert(world, 1, "t1", two_rows).status == 200U);
    BOOST_TEST(rows_on(world, 1) == 2U);
    BOOST_TEST(rows_on(world, 0) == 0U);
    BOOST_TEST(world.cluster().state().members[0].find("db", "target")->lag() == 1U);
    world.run_for(3s);
    for (MemberIndex member = 0; member < 3; ++member) {
        BOOST_TEST(rows_on(world, member) == 2U);
        BOOST_TEST(world.cluster().state().members[member].find("db", "target")->lag() == 0U);
    }
}

BOOST_AUTO_TEST_CASE(one_token_counts_once_everywhere) {
    World world(simple_scenario(2, 0), 1);
    insert(world, 0, "t1", two_rows);
    insert(world, 0, "t1", two_rows);
    insert(world, 1, "t1", two_rows);
    insert(world, 1, "t2", two_rows);
    world.run_until_idle();
    BOOST_TEST(rows_on(world, 0) == 4U);
    BOOST_TEST(rows_on(world, 1) == 4U);
    unsigned deduplicated = 0;
    for (const auto& one : world.truth().inserts)
        deduplicated += one.deduplicated ? 1 : 0;
    BOOST_TEST(deduplicated == 2U);
}

BOOST_AUTO_TEST_CASE(member_that_was_away_catches_up) {
    World world(simple_scenario(2, 0), 1);
    world.cluster().crash(1);
    insert(world, 0, "t1", two_rows);
    world.run_until_idle();
    BOOST_TEST(rows_on(world, 1) == 0U);
    world.cluster().restart(1);
    world.run_until_idle();
    BOOST_TEST(rows_on(world, 1) == 2U);
}

BOOST_AUTO_TEST_CASE(refusals) {
    struct Row {
        std::string rows;
        int code;
        std::string part;
    };

    const std::vector<Row> rows{
        {"{\"id\":1,\"name\":\"a\",\"extra\":1}\n",
         117,
         "Unknown field found while parsing JSONEachRow format: extra: (at row 1)"},
        {"{\"id\":1,\"name\":\"a\"}\n{\"id\":\"x\",\"name\":\"a\"}\n", 27, "(at row 2)"},
        {"{\"id\":1,\"id\":2}", 117, "Duplicate field"},
        {"{\"id\":1,\"name\":\"a\"", 27, "Cannot parse input: expected '}'"},
        {"[1]", 27, "expected '{' before: '[1]'"},
    };
    for (const Row& row : rows) {
        World world(simple_scenario(2, 0), 1);
        const Sent sent = insert(world, 0, "t", row.rows);
        BOOST_TEST_CONTEXT(row.rows << "\n" << sent.body) {
            BOOST_TEST(sent.code == row.code);
            BOOST_TEST(sent.body.find(row.part) != std::string::npos);
            BOOST_TEST(rows_on(world, 0) == 0U);
        }
    }
    World world(simple_scenario(2, 0), 1);
    world.cluster().lose_session(0);
    BOOST_TEST(insert(world, 0, "t", two_rows).code == 242);
    BOOST_TEST(ask(world, 1, protocol::insert_rows_statement({"db", "nope"}, "t"), two_rows).code == 60);
}

/// However the bytes are cut into pieces, the count and the error are the same.
BOOST_AUTO_TEST_CASE(scan_in_pieces) {
    const auto all = columns();
    const std::string good =
        "{\"id\":1,\"name\":\"a \\\" } { \\\\\",\"maybe\":null,\"list\":[1,2,[]],\"share\":1.5e3}\n"
        "{\"name\":\"\",\"id\":\"18446744073709551615\",\"maybe\":-3,\"code\":\"abc\",\"at\":\"2025-01-01 "
        "00:00:00\"}  \r\n"
        "{\"low\":\"x\",\"yes\":true,\"map\":{\"k\":\"v\"}}{}\n\n";

    struct Row {
        std::string text;
        std::uint64_t rows;
        int code;
    };

    const std::vector<Row> rows{
        {good, 4, 0},
        {good + "{\"id\":1.5}", 4, 27},
        {good + "{\"id\":}", 4, 27},
        {good + "{\"id\" 1}", 4, 27},
        {good + "{\"id\":1,}", 4, 27},
        {good + "{\"maybe\":\"x\"}", 4, 27},
        {good + "{\"list\":1}", 4, 27},
        {good + "{\"list\":[1 2]}", 4, 27},
        {good + "{\"map\":1}", 4, 27},
        {good + "{\"code\":\"abcd\"}", 4, 131},
        {good + "{\"at\":[]}", 4, 27},
        {good + "{\"nothing\":{\"a\":[1,2,{}]}}", 4, 117},
        {good + "{\"name\":\"open", 4, 27},
        {good + "null", 4, 27},
        {"", 0, 0},
        {"  \n", 0, 0},
    };
    for (const Row& row : rows)
        for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{4096}}) {
            RowScan scan(all, false);
            int code = 0;
            try {
                for (std::size_t at = 0; at < row.text.size(); at += piece)
                    scan.feed(std::string_view(row.text).substr(at, piece));
                scan.finish();
            } catch (const ServerError& error) {
                code = error.code;
            }
            BOOST_TEST_CONTEXT(row.text << " in pieces of " << piece) {
                BOOST_TEST(code == row.code);
                BOOST_TEST(scan.rows() == row.rows);
            }
        }
    RowScan lenient(all, true);
    lenient.feed("{\"nothing\":{\"a\":[1,2,{}]},\"id\":1}");
    lenient.finish();
    BOOST_TEST(lenient.rows() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
