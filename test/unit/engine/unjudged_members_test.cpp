#include "engine/unjudged_members.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

using namespace onceswap;

namespace {

const protocol::TargetName target("db", "target");
const auto table_uuid = *protocol::Uuid::parse("11111111-2222-3333-4444-555555555555");

/// What member `local` of three shows; the members are ch-1 to ch-3.
engine::Discovery::Speaker speaker(std::uint32_t local, bool has_table) {
    protocol::CatalogueFacts facts;
    for (std::uint32_t number = 1; number <= 3; ++number) {
        protocol::ClusterRow row;
        row.cluster = "c";
        row.shard_num = 1;
        row.replica_num = number;
        row.host_name = "ch-" + std::to_string(number);
        row.port = 9000;
        row.is_local = number == local;
        row.internal_replication = true;
        facts.clusters.push_back(row);
    }
    if (has_table) {
        protocol::TableRow table;
        table.database = target.database;
        table.name = target.table;
        table.uuid = table_uuid;
        facts.tables.push_back(table);
    }
    const auto url = "http://ch-" + std::to_string(local) + ":8123";
    return {*http::Endpoint::parse(url), std::move(facts)};
}

} // namespace

BOOST_AUTO_TEST_SUITE(unjudged_members)

BOOST_AUTO_TEST_CASE(one_row_for_each_expected_member_whoever_answers) {
    engine::Discovery discovery;
    discovery.cluster = "c";
    discovery.speakers.push_back(speaker(2, false));
    discovery.speakers.push_back(speaker(1, true));

    const auto rows = engine::unjudged_members(discovery, target);

    BOOST_REQUIRE_EQUAL(rows.size(), 3U);
    BOOST_TEST(!rows[0].state.judged);
    BOOST_TEST((rows[0].state.target.uuid == table_uuid));
    BOOST_TEST(rows[0].endpoint == "http://ch-1:8123");
    BOOST_TEST(!rows[1].state.judged);
    BOOST_TEST(rows[1].state.target.uuid.is_nil());
    BOOST_TEST((rows[1].state.target.role == protocol::Role::absent));
    BOOST_TEST(rows[2].state.judged); // unavailable, and it says why
    BOOST_TEST((rows[2].state.state == protocol::State::unavailable));
    BOOST_TEST(!rows[2].state.reason.empty());
}

BOOST_AUTO_TEST_CASE(nobody_answers_or_no_such_cluster) {
    engine::Discovery discovery;
    discovery.cluster = "c";
    BOOST_TEST(engine::unjudged_members(discovery, target).empty());
    discovery.speakers.push_back(speaker(1, true));
    discovery.cluster = "d";
    BOOST_TEST(engine::unjudged_members(discovery, target).empty());
}

BOOST_AUTO_TEST_SUITE_END()
