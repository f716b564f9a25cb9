#include "world_setup.hpp"

#include <boost/test/unit_test.hpp>

// Members whose Keeper server lags: what they read is old, what they write is not.

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using namespace std::chrono_literals;
using protocol::StatementKind;

namespace {

const std::string insert_sql =
    "INSERT INTO db.__onceswap_authority (target_key, operation_id, phase, payload_sha256) "
    "VALUES ('k', 'op', 'PREPARED', 'sha')";

std::string update_sql(const std::string& phase, int version) {
    return "ALTER TABLE db.__onceswap_authority UPDATE phase = '" + phase +
           "' WHERE target_key = 'k' AND _version = " + std::to_string(version);
}

struct Lagging {
    explicit Lagging(std::size_t members = 3, std::uint64_t seed = 7)
        : world(simple_scenario(members), seed) {
        BOOST_REQUIRE(run_ddl(world, 0, facade_sql).status == 200U);
        BOOST_REQUIRE(run_ddl(world, 0, candidate_sql, "setup").status == 200U);
        BOOST_REQUIRE(write(0, insert_sql).status == 200U);
    }

    World world;

    Sent write(MemberIndex member, const std::string& text, protocol::Settings settings = strict_settings()) {
        const auto kind =
            text.starts_with("INSERT") ? StatementKind::authority_insert : StatementKind::authority_update;
        return ask(world, member, sql(text, kind, std::move(settings)));
    }

    /// `PREPARED 0`, as one member reads it.
    std::string row(MemberIndex member) {
        const Sent sent = select(
            world,
            member,
            "SELECT (SELECT groupArray(CAST(tuple(phase, _version) AS Tuple(p String, v Int32))) FROM "
            "db.__onceswap_authority WHERE target_key = 'k') AS authority"
        );
        if (sent.code != 0)
            return "error " + std::to_string(sent.code);
        const std::size_t begin = sent.body.find("{\"p\":\"");
        if (begin == std::string::npos)
            return "none";
        const std::size_t end = sent.body.find('"', begin + 6);
        return sent.body.substr(begin + 6, end - begin - 6) + " " +
               sent.body.substr(end + 6, sent.body.find('}', end) - end - 6);
    }

