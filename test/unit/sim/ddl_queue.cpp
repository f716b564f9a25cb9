#include "world_setup.hpp"

#include <boost/test/unit_test.hpp>

// The DDL queue as a client sees it, and the workers behind it.

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using namespace std::chrono_literals;

namespace {

Fault at_worker(Point point, Effect effect, MemberIndex member = 1) {
    Match match(StatementClass::exchange);
    match.member = member;
    return Fault(point, match, effect);
}

struct Staged {
    explicit Staged(std::size_t members = 2, std::uint64_t seed = 11, Version version = Version::v24_8)
        : world(scenario(members, version), seed) {
        BOOST_REQUIRE(run_ddl(world, 0, candidate_sql, "setup").status == 200U);
        old_uuid = uuid_of(world, 0, "target");
    }

    static Scenario scenario(std::size_t members, Version version) {
        Scenario made = simple_scenario(members);
        made.version = version;
        return made;
    }

    World world;
    std::string old_uuid;

    bool swapped(MemberIndex member) {
        return uuid_of(world, member, "target") == candidate_uuid &&
               uuid_of(world, member, "cand") == old_uuid;
    }

    bool untouched(MemberIndex member) {
        return uuid_of(world, member, "target") == old_uuid &&
               uuid_of(world, member, "cand") == candidate_uuid;
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(ddl_queue)

BOOST_AUTO_TEST_CASE(entry_as_stored) {
    Staged staged;
    run_ddl(
        staged.world,
        0,
        "/* a comment */ EXCHANGE TABLES `db`.`target` AND `db`.`cand` ON CLUSTER `c1`",
        "token-1"
    );
    const Sent sent = select(
        staged.world,
        1,
        "SELECT toString(serverUUID()) AS server_uuid, (SELECT groupArray(CAST(tuple(entry, entry_version, "
        "cluster, query, "
        "settings, toUnixTimestamp(query_create_time)) AS Tuple(entry String, entry_version Nullable(UInt8), "
        "cluster String, "
        "query String, settings Map(String, String), query_create_time UInt32))) FROM "
        "system.distributed_ddl_queue WHERE "
        "startsWith(settings['log_comment'], 'token-')) AS queue"
    );
    BOOST_TEST_CONTEXT(sent.body) {
        BOOST_TEST(
            sent.body.find("\"entry\":\"query-0000000001\",\"entry_version\":5,\"cluster\":\"c1\",\"query\":"
                           "\"EXCHANGE TABLES db.target AND db.cand ON CLUSTER c1\"") != std::string::npos
        );
        BOOST_TEST(sent.body.find("\"log_comment\":\"token-1\"") != std::string::npos);
        BOOST_TEST(sent.body.find("\"query_create_time\":17600000") != std::string::npos);
        BOOST_TEST(sent.body.find("comment *\\/") == std::string::npos);
    }
}

/// The initiator names the uuid and writes out what AS stands for.
BOOST_AUTO_TEST_CASE(create_is_stored_in_normal_form) {
    World world(simple_scenario(2), 1);
    run_ddl(world, 0, facade_sql, "a");
    run_ddl(world, 0, candidate_sql, "b");
    const std::string& facade = world.truth().entries[0].query;
    BOOST_TEST(facade.starts_with("CREATE TABLE IF NOT EXISTS db.__onceswap_authority UUID '"));
    BOOST_TEST(facade.ends_with("`payload_sha256` FixedString(64)) ENGINE = "
                                "KeeperMap('/onceswap/authority/v1') PRIMARY KEY target_key"));
    BOOST_TEST(
        world.truth().entries[1].query == "CREATE TABLE db.cand UUID '11111111-2222-4333-8444-555555555555' "
                                          "ON CLUSTER c1 (`id` UInt64, `name` String) ENGINE = "
                                          "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', "
                                          "'{replica}') ORDER BY id SETTINGS index_granularity = 8192"
    );
    const Sent missing = run_ddl(world, 0, "CREATE TABLE db.x ON CLUSTER c1 AS db.nothing");
    BOOST_TEST(missing.code == 390);
    BOOST_TEST(world.truth().entries.size() == 2U);
}

BOOST_AUTO_TEST_CASE(statement_fields_quoted_where_needed) {
    World world(simple_scenario(2), 1);
    run_ddl(world, 0, "DROP TABLE IF EXISTS `db`.`a-b` ON CLUSTER `c1`", "q");
    run_ddl(world, 0, "RENAME TABLE `db`.`select` TO `db`.`x` ON CLUSTER 'c1'", "q");
    BOOST_TEST(world.truth().entries[0].query == "DROP TABLE IF EXISTS db.`a-b` ON CLUSTER c1");
    BOOST_TEST(world.truth().entries[1].query == "RENAME TABLE db.`select` TO db.x ON CLUSTER c1");
}

/// With `pool_size` above one a member runs several entries at once, and they end in any order.
BOOST_AUTO_TEST_CASE(a_pool_runs_several_entries_at_once) {
    for (const std::uint64_t pool_size : {1U, 2U, 3U}) {
        std::size_t overlaps = 0;
        std::size_t reversed = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            Scenario made = simple_scenario(2);
            made.cleanup.pool_size = pool_size;
            World world(made, seed);
            world.add(Fault(Time{}, Effect::stop_worker));
            for (const char* table : {"a", "b", "c"})
                run_ddl(
                    world, 0, "DROP TABLE IF EXISTS db." + std::string(table) + " ON CLUSTER c1", table, 0
                );
            world.add(Fault(world.now(), Effect::start_worker));
            world.run_for(5s);
            const GroundTruth& truth = world.truth();
            BOOST_TEST(truth.executions.size() == 6U); // each once on each member
            BOOST_TEST(truth.statuses.size() == 6U);
            for (const auto& execution : truth.executions)
                for (const auto& status : truth.statuses) {
                    if (execution.member != status.member || execution.entry <= status.entry)
                        continue;
                    overlaps += execution.at < status.at ? 1U : 0U;
                }
            for (std::size_t i = 0; i < truth.statuses.size(); ++i)
                for (std::size_t j = i + 1; j < truth.statuses.size(); ++j)
                    if (truth.statuses[i].member == truth.statuses[j].member &&
                        truth.statuses[i].entry > truth.statuses[j].entry)
                        ++reversed;
        }
        BOOST_TEST_CONTEXT("pool_size " << pool_size) {
            BOOST_TEST((overlaps != 0) == (pool_size > 1));
            BOOST_TEST((reversed != 0) == (pool_size > 1));
        }
    }
}

/// Row states while a worker stands at each of its points, and what a crash at each of them does to an
/// EXCHANGE.
BOOST_AUTO_TEST_CASE(worker_crash_points) {
    struct Row {
        Point point;
        const char* before_restart; ///< row of ch-2
        unsigned runs;
        bool toggled_back;
    };

    const std::vector<Row> rows{
        {Point::worker_before_active, "ch-2|Inactive|null", 1, false},
        {Point::worker_after_active, "ch-2|Inactive|null", 1, false},
        {Point::worker_after_execute, "ch-2|Inactive|null", 2, true},
        {Point::worker_before_status, "ch-2|Inactive|null", 2, true},
        {Point::worker_after_status, "ch-2|Finished|0", 1, false},
    };
    for (const Row& row : rows) {
        Staged staged;
        staged.world.add(at_worker(row.point, Effect::crash));
        const Sent sent = run_ddl(staged.world, 0, exchange_sql, "x", 5);
        const std::string rows_before = queue_rows(staged.world, 0, "x");
        staged.world.cluster().restart(1);
        staged.world.run_for(5s);
        BOOST_TEST_CONTEXT(
            text(row.point) << " " << sent.body << rows_before << "\n"
                            << staged.world.truth().describe()
        ) {
            BOOST_TEST(rows_before.find(row.before_restart) != std::string::npos);
            BOOST_TEST(sent.code == (row.point == Point::worker_after_status ? 0 : 159));
            BOOST_TEST(queue_rows(staged.world, 0, "x").find("ch-2|Finished|0") != std::string::npos);
            BOOST_TEST(staged.world.truth().executed(StatementClass::exchange, 1) == row.runs);
            BOOST_TEST(staged.swapped(0));
            BOOST_TEST((row.toggled_back ? staged.untouched(1) : staged.swapped(1)));
        }
    }
}

/// A second run of the same entry: an EXCHANGE toggles, a RENAME fails although it took effect, a DROP does
/// no harm.
BOOST_AUTO_TEST_CASE(second_run) {
    struct Row {
        StatementClass statement_class;
        std::string text;
        const char* row;
    };

    const std::vector<Row> rows{
        {StatementClass::exchange, exchange_sql, "ch-2|Finished|0"},
        {StatementClass::rename, "RENAME TABLE db.cand TO db.cand__aside ON CLUSTER c1", "ch-2|Finished|57"},
        {StatementClass::drop, "DROP TABLE IF EXISTS db.cand ON CLUSTER c1", "ch-2|Finished|0"},
    };
    for (const Row& row : rows) {
        Staged staged;
        Match match(row.statement_class);
        match.member = 1;
        staged.world.add(Fault(Point::worker_after_execute, match, Effect::rerun));
        run_ddl(staged.world, 0, row.text, "x");
        BOOST_TEST_CONTEXT(row.text << " " << queue_rows(staged.world, 0, "x"))
        BOOST_TEST(queue_rows(staged.world, 0, "x").find(row.row) != std::string::npos);
        BOOST_TEST(staged.world.truth().executions.back().run <= 2U);
    }
}

BOOST_AUTO_TEST_CASE(power_loss_after_the_status) {
    Staged staged;
    staged.world.add(at_worker(Point::worker_after_status, Effect::revert));
    BOOST_TEST(run_ddl(staged.world, 0, exchange_sql, "x").status == 200U);
    BOOST_TEST(queue_rows(staged.world, 0, "x").find("ch-2|Finished|0") != std::string::npos);
    BOOST_TEST(staged.swapped(0));
    BOOST_TEST(staged.untouched(1));
}

BOOST_AUTO_TEST_CASE(host_error) {
    Staged staged(3);
    Fault fault = at_worker(Point::worker_after_active, Effect::host_error);
    fault.code = 243;
    fault.text = "Not enough space";
    staged.world.add(fault);
    const Sent sent = run_ddl(staged.world, 0, exchange_sql, "x");
    BOOST_TEST(sent.code == 243);
    BOOST_TEST(sent.status == 500U);
    BOOST_TEST(
        sent.body == "Code: 243. DB::Exception: There was an error on [ch-2:9000]: Code: 243. DB::Exception: "
                     "Not enough space. "
                     "(NOT_ENOUGH_SPACE) (version 24.8.14.39 (official build)). (NOT_ENOUGH_SPACE) (version "
                     "24.8.14.39 (official build))\n"
    );
    BOOST_TEST(staged.swapped(0));
    BOOST_TEST(staged.untouched(1));
    BOOST_TEST(staged.swapped(2));
    BOOST_TEST(queue_rows(staged.world, 2, "x").find("ch-2|Finished|243") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(stopped_worker_and_timeout_text) {
    Staged staged;
    staged.world.cluster().stop_worker(1);
    const Sent sent = run_ddl(staged.world, 0, exchange_sql, "x", 5);
    BOOST_TEST(sent.code == 159);
    BOOST_TEST(sent.status == 408U);
    BOOST_TEST(sent.body.starts_with("Code: 159. DB::Exception: Distributed DDL task "
                                     "/clickhouse/task_queue/ddl/query-0000000001 is not finished on 1 of 2 "
                                     "hosts (0 of them are currently executing the task, 1 are inactive). "
                                     "They are going to execute the query in "
                                     "background. Was waiting for 5."));
    BOOST_TEST(
        sent.body.find(" seconds, which is longer than distributed_ddl_task_timeout. (TIMEOUT_EXCEEDED)") !=
        std::string::npos
    );
    BOOST_TEST(queue_rows(staged.world, 1, "x") == "ch-1|Finished|0;ch-2|Inactive|null;"); // its HTTP answers
    BOOST_TEST(staged.untouched(1));
    staged.world.cluster().start_worker(1);
    staged.world.run_until_idle();
    BOOST_TEST(staged.swapped(1)); // the original entry converges
    BOOST_TEST(staged.world.truth().entries_with("x") == 1U);
}

/// A host that is executing shows as Active; finished ones stand first.
BOOST_AUTO_TEST_CASE(row_order_and_active) {
    Staged staged(3);
    staged.world.add(at_worker(Point::worker_after_active, Effect::stop_worker, 0));
    staged.world.cluster().stop_worker(1);
    run_ddl(staged.world, 2, exchange_sql, "x", 2);
    BOOST_TEST(queue_rows(staged.world, 2, "x") == "ch-3|Finished|0;ch-1|Active|null;ch-2|Inactive|null;");
    staged.world.cluster().lose_session(0); // its ephemeral goes
    BOOST_TEST(queue_rows(staged.world, 2, "x") == "ch-3|Finished|0;ch-1|Inactive|null;ch-2|Inactive|null;");
    BOOST_TEST(queue_rows(staged.world, 0, "x") == "error 999");
}

BOOST_AUTO_TEST_CASE(one_worker_takes_entries_in_order) {
    Staged staged;
    staged.world.cluster().stop_worker(1);
    run_ddl(staged.world, 0, exchange_sql, "first", 1);
    run_ddl(staged.world, 0, "RENAME TABLE db.cand TO db.cand__aside ON CLUSTER c1", "second", 1);
    staged.world.cluster().start_worker(1);
    staged.world.run_until_idle();
    BOOST_TEST(uuid_of(staged.world, 1, "target") == candidate_uuid);
    BOOST_TEST(uuid_of(staged.world, 1, "cand__aside") == staged.old_uuid);
}

BOOST_AUTO_TEST_CASE(removing_and_gone) {
    Staged staged;
    staged.world.cluster().stop_worker(1);
    run_ddl(staged.world, 0, exchange_sql, "x", 1);
    staged.world.cluster().remove_entries("x", 10s);
    BOOST_TEST(queue_rows(staged.world, 0, "x") == "ch-1|Removing|null;ch-2|Removing|null;");
    staged.world.run_for(11s);
    BOOST_TEST(queue_rows(staged.world, 0, "x") == "");
    staged.world.cluster().start_worker(1);
    staged.world.run_until_idle();
    BOOST_TEST(staged.untouched(1)); // nobody will run it any more
}

BOOST_AUTO_TEST_CASE(cleaner_is_quicker_than_the_initiator) {
    Staged staged;
    staged.world.cluster().stop_worker(1);
    Fault fault(staged.world.now() + 1s, Effect::remove_entries);
    fault.text = "x";
    staged.world.add(fault);
    const Sent sent = run_ddl(staged.world, 0, exchange_sql, "x", 30);
    BOOST_TEST(sent.code == 341);
    BOOST_TEST(sent.body.find("has been deleted by the cleaner since it was finished") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(session_lost_around_the_create) {
    struct Row {
        Point point;
        std::size_t entries;
    };

    for (const Row& row : {Row{Point::before_commit, 0}, Row{Point::after_commit, 1}}) {
        Staged staged;
        staged.world.add(Fault(row.point, Match(StatementClass::exchange), Effect::keeper_loss));
        const Sent sent = run_ddl(staged.world, 0, exchange_sql, "x");
        staged.world.run_until_idle();
        BOOST_TEST_CONTEXT(text(row.point)) {
            BOOST_TEST(sent.code == 999);
            BOOST_TEST(staged.world.truth().entries_with("x") == row.entries);
            BOOST_TEST(staged.swapped(1) == (row.entries == 1));
        }
    }
}

/// Newer versions write no status for an error that may pass and run the statement again.
BOOST_AUTO_TEST_CASE(retriable_errors) {
    for (const Version version : {Version::v24_8, Version::v26_7}) {
        Staged staged(2, 11, version);
        Fault fault = at_worker(Point::worker_after_active, Effect::host_error);
        fault.code = 242;
        staged.world.add(fault);
        const Sent sent = run_ddl(staged.world, 0, exchange_sql, "x");
        BOOST_TEST(sent.code == (version == Version::v24_8 ? 242 : 0));
        BOOST_TEST(staged.swapped(1) == (version == Version::v26_7));
    }
}

BOOST_AUTO_TEST_CASE(output_modes) {
    struct Row {
        const char* mode;
        int code;
        bool rows;
    };

    for (const Row& row :
         {Row{"throw", 159, false},
          Row{"none", 159, false},
          Row{"null_status_on_timeout", 0, true},
          Row{"never_throw", 0, true}}) {
        Staged staged;
        staged.world.cluster().stop_worker(1);
        protocol::Settings settings = ddl_settings("x", 1);
        settings[1].second = row.mode;
        const Sent sent =
            ask(staged.world, 0, sql(exchange_sql, protocol::StatementKind::exchange, settings));
        BOOST_TEST_CONTEXT(row.mode << " " << sent.body) {
            BOOST_TEST(sent.code == row.code);
            BOOST_TEST(
                (sent.body.find("[\"ch-2\", 9000, null, null, \"1\", \"0\"]") != std::string::npos) ==
                row.rows
            );
        }
    }
    Staged staged;
    const Sent no_wait = run_ddl(staged.world, 0, exchange_sql, "x", 0);
    BOOST_TEST(no_wait.status == 200U);
    BOOST_TEST(no_wait.body == "");
}

BOOST_AUTO_TEST_CASE(no_directory_before_the_first_entry) {
    Scenario scenario = simple_scenario(2);
    scenario.queue_directory_exists = false;
    World world(scenario, 1);
    BOOST_TEST(queue_rows(world, 0, "x") == "error 999");
    run_ddl(world, 0, candidate_sql, "x");
    BOOST_TEST(queue_rows(world, 0, "x").find("ch-1|Finished|0") != std::string::npos);
}

/// Each way in which the view can be poisoned; the truth stays.
BOOST_AUTO_TEST_CASE(edits) {
    using What = QueueEdit::What;
    const auto edit = [](What what, auto change) {
        QueueEdit made;
        made.what = what;
        made.token = "x";
        change(made);
        return made;
    };

    struct Row {
        const char* what;
        QueueEdit edit;
        std::string rows;
    };

    const std::string normal = "ch-1|Finished|0;ch-2|Finished|0;";
    const std::vector<Row> rows{
        {"hide", edit(What::hide_host, [](QueueEdit& one) { one.host = "ch-2"; }), "ch-1|Finished|0;"},
        {"hide entry", edit(What::hide_entry, [](QueueEdit&) {}), ""},
        {"add",
         edit(
             What::add_host,
             [](QueueEdit& one) {
                 one.host = "ch-9";
                 one.port = 9000;
                 one.status = "Inactive";
             }
         ),
         normal + "ch-9|Inactive|null;"},
        {"null host",
         edit(
             What::add_host,
             [](QueueEdit& one) {
                 one.host = "NULL";
                 one.status = "Unknown";
             }
         ),
         normal + "null|Unknown|null;"},
        {"repeat",
         edit(What::repeat_host, [](QueueEdit& one) { one.host = "ch-1"; }),
         normal + "ch-1|Finished|0;"},
        {"repeat entry",
         edit(What::repeat_entry, [](QueueEdit& one) { one.entry = "query-0000000099"; }),
         normal + normal},
        {"removing",
         edit(
             What::set,
             [](QueueEdit& one) {
                 one.host = "ch-1";
                 one.status = "Removing";
                 one.exception_code = "NULL";
             }
         ),
         "ch-1|Removing|null;ch-2|Finished|0;"},
        {"null status",
         edit(What::set, [](QueueEdit& one) { one.status = "NULL"; }),
         "ch-1|null|0;ch-2|null|0;"},
        {"token", edit(What::set, [](QueueEdit& one) { one.settings_token = "y"; }), ""},
        {"unreadable", edit(What::unreadable, [](QueueEdit&) {}), "error 999"},
        {"elsewhere", edit(What::unreadable, [](QueueEdit& one) { one.seen_from = 1; }), normal},
    };
    for (const Row& row : rows) {
        World world(simple_scenario(2), 3);
        world.cluster().stop_worker(1); // so that ch-1 finishes first
        run_ddl(world, 0, candidate_sql, "x", 1);
        world.cluster().start_worker(1);
        world.run_until_idle();
        BOOST_TEST(queue_rows(world, 0, "x") == normal);
        Fault fault(world.now(), Effect::edit_queue);
        fault.queue_edit = row.edit;
        world.add(fault);
        world.run_for(1ms);
        BOOST_TEST_CONTEXT(row.what)
        BOOST_TEST(queue_rows(world, 0, "x") == row.rows);
    }
}

BOOST_AUTO_TEST_SUITE_END()
