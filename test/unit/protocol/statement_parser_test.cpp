#include "protocol/statement_parser.hpp"
#include "protocol/statements.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace onceswap::protocol;

namespace {

using enum TokenKind;

// One character per kind, then the value in brackets: easy to read in a failure.
std::string show(std::string_view sql) {
    const auto tokens = tokenize(sql);
    if (!tokens)
        return "refused";
    std::string out;
    for (const Token& token : *tokens) {
        switch (token.kind) {
        case word:
            out += 'w';
            break;
        case quoted_identifier:
            out += 'q';
            break;
        case string_literal:
            out += 's';
            break;
        case number:
            out += 'n';
            break;
        case symbol:
            out += '.';
            break;
        }
        out += "[" + token.value + "]";
    }
    return out;
}

const DdlOptions options{"onceswap-v1-0123456789abcdef0123-publish-1-0123456789abcdef0123456789abcdef", 30};

std::string exchange_sql(std::string table, std::string cluster) {
    return exchange_statement({"db", std::move(table)}, "x", cluster, options).sql;
}

std::string rename_sql(std::string from, std::string to, std::string cluster = "c") {
    return rename_statement(StatementKind::rename_aside, "db", from, to, cluster, options).sql;
}

std::string drop_sql(std::string table, std::string cluster = "c") {
    return drop_statement(StatementKind::drop_aside, "db", table, cluster, options).sql;
}

std::string facade_sql() {
    return create_facade_statement("db", "/onceswap/authority/v1", "c1", "canary 1", options).sql;
}

// What ClickHouse 26.7 makes of the facade's statement; the UUID is the initiator's.
const std::string stored_facade_columns =
    " ON CLUSTER c1 (`target_key` String, `operation_id` String, `fence_token` String, `phase` String, "
    "`dispatch_epoch` UInt64, `payload` String, `payload_sha256` FixedString(64)) ENGINE = "
    "KeeperMap('/onceswap/authority/v1') PRIMARY KEY target_key";
const std::string stored_facade_start = "CREATE TABLE IF NOT EXISTS db.__onceswap_authority";
const std::string stored_uuid = " UUID '01234567-89ab-4cde-8f01-23456789abcd'";

} // namespace

BOOST_AUTO_TEST_SUITE(statement_parser)

// The right-hand side is what the engine's own tokenizeQuery says, in our kinds; where it knows a token that
// the queue can never store, we refuse.
BOOST_AUTO_TEST_CASE(lexical_rules) {
    const std::pair<std::string, std::string> table[] = {
        {"", ""},
        {" \t\r\n\v\f", ""},
        {"SELECT 1.5e3, 0xFF", "w[SELECT]n[1.5e3].[,]n[0xFF]"},
        {"1_000, .5 1. 1.e3 0xA.8p1 1e5_0 0b12", "n[1_000].[,]n[.5]n[1.]n[1.e3]n[0xA.8p1]n[1e5_0]n[0b12]"},
        {"1st 1e 0x 1__0 1_", "w[1st]w[1e]w[0x]w[1__0]w[1_]"},
        {"1.5st", "refused"},
        {"a.b.c a.1 db.1a (x).1", "w[a].[.]w[b].[.]w[c]w[a].[.]n[1]w[db].[.]w[1a].[(]w[x].[)].[.]n[1]"},
        {"1..2", "n[1.].[.]n[2]"},
        {"'a''b\\n\\x41\\N\\d\\='", "s[a'b\nA\\d=]"},
        {"'\\z\\%\\-\\1\\/\\a\\b\\e\\f\\v'", "s[\\z\\%\\-\\1/\a\b\x1B\f\v]"},
        {"'\\\n'", "s[\n]"},
        {"'\\x4'", "refused"},
        {"'\\xZZ'", "refused"},
        {"'open", "refused"},
        {"'open\\'", "refused"},
        {"'open\\", "refused"},
        {"`a``b` \"a\"\"b\"", "q[a`b]q[a\"b]"},
        {"`a'b` \"a`b\" 'a\"b'", "q[a'b]q[a`b]s[a\"b]"},
        {"`open", "refused"},
        {"\"open", "refused"},
        {"$a$x'y$a$ z", "s[x'y]w[z]"},
        {"$$x$$", "s[x]"},
        {"$a b$x$a b$", "w[$a]w[b$x$a]w[b$]"},
        {"a$b $x $ x", "w[a$b]w[$x].[$]w[x]"},
        {"1 -- c\n2 -- c", "n[1]n[2]"},
        {"# c\n1", "n[1]"},
        {"#!x\n1", "n[1]"},
        {"#x", "refused"},
        {"a/* b */c/**/d", "w[a]w[c]w[d]"},
        {"/* a /* b */ c", "refused"},
        {"/* a /* b */ c */", "refused"},
        {"/* open", "refused"},
        {"/*/", "refused"},
        {"x'41'", "refused"},
        {"B'01'", "refused"},
        {"xx'41'", "w[xx]s[41]"},
        {"a -> b <=> c :: d || e @@f != <>", "w[a].[->]w[b].[<=>]w[c].[::]w[d].[||]w[e].[@@]w[f].[!=].[<>]"},
        {"a<=b>=c==d=e", "w[a].[<=]w[b].[>=]w[c].[==]w[d].[=]w[e]"},
        {"{a} [1] ? ^ ; | *", ".[{]w[a].[}].[[]n[1].[]].[?].[^].[;].[|].[*]"},
        {"a&b", "refused"},
        {"!a", "refused"},
        {"\\G", "refused"},
        {"a\xC2\xA0"
         "b",
         "refused"},
        {"\xE2\x80\x98x\xE2\x80\x99", "refused"},
        {std::string("a\0b", 3), "refused"},
    };
    for (const auto& [sql, expected] : table)
        BOOST_TEST(show(sql) == expected, sql << "\n  gave     " << show(sql) << "\n  expected " << expected);
}

