#include "fixtures/sim/fault_json.hpp"
#include "fixtures/sim/json_fields.hpp"
#include "fixtures/sim/scenario_json.hpp"
#include "fixtures/sim/truth_json.hpp"
#include "world_setup.hpp"

#include <boost/asio/error.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

// Every fault fires, and does what it says to the client and to the cluster.

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using namespace std::chrono_literals;
using protocol::StatementKind;

namespace {

struct Staged {
    explicit Staged(std::uint64_t seed = 21) : world(simple_scenario(2), seed) {
        BOOST_REQUIRE(run_ddl(world, 0, facade_sql, "setup").status == 200U);
        BOOST_REQUIRE(run_ddl(world, 0, candidate_sql, "setup").status == 200U);
    }

    World world;

    Sent exchange(engine::Duration patience = 60s) {
        return ask(world, 0, sql(exchange_sql, StatementKind::exchange, ddl_settings("x", 5)), {}, patience);
    }

    std::size_t swaps() { return world.truth().executed(StatementClass::exchange, 1); }
};

} // namespace

BOOST_AUTO_TEST_SUITE(faults)

/// For every mutation: the reply is lost before or after its effect, and looks the same to the client.
BOOST_AUTO_TEST_CASE(reply_lost_before_or_after_the_effect) {
    struct Row {
        StatementKind kind;
        std::string text;
        protocol::Settings settings;
        std::string rows;
    };

    const std::vector<Row> rows{
        {StatementKind::create_facade, facade_sql, ddl_settings("x"), ""},
        {StatementKind::create_candidate, candidate_sql, ddl_settings("x"), ""},
        {StatementKind::insert_rows,
         "INSERT INTO db.target FORMAT JSONEachRow",
         {{"insert_deduplication_token", "d"}},
         "{\"id\":1}"},
        {StatementKind::authority_insert, "INSERT INTO db.a (k, v) VALUES ('2', 'x')", strict_settings(), ""},
        {StatementKind::authority_update,
         "ALTER TABLE db.a UPDATE v = 'y' WHERE k = '1'",
         strict_settings(),
         ""},
        {StatementKind::exchange, "EXCHANGE TABLES db.target AND db.b ON CLUSTER c1", ddl_settings("x"), ""},
        {StatementKind::rename_aside, "RENAME TABLE db.b TO db.c ON CLUSTER c1", ddl_settings("x"), ""},
        {StatementKind::drop_aside, "DROP TABLE IF EXISTS db.b ON CLUSTER c1", ddl_settings("x"), ""},
    };
    for (const Row& row : rows)
        for (const Point point : {Point::arrive, Point::effect, Point::reply}) {
            World world(simple_scenario(2), 4);
            run_ddl(
                world,
                0,
                "CREATE TABLE db.a ON CLUSTER c1 (`k` String, `v` String) ENGINE = KeeperMap('/a') PRIMARY "
                "KEY k"
            );
            ask(world,
                0,
                sql("INSERT INTO db.a (k, v) VALUES ('1', 'x')",
                    StatementKind::authority_insert,
                    strict_settings()));
            run_ddl(world, 0, "CREATE TABLE db.b ON CLUSTER c1 AS db.target");
            const auto effects = [&] {
                return world.truth().executions.size() + world.truth().inserts.size() +
                       world.truth().authority_writes.size();
            };
            const auto before = effects();
            world.add(Fault(point, Match(class_of(row.kind)), Effect::lose));
            const Sent sent = ask(world, 0, sql(row.text, row.kind, row.settings), row.rows);
            BOOST_TEST_CONTEXT(text(row.kind) << " lost at " << text(point) << " " << sent.body) {
                BOOST_TEST(sent.status == 0U);
                BOOST_TEST(!sent.complete);
                BOOST_TEST(!sent.evidence.any_reply_byte);
                BOOST_TEST((sent.evidence.error == boost::beast::http::error::end_of_stream));
                BOOST_TEST(sent.evidence.bytes_handed_over > row.text.size());
                BOOST_TEST((effects() > before) == (point != Point::arrive));
                BOOST_TEST(world.truth().fired.size() == 1U);
                BOOST_TEST(world.leftovers().empty());
            }
        }
}

