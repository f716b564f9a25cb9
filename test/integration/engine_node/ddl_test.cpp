#include "live_engine.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap::testing;
using Counts = std::vector<std::int64_t>;

BOOST_AUTO_TEST_SUITE(ddl)

namespace {

std::string queue_of(LiveEngine& engine, std::size_t member, const std::string& token) {
    return engine.rows(
        member,
        "SELECT query, port, status, exception_code, exception_text FROM system.distributed_ddl_queue WHERE "
        "settings['log_comment'] = '" +
            token + "' ORDER BY port"
    );
}

} // namespace

BOOST_AUTO_TEST_CASE(an_entry_is_stored_executed_and_answered_as_by_a_server) {
    LiveEngine& engine = LiveEngine::get();
    engine.make_target("entry", 0);
    const Reply made = engine.ask(
        0,
        "/* gone */ create table `entry`.`other` UUID '6f1c1c2e-1111-4000-8000-000000000001' on cluster `c1` "
        "as "
        "`entry`.`target`",
        {{"log_comment", "entry-1"}, {"default_format", "TSVWithNamesAndTypes"}}
    );
    BOOST_TEST(made.status == 200U, made.body);
    BOOST_TEST(made.body.starts_with("host\tport\tstatus\terror\tnum_hosts_remaining\tnum_hosts_active\n"
                                     "String\tUInt16\tInt64\tString\tUInt64\tUInt64\n127.0.0.1\t"));
    for (const std::size_t member : {0U, 1U}) {
        BOOST_TEST(
            queue_of(engine, member, "entry-1") ==
            "CREATE TABLE entry.other UUID \\'6f1c1c2e-1111-4000-8000-000000000001\\' ON CLUSTER c1 (`id` "
            "UInt64, "
            "`name` String) ENGINE = ReplicatedMergeTree(\\'/clickhouse/tables/{uuid}/{shard}\\', "
            "\\'{replica}\\') ORDER "
            "BY id SETTINGS index_granularity = 8192\t19101\tFinished\t0\t\n"
            "CREATE TABLE entry.other UUID \\'6f1c1c2e-1111-4000-8000-000000000001\\' ON CLUSTER c1 (`id` "
            "UInt64, "
            "`name` String) ENGINE = ReplicatedMergeTree(\\'/clickhouse/tables/{uuid}/{shard}\\', "
            "\\'{replica}\\') ORDER "
            "BY id SETTINGS index_granularity = 8192\t19102\tFinished\t0\t\n"
        );
        BOOST_TEST(engine.uuid(member, "entry", "other") == "6f1c1c2e-1111-4000-8000-000000000001");
    }
    const Reply absent = engine.ask(0, "CREATE TABLE entry.third ON CLUSTER c1 AS entry.nowhere");
    BOOST_TEST(absent.code() == 390, absent.body);
}

BOOST_AUTO_TEST_CASE(a_hosts_error_is_the_statements_error_and_the_other_hosts_have_executed) {
    LiveEngine& engine = LiveEngine::get();
    engine.make_target("refuse", 0);
    // Only on member 1 something depends on the table: DROP is refused there.
    engine.rows(
        1,
        "CREATE DICTIONARY refuse.d (id UInt64, name String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'refuse' "
        "TABLE "
        "'target')) LAYOUT(FLAT()) LIFETIME(0)"
    );
    const Reply reply =
        engine.ask(0, "DROP TABLE refuse.target ON CLUSTER c1", {{"log_comment", "refuse-1"}});
    BOOST_TEST(reply.status == 500U);
    BOOST_TEST(reply.code() == 630);
    BOOST_TEST(
        reply.body.starts_with(
            "Code: 630. DB::Exception: There was an error on [127.0.0.1:19102]: Code: 630. DB::Exception: "
        ),
        reply.body
    );
    BOOST_TEST(engine.uuid(0, "refuse", "target") == "");
    BOOST_TEST(engine.uuid(1, "refuse", "target") != "");
    const std::string rows = engine.rows(
        0,
        "SELECT port, status, exception_code FROM system.distributed_ddl_queue WHERE settings['log_comment'] "
        "= "
        "'refuse-1' ORDER BY port"
    );
    BOOST_TEST(rows == "19101\tFinished\t0\n19102\tFinished\t630\n");
    engine.rows(1, "DROP DICTIONARY refuse.d");
}

