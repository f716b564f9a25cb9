#include "world_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using protocol::StatementKind;

namespace {

const std::string insert_sql = "INSERT INTO `db`.`__onceswap_authority` (target_key, operation_id, "
                               "fence_token, phase, dispatch_epoch, payload, "
                               "payload_sha256) VALUES ('k', 'op', 'fence', 'PREPARED', 0, 'p', 'sha')";

std::string
update_sql(const std::string& where, const std::string& set = "phase = 'DISPATCHING', dispatch_epoch = 1") {
    return "ALTER TABLE `db`.`__onceswap_authority` UPDATE " + set + " WHERE " + where;
}

const std::string right_predicate = "target_key = 'k' AND _version = 0 AND operation_id = 'op' AND "
                                    "fence_token = 'fence' AND phase = 'PREPARED'";

std::string authority(World& world, MemberIndex member) {
    return select(
               world,
               member,
               "SELECT toString(serverUUID()) AS server_uuid, (SELECT groupArray(CAST(tuple(phase, "
               "dispatch_epoch, _version) AS "
               "Tuple(phase String, dispatch_epoch UInt64, _version Int32))) FROM db.__onceswap_authority "
               "WHERE target_key = "
               "'k') AS authority"
    )
        .body;
}

Sent write(World& world, const std::string& text, protocol::Settings settings = strict_settings()) {
    const auto kind =
        text.starts_with("INSERT") ? StatementKind::authority_insert : StatementKind::authority_update;
    return ask(world, 0, sql(text, kind, std::move(settings)));
}

struct Slot {
    Slot() : world(simple_scenario(2), 5) {
        BOOST_REQUIRE(run_ddl(world, 0, facade_sql).status == 200U);
        BOOST_REQUIRE(write(world, insert_sql).status == 200U);
    }

    World world;

