#include "world_setup.hpp"

#include <boost/test/unit_test.hpp>

// Users, grants, settings and versions.

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using protocol::StatementKind;

namespace {

Sent ask_as(World& world, const UserSetup& user, protocol::Statement statement) {
    Publisher& publisher = world.publisher("as " + user.name + user.password, user);
    auto sent =
        world.run(publisher, send(world, publisher, 0, std::move(statement), "", std::chrono::seconds(10)));
    return sent ? *sent : Sent();
}

UserSetup named(std::string name, std::string password, unsigned readonly, std::vector<std::string> grants) {
    UserSetup user;
    user.name = std::move(name);
    user.password = std::move(password);
    user.readonly = readonly;
    user.grants = std::move(grants);
    return user;
}

Scenario with_users() {
    Scenario scenario = simple_scenario(2);
    scenario.users = {
        named("default", "", 0, {}),
        named("reader", "secret", 1, {"GRANT SELECT ON db.* TO reader"}),
        named("observer", "", 2, {"GRANT SELECT ON *.* TO observer"}),
        named(
            "loader",
            "",
            0,
            {"GRANT SELECT, INSERT, CREATE TABLE, DROP TABLE ON db.* TO loader",
             "GRANT CLUSTER ON *.* TO loader"}
        ),
        named("blind", "", 0, {"GRANT SELECT ON other.* TO blind"}),
        named("no_cluster", "", 0, {"GRANT ALL ON db.* TO no_cluster"}),
    };
    return scenario;
}

} // namespace

BOOST_AUTO_TEST_SUITE(access_and_settings)

BOOST_AUTO_TEST_CASE(users) {
    struct Row {
        UserSetup user;
        protocol::Statement statement;
        int code;
        std::string part;
    };

    const protocol::Statement one = sql("SELECT toString(serverUUID()) AS server_uuid, 1 AS one");
    const protocol::Statement count =
        sql("SELECT toString(serverUUID()) AS server_uuid, (SELECT count() FROM db.target) AS rows");
    const protocol::Statement policies =
        sql("SELECT (SELECT groupArray(short_name) FROM system.row_policies) AS p");
    const protocol::Statement tables = sql("SELECT (SELECT groupArray(name) FROM system.tables) AS t");
    const protocol::Statement roster =
        sql("SELECT hostName() AS h FROM clusterAllReplicas('c1', system.one)");
    const protocol::Statement exchange = sql(exchange_sql, StatementKind::exchange);
    const protocol::Statement local = sql("DROP TABLE IF EXISTS db.x", StatementKind::drop_aside);
    const protocol::Statement setting =
        sql("SELECT 1 AS one", StatementKind::settings_probe, {{"log_comment", "x"}});
    const std::vector<Row> rows{
        {named("default", "", 0, {}), one, 0, ""},
        {named("default", "wrong", 0, {}),
         one,
         516,
         "Authentication failed: password is incorrect, or there is no user with such name"},
        {named("nobody", "", 0, {}), one, 516, "nobody: Authentication failed"},
        {named("reader", "secret", 1, {}), one, 0, ""},
        {named("reader", "secret", 1, {}), count, 0, ""},
        {named("reader", "secret", 1, {}),
         setting,
         164,
         "Cannot modify 'log_comment' setting in readonly mode"},
        {named("reader", "secret", 1, {}), local, 164, "Cannot execute query in readonly mode"},
        {named("observer", "", 2, {}), setting, 0, ""},
        {named("observer", "", 2, {}), local, 164, "Cannot execute query in readonly mode"},
        {named("observer", "", 2, {}), policies, 497, "SHOW ROW POLICIES"},
        {named("observer", "", 2, {}), roster, 497, "REMOTE"},
        {named("loader", "", 0, {}), count, 0, ""},
        {named("loader", "", 0, {}), exchange, 60, "There was an error on ["},
        {named("no_cluster", "", 0, {}), exchange, 497, "CLUSTER ON *.*"},
        {named("no_cluster", "", 0, {}), local, 0, ""},
        {named("blind", "", 0, {}), count, 497, "grant SELECT ON db.target"},
        {named("blind", "", 0, {}), tables, 0, "[]"}, // what may not be seen looks absent
        {named("loader", "", 0, {}), tables, 0, "target"},
    };
    for (const Row& row : rows) {
        World world(with_users(), 1);
        const Sent sent = ask_as(world, row.user, row.statement);
        BOOST_TEST_CONTEXT(row.user.name << ": " << row.statement.sql << "\n" << sent.body) {
            BOOST_TEST(sent.code == row.code);
            BOOST_TEST(sent.body.find(row.part) != std::string::npos);
        }
    }
}