BOOST_AUTO_TEST_CASE(a_text_beyond_the_limit_is_refused) {
    BOOST_TEST(tokenize(std::string(1024 * 1024, ' ')).has_value());
    BOOST_TEST(!tokenize(std::string(1024 * 1024 + 1, ' ')).has_value());
}

// Every pair was formed by ClickHouse 26.7 (formatQuerySingleLine of what we send).
BOOST_AUTO_TEST_CASE(what_the_engine_stores_is_what_was_sent) {
    const std::pair<std::string, std::string> table[] = {
        {"EXCHANGE TABLES db.`select` AND db.x ON CLUSTER `select`", exchange_sql("select", "select")},
        {"EXCHANGE TABLES db.`Table` AND db.x ON CLUSTER `Table`", exchange_sql("Table", "Table")},
        {"EXCHANGE TABLES db.cluster AND db.x ON CLUSTER cluster", exchange_sql("cluster", "cluster")},
        {"EXCHANGE TABLES db.and AND db.x ON CLUSTER and", exchange_sql("and", "and")},
        {"EXCHANGE TABLES db.to AND db.x ON CLUSTER to", exchange_sql("to", "to")},
        {"EXCHANGE TABLES db.on AND db.x ON CLUSTER on", exchange_sql("on", "on")},
        {"EXCHANGE TABLES db.uuid AND db.x ON CLUSTER uuid", exchange_sql("uuid", "uuid")},
        {"EXCHANGE TABLES db.sync AND db.x ON CLUSTER sync", exchange_sql("sync", "sync")},
        {"EXCHANGE TABLES db.`1a` AND db.x ON CLUSTER `1a`", exchange_sql("1a", "1a")},
        {"EXCHANGE TABLES db.`a-b` AND db.x ON CLUSTER `a-b`", exchange_sql("a-b", "a-b")},
        {"EXCHANGE TABLES db.`a b` AND db.x ON CLUSTER `a b`", exchange_sql("a b", "a b")},
        {"EXCHANGE TABLES db.`t\xC3\xA4` AND db.x ON CLUSTER `t\xC3\xA4`",
         exchange_sql("t\xC3\xA4", "t\xC3\xA4")},
        {"EXCHANGE TABLES db.`a'b` AND db.x ON CLUSTER `a'b`", exchange_sql("a'b", "a'b")},
        {"EXCHANGE TABLES db.`a\"b` AND db.x ON CLUSTER `a\"b`", exchange_sql("a\"b", "a\"b")},
        {"EXCHANGE TABLES db.`a\\`b` AND db.x ON CLUSTER `a\\`b`", exchange_sql("a`b", "a`b")},
        {"EXCHANGE TABLES db.`a\\\\b` AND db.x ON CLUSTER `a\\\\b`", exchange_sql("a\\b", "a\\b")},
        {"EXCHANGE TABLES db.`a\\nb` AND db.x ON CLUSTER `a\\nb`", exchange_sql("a\nb", "a\nb")},
        {"EXCHANGE TABLES db.`a\\0b` AND db.x ON CLUSTER `a\\0b`",
         exchange_sql(std::string("a\0b", 3), std::string("a\0b", 3))},
        {"EXCHANGE TABLES db.`a\x01"
         "b` AND db.x ON CLUSTER `a\x01"
         "b`",
         exchange_sql(
             "a\x01"
             "b",
             "a\x01"
             "b"
         )},
        {"EXCHANGE TABLES db.`$x` AND db.x ON CLUSTER `a$b`", exchange_sql("$x", "a$b")},
        {"EXCHANGE TABLES db._x AND db.x ON CLUSTER default", exchange_sql("_x", "default")},
        {"EXCHANGE TABLES db.`NULL` AND db.x ON CLUSTER `distinct`", exchange_sql("NULL", "distinct")},
        {"RENAME TABLE db.a TO db.b ON CLUSTER c", rename_sql("a", "b")},
        {"RENAME TABLE db.`from` TO db.b__aside ON CLUSTER `c-1`", rename_sql("from", "b__aside", "c-1")},
        {"DROP TABLE IF EXISTS db.a__aside ON CLUSTER c", drop_sql("a__aside")},
        {stored_facade_start + stored_facade_columns, facade_sql()},
        {stored_facade_start + stored_uuid + stored_facade_columns, facade_sql()},
        {"CREATE TABLE db.cand UUID '01234567-89ab-4cde-8f01-23456789abcd' ON CLUSTER c1 AS db.target",
         create_candidate_statement(
             {"db", "target"}, "cand", *Uuid::parse("01234567-89ab-4cde-8f01-23456789abcd"), "c1", options
         )
             .sql},
        // 24.8 quotes fewer words.
        {"EXCHANGE TABLES db.select AND db.x ON CLUSTER from", exchange_sql("select", "from")},
        {"EXCHANGE TABLES \"db\".\"select\" AND db.x ON CLUSTER 'c-1'", exchange_sql("select", "c-1")},
        {"exchange  tables db.a and db.x on cluster c", exchange_sql("a", "c")},
        {"EXCHANGE /* ddl_entry=query-0000000001 */ TABLES db.a AND db.x ON CLUSTER c -- end",
         exchange_sql("a", "c")},
    };
    for (const auto& [stored, sent] : table)
        BOOST_TEST(same_statement(stored, sent), "stored " << stored << "\n  sent   " << sent);
}