    void lag(MemberIndex member, const char* session = "") {
        Fault fault(world.now(), Effect::lag_follower);
        fault.on = member;
        fault.text = session;
        world.add(fault);
        world.run_for(1ms);
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(followers)

/// A read through a member whose Keeper server lags shows an older version, never a newer one, until it has
/// caught up.
BOOST_AUTO_TEST_CASE(stale_rows) {
    Lagging one;
    one.lag(1);
    BOOST_TEST(one.write(0, update_sql("DISPATCHING", 0)).status == 200U);
    BOOST_TEST(one.row(0) == "DISPATCHING 1");
    BOOST_TEST(one.row(1) == "PREPARED 0");
    one.world.cluster().catch_up(1);
    BOOST_TEST(one.row(1) == "DISPATCHING 1");
}

/// Its own write shows it everything up to that write; a session that was made anew on another server does
/// not promise even that.
BOOST_AUTO_TEST_CASE(own_writes) {
    struct Row {
        const char* session;
        const char* seen;
    };

    for (const Row& row : {Row{"", "COMMITTED 2"}, Row{"new_session", "PREPARED 0"}}) {
        Lagging one;
        one.lag(1, row.session);
        one.write(0, update_sql("DISPATCHING", 0));
        BOOST_TEST(one.row(1) == "PREPARED 0");
        // Through another key, so that phase 1 finds nothing old to compare with.
        const Sent sent =
            one.write(1, "INSERT INTO db.__onceswap_authority (target_key, phase) VALUES ('other', 'x')");
        BOOST_TEST(sent.status == 200U);
        one.write(0, update_sql("COMMITTED", 1));
        BOOST_TEST_CONTEXT("session: " << row.session)
        BOOST_TEST(one.row(1) == (*row.session ? "PREPARED 0" : "DISPATCHING 1"));
        one.write(1, update_sql("LATE", 7));
        one.write(1, "INSERT INTO db.__onceswap_authority (target_key, phase) VALUES ('third', 'x')");
        BOOST_TEST(one.row(1) == row.seen);
    }
}

/// Phase 1 of an UPDATE reads old rows. Strict mode then fails at the leader; without it an update is lost.
BOOST_AUTO_TEST_CASE(updates_from_old_rows) {
    struct Row {
        const char* what;
        int expected; ///< the version in the predicate
        bool strict;
        int code;
        const char* row;
    };

    const std::vector<Row> rows{
        {"old version, strict", 0, true, 999, "DISPATCHING 1"},
        {"current version is not seen: a successful no-op", 1, true, 0, "DISPATCHING 1"},
        {"old version, not strict: the other's update is lost", 0, false, 0, "LATE 2"},
    };
    for (const Row& row : rows) {
        Lagging one;
        one.lag(1);
        one.write(0, update_sql("DISPATCHING", 0));
        const Sent sent = one.write(
            1, update_sql("LATE", row.expected), row.strict ? strict_settings() : protocol::Settings{}
        );
        BOOST_TEST_CONTEXT(row.what << " " << sent.body) {
            BOOST_TEST(sent.code == row.code);
            if (row.code != 0)
                BOOST_TEST(sent.body.find("(Bad version)") != std::string::npos);
            BOOST_TEST(one.row(0) == row.row);
        }
    }
}

/// Entries and statuses that are newer than the server do not show, and the worker does not begin.
BOOST_AUTO_TEST_CASE(queue_and_worker) {
    Lagging one;
    one.lag(2);
    const Sent sent = run_ddl(one.world, 0, exchange_sql, "x", 5);
    BOOST_TEST(sent.code == 159);
    BOOST_TEST(queue_rows(one.world, 2, "x") == "");
    BOOST_TEST(queue_rows(one.world, 0, "x").find("ch-3|Inactive") != std::string::npos);
    BOOST_TEST(uuid_of(one.world, 2, "cand") == candidate_uuid);
    one.world.cluster().catch_up(2);
    one.world.run_for(5s);
    BOOST_TEST(uuid_of(one.world, 2, "target") == candidate_uuid);
    BOOST_TEST(queue_rows(one.world, 2, "x") == queue_rows(one.world, 0, "x"));
    BOOST_TEST(queue_rows(one.world, 2, "x").find("ch-3|Finished|0") != std::string::npos);
}

/// The initiator waits for statuses that are there and that its Keeper server does not have.
BOOST_AUTO_TEST_CASE(initiator) {
    for (const bool caught_up : {false, true}) {
        Lagging one;
        one.world.cluster().stop_worker(1);
        Fault lag(Point::enqueued, Match(StatementClass::exchange), Effect::lag_follower);
        lag.on = 0;
        lag.lasts = caught_up ? 4s : 0s;
        one.world.add(lag);
        Fault work(one.world.now() + 2s, Effect::start_worker);
        one.world.add(work);
        const Sent sent = run_ddl(one.world, 0, exchange_sql, "x", 10);
        BOOST_TEST_CONTEXT("caught up: " << caught_up << " " << sent.body) {
            BOOST_TEST(sent.code == (caught_up ? 0 : 159));
            BOOST_TEST(uuid_of(one.world, 1, "target") == candidate_uuid);
            BOOST_TEST(queue_rows(one.world, 2, "x").find("Inactive") == std::string::npos);
            BOOST_TEST(
                (queue_rows(one.world, 0, "x").find("ch-2|Inactive") != std::string::npos) == !caught_up
            );
        }
    }
}

/// A replica whose Keeper server lags lacks rows and does not know it: its log looks copied.
BOOST_AUTO_TEST_CASE(replication_looks_complete) {
    Lagging one;
    one.lag(1);
    const auto replica = [&one](MemberIndex member) {
        return select(
                   one.world,
                   member,
                   "SELECT (SELECT groupArray(CAST(tuple(log_max_index, log_pointer, queue_size) AS Tuple(m "
                   "UInt64, p UInt64, q UInt32))) FROM system.replicas WHERE table = 'cand') AS replicas, "
                   "(SELECT count() FROM db.cand) AS rows"
        )
            .body;
    };
    ask(one.world,
        0,
        sql("INSERT INTO `db`.`cand` FORMAT JSONEachRow",
            StatementKind::insert_rows,
            {{"insert_deduplication_token", "b"}}),
        "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"a\"}");
    one.world.run_for(5s);
    BOOST_TEST(replica(0).find("{\"m\":\"0\",\"p\":\"1\",\"q\":0}], \"2\"") != std::string::npos);
    BOOST_TEST(replica(1).find("{\"m\":\"0\",\"p\":\"0\",\"q\":0}], \"0\"") != std::string::npos);
    BOOST_TEST(replica(2).find("], \"2\"") != std::string::npos);
    one.world.cluster().catch_up(1);
    one.world.run_for(5s);
    BOOST_TEST(replica(1) == replica(0));
}

/// With `delay` the server is never older than that.
BOOST_AUTO_TEST_CASE(steady_lag) {
    Lagging one;
    Fault fault(one.world.now(), Effect::lag_follower);
    fault.on = 1;
    fault.delay = 2s;
    fault.lasts = 1min;
    one.world.add(fault);
    one.world.run_for(1ms);
    one.write(0, update_sql("DISPATCHING", 0));
    BOOST_TEST(one.row(1) == "PREPARED 0");
    one.world.run_for(2s);
    BOOST_TEST(one.row(1) == "DISPATCHING 1");
    one.write(0, update_sql("COMMITTED", 1));
    BOOST_TEST(one.row(1) == "DISPATCHING 1");
    one.world.run_for(1min);
    one.write(0, update_sql("COMPLETED", 2));
    BOOST_TEST(one.row(1) == "COMPLETED 3");
}

/// What did not exist for the server is an error, not an empty table.
BOOST_AUTO_TEST_CASE(root_that_it_does_not_know) {
    World world(simple_scenario(2), 7);
    world.cluster().lag_behind(1, false);
    run_ddl(world, 0, facade_sql, "setup", 2);
    BOOST_TEST(uuid_of(world, 1, "__onceswap_authority") == "absent");
    world.cluster().catch_up(1);
    world.run_for(5s);
    BOOST_TEST(uuid_of(world, 1, "__onceswap_authority") != "absent");
}

BOOST_AUTO_TEST_CASE(heals) {
    Lagging one;
    one.lag(1, "new_session");
    one.write(0, update_sql("DISPATCHING", 0));
    one.world.heal();
    BOOST_TEST(one.row(1) == "DISPATCHING 1");
}

BOOST_AUTO_TEST_SUITE_END()
