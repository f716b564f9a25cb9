#include "live_engine.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(overlay)

namespace {

/// First cells of the table below `## What is overlaid`.
std::vector<std::string> listed() {
    std::ifstream in(std::string(ONCESWAP_SOURCE_DIR) + "/fixtures/engine_node/README.md");
    std::vector<std::string> names;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("## "))
            inside = line == "## What is overlaid";
        else if (inside && line.starts_with("| ") && !line.starts_with("| overlaid"))
            names.push_back(line.substr(2, line.find(" |", 2) - 2));
    }
    return names;
}

const std::string one = "SELECT count() FROM system.one";

} // namespace

/// One statement for each line of the list, whose answer only the overlay can give, and what it leaves out.
BOOST_AUTO_TEST_CASE(the_readme_lists_what_is_overlaid) {
    struct Row {
        const char* name;
        const char* sql;
        Settings parameters;
        const char* answer; ///< a part of it
    };

    const Row rows[] = {
        {"HTTP", "SELECT 1; SELECT 2", {}, "Multi-statements are not allowed"},
        {"users and passwords", "SELECT 1", {{"user", "reader"}}, "Authentication failed"},
        {"`query_id`", "SELECT 1", {{"query_id", "x"}}, "1\n"},
        {"ON CLUSTER", "CREATE DATABASE list ON CLUSTER c1", {}, "127.0.0.1\t19101\t0\t\t"},
        {"DDL worker", "EXISTS DATABASE list", {}, "1\n"},
        {"`CREATE TABLE ... ON CLUSTER ... AS db.t`",
         "CREATE TABLE list.t ON CLUSTER c1 AS list.nothing",
         {},
         "CANNOT_GET_CREATE_TABLE_QUERY"},
        {"`UUID` of a KeeperMap in ON CLUSTER",
         "CREATE TABLE list.map UUID '6f1c1c2e-2222-4000-8000-000000000001' ON CLUSTER c1 (k String) ENGINE "
         "= "
         "KeeperMap('/list') PRIMARY KEY k",
         {},
         "127.0.0.1\t19102\t0\t\t"},
        {"`system.distributed_ddl_queue`",
         "SELECT arrayStringConcat(groupArray(type), '|') FROM (SELECT type FROM system.columns WHERE "
         "database = 'system' AND "
         "table = 'distributed_ddl_queue' ORDER BY position)",
         {},
         "String|Nullable(UInt8)|Nullable(String)|Nullable(UInt16)|String|String|Map(String, "
         "String)|DateTime|Nullable(String)|Nullable(UInt16)|Nullable(Enum8(\\'Inactive\\' = 0, \\'Active\\' "
         "= 1, "
         "\\'Finished\\' = 2, \\'Removing\\' = 3, \\'Unknown\\' = "
         "4))|Nullable(UInt16)|Nullable(String)|Nullable(DateTime)|Nullable(UInt64)\n"},
        {"`serverUUID()`", "SELECT serverUUID()", {}, "6f1c1c2e-0000-4000-8000-000000000001\n"},
        {"`system.replicas`",
         "SELECT is_readonly, active_replicas, total_replicas, log_pointer FROM system.replicas WHERE "
         "database = 'overlaid'",
         {},
         "0\t2\t2\t0\n"},
        {"rows of Replicated tables",
         "INSERT INTO overlaid.target SELECT 1, 'x'",
         {},
         "INSERT SELECT into a Replicated table is not overlaid"},
        {"`clusterAllReplicas`",
         "SELECT 1 FROM clusterAllReplicas('c1', system.tables)",
         {},
         "and nothing else"},
    };
    LiveEngine& engine = LiveEngine::get();
    engine.make_target("overlaid", 0);
    std::vector<std::string> names;
    for (const Row& row : rows) {
        names.emplace_back(row.name);
        const Reply reply = engine.ask(0, row.sql, row.parameters);
        BOOST_TEST(reply.body.find(row.answer) != std::string::npos, row.name << ": " << reply.body);
    }
    BOOST_TEST(names == listed(), boost::test_tools::per_element());
    BOOST_TEST(
        engine.rows(
            0,
            "SELECT uuid = '6f1c1c2e-2222-4000-8000-000000000001' FROM system.tables WHERE database = 'list' "
            "AND "
            "name = 'map'"
        ) == "0\n"
    );
}

BOOST_AUTO_TEST_CASE(words_in_texts_and_comments_are_left_alone) {
    LiveEngine& engine = LiveEngine::get();
    BOOST_TEST(
        engine.rows(0, "SELECT 'serverUUID() system.replicas' -- serverUUID()") ==
        "serverUUID() system.replicas\n"
    );
    BOOST_TEST(engine.rows(0, "SELECT 1 AS `serverUUID`") == "1\n");
    BOOST_TEST(
        engine.rows(0, "SELECT 'DROP TABLE x ON CLUSTER c1; SELECT 2'") ==
        "DROP TABLE x ON CLUSTER c1; SELECT 2\n"
    );
    BOOST_TEST(engine.rows(0, one) == "1\n");
}

BOOST_AUTO_TEST_CASE(rows_follow_their_storage_and_a_token_inserts_once) {
    LiveEngine& engine = LiveEngine::get();
    engine.make_target("follow", 2);
    engine.rows(0, "CREATE TABLE follow.other ON CLUSTER c1 AS follow.target");
    const std::string insert = "INSERT INTO follow.other FORMAT JSONEachRow\n" + new_rows(5);
    for (const std::size_t member : {0U, 1U, 0U}) // a retry at another member inserts nothing either
        engine.rows(member, insert, {{"insert_deduplication_token", "t1"}, {"insert_deduplicate", "1"}});
    for (const std::size_t member : {0U, 1U})
        BOOST_TEST(wait_for_rows(engine, member, "SELECT count() FROM follow.other", "5\n") == "5\n");
    engine.rows(1, "EXCHANGE TABLES follow.target AND follow.other ON CLUSTER c1");
    for (const std::size_t member : {0U, 1U}) {
        BOOST_TEST(engine.rows(member, "SELECT count(), max(name) FROM follow.target") == "5\tnew 5\n");
        BOOST_TEST(engine.rows(member, "SELECT count() FROM follow.other") == "2\n");
    }
    const Reply wrong = engine.ask(
        0,
        "INSERT INTO follow.target FORMAT JSONEachRow\n{\"id\":1,\"nothing\":2}\n",
        {{"input_format_skip_unknown_fields", "0"}}
    );
    BOOST_TEST(wrong.code() == 117, wrong.body);
}

BOOST_AUTO_TEST_SUITE_END()