    bool holds(const std::string& phase, int version) {
        const std::string expected = "\"phase\":\"" + phase + "\",\"dispatch_epoch\":\"" +
                                     (phase == "PREPARED" ? "0" : "1") +
                                     "\",\"_version\":" + std::to_string(version) + "}";
        return authority(world, 0).find(expected) != std::string::npos &&
               authority(world, 1).find(expected) != std::string::npos;
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(keeper_map)

/// The limit is about new keys only: who has a row writes over it.
BOOST_AUTO_TEST_CASE(a_limit_of_keys) {
    Slot slot;
    const auto limit_is = [&](const char* limit) {
        Fault fault(slot.world.now(), Effect::edit_table);
        fault.text = "db.__onceswap_authority";
        fault.values = {{"keys_limit", limit}};
        slot.world.add(fault);
        slot.world.run_for(std::chrono::milliseconds(1));
    };
    const std::string another =
        "INSERT INTO `db`.`__onceswap_authority` (target_key, payload) VALUES ('l', 'p')";
    limit_is("1");
    const Sent refused = write(slot.world, another);
    BOOST_TEST(refused.code == 290);
    BOOST_TEST(
        (refused.body.find(
             "Limit would be exceeded by inserting 1 new key(s). Limit is 1, while the number of "
             "keys is 1"
         ) != std::string::npos),
        refused.body
    );
    BOOST_TEST(write(slot.world, insert_sql).code == 290); // strict: looked at before the key is
    BOOST_TEST(write(slot.world, update_sql(right_predicate)).status == 200U);
    BOOST_TEST(slot.holds("DISPATCHING", 1));
    limit_is("2");
    BOOST_TEST(write(slot.world, another).status == 200U);
    limit_is("0");
    BOOST_TEST(write(slot.world, insert_sql).code == 999);
}

BOOST_AUTO_TEST_CASE(a_limit_of_keys_is_part_of_the_definition) {
    World world(simple_scenario(2), 5);
    std::string limited = facade_sql;
    limited.replace(limited.find("/v1'"), 4, "/v1', 1");
    BOOST_REQUIRE(run_ddl(world, 0, limited).status == 200U);
    const auto storage = world.cluster().state().members[1].find("db", "__onceswap_authority");
    BOOST_REQUIRE(storage);
    BOOST_TEST(storage->keys_limit == 1U);
    BOOST_TEST(storage->shape.engine_full == "KeeperMap('/onceswap/authority/v1', 1) PRIMARY KEY target_key");
    BOOST_TEST(write(world, insert_sql).status == 200U);
    BOOST_TEST(write(world, "INSERT INTO `db`.`__onceswap_authority` (target_key) VALUES ('l')").code == 290);
}

/// Every guard of the predicate alone makes the UPDATE a successful no-op; all of them right make it count.
BOOST_AUTO_TEST_CASE(predicate_matrix) {
    struct Row {
        const char* what;
        std::string where;
        bool matches;
    };

    const std::vector<Row> rows{
        {"all right", right_predicate, true},
        {"key",
         "target_key = 'other' AND _version = 0 AND operation_id = 'op' AND fence_token = 'fence' AND phase "
         "= 'PREPARED'",
         false},
        {"version",
         "target_key = 'k' AND _version = 1 AND operation_id = 'op' AND fence_token = 'fence' AND phase = "
         "'PREPARED'",
         false},
        {"operation",
         "target_key = 'k' AND _version = 0 AND operation_id = 'no' AND fence_token = 'fence' AND phase = "
         "'PREPARED'",
         false},
        {"fence",
         "target_key = 'k' AND _version = 0 AND operation_id = 'op' AND fence_token = 'no' AND phase = "
         "'PREPARED'",
         false},
        {"phase",
         "target_key = 'k' AND _version = 0 AND operation_id = 'op' AND fence_token = 'fence' AND phase = "
         "'COMMITTED'",
         false},
        {"either of two",
         "(target_key = 'k' OR target_key = 'j') AND phase IN ('PREPARED', 'COMMITTED')",
         true},
        {"none of two", "target_key = 'k' AND phase IN ('DISPATCHING', 'COMMITTED')", false},
        {"not equal", "target_key = 'k' AND phase != 'PREPARED'", false},
    };
    for (const Row& row : rows) {
        Slot slot;
        const Sent sent = write(slot.world, update_sql(row.where));
        BOOST_TEST_CONTEXT(row.what << " " << sent.body) {
            BOOST_TEST(sent.status == 200U);
            BOOST_TEST(sent.body == "");
            BOOST_TEST(slot.holds(row.matches ? "DISPATCHING" : "PREPARED", row.matches ? 1 : 0));
        }
    }
}

BOOST_AUTO_TEST_CASE(stale_update_is_a_successful_no_op) {
    Slot slot;
    BOOST_TEST(write(slot.world, update_sql(right_predicate)).status == 200U);
    BOOST_TEST(write(slot.world, update_sql(right_predicate)).status == 200U);
    BOOST_TEST(slot.holds("DISPATCHING", 1));
    BOOST_TEST(slot.world.truth().authority_writes.size() == 2U);
}

BOOST_AUTO_TEST_CASE(refusals) {
    struct Row {
        std::string text;
        int code;
        std::string part;
    };

    const std::vector<Row> rows{
        {insert_sql,
         999,
         "Code: 999. Coordination::Exception: Transaction failed (Node exists): Op #0, path: "
         "/keeper_map_tables/onceswap/authority/v1/data/"},
        {update_sql("target_key = 'k'", "target_key = 'j'"), 36, "Primary key cannot be updated"},
        {update_sql("target_key = 'k'", "nothing = 'j'"), 16, "(NO_SUCH_COLUMN_IN_TABLE)"},
        {update_sql("nothing = 'k'"), 47, "(UNKNOWN_IDENTIFIER)"},
        {update_sql("target_key = 'k'", "phase = 'a', phase = 'b'"), 419, "MULTIPLE_ASSIGNMENTS"},
        {update_sql("target_key = 'k'", "payload_sha256 = '" + std::string(65, 'x') + "'"),
         131,
         "String too long for type FixedString(64)"},
        {"INSERT INTO db.__onceswap_authority (nothing) VALUES ('k')", 16, ""},
        {"INSERT INTO db.nowhere (target_key) VALUES ('k')", 60, "does not exist"},
        {"INSERT INTO nowhere.t (target_key) VALUES ('k')", 81, "Database nowhere does not exist"},
    };
    for (const Row& row : rows) {
        Slot slot;
        const Sent sent = write(slot.world, row.text);
        BOOST_TEST_CONTEXT(row.text << "\n" << sent.body) {
            BOOST_TEST(sent.code == row.code);
            BOOST_TEST(sent.body.find(row.part) != std::string::npos);
            BOOST_TEST(slot.holds("PREPARED", 0));
        }
    }
}

/// Not strict: an INSERT overwrites, an UPDATE does not compare versions again.
BOOST_AUTO_TEST_CASE(without_strict_mode) {
    Slot slot;
    BOOST_TEST(write(slot.world, insert_sql, {}).status == 200U);
    BOOST_TEST(slot.holds("PREPARED", 1));
}

/// Between the two phases of an UPDATE somebody else writes: strict mode sees it, lax mode overwrites it.
BOOST_AUTO_TEST_CASE(interleaving) {
    for (const bool strict : {true, false}) {
        Slot slot;
        Fault fault(Point::between_phases, Match(StatementClass::authority_update), Effect::edit_authority);
        fault.text = "k";
        fault.values = {{"phase", "STOLEN"}, {"_version", "1"}};
        slot.world.add(fault);
        const Sent sent =
            write(slot.world, update_sql(right_predicate), strict ? strict_settings() : protocol::Settings{});
        BOOST_TEST_CONTEXT("strict " << strict << " " << sent.body) {
            BOOST_TEST(sent.code == (strict ? 999 : 0));
            if (strict)
                BOOST_TEST(sent.body.find("(Bad version)") != std::string::npos);
            else
                BOOST_TEST(slot.holds("DISPATCHING", 2));
        }
    }
}

/// The Keeper answer is lost before or after the commit; the text is the same, with retries the second is a
/// false conflict.
BOOST_AUTO_TEST_CASE(connection_loss) {
    struct Row {
        Point point;
        const char* retries;
        int code;
        const char* part;
        int version;
    };

    const std::vector<Row> rows{
        {Point::before_commit, "0", 999, "Coordination error: Connection loss", 0},
        {Point::after_commit, "0", 999, "Coordination error: Connection loss", 1},
        {Point::before_commit, "20", 0, "", 1},
        {Point::after_commit, "20", 999, "(Bad version)", 1},
    };
    for (const Row& row : rows) {
        Slot slot;
        slot.world.add(Fault(row.point, Match(StatementClass::authority_update), Effect::keeper_loss));
        const Sent sent = write(
            slot.world,
            update_sql(right_predicate),
            {{"keeper_map_strict_mode", "1"}, {"insert_keeper_max_retries", row.retries}}
        );
        BOOST_TEST_CONTEXT(text(row.point) << " retries " << row.retries << " " << sent.body) {
            BOOST_TEST(sent.code == row.code);
            BOOST_TEST(sent.body.find(row.part) != std::string::npos);
            BOOST_TEST(slot.holds(row.version == 0 ? "PREPARED" : "DISPATCHING", row.version));
        }
    }
}

/// An INSERT whose answer is lost and that the server sends again meets its own row: a false conflict.
BOOST_AUTO_TEST_CASE(own_row_is_met_again) {
    for (const bool again : {false, true}) {
        World world(simple_scenario(2), 5);
        run_ddl(world, 0, facade_sql);
        world.add(Fault(Point::after_commit, Match(StatementClass::authority_insert), Effect::keeper_loss));
        const Sent sent = write(
            world,
            insert_sql,
            {{"keeper_map_strict_mode", "1"}, {"insert_keeper_max_retries", again ? "20" : "0"}}
        );
        BOOST_TEST_CONTEXT("again " << again << " " << sent.body) {
            BOOST_TEST(sent.code == 999);
            BOOST_TEST((sent.body.find("(Node exists)") != std::string::npos) == again);
            BOOST_TEST((sent.body.find("Connection loss") != std::string::npos) == !again);
            BOOST_TEST(world.truth().authority_writes.size() == 1U);
        }
    }
}

/// Two publishers from one version: exactly one write counts, whatever the seed makes of the order.
BOOST_AUTO_TEST_CASE(race_has_one_winner) {
    unsigned conflicts = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        World world(simple_scenario(2), seed);
        run_ddl(world, 0, facade_sql);
        write(world, insert_sql);
        const auto write_as = [&](const char* name, MemberIndex member) {
            Publisher& publisher = world.publisher(name);
            protocol::Statement statement = sql(
                update_sql(right_predicate, std::string("phase = 'DISPATCHING', payload = '") + name + "'"),
                StatementKind::authority_update,
                strict_settings()
            );
            return world.start(
                publisher, send(world, publisher, member, statement, "", std::chrono::seconds(10))
            );
        };
        auto a = write_as("a", 0);
        auto b = write_as("b", 1);
        world.run();
        BOOST_TEST_CONTEXT("seed " << seed << "\n" << world.trace()) {
            BOOST_TEST(world.truth().authority_writes.size() == 2U);
            BOOST_TEST(world.truth().authority_writes.back().version == 1);
            for (auto* one : {&a, &b})
                if (one->result()->code != 0) {
                    ++conflicts;
                    BOOST_TEST(one->result()->body.find("(Bad version)") != std::string::npos);
                }
        }
    }
    BOOST_TEST(conflicts > 0U); // the interleaving came up at all
}

BOOST_AUTO_TEST_CASE(create_and_drop) {
    World world(simple_scenario(2), 5);
    BOOST_TEST(run_ddl(world, 0, facade_sql).status == 200U);
    BOOST_TEST(run_ddl(world, 1, facade_sql).status == 200U);
    write(world, insert_sql);
    std::string other = facade_sql;
    other.replace(other.find("`fence_token` String, "), 22, "");
    BOOST_TEST(run_ddl(world, 0, other).status == 200U); // IF NOT EXISTS looks at the name only
    other.replace(other.find("__onceswap_authority"), 20, "second");
    const Sent differs = run_ddl(world, 0, other);
    BOOST_TEST(differs.code == 36);
    BOOST_TEST(differs.body.find("stored table definition doesn't match") != std::string::npos);
    BOOST_TEST(run_ddl(world, 0, "DROP TABLE db.__onceswap_authority ON CLUSTER c1").status == 200U);
    BOOST_TEST(world.cluster().state().keeper.maps.empty()); // the last table deletes the data
}

BOOST_AUTO_TEST_CASE(two_equal_keys_in_one_insert) {
    World world(simple_scenario(2), 5);
    run_ddl(world, 0, facade_sql);
    const std::string row = "'op', 'fence', 'PREPARED', 0, 'p', 'sha')";
    const Sent sent = write(
        world,
        "INSERT INTO db.__onceswap_authority VALUES ('k', " + row +
            ", ('k', 'second', 'fence', 'PREPARED', 0, 'p', 'sha')"
    );
    BOOST_TEST(sent.status == 200U);
    BOOST_TEST(world.truth().authority_writes.size() == 1U);
    BOOST_TEST(world.truth().authority_writes.front().operation_id == "second");
}

BOOST_AUTO_TEST_SUITE_END()
