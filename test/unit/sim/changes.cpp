#include "world_setup.hpp"

#include <boost/test/unit_test.hpp>

// What can change around a publication besides its own statements: poisoned queues, members that do not know
// themselves, clocks, inventories, machines without power, records from a backup.

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using namespace std::chrono_literals;
using protocol::StatementKind;

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

void strike_now(World& world, Effect effect, MemberIndex on, std::string text, Values values = {}) {
    Fault fault(world.now(), effect);
    fault.on = on;
    fault.text = std::move(text);
    fault.values = std::move(values);
    world.add(fault);
    world.run_for(1us);
}

Scenario of_version(Version version, std::size_t members = 2) {
    Scenario scenario = simple_scenario(members);
    scenario.version = version;
    return scenario;
}

std::string cell(const std::string& body, const std::string& name) {
    const std::string key = "\"" + name + "\":";
    const std::size_t begin = body.find(key);
    if (begin == std::string::npos)
        return "none in " + body;
    const std::size_t at = begin + key.size();
    return body.substr(at, body.find_first_of(",}", at) - at);
}

/// host_name and replica_num of the cluster, as the member shows it.
std::string inventory(World& world, MemberIndex member) {
    const Sent sent = select(
        world,
        member,
        "SELECT (SELECT groupArray(CAST(tuple(host_name, is_local) AS Tuple(h String, l UInt8))) FROM "
        "system.clusters WHERE cluster = 'c1') AS clusters"
    );
    std::string list;
    for (std::size_t at = sent.body.find("{\"h\""); at != std::string::npos;
         at = sent.body.find("{\"h\"", at + 1)) {
        const std::string one = sent.body.substr(at, sent.body.find('}', at) - at + 1);
        list += cell(one, "h") + cell(one, "l") + " ";
    }
    return list;
}

std::int64_t clock_of(World& world, MemberIndex member) {
    const Sent sent = select(world, member, "SELECT toUnixTimestamp(now()) AS now");
    const std::size_t at = sent.body.rfind('[') + 1;
    return std::stoll(sent.body.substr(at));
}

} // namespace

BOOST_AUTO_TEST_SUITE(changes)

/// One entry that nobody can parse: 24.8 answers no SELECT from the queue any more, later versions show it
/// without a cluster. Workers write their error, under their own names.
BOOST_AUTO_TEST_CASE(poisoned_queue) {
    struct Row {
        Version version;
        bool own_names; ///< servers call themselves otherwise than remote_servers does
        std::string poison;
        std::string other;
    };

    const std::string normal = "ch-1|Finished|0;ch-2|Finished|0;";
    const std::vector<Row> rows{
        {Version::v24_8, false, "error 62", "error 62"},
        {Version::v25_8, false, "ch-1|Finished|62;ch-2|Finished|62;", normal},
        {Version::v26_7, false, "ch-1|Finished|62;ch-2|Finished|62;", normal},
        {Version::v25_11,
         true,
         "srv-1|Finished|62;srv-2|Finished|62;ch-1|Inactive|null;ch-2|Inactive|null;",
         normal},
    };
    for (const Row& row : rows) {
        Scenario scenario = of_version(row.version);
        if (row.own_names)
            for (std::size_t i = 0; i < 2; ++i)
                scenario.members[i].os_host = "srv-" + std::to_string(i + 1);
        scenario.worker_step = Latency(5ms, 5ms);
        World world(scenario, 2);
        Fault fault(world.now(), Effect::poison_queue);
        fault.text = "EXCHANGE TABEL a b";
        fault.settings = {{"log_comment", "poison"}};
        world.add(fault);
        world.run_for(1s);
        BOOST_TEST(run_ddl(world, 0, candidate_sql, "x").status == 200U); // workers go on
        BOOST_TEST_CONTEXT("version " << profile(row.version).name) {
            BOOST_TEST(queue_rows(world, 1, "poison") == row.poison);
            BOOST_TEST(queue_rows(world, 0, "x") == row.other);
        }
        world.heal();
        BOOST_TEST(queue_rows(world, 0, "x") == normal);
        BOOST_TEST(queue_rows(world, 0, "poison") == "");
    }
}

