#include "world_setup.hpp"

#include <boost/test/unit_test.hpp>

// Answers that are not of one instant, answers that take their time, and what each version makes of an error.

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using namespace std::chrono_literals;
using protocol::StatementKind;

namespace {

const std::string tables_then_columns =
    "SELECT (SELECT groupArray(CAST(tuple(name, toString(uuid)) AS Tuple(n String, u String))) FROM "
    "system.tables "
    "WHERE database = 'db' AND name IN ('target', 'cand')) AS tables, (SELECT groupArray(CAST(tuple(table, "
    "name) AS "
    "Tuple(t String, c String))) FROM system.columns WHERE database = 'db' AND table = 'target') AS columns";

/// A candidate with one column more than the target, so that a column tells whose table was read.
struct Differing {
    Differing() : world(scenario(), 2) { old_uuid = uuid_of(world, 0, "target"); }

    static Scenario scenario() {
        Scenario made = simple_scenario(2);
        TableSetup other = made.tables.front();
        other.name = "cand";
        other.uuid = candidate_uuid;
        other.columns.emplace_back("extra", "String");
        made.tables.push_back(other);
        return made;
    }

    /// `new` where the name shows the candidate's uuid.
    std::string uuids(const std::string& body) const {
        std::string seen;
        for (const char* name : {"target", "cand"}) {
            const std::string key = std::string("{\"n\":\"") + name + "\",\"u\":\"";
            const std::size_t at = body.find(key);
            seen += at == std::string::npos                                  ? "none "
                    : body.compare(at + key.size(), 36, candidate_uuid) == 0 ? "new "
                                                                             : "old ";
        }
        return seen;
    }

    World world;
    std::string old_uuid;
};

Fault exchange_elsewhere(Point point) {
    Fault fault(point, Match(), Effect::run_sql);
    fault.text = "EXCHANGE TABLES db.target AND db.cand";
    fault.on = 0;
    return fault;
}

} // namespace

BOOST_AUTO_TEST_SUITE(two_instants)

/// Between two system tables of one SELECT the names are exchanged.
BOOST_AUTO_TEST_CASE(tables_at_different_times) {
    for (const bool torn : {false, true}) {
        Differing one;
        if (torn) {
            one.world.add(exchange_elsewhere(Point::between_sources));
            Fault wait(Point::between_sources, Match(), Effect::delay);
            wait.delay = 1s;
            one.world.add(wait);
        }
        const Sent sent = select(one.world, 0, tables_then_columns);
        BOOST_TEST_CONTEXT(sent.body) {
            BOOST_TEST(one.uuids(sent.body) == "old new ");
            BOOST_TEST((sent.body.find("\"c\":\"extra\"") != std::string::npos) == torn);
            BOOST_TEST((one.world.now() > 1s) == torn);
        }
    }
}

/// Rows of one system table from two instants: a uuid under two names, or under none.
BOOST_AUTO_TEST_CASE(rows_at_different_times) {
    struct Row {
        int early;
        const char* uuids;
    };

    for (const Row& row : {Row{0, "new old "}, Row{1, "old old "}, Row{2, "old new "}, Row{9, "old new "}}) {
        Differing one;
        Fault tear(Point::arrive, Match(), Effect::tear);
        tear.text = "tables";
        tear.code = row.early;
        tear.delay = 1s;
        one.world.add(tear);
        Fault exchange = exchange_elsewhere(Point::at_time);
        exchange.at = one.world.now() + 500ms;
        one.world.add(exchange);
        const Sent sent = select(one.world, 0, tables_then_columns);
        BOOST_TEST_CONTEXT("early " << row.early << " " << sent.body)
        BOOST_TEST(one.uuids(sent.body) == row.uuids);
    }
}

/// Without a session some servers refuse at once; others let readers wait and writers give up.
BOOST_AUTO_TEST_CASE(keeper_that_does_not_answer) {
    for (const bool hangs : {false, true}) {
        World world(simple_scenario(2), 2);
        run_ddl(world, 0, facade_sql);
        Fault lost(world.now(), Effect::lose_session);
        lost.on = 1;
        lost.text = hangs ? "hang" : "";
        lost.lasts = 20s;
        world.add(lost);
        world.run_for(1ms);
        const Time begin = world.now();
        const std::string read = "SELECT (SELECT groupArray(CAST(tuple(phase) AS Tuple(p String))) FROM "
                                 "db.__onceswap_authority) AS a";
        BOOST_TEST_CONTEXT("hangs " << hangs) {
            BOOST_TEST(select(world, 1, "SELECT toString(serverUUID()) AS server_uuid").status == 200U);
            const Sent write =
                ask(world,
                    1,
                    sql("INSERT INTO db.__onceswap_authority (target_key) VALUES ('k')",
                        StatementKind::authority_insert,
                        strict_settings()));
            BOOST_TEST(write.code == 999);
            BOOST_TEST((world.now() - begin > 10s) == hangs);
            const Sent answer = select(world, 1, read);
            BOOST_TEST(answer.code == (hangs ? 0 : 999));
            BOOST_TEST((world.now() - begin > 19s) == hangs);
            BOOST_TEST(!ask(world, 1, sql(read), {}, 1s).status == false);
        }
    }
}