BOOST_AUTO_TEST_CASE(another_statement_is_not_what_was_sent) {
    const std::pair<std::string, std::string> table[] = {
        // swapped, other names, other case
        {"EXCHANGE TABLES db.x AND db.a ON CLUSTER c", exchange_sql("a", "c")},
        {"EXCHANGE TABLES db.A AND db.x ON CLUSTER c", exchange_sql("a", "c")},
        {"EXCHANGE TABLES db.`Table` AND db.x ON CLUSTER c", exchange_sql("table", "c")},
        {"EXCHANGE TABLES db.AND AND db.x ON CLUSTER c", exchange_sql("and", "c")},
        {"EXCHANGE TABLES DB.a AND db.x ON CLUSTER c", exchange_sql("a", "c")},
        {"EXCHANGE TABLES db2.a AND db.x ON CLUSTER c", exchange_sql("a", "c")},
        {"EXCHANGE TABLES a AND x ON CLUSTER c", exchange_sql("a", "c")},
        {"EXCHANGE TABLES db.`a ` AND db.x ON CLUSTER c", exchange_sql("a", "c")},
        // other cluster, no cluster
        {"EXCHANGE TABLES db.a AND db.x ON CLUSTER c2", exchange_sql("a", "c")},
        {"EXCHANGE TABLES db.a AND db.x ON CLUSTER C", exchange_sql("a", "c")},
        {"EXCHANGE TABLES db.a AND db.x", exchange_sql("a", "c")},
        // other kind of statement
        {"EXCHANGE DICTIONARIES db.a AND db.x ON CLUSTER c", exchange_sql("a", "c")},
        {"RENAME TABLE db.a TO db.x ON CLUSTER c", exchange_sql("a", "c")},
        {"EXCHANGE TABLES db.a AND db.b ON CLUSTER c", rename_sql("a", "b")},
        {"RENAME TABLE db.b TO db.a ON CLUSTER c", rename_sql("a", "b")},
        {"RENAME TABLE IF EXISTS db.a TO db.b ON CLUSTER c", rename_sql("a", "b")},
        {"RENAME TABLE db.a TO db.b, db.c TO db.d ON CLUSTER c", rename_sql("a", "b")},
        {"RENAME DATABASE a TO b ON CLUSTER c", rename_sql("a", "b")},
        {"DROP TABLE db.a ON CLUSTER c", drop_sql("a")},
        {"DROP TABLE IF EXISTS db.a ON CLUSTER c SYNC", drop_sql("a")},
        {"DROP TABLE IF EXISTS db.a, db.b ON CLUSTER c", drop_sql("a")},
        {"DETACH TABLE IF EXISTS db.a ON CLUSTER c", drop_sql("a")},
        {"TRUNCATE TABLE IF EXISTS db.a ON CLUSTER c", drop_sql("a")},
        // more at the end
        {"EXCHANGE TABLES db.a AND db.x ON CLUSTER c SETTINGS a = 1", exchange_sql("a", "c")},
        {"EXCHANGE TABLES db.a AND db.x ON CLUSTER c FORMAT Null", exchange_sql("a", "c")},
        {"EXCHANGE TABLES db.a AND db.x ON CLUSTER c;", exchange_sql("a", "c")},
        {"EXCHANGE TABLES db.a AND db.x ON CLUSTER c; DROP TABLE db.a", exchange_sql("a", "c")},
        // a name in the place of a keyword, a literal in the place of a name
        {"EXCHANGE TABLES db.a `AND` db.x ON CLUSTER c", exchange_sql("a", "c")},
        {"EXCHANGE TABLES db.'a' AND db.x ON CLUSTER c", exchange_sql("a", "c")},
        // not lexable, empty
        {"EXCHANGE TABLES db.a AND db.x ON CLUSTER c /* open", exchange_sql("a", "c")},
        {"", exchange_sql("a", "c")},
        {"", ""},
        // CREATE: other columns, engine arguments, UUID in another place or twice, or not one
        {stored_facade_start + stored_uuid + stored_uuid + stored_facade_columns, facade_sql()},
        {stored_facade_start + " UUID 'x'" + stored_facade_columns, facade_sql()},
        {"CREATE TABLE db.__onceswap_authority" + stored_uuid + stored_facade_columns, facade_sql()},
        {stored_facade_start + stored_uuid + stored_facade_columns + " COMMENT 'x'", facade_sql()},
        {stored_facade_start + stored_uuid + stored_facade_columns,
         create_facade_statement("db", "/onceswap/authority/v2", "c1", "", options).sql},
        {"CREATE TABLE db.cand UUID '01234567-89ab-4cde-8f01-23456789abce' ON CLUSTER c1 AS db.target",
         create_candidate_statement(
             {"db", "target"}, "cand", *Uuid::parse("01234567-89ab-4cde-8f01-23456789abcd"), "c1", options
         )
             .sql},
        {"CREATE TABLE db.cand ON CLUSTER c1 AS db.target",
         create_candidate_statement(
             {"db", "target"}, "cand", *Uuid::parse("01234567-89ab-4cde-8f01-23456789abcd"), "c1", options
         )
             .sql},
    };
    for (const auto& [stored, sent] : table)
        BOOST_TEST(!same_statement(stored, sent), "stored " << stored << "\n  sent   " << sent);
}