BOOST_AUTO_TEST_CASE(evidence_of_each_end) {
    struct Row {
        const char* what;
        Fault fault;
        boost::system::error_code error;
        http::CallPhase phase;
        bool handed_over;
        std::size_t swaps;
    };
    namespace beast = boost::beast;
    namespace asio = boost::asio;
    const Match exchange(StatementClass::exchange);
    const std::vector<Row> rows{
        {"refused",
         Fault(Point::connect, Match(), Effect::refuse),
         asio::error::connection_refused,
         http::CallPhase::connect,
         false,
         0},
        {"reset at the write",
         Fault(Point::send, exchange, Effect::reset),
         asio::error::connection_reset,
         http::CallPhase::write,
         false,
         0},
        {"reset before",
         Fault(Point::arrive, exchange, Effect::reset),
         asio::error::connection_reset,
         http::CallPhase::first_byte,
         true,
         0},
        {"reset after",
         Fault(Point::effect, exchange, Effect::reset),
         asio::error::connection_reset,
         http::CallPhase::first_byte,
         true,
         1},
        {"truncated",
         Fault(Point::effect, exchange, Effect::truncate),
         beast::http::error::partial_message,
         http::CallPhase::body,
         true,
         1},
        {"held before",
         Fault(Point::arrive, exchange, Effect::hold),
         beast::error::timeout,
         http::CallPhase::first_byte,
         true,
         0},
        {"held after",
         Fault(Point::effect, exchange, Effect::hold),
         beast::error::timeout,
         http::CallPhase::first_byte,
         true,
         1},
        {"held when enqueued",
         Fault(Point::enqueued, exchange, Effect::hold),
         beast::error::timeout,
         http::CallPhase::first_byte,
         true,
         1},
        {"held connection",
         Fault(Point::connect, Match(), Effect::hold),
         beast::error::timeout,
         http::CallPhase::connect,
         false,
         0},
        {"no fault",
         Fault(Point::reply, Match(StatementClass::drop), Effect::lose),
         {},
         http::CallPhase::done,
         true,
         1},
    };
    for (const Row& row : rows) {
        Staged staged;
        staged.world.add(row.fault);
        const auto sends = staged.world.publisher().transport().sends();
        const Sent sent = staged.exchange(20s);
        BOOST_TEST_CONTEXT(row.what << " " << sent.evidence.error.message()) {
            BOOST_TEST(sent.evidence.error == row.error);
            BOOST_TEST((sent.evidence.phase == row.phase));
            BOOST_TEST((sent.evidence.bytes_handed_over > 0) == row.handed_over);
            BOOST_TEST(staged.world.publisher().transport().sends() - sends == (row.handed_over ? 1U : 0U));
            BOOST_TEST(staged.swaps() == row.swaps);
            BOOST_TEST(sent.complete == !row.error);
            BOOST_TEST(staged.world.leftovers().empty());
        }
    }
}

BOOST_AUTO_TEST_CASE(answers_of_others) {
    Staged staged;
    Fault fault(Point::arrive, Match(StatementClass::exchange), Effect::raw_answer);
    fault.code = 502;
    fault.text = "<html>Bad Gateway</html>";
    staged.world.add(fault);
    const Sent gateway = staged.exchange();
    BOOST_TEST(gateway.status == 502U);
    BOOST_TEST(gateway.code == 0);
    BOOST_TEST(gateway.body == fault.text);
    BOOST_TEST(staged.swaps() == 0U);
    Fault after(Point::effect, Match(StatementClass::exchange), Effect::answer);
    after.code = 241;
    after.text = "Memory limit exceeded";
    staged.world.add(after);
    const Sent error = staged.exchange();
    BOOST_TEST(error.code == 241);
    BOOST_TEST(staged.swaps() == 1U);
}