/// async_insert takes rows without their token; without waiting, before they are in the table.
BOOST_AUTO_TEST_CASE(async_inserts) {
    struct Row {
        const char* async;
        const char* wait;
        std::uint64_t at_once; ///< rows after two equal batches, when the second was answered
        std::uint64_t later;
    };

    for (const Row& row : {Row{"0", "1", 101, 101}, Row{"1", "1", 102, 102}, Row{"1", "0", 100, 102}}) {
        World world(simple_scenario(2), 2);
        for (int i = 0; i < 2; ++i)
            BOOST_TEST(
                ask(world,
                    0,
                    sql("INSERT INTO `db`.`target` FORMAT JSONEachRow",
                        StatementKind::insert_rows,
                        {{"insert_deduplication_token", "batch"},
                         {"async_insert", row.async},
                         {"wait_for_async_insert", row.wait}}),
                    "{\"id\":1,\"name\":\"a\"}")
                    .status == 200U
            );
        const auto rows = [&world] { return world.cluster().state().members[0].find("db", "target")->rows; };
        BOOST_TEST_CONTEXT("async " << row.async << " wait " << row.wait) {
            BOOST_TEST(rows() == row.at_once);
            world.run_for(1s);
            BOOST_TEST(rows() == row.later);
        }
    }
}

/// What an error looks like: plain text, or a row of the format where the setting is on.
BOOST_AUTO_TEST_CASE(exceptions_in_the_output_format) {
    struct Row {
        Version version;
        bool formatted; ///< by default
    };

    for (const Row& row :
         {Row{Version::v24_8, true},
          Row{Version::v25_8, true},
          Row{Version::v25_11, false},
          Row{Version::v26_7, false}})
        for (const char* sent : {"", "0", "1"}) {
            Scenario scenario = simple_scenario(2);
            scenario.version = row.version;
            World world(scenario, 2);
            Query query;
            query.sql = "SELECT nonsense";
            query.format = "JSONCompactEachRowWithNamesAndTypes";
            if (*sent != '\0')
                query.settings = {{"http_write_exception_in_output_format", sent}};
            Reply got;
            world.cluster().submit(0, query, [&got](Reply reply) { got = std::move(reply); });
            world.run_until_idle();
            const bool formatted = *sent == '\0' ? row.formatted : *sent == '1';
            BOOST_TEST_CONTEXT(profile(row.version).name << " sent " << sent << " " << got.body) {
                BOOST_TEST(got.exception_code == 47);
                BOOST_TEST(got.status == 404U);
                BOOST_TEST(got.body.starts_with("[\"Code: 47.") == formatted);
                BOOST_TEST(got.body.starts_with("Code: 47.") == !formatted);
            }
        }
}

/// A status that lies, and an error that comes with half of a result.
BOOST_AUTO_TEST_CASE(status_body_mismatch) {
    World world(simple_scenario(2), 2);
    Fault silent(Point::effect, Match(StatementClass::probe), Effect::answer);
    silent.code = 209;
    silent.values = {{"status", "200"}, {"body", "empty"}};
    world.add(silent);
    const Sent empty = select(world, 0, "SELECT 1 AS one");
    BOOST_TEST(empty.status == 200U);
    BOOST_TEST(empty.code == 209);
    BOOST_TEST(empty.body == "");
    Fault late(Point::effect, Match(StatementClass::probe), Effect::midstream);
    late.code = 241;
    late.text = "Too much";
    late.values = {{"status", "error"}};
    world.add(late);
    const Sent half = select(world, 0, "SELECT 1 AS one");
    BOOST_TEST(half.status == 500U);
    BOOST_TEST(half.code == 241);
    BOOST_TEST(half.body.starts_with("[\"one\"]"));
    BOOST_TEST(half.body.find("Code: 241. DB::Exception: Too much.") != std::string::npos);
}

/// A balancer in front of two members: every other connection goes to the other one.
BOOST_AUTO_TEST_CASE(balancer) {
    World world(simple_scenario(2), 2);
    Match first;
    first.member = 0;
    Fault route(Point::connect, first, Effect::route);
    route.on = 1;
    route.nth = 2;
    route.times = 0;
    route.every = 2;
    world.add(route);
    std::string answers;
    for (int i = 0; i < 4; ++i) {
        const Sent sent = select(world, 0, "SELECT hostName() AS host");
        answers += sent.body.find("ch-2") != std::string::npos ? "2" : "1";
    }
    BOOST_TEST(answers == "1212");
}

BOOST_AUTO_TEST_SUITE_END()
