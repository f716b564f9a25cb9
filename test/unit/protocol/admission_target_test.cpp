#include "spoilt_cluster.hpp"

namespace {

using namespace spoilt;

BOOST_AUTO_TEST_SUITE(admission_target)

BOOST_AUTO_TEST_CASE(targets) {
    run(
        {
            {"absent on one member",
             [](auto& f) { catalogue(f).tables.pop_back(); },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "does not have t"},
            {"not replicated",
             [](auto& f) { target_row(f).engine = "MergeTree"; },
             Severity::refuse,
             Code::engine_unsupported,
             "ch2:9000",
             "engine MergeTree"},
            {"Distributed",
             [](auto& f) { target_row(f).engine = "Distributed"; },
             Severity::refuse,
             Code::engine_unsupported,
             "ch2:9000",
             "engine Distributed"},
            {"a view",
             [](auto& f) { target_row(f).engine = "View"; },
             Severity::refuse,
             Code::engine_unsupported,
             "ch2:9000",
             "engine View"},
            {"a path without uuid",
             [](auto& f) {
                 for_each_member(f, [](auto& e) {
                     e.catalogue->tables[1].engine_full =
                         "ReplicatedMergeTree('/clickhouse/tables/d/t/{shard}', '{replica}') ORDER BY id";
                 });
             },
             Severity::refuse,
             Code::engine_unsupported,
             "ch1:9000",
             "does not contain {uuid}"},
            {"another uuid on one member",
             [](auto& f) {
                 target_row(f).uuid = healthy::uuid('b');
                 keeper(f).replicas[0].zookeeper_path =
                     "/clickhouse/tables/" + healthy::uuid('b').text() + "/1";
             },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "uuid has 'bbbbbbbb-"},
            {"another path on one member",
             [](auto& f) { keeper(f).replicas[0].zookeeper_path += "__dbt_tmp"; },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "__dbt_tmp'"},
            {"another schema on one member",
             [](auto& f) { catalogue(f).columns["t"].push_back({3, "x", "String", "", "", ""}); },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "the schema differs from that of ch1:9000"},
            {"another keeper on one member",
             [](auto& f) { keeper(f).replicas[0].zookeeper_name = "aux"; },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "zookeeper_name has 'aux'"},
            {"no replica row",
             [](auto& f) { keeper(f).replicas.clear(); },
             Severity::refuse,
             Code::generation_unknown,
             "ch2:9000",
             "could not be read"},
            {"no columns",
             [](auto& f) { catalogue(f).columns.erase("t"); },
             Severity::refuse,
             Code::generation_unknown,
             "ch2:9000",
             "could not be read"},
            {"no uuid",
             [](auto& f) { for_each_member(f, [](auto& e) { e.catalogue->tables[1].uuid = Uuid{}; }); },
             Severity::refuse,
             Code::generation_unknown,
             "ch1:9000",
             "could not be read"},
            {"read-only",
             [](auto& f) { keeper(f).replicas[0].is_readonly = true; },
             Severity::refuse,
             Code::target_unhealthy,
             "ch2:9000",
             "read-only"},
            {"expired session",
             [](auto& f) {
                 ReplicaRow& row = keeper(f).replicas[0];
                 row.is_session_expired = true;
                 row.total_replicas = row.active_replicas = 0;
             },
             Severity::refuse,
             Code::target_unhealthy,
             "ch2:9000",
             "session is expired"},
            {"one replica name twice",
             [](auto& f) { keeper(f).replicas[0].replica_name = "r1"; },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "'r1' is also that of ch1:9000"},
            {"a replica that is no member",
             [](auto& f) { for_each_member(f, [](auto& e) { e.keeper->replicas[0].total_replicas = 3; }); },
             Severity::refuse,
             Code::inventory_incomplete,
             "ch1:9000",
             "3 replicas in Keeper"},
        },
        healthy::cluster()
    );
    // Macro and expanded form of the path are one engine clause.
    AdmissionFacts mixed = healthy::cluster();
    target_row(mixed).engine_full = "ReplicatedMergeTree('/clickhouse/tables/" + healthy::uuid('a').text() +
                                    "/{shard}', '{replica}') ORDER BY id SETTINGS index_granularity = 8192";
    BOOST_TEST(list(admit(mixed).findings) == "");
    // A backlog of the predecessor is not in the way: its rows are replaced.
    AdmissionFacts busy = healthy::cluster();
    keeper(busy).replicas[0].queue_size = 7;
    keeper(busy).replicas[0].absolute_delay = 60;
    BOOST_TEST(list(admit(busy).findings) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