/// Another version's columns: in the middle, at the end, with another type, or gone.
BOOST_AUTO_TEST_CASE(columns_of_the_queue) {
    Scenario scenario = simple_scenario(2);
    scenario.queue_columns = {
        {"first", "UInt8 <entry"}, {"last", "String"}, {"status", "Nullable(String)"}, {"initiator_port", ""}
    };
    World world(scenario, 2);
    run_ddl(world, 0, candidate_sql, "x");
    const Sent sent = select(
        world,
        0,
        "SELECT (SELECT groupArray(CAST(tuple(name, type) AS Tuple(n String, t String))) FROM system.columns "
        "WHERE database = 'system' AND table = 'distributed_ddl_queue') AS columns"
    );
    BOOST_TEST_CONTEXT(sent.body) {
        BOOST_TEST(sent.body.find(R"([{"n":"first","t":"UInt8"},{"n":"entry")") != std::string::npos);
        BOOST_TEST(sent.body.find(R"({"n":"last","t":"String"}])") != std::string::npos);
        BOOST_TEST(sent.body.find(R"js({"n":"status","t":"Nullable(String)"})js") != std::string::npos);
        BOOST_TEST(sent.body.find("initiator_port") == std::string::npos);
    }

    BOOST_TEST(queue_rows(world, 0, "x").find("ch-1|Finished|0") != std::string::npos);
    const Sent gone = select(
        world,
        0,
        "SELECT (SELECT groupArray(CAST(tuple(initiator_port) AS Tuple(p UInt16))) FROM "
        "system.distributed_ddl_queue) AS queue"
    );
    BOOST_TEST(gone.code == 47);
}

/// The row of a host that does not find itself stays Inactive, also once it does: only a restart looks back.
BOOST_AUTO_TEST_CASE(a_member_that_does_not_know_itself) {
    for (const bool restarted : {false, true}) {
        World world(simple_scenario(2), 2);
        strike_now(world, Effect::forget_itself, 1, "");
        BOOST_TEST(inventory(world, 1) == "\"ch-1\"0 \"ch-2\"0 ");
        BOOST_TEST(run_ddl(world, 0, candidate_sql, "x", 5).code == 159);
        strike_now(world, Effect::know_itself, 1, "");
        run_ddl(world, 0, "DROP TABLE IF EXISTS db.none ON CLUSTER c1", "later");
        if (restarted) {
            world.cluster().crash(1);
            world.cluster().restart(1);
        }
        world.run_for(5s);
        BOOST_TEST_CONTEXT("restarted " << restarted) {
            BOOST_TEST(
                queue_rows(world, 0, "x").find("ch-2|Inactive") == (restarted ? std::string::npos : 16U)
            );
            BOOST_TEST(queue_rows(world, 0, "later").find("ch-2|Finished|0") != std::string::npos);
            BOOST_TEST(uuid_of(world, 1, "cand") == (restarted ? candidate_uuid : "absent"));
        }
    }
}

/// Entries of the first format have no settings: a token is never seen.
BOOST_AUTO_TEST_CASE(entry_formats) {
    struct Row {
        const char* version;
        unsigned stored;
        std::string rows;
    };

    for (const Row& row : {Row{"1", 1, ""}, Row{"2", 2, "seen"}, Row{"3", 2, "seen"}, Row{"5", 5, "seen"}}) {
        Scenario scenario = simple_scenario(2);
        scenario.settings = {{"distributed_ddl_entry_format_version", row.version}};
        World world(scenario, 2);
        BOOST_TEST(run_ddl(world, 0, candidate_sql, "x").status == 200U);
        BOOST_TEST_CONTEXT("format " << row.version) {
            BOOST_TEST(world.cluster().state().keeper.queue.front()->version == row.stored);
            BOOST_TEST((queue_rows(world, 0, "x") == "") == row.rows.empty());
        }
    }
}