BOOST_AUTO_TEST_CASE(duplicates) {
    Staged staged;
    Fault fault(Point::arrive, Match(StatementClass::exchange), Effect::duplicate);
    fault.delay = 30s;
    staged.world.add(fault);
    BOOST_TEST(staged.exchange().status == 200U);
    BOOST_TEST(staged.swaps() == 1U);
    staged.world.run_until_idle();
    BOOST_TEST(staged.swaps() == 2U); // toggled back
    BOOST_TEST(staged.world.truth().sends_of(StatementClass::exchange) == 1U);
    BOOST_TEST(staged.world.truth().requests_of(StatementClass::exchange) == 2U);
    BOOST_TEST(staged.world.truth().requests.back().duplicate);
    BOOST_TEST(staged.world.truth().entries_with("x") == 2U);
}

/// A copy that comes back exactly when another statement has taken effect.
BOOST_AUTO_TEST_CASE(copy_replayed_at_a_later_statement) {
    Staged staged;
    Fault copy(Point::arrive, Match(StatementClass::exchange), Effect::copy);
    copy.text = "the exchange";
    Fault replay(Point::effect, Match(StatementClass::rename), Effect::replay);
    replay.text = "the exchange";
    staged.world.add(copy);
    staged.world.add(replay);
    BOOST_TEST(staged.exchange().status == 200U);
    run_ddl(staged.world, 0, "RENAME TABLE db.cand TO db.cand__aside ON CLUSTER c1", "y");
    staged.world.run_until_idle();
    BOOST_TEST(staged.swaps() == 1U); // the late one fails with 60 on every member
    BOOST_TEST(staged.world.truth().executions.back().code == 60);
    BOOST_TEST(uuid_of(staged.world, 0, "target") == candidate_uuid);
}

BOOST_AUTO_TEST_CASE(paused_member) {
    Staged staged;
    staged.world.cluster().pause(1);
    const Sent silent = ask(staged.world, 1, sql("SELECT 1 AS one"), {}, 3s);
    BOOST_TEST((silent.evidence.error == boost::beast::error::timeout));
    BOOST_TEST(staged.exchange().code == 159);
    BOOST_TEST(staged.swaps() == 0U);
    staged.world.cluster().unpause(1);
    staged.world.run_until_idle();
    BOOST_TEST(staged.swaps() == 1U);
}

BOOST_AUTO_TEST_CASE(crashed_member) {
    Staged staged;
    Fault fault(Point::enqueued, Match(StatementClass::exchange), Effect::crash);
    fault.lasts = 10s;
    staged.world.add(fault);
    const Sent sent = staged.exchange();
    BOOST_TEST((sent.evidence.error == boost::asio::error::connection_reset));
    BOOST_TEST((
        ask(staged.world, 0, sql("SELECT 1 AS one")).evidence.error == boost::asio::error::connection_refused
    ));
    staged.world.run_until_idle();
    BOOST_TEST(ask(staged.world, 0, sql("SELECT 1 AS one")).status == 200U);
    BOOST_TEST(staged.world.truth().executed(StatementClass::exchange, 0) == 1U); // the entry waited for it
}