// Any single token taken away, doubled or changed makes another statement.
BOOST_AUTO_TEST_CASE(every_token_counts) {
    const std::pair<std::string, std::string> table[] = {
        {"EXCHANGE TABLES db . a AND db . x ON CLUSTER c", exchange_sql("a", "c")},
        {"RENAME TABLE db . a TO db . b ON CLUSTER c", rename_sql("a", "b")},
        {"DROP TABLE IF EXISTS db . a ON CLUSTER c", drop_sql("a")},
    };
    for (const auto& [stored, sent] : table) {
        BOOST_TEST(same_statement(stored, sent));
        for (std::size_t begin = 0; begin < stored.size();) {
            auto end = stored.find(' ', begin);
            if (end == std::string::npos)
                end = stored.size();
            const std::string before = stored.substr(0, begin);
            const std::string token = stored.substr(begin, end - begin);
            const std::string after = stored.substr(end);
            for (const std::string& changed :
                 {before + after,
                  before + token + " " + token + after,
                  before + "zz" + after,
                  before + "(" + token + after})
                BOOST_TEST(!same_statement(changed, sent), changed << "\n  sent " << sent);
            begin = end + 1;
        }
    }
}

BOOST_AUTO_TEST_CASE(foreign_statements_that_name_a_table) {
    const std::vector<std::string> ours = {"target", "onceswap_0123456789ab_x"};
    const std::pair<std::string, bool> table[] = {
        {"DROP TABLE db.target ON CLUSTER c", true},
        {"DROP TABLE IF EXISTS `db`.`target` ON CLUSTER c", true},
        {"DROP TABLE target ON CLUSTER c", true},
        {"DROP TABLE db.a, db.target ON CLUSTER c", true},
        {"EXCHANGE TABLES db.a AND db.onceswap_0123456789ab_x ON CLUSTER c", true},
        {"ALTER TABLE other.y ON CLUSTER c (REPLACE PARTITION 1 FROM db.target)", true},
        {"CREATE TABLE x.y ON CLUSTER c (`a` String) ENGINE = Distributed(c, db, target)", true},
        {"CREATE TABLE x.y ON CLUSTER c (`a` String) ENGINE = Distributed('c', 'db', 'target')", true},
        {"CREATE DICTIONARY x.y ON CLUSTER c (`a` UInt64) PRIMARY KEY a SOURCE(CLICKHOUSE(TABLE 'target' DB "
         "'db'))",
         true},
        {"CREATE TABLE x.y ON CLUSTER c (`a` String DEFAULT dictGet('db.target', 'a', 1))", true},
        {"CREATE MATERIALIZED VIEW x.y ON CLUSTER c TO x.z AS SELECT * FROM db.target", true},
        {"DROP DATABASE IF EXISTS db ON CLUSTER c", true},
        {"RENAME DATABASE a TO b, db TO e ON CLUSTER c", true},
        {"TRUNCATE DATABASE db ON CLUSTER c", true},
        {"TRUNCATE ALL TABLES FROM IF EXISTS db ON CLUSTER c", true},
        {"TRUNCATE TABLES FROM db LIKE 'tar%'", true},
        {"DROP TABLE db.'open", true},
        {"/* /* */ */ DROP TABLE a.b", true},

        {"", false},
        {"DROP TABLE other.target ON CLUSTER c", false},
        {"DROP TABLE db.target2 ON CLUSTER c", false},
        {"DROP TABLE db.Target ON CLUSTER c", false},
        {"DROP TABLE `db.target` ON CLUSTER c", false},
        {"DROP TABLE db.a /* db.target */ ON CLUSTER c", false},
        {"CREATE TABLE db.a ON CLUSTER c (`a` String COMMENT 'about db.target')", false},
        {"SELECT t.target FROM x AS t", false},
        {"DROP DATABASE db2 ON CLUSTER db", false},
        {"DROP DATABASE db2 ON CLUSTER target_cluster", false},
        {"GRANT SELECT ON db.* TO u ON CLUSTER c", false},
        {"CREATE TABLE db.a ON CLUSTER db (`x` String)", false},
    };
    for (const auto& [stored, expected] : table)
        BOOST_TEST(names_any_table(stored, "db", ours) == expected, stored);
}

BOOST_AUTO_TEST_SUITE_END()