/// Each member's now() and the times in the queue come from clocks of their own.
BOOST_AUTO_TEST_CASE(clocks) {
    World world(simple_scenario(3), 2);
    const std::int64_t begin = clock_of(world, 0);
    strike_now(world, Effect::set_clock, 1, "", {{"offset_ms", "-90000"}});
    strike_now(world, Effect::set_clock, 2, "", {{"drift_ppm", "100000"}});
    strike_now(world, Effect::set_clock, any_member, "keeper", {{"offset_ms", "3600000"}});
    world.run_for(1000s);
    BOOST_TEST(clock_of(world, 0) - begin == 1000);
    BOOST_TEST(clock_of(world, 1) - begin == 910);
    BOOST_TEST(clock_of(world, 2) - begin == 1100);
    run_ddl(world, 0, candidate_sql, "x");
    const Sent queue = select(
        world,
        1,
        "SELECT (SELECT groupArray(CAST(tuple(toUnixTimestamp(query_create_time)) AS Tuple(t UInt32))) FROM "
        "system.distributed_ddl_queue) AS queue"
    );
    BOOST_TEST(std::stoll(cell(queue.body, "t")) - begin == 4600);
    world.heal();
    BOOST_TEST(clock_of(world, 1) - begin == 1000);
    BOOST_CHECK_THROW(
        strike_now(world, Effect::set_clock, 1, "keeper", {{"drift_ppm", "1"}}), std::invalid_argument
    );
}

/// A member's configuration is its own; the initiator's makes the host list.
BOOST_AUTO_TEST_CASE(inventories) {
    World world(simple_scenario(3), 2);
    strike_now(world, Effect::edit_cluster, 1, "c1", {{"members", "0,1"}});
    BOOST_TEST(inventory(world, 0) == "\"ch-1\"1 \"ch-2\"0 \"ch-3\"0 ");
    BOOST_TEST(inventory(world, 1) == "\"ch-1\"0 \"ch-2\"1 ");
    BOOST_TEST(run_ddl(world, 1, candidate_sql, "x").status == 200U);
    BOOST_TEST(uuid_of(world, 2, "cand") == "absent");
    strike_now(world, Effect::edit_cluster, any_member, "c1", {{"remove", "1"}});
    BOOST_TEST(run_ddl(world, 0, "DROP TABLE IF EXISTS db.cand ON CLUSTER c1", "y").code == 701);
    world.heal();
    BOOST_TEST(inventory(world, 1) == "\"ch-1\"0 \"ch-2\"1 \"ch-3\"0 ");
    strike_now(world, Effect::edit_member, 2, "", {{"host", "ch-9"}, {"server_uuid", candidate_uuid}});
    BOOST_TEST(inventory(world, 0) == "\"ch-1\"1 \"ch-2\"0 \"ch-9\"0 ");
    const Sent uuid = select(world, 2, "SELECT toString(serverUUID()) AS server_uuid");
    BOOST_TEST(uuid.body.find(candidate_uuid) != std::string::npos);
}

/// Power goes: what the last DDL did to the names may be gone with it, although its status says success.
BOOST_AUTO_TEST_CASE(power_loss) {
    struct Row {
        Time passed;
        Time not_durable;
        bool undone;
    };

    for (const Row& row : {Row{1s, 5s, true}, Row{10s, 5s, false}, Row{10s, 0s, true}}) {
        World world(simple_scenario(2), 2);
        run_ddl(world, 0, candidate_sql, "setup");
        const std::string before = uuid_of(world, 1, "target");
        run_ddl(world, 0, exchange_sql, "x");
        world.run_for(row.passed);
        Fault fault(world.now(), Effect::power_loss);
        fault.on = 1;
        fault.delay = row.not_durable;
        fault.lasts = 1s;
        world.add(fault);
        world.run_for(3s);
        BOOST_TEST(queue_rows(world, 1, "x").find("ch-2|Finished|0") != std::string::npos);
        BOOST_TEST(uuid_of(world, 1, "target") == (row.undone ? before : candidate_uuid));
        BOOST_TEST(uuid_of(world, 0, "target") == candidate_uuid);
    }
}