BOOST_AUTO_TEST_CASE(a_timeout_is_no_end_and_a_paused_worker_catches_up) {
    LiveEngine& engine = LiveEngine::get();
    engine.make_target("late", 0);
    engine.worker(1, {{"do", "hold"}, {"at", "after_active"}, {"match", "late.b"}});
    const Reply reply = engine.ask(
        0,
        "RENAME TABLE late.target TO late.b ON CLUSTER c1",
        {{"log_comment", "late-1"}, {"distributed_ddl_task_timeout", "1"}}
    );
    BOOST_TEST(reply.status == 408U);
    BOOST_TEST(reply.code() == 159);
    BOOST_TEST(
        reply.body.find(
            "is not finished on 1 of 2 hosts (1 of them are currently executing the task, 0 are inactive)"
        ) != std::string::npos,
        reply.body
    );
    const std::string status = "SELECT port, status, exception_code FROM system.distributed_ddl_queue WHERE "
                               "settings['log_comment'] = "
                               "'late-1' ORDER BY port";
    BOOST_TEST(engine.rows(1, status) == "19101\tFinished\t0\n19102\tActive\t\\N\n");
    engine.worker(1, {{"do", "release"}});
    BOOST_TEST(
        wait_for_rows(engine, 0, status, "19101\tFinished\t0\n19102\tFinished\t0\n") ==
        "19101\tFinished\t0\n19102\tFinished\t0\n"
    );
    BOOST_TEST(engine.uuid(1, "late", "b") == engine.uuid(0, "late", "b"));
    const Reply no_wait =
        engine.ask(0, "RENAME TABLE late.b TO late.c ON CLUSTER c1", {{"distributed_ddl_task_timeout", "0"}});
    BOOST_TEST(no_wait.status == 200U);
    BOOST_TEST(no_wait.body == "");
}

BOOST_AUTO_TEST_CASE(a_worker_that_dies_between_execution_and_status_executes_again) {
    struct Row {
        const char* point;
        std::int64_t executions; ///< of the member that dies
    };

    const Row rows[] = {
        {"before_active", 1},
        {"after_active", 1},
        {"after_execute", 2},
        {"before_status", 2},
        {"after_status", 1}
    };
    LiveEngine& engine = LiveEngine::get();
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.point) {
            const std::string database = "crash_" + std::string(row.point);
            engine.make_target(database, 3);
            engine.rows(0, "CREATE TABLE " + database + ".other ON CLUSTER c1 AS " + database + ".target");
            const std::string before = engine.uuid(0, database, "target");
            engine.worker(1, {{"do", "crash"}, {"at", row.point}, {"match", "EXCHANGE TABLES " + database}});
            const std::string token = "token-" + database;
            const Reply reply = engine.ask(
                0,
                "EXCHANGE TABLES " + database + ".target AND " + database + ".other ON CLUSTER c1",
                {{"log_comment", token}, {"distributed_ddl_task_timeout", "0"}}
            );
            BOOST_TEST(reply.status == 200U, reply.body);
            BOOST_TEST(engine.control(R"({"do":"wait_end","member":1})").as_object().contains("done"));
            BOOST_TEST(engine.control(R"({"do":"start","member":1})").as_object().contains("done"));
            const std::string finished =
                "SELECT count() FROM system.distributed_ddl_queue WHERE settings['log_comment'] = '" + token +
                "' AND status = 'Finished' AND exception_code = 0";
            BOOST_TEST(wait_for_rows(engine, 0, finished, "2\n") == "2\n");
            BOOST_TEST((engine.executed(token, "EXCHANGE TABLES") == Counts{1, row.executions}));
            BOOST_TEST(engine.uuid(0, database, "other") == before);
            // Twice is not at all, and nothing in the queue shows it.
            BOOST_TEST(engine.uuid(1, database, row.executions == 2 ? "target" : "other") == before);
            BOOST_TEST(
                engine.rows(1, "SELECT count() FROM " + database + ".other") ==
                (row.executions == 2 ? "0\n" : "3\n")
            );
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
