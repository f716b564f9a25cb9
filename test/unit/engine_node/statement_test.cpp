#include "fixtures/engine_node/statement.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap::engine_node;

BOOST_AUTO_TEST_SUITE(statement)

BOOST_AUTO_TEST_CASE(the_cluster_is_found_by_tokens_outside_of_parentheses) {
    struct Row {
        const char* sql;
        const char* cluster;
        const char* local;
    };

    const Row rows[] = {
        {"EXCHANGE TABLES a.b AND a.c ON CLUSTER `c-1`", "c-1", "EXCHANGE TABLES a.b AND a.c "},
        {"/* ON CLUSTER x */ DROP TABLE IF EXISTS a.b on cluster 'c1'",
         "c1",
         "/* ON CLUSTER x */ DROP TABLE IF EXISTS a.b "},
        {"CREATE TABLE a.b ON CLUSTER c (x String DEFAULT 'ON CLUSTER d') ENGINE = Log",
         "c",
         "CREATE TABLE a.b  (x String DEFAULT 'ON CLUSTER d') ENGINE = Log"},
        {"CREATE TABLE a.b (x String COMMENT 'ON CLUSTER d') ENGINE = Log", nullptr, nullptr},
        {"CREATE TABLE a.b (x UInt8 DEFAULT (ON CLUSTER d)) ENGINE = Log", nullptr, nullptr},
        {"SELECT 'x' ON CLUSTER c", nullptr, nullptr},
        {"INSERT INTO a.b FORMAT TSV\nON CLUSTER c\n", nullptr, nullptr},
        {"DROP TABLE `ON CLUSTER c`.b", nullptr, nullptr},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.sql) {
            const Statement statement(row.sql);
            BOOST_TEST(statement.cluster().has_value() == (row.cluster != nullptr));
            if (row.cluster != nullptr) {
                BOOST_TEST(statement.cluster().value_or("") == row.cluster);
                BOOST_TEST(statement.without_cluster() == row.local);
            } else {
                BOOST_TEST(statement.without_cluster() == row.sql);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(names_are_replaced_and_texts_are_not) {
    Statement::Replacements names;
    names.server_uuid = "U";
    names.replicas_view = "_node.replicas";
    names.tables.emplace_back(TableName{"db", "t"}, "_rows.`1`");

    struct Row {
        const char* sql;
        const char* rewritten;
    };

    const Row rows[] = {
        {"SELECT toString(serverUUID()) AS u", "SELECT toString(toUUID('U')) AS u"},
        {"SELECT 'serverUUID()', serveruuid ( ) -- serverUUID()",
         "SELECT 'serverUUID()', toUUID('U') -- serverUUID()"},
        {"SELECT `serverUUID`()", "SELECT `serverUUID`()"},
        {"SELECT count() FROM `db`.`t` FINAL", "SELECT count() FROM _rows.`1` FINAL"},
        {"SELECT count() FROM db.t2, db.tt", "SELECT count() FROM db.t2, db.tt"},
        {"SELECT x FROM system.replicas WHERE table = 'system.replicas'",
         "SELECT x FROM _node.replicas WHERE table = 'system.replicas'"},
        {"INSERT INTO db.t (a, b) FORMAT JSONEachRow\n{\"a\":\"db.t\"}",
         "INSERT INTO _rows.`1` (a, b) FORMAT JSONEachRow\n{\"a\":\"db.t\"}"},
        {"INSERT INTO db.t(a) VALUES ('db.t')", "INSERT INTO _rows.`1`(a) VALUES ('db.t')"},
        {"SELECT $$db.t$$, $x$ serverUUID() $x$", "SELECT $$db.t$$, $x$ serverUUID() $x$"},
        {"SELECT /* /* db.t */ db.t */ 1", "SELECT /* /* db.t */ db.t */ 1"},
        {"SELECT 'it''s db.t', 'a\\'db.t'", "SELECT 'it''s db.t', 'a\\'db.t'"},
    };
    for (const Row& row : rows)
        BOOST_TEST(Statement(row.sql).with(names) == row.rewritten);
}

BOOST_AUTO_TEST_CASE(what_a_statement_is) {
    BOOST_TEST(Statement("(select 1)").has_result());
    BOOST_TEST(!Statement("INSERT INTO a.b VALUES (1)").has_result());
    BOOST_TEST(Statement("SELECT 1; SELECT 2").has_more());
    BOOST_TEST(!Statement("SELECT ';' ; ").has_more());
    BOOST_TEST(Statement("INSERT INTO a.b VALUES (1); SELECT 5").has_more());
    BOOST_TEST(!Statement("INSERT INTO a.b FORMAT TSV\n1; 2\n").has_more());
    BOOST_TEST(Statement("SELECT 1 FORMAT JSONEachRow").format() == "JSONEachRow");
    BOOST_TEST(Statement("INSERT INTO a.b (x) VALUES (1)").has_inline_data());
    BOOST_TEST(!Statement("INSERT INTO a.b SELECT 1 FORMAT Null").has_inline_data());
    BOOST_TEST((Statement("INSERT INTO TABLE a.b VALUES (1)").insert_target() == TableName{"a", "b"}));
    BOOST_TEST(!Statement("INSERT INTO FUNCTION file('x') VALUES (1)").insert_target().has_value());
    BOOST_TEST(!Statement("INSERT INTO b VALUES (1)").insert_target().has_value());
    BOOST_TEST(
        Statement("SELECT * FROM system.distributed_ddl_queue").mentions("system", "distributed_ddl_queue")
    );
    BOOST_TEST(!Statement("SELECT 'system.distributed_ddl_queue'").mentions("system", "distributed_ddl_queue")
    );
}

BOOST_AUTO_TEST_CASE(a_fan_out_has_one_form) {
    const Statement good("SELECT _shard_num AS s, f(a, b) FROM clusterAllReplicas('c1', system.one)");
    BOOST_TEST_REQUIRE(good.fan_out().has_value());
    BOOST_TEST(good.fan_out()->cluster == "c1");
    BOOST_TEST(good.fan_out()->list == "_shard_num AS s, f(a, b) ");
    for (const char* sql :
         {"SELECT 1 FROM clusterAllReplicas('c1', system.one) WHERE 1",
          "SELECT 1 FROM clusterAllReplicas('c1', system.tables)",
          "SELECT 1 FROM cluster('c1', system.one)",
          "SELECT 1 FROM (SELECT 1 FROM clusterAllReplicas('c1', system.one))",
          "SELECT 1 FROM clusterAllReplicas('c1', system.one), t"})
        BOOST_TEST(!Statement(sql).fan_out().has_value(), sql);
}

BOOST_AUTO_TEST_CASE(a_create_statement_is_taken_apart) {
    const Statement copy("CREATE TABLE a.b UUID 'u' ON CLUSTER c AS d.`e f`");
    BOOST_TEST(copy.has_uuid());
    BOOST_TEST((copy.copied_table() == TableName{"d", "e f"}));
    BOOST_TEST(copy.before_as() == "CREATE TABLE a.b UUID 'u' ON CLUSTER c ");
    BOOST_TEST(copy.without_uuid() == "CREATE TABLE a.b  ON CLUSTER c AS d.`e f`");
    const Statement map(
        "CREATE TABLE a.b ON CLUSTER c (x UUID DEFAULT 'u') ENGINE = KeeperMap('/r') PRIMARY KEY x"
    );
    BOOST_TEST(!map.has_uuid());
    BOOST_TEST(map.has_engine("KeeperMap"));
    BOOST_TEST(!map.copied_table().has_value());
    BOOST_TEST(map.from_parenthesis() == "(x UUID DEFAULT 'u') ENGINE = KeeperMap('/r') PRIMARY KEY x");
    BOOST_TEST(
        map.before_cluster("UUID 'v' ") ==
        "CREATE TABLE a.b UUID 'v' ON CLUSTER c (x UUID DEFAULT 'u') ENGINE = KeeperMap('/r') PRIMARY KEY x"
    );
}

BOOST_AUTO_TEST_SUITE_END()