BOOST_AUTO_TEST_CASE(show_grants) {
    World world(with_users(), 1);
    const Sent loader = ask_as(world, named("loader", "", 0, {}), sql("SHOW GRANTS"));
    BOOST_TEST(
        loader.body ==
        "[\"GRANTS\"]\n[\"String\"]\n[\"GRANT SELECT, INSERT, CREATE TABLE, DROP TABLE ON db.* TO loader\"]\n"
        "[\"GRANT CLUSTER ON *.* TO loader\"]\n"
    );
    for (const auto& [version, part] :
         {std::pair{Version::v24_8, "GRANT SHOW, SELECT"}, std::pair{Version::v26_7, "GRANT ALL ON *.*"}}) {
        Scenario scenario = simple_scenario(2);
        scenario.version = version;
        World other(scenario, 1);
        BOOST_TEST(select(other, 0, "SHOW GRANTS").body.find(part) != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(settings) {
    struct Row {
        protocol::Settings sent;
        int code;
        const char* part;
    };

    for (const Row& row : {
             Row{{{"keeper_map_strict_mode", "1"}}, 0, ""},
             Row{{{"no_such_setting", "1"}}, 115, "Setting no_such_setting is neither a builtin setting"},
             Row{{{"max_execution_time", "x"}}, 72, "Cannot read floating point value here: x"},
             Row{{{"insert_keeper_max_retries", "0"}},
                 452,
                 "Setting insert_keeper_max_retries should not be changed"},
             Row{{{"insert_keeper_max_retries", "20"}}, 0, ""},
         }) {
        Scenario scenario = simple_scenario(2);
        scenario.settings = {{"insert_keeper_max_retries", "readonly:20"}};
        World world(scenario, 1);
        const Sent sent = ask(world, 0, sql("SELECT 1 AS one", StatementKind::settings_probe, row.sent));
        BOOST_TEST_CONTEXT(row.sent.front().first << " " << sent.body) {
            BOOST_TEST(sent.code == row.code);
            BOOST_TEST(sent.body.find(row.part) != std::string::npos);
        }
    }
    World world(simple_scenario(2), 1);
    Fault fault(Time{}, Effect::set_setting);
    fault.values = {{"keeper_map_strict_mode", ""}};
    world.add(fault);
    world.run_for(std::chrono::milliseconds(1));
    BOOST_TEST(
        ask(world, 0, sql("SELECT 1 AS one", StatementKind::settings_probe, {{"keeper_map_strict_mode", "1"}})
        )
            .code == 115
    );
}

BOOST_AUTO_TEST_CASE(versions) {
    struct Row {
        Version version;
        const char* text;
        bool quoting;
        const char* async_insert;
        bool tag;
    };

    for (const Row& row : {
             Row{Version::v24_8, "24.8.14.39", true, "0", false},
             Row{Version::v25_8, "25.8.4.13", false, "0", false},
             Row{Version::v25_11, "25.11.2.24", false, "0", true},
             Row{Version::v26_7, "26.7.2.1", false, "1", true},
         }) {
        Scenario scenario = simple_scenario(2);
        scenario.version = row.version;
        World world(scenario, 1);
        const Sent sent = select(
            world,
            0,
            "SELECT version() AS version, (SELECT groupArray(CAST(tuple(name, value) AS Tuple(name String, "
            "value String))) FROM "
            "system.settings WHERE name IN ('async_insert', 'output_format_json_quote_64bit_integers')) AS "
            "settings"
        );
        BOOST_TEST_CONTEXT(sent.body) {
            BOOST_TEST(sent.body.find(row.text) != std::string::npos);
            BOOST_TEST(
                sent.body.find(
                    "{\"name\":\"async_insert\",\"value\":\"" + std::string(row.async_insert) + "\"}"
                ) != std::string::npos
            );
            // What the request itself sets stands over the profile's.
            BOOST_TEST(sent.body.find("quote_64bit_integers\",\"value\":\"1\"}") != std::string::npos);
        }
        BOOST_TEST(profile(row.version).quote_64bit_integers == row.quoting);
        BOOST_TEST(profile(row.version).exception_tag_header == row.tag);
    }
}

/// A result that fails half way: 200 is out already, the exception follows as each version does it.
BOOST_AUTO_TEST_CASE(exception_in_the_stream) {
    struct Row {
        Version version;
        std::string part;
        bool complete;
    };

    for (const Row& row : {
             Row{Version::v24_8, "Code: 241. DB::Exception: Too much.", true},
             Row{Version::v25_8, "__exception__\r\nCode: 241.", false},
             Row{Version::v25_11, "\r\n__exception__\r\nonceswapsimtagab\r\nCode: 241.", true},
         }) {
        Scenario scenario = simple_scenario(2);
        scenario.version = row.version;
        World world(scenario, 1);
        Fault fault(Point::effect, Match(StatementClass::probe), Effect::midstream);
        fault.code = 241;
        fault.text = "Too much";
        world.add(fault);
        const Sent sent = select(world, 0, "SELECT toString(serverUUID()) AS server_uuid, 1 AS one");
        BOOST_TEST_CONTEXT(sent.body) {
            BOOST_TEST(sent.status == 200U);
            BOOST_TEST(sent.code == 0);
            BOOST_TEST(sent.complete == row.complete);
            BOOST_TEST(sent.body.find(row.part) != std::string::npos);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_query_id_that_is_running) {
    World world(simple_scenario(2), 1);
    world.cluster().stop_worker(1);
    Publisher& publisher = world.publisher();
    const auto with_id = [&](const char* name) {
        Query query;
        query.client = name;
        query.sql = "DROP TABLE IF EXISTS db.x ON CLUSTER c1";
        query.settings = {{"distributed_ddl_task_timeout", "5"}};
        query.query_id = "same";
        return query;
    };
    std::vector<int> codes;
    world.cluster().submit(0, with_id("a"), [&](Reply reply) { codes.push_back(reply.exception_code); });
    world.run_for(std::chrono::seconds(1));
    world.cluster().submit(0, with_id("b"), [&](Reply reply) { codes.push_back(reply.exception_code); });
    world.run_until_idle();
    world.cluster().submit(0, with_id("c"), [&](Reply reply) { codes.push_back(reply.exception_code); });
    world.run_until_idle();
    BOOST_TEST(publisher.requests() == 0U);
    const std::vector<int> expected{216, 159, 159};
    BOOST_TEST(codes == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
