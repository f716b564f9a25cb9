#include "sent.hpp"

#include <boost/test/unit_test.hpp>

// One publication of an existing target, statement by statement, as the engine sends it.

using namespace onceswap;
using namespace onceswap::sim;
using onceswap::sim::test::ask;
using onceswap::sim::test::Sent;
using protocol::StatementKind;

namespace {

const protocol::TargetName target{"db", "target"};
const std::string candidate = "onceswap_0123456789ab_01234567_89abcdef";

protocol::DdlOptions ddl(const std::string& word) {
    protocol::DdlOptions options;
    options.token = "onceswap-v1-0123456789abcdef0123-" + word + "-1-00000000000000000000000000000000";
    return options;
}

protocol::Uuid candidate_uuid() {
    std::array<std::uint8_t, 16> bytes{};
    bytes.fill(0x5a);
    return protocol::Uuid::random_from(bytes);
}

protocol::AuthorityRow row(const std::string& phase, std::uint64_t epoch) {
    protocol::AuthorityRow row;
    row.target_key = std::string(64, 'a');
    row.operation_id = std::string(64, 'b');
    row.fence_token = std::string(32, 'c');
    row.phase = phase;
    row.dispatch_epoch = epoch;
    row.payload = "{\"phase\":\"" + phase + "\"}";
    row.payload_sha256 = std::string(64, 'd');
    return row;
}

std::string uuid_on(World& world, MemberIndex member, const std::string& table) {
    const auto storage = world.cluster().state().members[member].find("db", table);
    return storage ? storage->uuid : std::string();
}

void check(const Sent& sent, const char* what) {
    BOOST_TEST_CONTEXT(what << ": " << sent.body << " " << sent.evidence.error.message()) {
        BOOST_TEST(sent.complete);
        BOOST_TEST(sent.status == 200U);
        BOOST_TEST(sent.code == 0);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(happy_path)

BOOST_AUTO_TEST_CASE(existing_target) {
    World world(simple_scenario(3), 7);
    const std::string old_uuid = uuid_on(world, 0, "target");
    const std::string new_uuid = candidate_uuid().text();

    check(
        ask(world,
            0,
            protocol::create_facade_statement("db", "/onceswap/authority/v1", "c1", "canary", ddl("setup"))),
        "facade"
    );
    check(
        ask(world,
            1,
            protocol::create_candidate_statement(target, candidate, candidate_uuid(), "c1", ddl("setup"))),
        "candidate"
    );
    for (MemberIndex member = 0; member < 3; ++member)
        BOOST_TEST(uuid_on(world, member, candidate) == new_uuid);

    const std::string rows = "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n";
    check(ask(world, 0, protocol::insert_rows_statement({"db", candidate}, "batch-1"), rows), "rows");
    check(
        ask(world, 2, protocol::insert_rows_statement({"db", candidate}, "batch-1"), rows),
        "the same batch again"
    );
    world.run_for(std::chrono::seconds(1));
    for (MemberIndex member = 0; member < 3; ++member) {
        const Sent count = ask(world, member, protocol::row_count_statement({"db", candidate}, false));
        check(count, "count");
        BOOST_TEST(count.body.find("\"2\"]") != std::string::npos);
    }

    check(ask(world, 0, protocol::authority_insert_statement("db", row("PREPARED", 0))), "authority insert");
    protocol::AuthorityRow expected = row("PREPARED", 0);
    check(
        ask(world, 1, protocol::authority_update_statement("db", expected, row("DISPATCHING", 1))),
        "authority update"
    );
    const Sent post_read = ask(world, 2, protocol::authority_row_statement("db", expected.target_key));
    check(post_read, "post-read");
    BOOST_TEST(post_read.body.find("\"phase\":\"DISPATCHING\"") != std::string::npos);
    BOOST_TEST(post_read.body.find("\"_version\":1}") != std::string::npos);

    check(ask(world, 0, protocol::exchange_statement(target, candidate, "c1", ddl("publish"))), "exchange");
    for (MemberIndex member = 0; member < 3; ++member) {
        BOOST_TEST(uuid_on(world, member, "target") == new_uuid);
        BOOST_TEST(uuid_on(world, member, candidate) == old_uuid);
    }
    const Sent queue = ask(world, 1, protocol::queue_by_token_statement(ddl("publish").token));
    check(queue, "queue");
    BOOST_TEST(
        queue.body.find("EXCHANGE TABLES db.target AND db." + candidate + " ON CLUSTER c1") !=
        std::string::npos
    );
    BOOST_TEST(
        queue.body.find("\"status\":\"Finished\",\"exception_code\":\"0\",\"exception_text\":\"\"") !=
        std::string::npos
    );

    check(
        ask(world,
            0,
            protocol::rename_statement(
                StatementKind::rename_aside, "db", candidate, candidate + "__aside", "c1", ddl("aside")
            )),
        "set aside"
    );
    check(
        ask(world,
            0,
            protocol::drop_statement(
                StatementKind::drop_aside, "db", candidate + "__aside", "c1", ddl("cleanup")
            )),
        "drop"
    );
    for (MemberIndex member = 0; member < 3; ++member) {
        BOOST_TEST(uuid_on(world, member, "target") == new_uuid);
        BOOST_TEST(uuid_on(world, member, candidate) == "");
        BOOST_TEST(uuid_on(world, member, candidate + "__aside") == "");
        BOOST_TEST(world.truth().executed(StatementClass::exchange, member) == 1U);
    }
    BOOST_TEST(world.truth().drops.size() == 3U);
    for (const auto& drop : world.truth().drops)
        BOOST_TEST(drop.uuid == old_uuid);
    BOOST_TEST(world.truth().sends_of(StatementClass::exchange) == 1U);
    BOOST_TEST(world.publisher().transport().sends() == 9U);
    BOOST_TEST(world.leftovers().empty());
}

/// Every reading statement is understood and says who answered.
BOOST_AUTO_TEST_CASE(every_read) {
    World world(simple_scenario(2), 3);
    check(
        ask(world, 0, protocol::create_facade_statement("db", "/r", "c1", "canary", ddl("setup"))), "facade"
    );
    const std::vector<std::string> tables{"target", candidate, "__onceswap_authority"};
    const std::string uuid = world.cluster().state().members[1].setup.server_uuid;
    const std::vector<std::pair<const char*, protocol::Statement>> reads{
        {"catalogue", protocol::catalogue_statement("db", tables)},
        {"keeper", protocol::keeper_statement("db", tables, std::string(64, 'a'))},
        {"keeper without facade", protocol::keeper_statement("db", tables, "")},
        {"authority_row", protocol::authority_row_statement("db", "k")},
        {"authority_all", protocol::authority_all_statement("db")},
        {"capabilities", protocol::capabilities_statement("db", "onceswap_0123456789ab_")},
        {"row_policies", protocol::row_policies_statement("db")},
        {"roster", protocol::roster_statement("c1")},
        {"queue_by_token", protocol::queue_by_token_statement("t")},
        {"queue_by_prefix", protocol::queue_by_prefix_statement("onceswap-v1-")},
        {"queue_unfinished", protocol::queue_unfinished_statement()},
        {"row_count", protocol::row_count_statement(target, false)},
        {"settings_probe", protocol::settings_probe_statement({{"log_comment", "x"}})},
        {"column_types", protocol::column_types_statement(target)},
    };
    for (const auto& [name, statement] : reads) {
        const Sent sent = ask(world, 1, statement);
        check(sent, name);
        BOOST_TEST_CONTEXT(name << " " << sent.body)
        BOOST_TEST(sent.body.find(uuid) != std::string::npos);
    }
    const Sent grants = ask(world, 1, protocol::grants_statement());
    check(grants, "grants");
    BOOST_TEST(grants.body.find("GRANT ") != std::string::npos);
    BOOST_TEST(world.truth().requests_of(StatementClass::other) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
