#include "world_setup.hpp"

#include <boost/test/unit_test.hpp>

// EXCHANGE, RENAME, DROP, CREATE on Atomic databases, and what the system tables show of them.

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(catalog)

BOOST_AUTO_TEST_CASE(errors_of_ddl) {
    struct Row {
        std::string text;
        int code;
        std::string part;
    };

    const std::vector<Row> rows{
        {"EXCHANGE TABLES db.target AND db.nope", 60, "Table `db`.`nope` doesn't exist"},
        {"EXCHANGE TABLES nodb.a AND db.target", 81, "Database nodb does not exist"},
        {"EXCHANGE TABLES lazy.a AND lazy.b", 48, "RENAME EXCHANGE is not supported"},
        {"RENAME TABLE db.target TO db.other", 57, "Table db.other already exists"},
        {"RENAME TABLE db.nope TO db.other", 57, "already exists"},
        {"RENAME TABLE db.nope TO db.free", 60, "Table `db`.`nope` doesn't exist"},
        {"RENAME TABLE db.feeds_dict TO db.free", 630, "HAVE_DEPENDENT_OBJECTS"},
        {"DROP TABLE db.nope", 60, "doesn't exist"},
        {"DROP TABLE IF EXISTS db.nope", 0, ""},
        {"DROP TABLE db.feeds_dict", 630, "some tables depend on it: db.dict"},
        {"DROP TABLE db.big", 359, "is greater than max_[table/partition]_size_to_drop"},
        {"CREATE TABLE db.other UUID '11111111-2222-4333-8444-555555555555' AS db.target",
         57,
         "Table db.other already exists"},
        {"CREATE TABLE IF NOT EXISTS db.other UUID '11111111-2222-4333-8444-555555555555' AS db.target", 0, ""
        },
        {"CREATE TABLE db.new UUID '99999999-2222-4333-8444-555555555555' AS db.other",
         57,
         "Directory for table data"},
        {"CREATE TABLE db.new UUID '11111111-2222-4333-8444-555555555555' AS db.fixed_path",
         253,
         "REPLICA_ALREADY_EXISTS"},
        {"DROP TABLE db.target ON CLUSTER nowhere", 701, "Requested cluster 'nowhere' not found"},
        {"TRUNCATE TABLE db.target", 62, "Syntax error: failed at position 1 (TRUNCATE)"},
        {"EXCHANGE TABLES db.target AND db.other; DROP TABLE db.other", 62, "Syntax error"},
    };
    for (const Row& row : rows) {
        Scenario scenario = simple_scenario(2);
        scenario.databases.emplace_back("lazy", "Ordinary");
        const auto table = [&](const char* name, auto change) {
            TableSetup setup = scenario.tables.front();
            setup.name = name;
            change(setup);
            scenario.tables.push_back(setup);
        };
        table("other", [](TableSetup& one) { one.uuid = "99999999-2222-4333-8444-555555555555"; });
        table("feeds_dict", [](TableSetup& one) { one.loading_dependents = {"db.dict"}; });
        table("big", [](TableSetup& one) { one.total_bytes = 60'000'000'000; });
        table("fixed_path", [](TableSetup& one) {
            one.engine_full = "ReplicatedMergeTree('/fixed/{shard}', '{replica}') ORDER BY id";
        });
        World world(scenario, 1);
        const auto before = world.cluster().state().members[0].tables.size();
        const Sent sent = ask(world, 0, sql(row.text, protocol::StatementKind::exchange));
        BOOST_TEST_CONTEXT(row.text << "\n" << sent.body) {
            BOOST_TEST(sent.code == row.code);
            BOOST_TEST(sent.body.find(row.part) != std::string::npos);
            BOOST_TEST(world.cluster().state().members[0].tables.size() == before);
        }
    }
}

/// Names move; uuid, path, rows and engine stay with the storage.
BOOST_AUTO_TEST_CASE(exchange_moves_names_only) {
    World world(simple_scenario(2, 100), 1);
    run_ddl(world, 0, candidate_sql);
    const auto old_storage = world.cluster().state().members[0].find("db", "target");
    const auto new_storage = world.cluster().state().members[0].find("db", "cand");
    BOOST_TEST(new_storage->zookeeper_path == "/clickhouse/tables/" + candidate_uuid + "/01");
    run_ddl(world, 0, exchange_sql);
    BOOST_TEST(world.cluster().state().members[0].find("db", "target") == new_storage);
    BOOST_TEST(world.cluster().state().members[0].find("db", "cand") == old_storage);
    BOOST_TEST(old_storage->rows == 100U);
}

/// A dropped table's uuid cannot be created again while its data is there; afterwards it can.
BOOST_AUTO_TEST_CASE(dropped_uuid_stays_taken) {
    World world(simple_scenario(2), 1);
    run_ddl(world, 0, candidate_sql);
    run_ddl(world, 0, "DROP TABLE db.cand ON CLUSTER c1");
    BOOST_TEST(world.truth().drops.size() == 2U);
    BOOST_TEST(world.truth().drops[0].uuid == candidate_uuid);
    BOOST_TEST(run_ddl(world, 0, candidate_sql).code == 57);
    world.run_for(481s);
    BOOST_TEST(run_ddl(world, 0, candidate_sql).code == 0);
}

BOOST_AUTO_TEST_CASE(drop_limit_travels_in_the_entry) {
    Scenario scenario = simple_scenario(2);
    scenario.tables.front().total_bytes = 60'000'000'000;
    World world(scenario, 1);
    BOOST_TEST(run_ddl(world, 0, "DROP TABLE db.target ON CLUSTER c1").code == 359);
    protocol::Settings settings = ddl_settings("x");
    settings.emplace_back("max_table_size_to_drop", "0");
    BOOST_TEST(
        ask(world, 0, sql("DROP TABLE db.target ON CLUSTER c1", protocol::StatementKind::drop_aside, settings)
        )
            .code == 0
    );
}

BOOST_AUTO_TEST_CASE(replicas_of_an_expired_session_are_zero) {
    World world(simple_scenario(2, 100), 1);
    const std::string text = "SELECT toString(serverUUID()) AS server_uuid, (SELECT "
                             "groupArray(CAST(tuple(is_readonly, is_session_expired, "
                             "total_replicas, active_replicas, log_max_index, log_pointer, zookeeper_path) "
                             "AS Tuple(is_readonly UInt8, "
                             "is_session_expired UInt8, total_replicas UInt32, active_replicas UInt32, "
                             "log_max_index UInt64, log_pointer UInt64, "
                             "zookeeper_path String))) FROM system.replicas WHERE database = 'db' AND table "
                             "= 'target') AS replicas";
    const std::string healthy =
        "{\"is_readonly\":0,\"is_session_expired\":0,\"total_replicas\":2,\"active_replicas\":2,"
        "\"log_max_index\":\"0\",\"log_pointer\":\"1\",\"zookeeper_path\":\"\\/clickhouse\\/tables";
    BOOST_TEST(select(world, 0, text).body.find(healthy) != std::string::npos);
    world.cluster().lose_session(0);
    const std::string expired =
        "{\"is_readonly\":1,\"is_session_expired\":1,\"total_replicas\":0,\"active_replicas\":0,"
        "\"log_max_index\":\"0\",\"log_pointer\":\"0\",\"zookeeper_path\":\"\\/clickhouse\\/tables";
    BOOST_TEST(select(world, 0, text).body.find(expired) != std::string::npos);
    BOOST_TEST(
        select(world, 1, text).body.find("\"total_replicas\":2,\"active_replicas\":1") != std::string::npos
    );
    world.cluster().restore_session(0);
    BOOST_TEST(select(world, 0, text).body.find(healthy) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(clusters_and_aliases) {
    World world(simple_scenario(2), 1);
    Fault fault(Time{}, Effect::add_cluster);
    fault.text = "alias";
    world.add(fault);
    world.run_for(1ms);
    const Sent sent = select(
        world,
        1,
        "SELECT toString(serverUUID()) AS server_uuid, (SELECT groupArray(CAST(tuple(cluster, replica_num, "
        "host_name, is_local) AS "
        "Tuple(cluster String, replica_num UInt32, host_name String, is_local UInt8))) FROM system.clusters) "
        "AS clusters"
    );
    for (const char* row :
         {"{\"cluster\":\"c1\",\"replica_num\":1,\"host_name\":\"ch-1\",\"is_local\":0}",
          "{\"cluster\":\"c1\",\"replica_num\":2,\"host_name\":\"ch-2\",\"is_local\":1}",
          "{\"cluster\":\"alias\",\"replica_num\":2,\"host_name\":\"ch-2\",\"is_local\":1}"})
        BOOST_TEST_CONTEXT(sent.body) BOOST_TEST(sent.body.find(row) != std::string::npos);
    BOOST_TEST(run_ddl(world, 0, "DROP TABLE IF EXISTS db.x ON CLUSTER alias").code == 0);
    BOOST_TEST(world.truth().entries.back().query == "DROP TABLE IF EXISTS db.x ON CLUSTER alias");
}

BOOST_AUTO_TEST_CASE(roster_wants_every_member) {
    const std::string text =
        "SELECT _shard_num AS shard_num, toString(serverUUID()) AS server_uuid, hostName() AS host_name FROM "
        "clusterAllReplicas('c1', system.one)";
    World world(simple_scenario(3), 1);
    const Sent whole = select(world, 0, text);
    BOOST_TEST(whole.body.starts_with(
        "[\"shard_num\", \"server_uuid\", \"host_name\"]\n[\"UInt32\", \"String\", \"String\"]\n[1, \""
    ));
    BOOST_TEST(std::count(whole.body.begin(), whole.body.end(), '\n') == 5);
    world.cluster().crash(2);
    const Sent part = select(world, 0, text);
    BOOST_TEST(part.code == 279);
    BOOST_TEST(part.body.find("All connection tries failed") != std::string::npos);
    BOOST_TEST(
        part.body.find("Code: 210. DB::NetException: Connection refused (ch-3:9000)") != std::string::npos
    );
}

BOOST_AUTO_TEST_CASE(types_and_quoting) {
    World world(simple_scenario(2, 7), 1);
    const Sent quoted = select(
        world, 0, "SELECT toString(serverUUID()) AS server_uuid, (SELECT count() FROM `db`.`target`) AS rows"
    );
    BOOST_TEST(quoted.body.starts_with("[\"server_uuid\", \"rows\"]\n[\"String\", \"Nullable(UInt64)\"]\n["));
    BOOST_TEST(quoted.body.ends_with(", \"7\"]\n"));
    const std::vector<std::pair<std::string, int>> wrong{
        {"SELECT nothing", 47},
        {"SELECT nothing()", 46},
        {"SELECT toString(serverUUID()) AS server_uuid, (SELECT count() FROM db.nope) AS rows", 60},
        {"SELECT toString(serverUUID()) AS server_uuid, (SELECT count() FROM nodb.nope) AS rows", 81},
        {"SELECT toString(serverUUID()) AS server_uuid, (SELECT count() FROM db.target FINAL) AS rows", 181},
        {"SELECT (SELECT groupArray(CAST(tuple(query_finish_time) AS Tuple(t UInt32))) FROM "
         "system.distributed_ddl_queue) AS q",
         349},
        {"SELECT (SELECT groupArray(CAST(tuple(name) AS Tuple(n Wrong))) FROM system.tables) AS q", 50},
        {"SELECT (SELECT groupArray(name) FROM system.nothing) AS q", 60},
        {"SELECT 1 AS one FROM", 62},
        {"SELEC 1", 62},
        {"", 62},
    };
    world.cluster().stop_worker(0);
    run_ddl(world, 0, "DROP TABLE IF EXISTS db.x ON CLUSTER c1", "x", 1);
    for (const auto& [text, code] : wrong)
        BOOST_TEST_CONTEXT(text) BOOST_TEST(select(world, 0, text).code == code);
}

BOOST_AUTO_TEST_CASE(drifting_facts_by_fault) {
    World world(simple_scenario(2, 100), 1);
    Fault fault(Time{}, Effect::edit_table);
    fault.on = 1;
    fault.text = "db.target";
    fault.values = {
        {"rows", "99"}, {"engine", "MergeTree"}, {"uuid", "u"}, {"total_bytes", "5"}, {"zookeeper_path", "/p"}
    };
    world.add(fault);
    world.run_for(1ms);
    const auto& members = world.cluster().state().members;
    BOOST_TEST(members[1].find("db", "target")->rows == 99U);
    BOOST_TEST(members[1].find("db", "target")->engine == "MergeTree");
    BOOST_TEST(members[1].find("db", "target")->uuid == "u");
    BOOST_TEST(members[0].find("db", "target")->rows == 100U);
}

BOOST_AUTO_TEST_SUITE_END()