BOOST_AUTO_TEST_CASE(endpoint_that_answers_as_another) {
    Staged staged;
    Match match;
    match.member = 0;
    Fault fault(Point::connect, match, Effect::route);
    fault.on = 1;
    fault.at = staged.world.now() + 1s;
    fault.times = 0;
    staged.world.add(fault);
    const std::string text = "SELECT toString(serverUUID()) AS server_uuid, 1 AS one";
    const auto& members = staged.world.cluster().state().members;
    BOOST_TEST(select(staged.world, 0, text).body.find(members[0].setup.server_uuid) != std::string::npos);
    staged.world.run_for(2s);
    BOOST_TEST(select(staged.world, 0, text).body.find(members[1].setup.server_uuid) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(outsider_and_authority_edits) {
    Staged staged;
    Fault outsider(staged.world.now() + 1s, Effect::run_sql);
    outsider.on = 1;
    outsider.text = "DROP TABLE db.cand ON CLUSTER c1";
    outsider.settings = {{"log_comment", "theirs"}};
    staged.world.add(outsider);
    Fault edit(staged.world.now() + 1s, Effect::edit_authority);
    edit.text = "key";
    edit.values = {
        {"payload", "not json"}, {"phase", "DISPATCHING"}, {"dispatch_epoch", "9"}, {"_version", "41"}
    };
    staged.world.add(edit);
    staged.world.run_until_idle();
    BOOST_TEST(staged.world.truth().entries_with("theirs") == 1U);
    BOOST_TEST(uuid_of(staged.world, 0, "cand") == "absent");
    const Sent row = ask(staged.world, 0, protocol::authority_row_statement("db", "key"));
    BOOST_TEST_CONTEXT(row.body) {
        BOOST_TEST(row.body.find("\"payload\":\"not json\"") != std::string::npos);
        BOOST_TEST(row.body.find("\"dispatch_epoch\":\"9\"") != std::string::npos);
        BOOST_TEST(row.body.find("\"_version\":41") != std::string::npos);
    }
    BOOST_TEST(staged.world.truth().authority_writes.back().by_fault);
}

BOOST_AUTO_TEST_CASE(nth_times_and_match) {
    struct Row {
        unsigned nth;
        unsigned times;
        unsigned every;
        std::string expected; // one letter per call: answered or lost
    };

    for (const Row& row :
         {Row{1, 1, 1, "laaaa"},
          Row{3, 1, 1, "aalaa"},
          Row{2, 2, 1, "allaa"},
          Row{4, 0, 1, "aaall"},
          Row{1, 0, 2, "lalal"},
          Row{2, 2, 2, "alala"}}) {
        World world(simple_scenario(2), 2);
        Match match(StatementClass::probe);
        match.member = 1;
        match.sql = "one";
        Fault fault(Point::arrive, match, Effect::lose);
        fault.nth = row.nth;
        fault.times = row.times;
        fault.every = row.every;
        world.add(fault);
        std::string seen;
        for (int i = 0; i < 5; ++i) {
            ask(world, 0, sql("SELECT 1 AS one"));
            ask(world, 1, sql("SELECT 1 AS two"));
            seen += ask(world, 1, sql("SELECT 1 AS one")).complete ? 'a' : 'l';
        }
        BOOST_TEST_CONTEXT("nth " << row.nth << " times " << row.times) BOOST_TEST(seen == row.expected);
    }
}

/// The same data as JSON and back, for every point and effect.
BOOST_AUTO_TEST_CASE(json_round_trip) {
    for (int point = 0; point <= static_cast<int>(Point::worker_after_status); ++point)
        for (int effect = 0; effect <= static_cast<int>(last_effect); ++effect) {
            Match match(StatementClass::rename);
            match.member = 1;
            match.token = "-publish-";
            match.sql = "db.x";
            match.client = "p2";
            match.mutations_only = true;
            Fault fault(static_cast<Point>(point), match, static_cast<Effect>(effect));
            fault.name = "n";
            fault.nth = 3;
            fault.times = 0;
            fault.every = 2;
            fault.at = 5ms;
            fault.on = 1;
            fault.delay = 6us;
            fault.lasts = 7s;
            fault.code = 57;
            fault.text = "t";
            fault.settings = {{"a", "b"}};
            fault.values = {{"c", "d"}};
            if (fault.effect == Effect::edit_queue) {
                fault.queue_edit.what = QueueEdit::What::add_host;
                fault.queue_edit.token = "x";
                fault.queue_edit.host = "h";
                fault.queue_edit.port = 9;
                fault.queue_edit.status = "NULL";
                fault.queue_edit.exception_code = "5";
            }
            const auto value = to_json(fault);
            const bool same = fault_from_json(value, "f") == fault;
            BOOST_TEST_CONTEXT(boost::json::serialize(value)) BOOST_TEST(same);
        }
}

BOOST_AUTO_TEST_CASE(json_refusals_name_the_field) {
    const std::vector<std::pair<std::string, std::string>> rows{
        {"[]", "an object is expected"},
        {"{\"effect\":\"lose\",\"wrong\":1}", "f.wrong: no such field"},
        {"{\"effect\":\"nothing\"}", "f.effect: no such effect: nothing"},
        {"{}", "f.effect: is missing"},
        {"{\"effect\":\"lose\",\"point\":\"x\"}", "f.point: no such point: x"},
        {"{\"effect\":\"lose\",\"match\":{\"class\":\"x\"}}", "f.match.class: no statement class: x"},
        {"{\"effect\":\"lose\",\"nth\":-1}", "f.nth: an integer in range is expected"},
        {"{\"effect\":\"lose\",\"every\":0}", "f.every: a number from 1 is expected"},
        {"{\"effect\":\"lose\",\"nth\":\"1\"}", "f.nth: an integer in range is expected"},
        {"{\"effect\":\"edit_queue\",\"queue_edit\":{\"what\":\"x\"}}",
         "f.queue_edit.what: no edit of the queue: x"},
        {"{\"effect\":", "f, line 1: "},
    };
    for (const auto& [text, expected] : rows) {
        std::string said;
        try {
            fault_from_json(parse_json(text, "f"), "f");
        } catch (const std::invalid_argument& wrong) {
            said = wrong.what();
        }
        BOOST_TEST_CONTEXT(text << " said " << said) BOOST_TEST(said.find(expected) != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(members_that_are_not_there) {
    World world(simple_scenario(2), 1);
    Fault crash(Time{}, Effect::crash);
    crash.on = 2;
    BOOST_CHECK_THROW(world.add(crash), std::invalid_argument);
    BOOST_CHECK_THROW(world.add(Fault(Point::connect, Match(), Effect::route)), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(scenario_from_a_file) {
    const Scenario scenario = scenario_from_json(parse_json(
        R"({"profile":"25.11","members":[{"host":"a","port":9440,"url":"http://127.0.0.1:1"},{"host":"b"}],
            "clusters":[{"name":"prod"}],"databases":[{"name":"d","engine":"Atomic"}],
            "tables":[{"database":"d","name":"t","columns":[{"name":"x","type":"UInt8"}],"rows":5,"sorting_key":"x"}],
            "users":[{"name":"u","password":"p","grants":["GRANT SELECT ON d.* TO u"]}],
            "faults":[{"point":"effect","match":{"class":"exchange"},"effect":"lose"}],
            "latency":{"network_us":[1,2]},"settings":{"async_insert":"1"}})",
        "file"
    ));
    World world(scenario, 1);
    UserSetup user;
    user.name = "u";
    user.password = "p";
    Publisher& publisher = world.publisher("u", user);
    const auto sent = world.run(
        publisher,
        send(world, publisher, 1, sql("SELECT version() AS v, (SELECT count() FROM d.t) AS rows"), "", 5s)
    );
    BOOST_TEST(sent->body.ends_with("[\"25.11.2.24\", \"5\"]\n"));
    for (const char* wrong :
         {R"({"members":65})",
          R"({"members":0})",
          R"({"profile":"1.1"})",
          R"({"tables":[{}]})",
          R"({"clusters":[{"name":"c","members":[7]}]})",
          R"({"nothing":1})"})
        BOOST_CHECK_THROW(scenario_from_json(parse_json(wrong, "file")), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(truth_as_json) {
    Staged staged;
    staged.exchange();
    const std::string text = boost::json::serialize(truth_to_json(staged.world.cluster().state()));
    for (const char* part :
         {"\"exchange\":1",
          "\"class\":\"exchange\"",
          "\"uuid\":\"11111111-2222-4333-8444-555555555555\"",
          "\"entry\":\"query-0000000002\"",
          "\"rows\":100"})
        BOOST_TEST(text.find(part) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