/// An old record comes back, with the version that each way of restoring gives it.
BOOST_AUTO_TEST_CASE(record_from_a_backup) {
    struct Row {
        const char* mode;
        int version;
    };

    for (const Row& row : {Row{"kept", 0}, Row{"reset", 0}, Row{"next", 3}}) {
        World world(simple_scenario(2), 2);
        run_ddl(world, 0, facade_sql);
        const auto write = [&world](const std::string& text) {
            const auto kind = text.starts_with("INSERT") ? StatementKind::authority_insert
                                                         : StatementKind::authority_update;
            return ask(world, 0, sql(text, kind, strict_settings())).status;
        };
        BOOST_TEST(
            write("INSERT INTO db.__onceswap_authority (target_key, phase) VALUES ('k', 'PREPARED')") == 200U
        );
        strike_now(world, Effect::keep_authority, any_member, "monday");
        write("ALTER TABLE db.__onceswap_authority UPDATE phase = 'DISPATCHING' WHERE target_key = 'k'");
        write("ALTER TABLE db.__onceswap_authority UPDATE phase = 'COMMITTED' WHERE target_key = 'k'");
        strike_now(world, Effect::restore_authority, any_member, "monday", {{"version", row.mode}});
        const KeeperRow& found = world.cluster().state().keeper.maps.front()->rows.front();
        BOOST_TEST_CONTEXT(row.mode) {
            BOOST_TEST(found.values[3] == "PREPARED");
            BOOST_TEST(found.version == row.version);
            BOOST_TEST(world.truth().authority_writes.back().by_fault);
        }
        strike_now(world, Effect::edit_authority, any_member, "k", {{"_delete", "1"}});
        BOOST_TEST(world.cluster().state().keeper.maps.front()->rows.empty());
    }
}

/// A KeeperMap that the member could not verify yet, or never will.
BOOST_AUTO_TEST_CASE(table_that_is_not_active) {
    for (const char* cause : {"connection", "metadata"}) {
        World world(simple_scenario(2), 2);
        run_ddl(world, 0, facade_sql);
        strike_now(world, Effect::edit_table, 1, "db.__onceswap_authority", {{"activation", cause}});
        const std::string read = "SELECT (SELECT groupArray(CAST(tuple(phase) AS Tuple(p String))) FROM "
                                 "db.__onceswap_authority) AS a";
        const Sent refused = select(world, 1, read);
        BOOST_TEST(refused.code == 668);
        BOOST_TEST(refused.body.find(cause) != std::string::npos);
        BOOST_TEST(select(world, 0, read).code == 0);
        const Sent write =
            ask(world,
                1,
                sql("INSERT INTO db.__onceswap_authority (target_key) VALUES ('k')",
                    StatementKind::authority_insert,
                    strict_settings()));
        BOOST_TEST(write.code == 668);
        world.heal();
        BOOST_TEST(select(world, 1, read).code == 0);
    }
}

/// In newer versions a DROP of a read-only replica is tried for ever, and everything behind it waits.
BOOST_AUTO_TEST_CASE(drop_of_a_read_only_replica) {
    for (const bool again : {false, true}) {
        Scenario scenario = simple_scenario(2);
        scenario.errors_run_again = again;
        World world(scenario, 2);
        run_ddl(world, 0, candidate_sql, "setup");
        strike_now(world, Effect::edit_table, 1, "db.cand", {{"is_readonly", "1"}});
        const Sent drop = run_ddl(world, 0, "DROP TABLE IF EXISTS db.cand ON CLUSTER c1", "x", 5);
        BOOST_TEST(drop.code == (again ? 159 : 0));
        const Sent behind = run_ddl(world, 0, "DROP TABLE IF EXISTS db.none ON CLUSTER c1", "y", 5);
        BOOST_TEST(behind.code == (again ? 159 : 0));
        world.heal();
        world.run_for(5s);
        BOOST_TEST(uuid_of(world, 1, "cand") == "absent");
        BOOST_TEST(queue_rows(world, 0, "y").find("ch-2|Finished|0") != std::string::npos);
    }
}

/// The statement failed after it took effect: the status says so, or it is run again and toggles.
BOOST_AUTO_TEST_CASE(error_after_the_effect) {
    struct Row {
        bool again;
        int code;
        int status;
        bool swapped;
    };

    for (const Row& row : {Row{false, 999, 999, true}, Row{true, 999, 0, false}, Row{true, 36, 36, true}}) {
        Scenario scenario = simple_scenario(2);
        scenario.errors_run_again = row.again;
        World world(scenario, 2);
        run_ddl(world, 0, candidate_sql, "setup");
        Match match(StatementClass::exchange);
        match.member = 1;
        Fault fault(Point::worker_after_execute, match, Effect::host_error);
        fault.code = row.code;
        world.add(fault);
        const Sent sent = run_ddl(world, 0, exchange_sql, "x");
        BOOST_TEST_CONTEXT("again " << row.again << " code " << row.code) {
            BOOST_TEST(sent.code == row.status);
            BOOST_TEST((uuid_of(world, 1, "target") == candidate_uuid) == row.swapped);
            BOOST_TEST(uuid_of(world, 0, "target") == candidate_uuid);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
