#include "protocol/correlation_token.hpp"
#include "protocol/delete_ttl.hpp"
#include "spoilt_cluster.hpp"

namespace {

using namespace spoilt;

BOOST_AUTO_TEST_SUITE(admission_hazards)

TableRow view(const char* engine, std::string query) {
    TableRow row;
    row.database = "other";
    row.name = "v";
    row.engine = engine;
    row.create_table_query = std::move(query);
    return row;
}

BOOST_AUTO_TEST_CASE(hazards) {
    const auto with_view = [](const char* engine, const char* query) -> Spoil {
        return [engine, query](AdmissionFacts& f) { capability(f).views = {view(engine, query)}; };
    };
    const auto with_policy = [](std::string table) -> Spoil {
        return [table](AdmissionFacts& f) { f.endpoints[1].row_policies->policies = {{"p", table}}; };
    };
    run(
        {
            {"a view fed by the target",
             [](auto& f) { target_row(f).dependencies = {"d.mv"}; },
             Severity::refuse,
             Code::hazard_view_depends,
             "ch2:9000",
             "d.mv"},
            {"a view that the user takes",
             [](auto& f) {
                 target_row(f).dependencies = {"d.mv"};
                 f.allow_view_depends = true;
             },
             Severity::warn,
             Code::hazard_view_depends,
             "ch2:9000",
             "d.mv"},
            {"a view that reads the target",
             with_view(
                 "MaterializedView",
                 "CREATE MATERIALIZED VIEW other.v TO d.x (`id` UInt64) AS SELECT id FROM d.t"
             ),
             Severity::refuse,
             Code::hazard_view_depends,
             "ch2:9000",
             "other.v"},
            {"a view that writes to the target",
             with_view(
                 "MaterializedView",
                 "CREATE MATERIALIZED VIEW other.v TO `d`.`t` (`id` UInt64) AS SELECT id FROM d.y"
             ),
             Severity::refuse,
             Code::hazard_view_depends,
             "ch2:9000",
             "other.v"},
            {"a view that cannot be read",
             with_view("MaterializedView", "CREATE MATERIALIZED VIEW 'v"),
             Severity::refuse,
             Code::hazard_view_depends,
             "ch2:9000",
             "other.v"},
            {"a dictionary that loads from the target",
             with_view(
                 "Dictionary",
                 "CREATE DICTIONARY other.v (`id` UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 't' DB "
                 "'d')) LIFETIME(MIN 0 MAX 300) LAYOUT(FLAT())"
             ),
             Severity::warn,
             Code::hazard_dictionary_depends,
             "ch2:9000",
             "other.v"},
            {"a dictionary by its dependence",
             [](auto& f) { target_row(f).loading_dependents = {"d.dict"}; },
             Severity::warn,
             Code::hazard_dictionary_depends,
             "ch2:9000",
             "d.dict"},
            {"a policy on the target",
             with_policy("t"),
             Severity::warn,
             Code::hazard_row_policy,
             "ch2:9000",
             "'p' is on t"},
            {"a policy on the database",
             with_policy(""),
             Severity::warn,
             Code::hazard_row_policy,
             "ch2:9000",
             "the whole database"},
            {"policies cannot be read",
             [](auto& f) {
                 f.endpoints[1].row_policies.reset();
                 f.endpoints[1].problems = {"policies: Code: 497"};
             },
             Severity::warn,
             Code::hazard_row_policy,
             "ch2:9000",
             "497"},
            {"beyond the drop limit",
             [](auto& f) { target_row(f).total_bytes = 11, capability(f).max_table_size_to_drop = 10; },
             Severity::warn,
             Code::hazard_drop_limit,
             "ch2:9000",
             "11 bytes, max_table_size_to_drop is 10"},
            {"a TTL",
             [](auto& f) {
                 for_each_member(f, [](auto& e) {
                     e.catalogue->tables[1].engine_full =
                         "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id "
                         "TTL day + toIntervalDay(30)";
                 });
             },
             Severity::warn,
             Code::hazard_ttl,
             "ch1:9000",
             "TTL"},
            {"many unfinished entries",
             [](auto& f) {
                 for (int i = 0; i < 16; ++i)
                     f.unfinished.push_back(
                         healthy::unfinished("query-" + std::to_string(i), "DROP TABLE x.y ON CLUSTER c")
                     );
             },
             Severity::warn,
             Code::hazard_queue_backlog,
             "",
             "16 entries are unfinished"},
            {"a full queue",
             [](auto& f) { f.entries_in_queue = 900; },
             Severity::warn,
             Code::hazard_queue_backlog,
             "",
             "900 entries"},
            {"a stuck entry",
             [](auto& f) {
                 f.unfinished = {healthy::unfinished("query-3", "OPTIMIZE TABLE x.y ON CLUSTER c")};
                 f.unfinished[0].query_create_time -= 571;
             },
             Severity::warn,
             Code::hazard_queue_stuck,
             "",
             "query-3 is unfinished for 601 s on ch2:9000"},
            {"leftovers",
             [](auto& f) {
                 f.unfinished = {healthy::unfinished("query-3", "EXCHANGE TABLES d.t AND d.x ON CLUSTER c")};
                 f.unfinished[0].status = "Removing";
             },
             Severity::warn,
             Code::hazard_removing_leftovers,
             "",
             "1 entries"},
            {"somebody's DDL on the target",
             [](auto& f) {
                 f.unfinished = {
                     healthy::unfinished("query-3", "ALTER TABLE d.t ON CLUSTER c ADD COLUMN x UInt8")
                 };
             },
             Severity::refuse,
             Code::foreign_ddl_pending,
             "",
             "query-3 names t"},
            {"somebody's DDL that cannot be read",
             [](auto& f) { f.unfinished = {healthy::unfinished("query-3", "ALTER TABLE 'x")}; },
             Severity::refuse,
             Code::foreign_ddl_pending,
             "",
             "query-3"},
            {"somebody's DDL on the candidate",
             [](auto& f) {
                 f.candidate = healthy::candidate;
                 f.unfinished = {
                     healthy::unfinished("query-3", "DROP TABLE d.onceswap_candidate ON CLUSTER c")
                 };
             },
             Severity::refuse,
             Code::foreign_ddl_pending,
             "",
             "query-3"},
        },
        healthy::cluster()
    );
}

BOOST_AUTO_TEST_CASE(what_is_no_hazard) {
    const auto passes = [](const char* what, const Spoil& spoil) {
        AdmissionFacts facts = healthy::cluster();
        spoil(facts);
        BOOST_TEST(list(admit(facts).findings) == "", what);
    };
    passes("a view elsewhere", [](auto& f) {
        capability(f).views = {
            view("MaterializedView", "CREATE MATERIALIZED VIEW other.v TO d2.t AS SELECT t FROM d.u")
        };
    });
    passes("a policy elsewhere", [](auto& f) { f.endpoints[1].row_policies->policies = {{"p", "u"}}; });
    passes("no drop limit", [](auto& f) {
        target_row(f).total_bytes = 1'000, capability(f).max_table_size_to_drop = 0;
    });
    passes("the drop limit is not shown", [](auto& f) { capability(f).max_table_size_to_drop.reset(); });
    passes("at the drop limit", [](auto& f) { capability(f).max_table_size_to_drop = 1'000; });
    passes("an entry about another table", [](auto& f) {
        f.unfinished = {healthy::unfinished("query-3", "ALTER TABLE d.u ON CLUSTER c ADD COLUMN t UInt8")};
        f.unfinished[0].query = "DROP TABLE d.u ON CLUSTER c";
    });
    passes("our own staging", [](auto& f) {
        f.unfinished = {
            healthy::unfinished("query-3", "CREATE TABLE d.onceswap_x UUID 'u' ON CLUSTER c AS d.t")
        };
        f.unfinished[0].settings["log_comment"] = make_token(healthy::operation, Action::setup, 0, {}).text();
    });
}

BOOST_AUTO_TEST_CASE(ttl_clauses) {
    const std::string head = "ReplicatedMergeTree('/p/{uuid}', '{replica}') ORDER BY (id, ttl) ";
    for (const char* tail :
         {"TTL d + toIntervalDay(1)",
          "TTL d + toIntervalDay(1) DELETE",
          "TTL d + toIntervalDay(1) DELETE WHERE x = 1",
          "TTL d + toIntervalDay(1) TO DISK 'x', d + toIntervalDay(2)",
          "TTL d + 1, e + 2 TO VOLUME 'cold'",
          "ttl d + toIntervalDay(1) SETTINGS index_granularity = 1",
          "TTL d GROUP BY id SET x = max(x)",
          "TTL 'open"})
        BOOST_TEST(has_deleting_ttl(head + tail), tail);
    for (const char* tail :
         {"",
          "SETTINGS index_granularity = 8192",
          "TTL d + toIntervalDay(1) TO DISK 'x'",
          "TTL d + toIntervalDay(1) TO VOLUME 'x', d + toIntervalDay(9) RECOMPRESS CODEC(ZSTD(17)) SETTINGS "
          "a = 1"})
        BOOST_TEST(!has_deleting_ttl(head + tail), tail);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
