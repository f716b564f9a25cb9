#include "both_clusters.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iostream>
#include <set>

// What is refused, with which code and in which words.

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(keeper_map_errors)

namespace {

/// `RECORDS` stands for the authority's table. `known`: how the simulator differs, by the name that
/// docs/conformance.md has for it.
struct Row {
    const char* sql;
    int code; ///< on the engine
    const char* known = "";
};

const std::string digest(64, 'a');

const std::vector<Row> rows{
    {"ALTER TABLE RECORDS UPDATE target_key = 'x' WHERE target_key = 'k'", 36},
    {"ALTER TABLE RECORDS UPDATE _version = 1 WHERE target_key = 'k'", 48},
    {"ALTER TABLE RECORDS UPDATE nope = 'x' WHERE target_key = 'k'", 16},
    {"ALTER TABLE RECORDS UPDATE phase = 'x' WHERE nope = 'k'", 47, "identifier"},
    {"ALTER TABLE RECORDS UPDATE phase = 'x', phase = 'y' WHERE target_key = 'k'", 419},
    {"ALTER TABLE RECORDS UPDATE dispatch_epoch = 'x' WHERE target_key = 'k'", 6},
    {"ALTER TABLE RECORDS UPDATE dispatch_epoch = 'x' WHERE target_key = 'absent'", 6},
    {"ALTER TABLE RECORDS UPDATE dispatch_epoch = 18446744073709551616 WHERE target_key = 'absent'",
     0,
     "too large a number"},
    {"ALTER TABLE RECORDS UPDATE dispatch_epoch = 18446744073709551615 WHERE target_key = 'k'", 0},
    {"ALTER TABLE RECORDS UPDATE payload_sha256 = 'DIGESTb' WHERE target_key = 'k'", 131},
    {"ALTER TABLE RECORDS UPDATE payload_sha256 = 'short' WHERE target_key = 'k'", 0},
    {"ALTER TABLE RECORDS UPDATE phase = 'y' WHERE payload_sha256 = 'short'", 0},
    {"ALTER TABLE RECORDS UPDATE phase = 'x'", 62},
    {"ALTER TABLE RECORDS UPDATE phase = 'x' WHERE target_key = 'k', DELETE WHERE target_key = 'k'",
     36,
     "two mutations"},
    {"ALTER TABLE RECORDS DELETE WHERE nope = 'k'", 47, "identifier"},
    {"ALTER TABLE errors.absent UPDATE phase = 'x' WHERE target_key = 'k'", 60},
    {"ALTER TABLE errors.absent DELETE WHERE target_key = 'k'", 60},
    {"ALTER TABLE absent.t UPDATE phase = 'x' WHERE target_key = 'k'", 81},
    {"INSERT INTO RECORDS (target_key, phase) VALUES ('k', 'x')", 999},
    {"INSERT INTO RECORDS (target_key, nope) VALUES ('a', 'b')", 16, "uuid of the table"},
    {"INSERT INTO RECORDS (target_key, phase) VALUES ('a')", 62, "rest of the values"},
    {"INSERT INTO RECORDS (target_key, phase) VALUES ('a', 'b', 'c')", 62, "rest of the values"},
    {"INSERT INTO RECORDS (target_key, dispatch_epoch) VALUES ('a', 'b')", 6},
    {"INSERT INTO RECORDS (target_key, payload_sha256) VALUES ('a', 'DIGESTb')", 131},
    {"INSERT INTO RECORDS (phase) VALUES ('without a key')", 0},
    {"INSERT INTO errors.absent (target_key) VALUES ('a')", 60},
    {"INSERT INTO absent.t (target_key) VALUES ('a')", 81},
    {"SELECT toString(serverUUID()) AS u, (SELECT groupArray(nope) FROM RECORDS) AS x", 47, "identifier"},
    {"SELECT toString(serverUUID()) AS u, (SELECT groupArray(phase) FROM RECORDS WHERE nope = 'k') AS x",
     47,
     "identifier"},
    {"SELECT toString(serverUUID()) AS u, (SELECT groupArray(phase) FROM errors.absent) AS x", 60},
    {"SELECT toString(serverUUID()) AS u, (SELECT groupArray(phase) FROM absent.t) AS x", 81},
    {"SELECT toString(serverUUID()) AS u, (SELECT groupArray(phase) FROM RECORDS WHERE _version = 'x') AS x",
     53,
     "comparison of types"},
};

struct SettingRow {
    const char* name;
    const char* value;
    int code;
};

const std::vector<SettingRow> setting_rows{
    {"keeper_map_strict_mode", "true", 0},
    {"keeper_map_strict_mode", "2", 467},
    {"keeper_map_strict_mode", "x", 467},
    {"keeper_map_strict_mode", "", 467},
    {"insert_keeper_max_retries", "x", 27},
    {"insert_keeper_max_retries", "1.5", 27},
    {"insert_keeper_max_retries", "-1", 72},
    {"insert_keeper_max_retries", "", 32},
    {"max_execution_time", "x", 72},
    {"max_execution_time", "1.5", 0},
    {"distributed_ddl_task_timeout", "x", 27},
    {"distributed_ddl_task_timeout", "-1", 0},
    {"keeper_map_strict", "1", 115},
};

std::string filled(std::string sql, const std::string& table) {
    if (const std::size_t at = sql.find("DIGEST"); at != std::string::npos)
        sql.replace(at, 6, digest);
    if (const std::size_t at = sql.find("RECORDS"); at != std::string::npos)
        sql.replace(at, 7, table);
    return sql;
}

} // namespace

BOOST_AUTO_TEST_CASE(statements_are_refused_alike) {
    BothClusters both("errors");
    both.done(
        "INSERT INTO " + both.table() + " (" + record_columns + ") VALUES " + values_of(record_row("k")),
        write_settings(true)
    );
    std::size_t same = 0;
    for (const Row& row : rows) {
        const std::string sql = filled(row.sql, both.table());
        Outcome real;
        if (*row.known == '\0') {
            real = both.same(0, sql, write_settings(true), "refusal");
            ++same;
        } else {
            real = outcome_of(both.engine().ask(0, sql, write_settings(true)));
            const Outcome modelled = outcome_of(both.simulator().ask(0, sql, write_settings(true)));
            BOOST_TEST((real != modelled), row.known << " is no difference any more: " << sql);
        }
        BOOST_TEST(real.code == row.code, sql << ": " << text_of(real));
    }
    both.rows(1, {}, "after the refusals");
    std::cout << "refusals: " << rows.size() << " statements, " << same << " in equal words\n";
}

BOOST_AUTO_TEST_CASE(settings_are_refused_alike) {
    BothClusters both("refused_settings");
    for (const SettingRow& row : setting_rows) {
        const std::string what = std::string(row.name) + "=" + row.value;
        const Outcome real = both.same(
            0,
            "ALTER TABLE " + both.table() + " UPDATE phase = 'x' WHERE target_key = 'absent'",
            {{row.name, row.value}},
            what
        );
        BOOST_TEST(real.code == row.code, what << ": " << text_of(real));
    }
}

BOOST_AUTO_TEST_CASE(the_page_names_the_differences) {
    std::set<std::string> known;
    for (const Row& row : rows)
        if (*row.known != '\0')
            known.insert(row.known);
    std::ifstream in(std::string(ONCESWAP_SOURCE_DIR) + "/docs/conformance.md");
    std::set<std::string> listed;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("## "))
            inside = line == "## Known differences of refusals";
        else if (inside && line.starts_with("| ") && !line.starts_with("| difference"))
            listed.insert(line.substr(2, line.find(" |", 2) - 2));
    }
    BOOST_TEST(listed == known, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
