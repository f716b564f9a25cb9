#include "protocol/differing_part.hpp"
#include "protocol/member_state.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace onceswap::protocol;

constexpr const char* engine_raw = "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') "
                                   "ORDER BY id SETTINGS index_granularity = 8192";
const Uuid server_1 = *Uuid::parse("11111111-1111-4111-8111-111111111111");
const Uuid server_2 = *Uuid::parse("22222222-2222-4222-8222-222222222222");
const Uuid uuid_p = *Uuid::parse("aaaaaaaa-0000-4000-8000-000000000001");
const Uuid uuid_d = *Uuid::parse("dddddddd-0000-4000-8000-000000000002");
const Uuid uuid_x = *Uuid::parse("eeeeeeee-0000-4000-8000-000000000003");
const HostPort ch1{"ch1", 9000};

std::vector<ColumnDefinition> columns() {
    return {{1, "id", "UInt64", "", "", ""}, {2, "name", "String", "", "", ""}};
}

Generation generation(const Uuid& uuid) {
    return {
        uuid,
        normalize_engine_full(engine_raw, uuid),
        schema_digest(columns(), {"", "id", "id", ""}),
        "default",
        "/clickhouse/tables/" + uuid.text() + "/1"
    };
}

AuthorityRecord record(bool existing_target) {
    AuthorityRecord out;
    out.target = {"d", "t"};
    out.candidate = "onceswap_c";
    out.aside = "onceswap_c__aside";
    out.members = {{ch1, 1, server_1}, {{"ch2", 9000}, 2, server_2}};
    if (existing_target)
        out.predecessor = generation(uuid_p);
    out.desired = generation(uuid_d);
    return out;
}

void put(MemberEvidence& evidence, const std::string& name, const Uuid& uuid) {
    TableRow row;
    row.database = "d";
    row.name = name;
    row.uuid = uuid;
    row.engine = "ReplicatedMergeTree";
    row.engine_full = engine_raw;
    row.keys = {"", "id", "id", ""};
    evidence.catalogue->tables.push_back(row);
    evidence.catalogue->columns[name] = columns();
    if (evidence.keeper) {
        ReplicaRow replica;
        replica.table = name;
        replica.total_replicas = replica.active_replicas = 2;
        replica.log_max_index = 4;
        replica.log_pointer = 5;
        replica.zookeeper_name = "default";
        replica.zookeeper_path = "/clickhouse/tables/" + uuid.text() + "/1";
        replica.replica_name = "r1";
        evidence.keeper->replicas.push_back(replica);
    }
}

MemberEvidence answered(bool keeper = true) {
    MemberEvidence evidence;
    evidence.at = ch1;
    evidence.catalogue.emplace();
    evidence.catalogue->identity.server_uuid = server_1;
    if (keeper) {
        evidence.keeper.emplace();
        evidence.keeper->server_uuid = server_1;
    } else {
        evidence.keeper_problem = "ch1:9000: timed out";
    }
    return evidence;
}

const std::map<char, Uuid> by_letter{{'P', uuid_p}, {'D', uuid_d}, {'X', uuid_x}};

/// `names`: what target, candidate and aside hold, a letter each, `-` for nothing.
MemberEvidence showing(const std::string& names, bool keeper = true) {
    MemberEvidence evidence = answered(keeper);
    const std::array<const char*, 3> called{"t", "onceswap_c", "onceswap_c__aside"};
    for (std::size_t i = 0; i < 3; ++i)
        if (names[i] != '-')
            put(evidence, called[i], by_letter.at(names[i]));
    return evidence;
}

BOOST_AUTO_TEST_SUITE(member_state)

// Every combination of what the three names can hold, with and without the Keeper part, for both kinds of
// target.
BOOST_AUTO_TEST_CASE(every_combination_of_names) {
    const std::map<std::string, State> existing{
        {"PD-", State::pending},
        {"DP-", State::committed},
        {"D-P", State::aside},
        {"D--", State::cleaned},
        {"P-D", State::kept_old},
    };
    const std::map<std::string, State> fresh{
        {"-D-", State::pending}, {"D--", State::committed}, {"--D", State::kept_old}
    };
    const std::string letters = "PDX-";
    for (const bool existing_target : {true, false})
        for (const bool keeper : {true, false})
            for (const char target : letters)
                for (const char candidate : letters)
                    for (const char aside : letters) {
                        const std::string names{target, candidate, aside};
                        const auto& expected = existing_target ? existing : fresh;
                        const auto found = expected.find(names);
                        const MemberState state =
                            onceswap::protocol::member_state(record(existing_target), showing(names, keeper));
                        BOOST_TEST_CONTEXT(names << " existing " << existing_target << " keeper " << keeper) {
                            BOOST_TEST(
                                text(state.state) ==
                                text(found == expected.end() ? State::foreign : found->second)
                            );
                            BOOST_TEST(state.reason.empty() == (found != expected.end()));
                            BOOST_TEST(state.warnings.empty());
                            BOOST_TEST(state.health.known == keeper);
                        }
                    }
}

BOOST_AUTO_TEST_CASE(what_is_no_valid_answer) {
    const AuthorityRecord rec = record(true);
    const auto unavailable = [&rec](MemberEvidence evidence, const std::string& reason) {
        const MemberState state = onceswap::protocol::member_state(rec, evidence);
        BOOST_TEST(text(state.state) == "UNAVAILABLE");
        BOOST_TEST(state.reason == reason);
        BOOST_TEST((state.target.role == Role::absent));
        BOOST_TEST(!state.health.healthy);
    };
    MemberEvidence silent;
    silent.at = ch1;
    unavailable(silent, "no answer");
    silent.catalogue_problem = "ch1:9000: connection refused";
    unavailable(silent, "ch1:9000: connection refused");
    silent.keeper.emplace();
    silent.keeper->server_uuid = server_1; // the Keeper part alone is no catalogue
    unavailable(silent, "ch1:9000: connection refused");

    MemberEvidence other = showing("PD-");
    other.catalogue->identity.server_uuid = server_2;
    unavailable(
        other,
        "answered by another server: 22222222-2222-4222-8222-222222222222 instead of "
        "11111111-1111-4111-8111-111111111111"
    );
    other = showing("DP-");
    other.keeper->server_uuid = server_2;
    unavailable(
        other,
        "answered by another server: 22222222-2222-4222-8222-222222222222 instead of "
        "11111111-1111-4111-8111-111111111111"
    );
    other = showing("DP-");
    other.catalogue->identity.server_uuid = Uuid{};
    unavailable(
        other,
        "answered by another server: 00000000-0000-0000-0000-000000000000 instead of "
        "11111111-1111-4111-8111-111111111111"
    );
    other = showing("DP-");
    other.at = {"ch9", 9000};
    unavailable(other, "no member of this publication");
}

BOOST_AUTO_TEST_CASE(an_unbound_server_uuid_identifies_nobody) {
    AuthorityRecord rec = record(true);
    rec.members[0].server_uuid = Uuid{};
    MemberEvidence evidence = showing("DP-");
    evidence.catalogue->identity.server_uuid = Uuid{};
    evidence.keeper->server_uuid = Uuid{};
    BOOST_TEST(text(onceswap::protocol::member_state(rec, evidence).state) == "UNAVAILABLE");
}

BOOST_AUTO_TEST_CASE(storage_decides_where_the_path_is_known) {
    const AuthorityRecord rec = record(true);
    const auto target_with = [&rec](auto change) {
        MemberEvidence evidence = showing("DP-");
        change(*evidence.keeper);
        return onceswap::protocol::member_state(rec, evidence);
    };
    MemberState state = target_with([](KeeperFacts& k) { k.replicas[0].zookeeper_path += "__dbt_tmp"; });
    BOOST_TEST(text(state.state) == "FOREIGN");
    BOOST_TEST((state.target.role == Role::other));
    BOOST_TEST(state.target.difference.starts_with("zookeeper_path has "));
    BOOST_TEST(state.reason.find("__dbt_tmp'") != std::string::npos);
    state = target_with([](KeeperFacts& k) { k.replicas[0].zookeeper_name = "aux"; });
    BOOST_TEST(text(state.state) == "FOREIGN");
    BOOST_TEST(
        state.target.difference == "zookeeper_name has 'aux' where the desired generation has 'default'"
    );
    // Without a path, or without a row, there is only the uuid.
    state = target_with([](KeeperFacts& k) { k.replicas[0].zookeeper_path.clear(); });
    BOOST_TEST(text(state.state) == "COMMITTED");
    state = target_with([](KeeperFacts& k) { k.replicas.clear(); });
    BOOST_TEST(text(state.state) == "COMMITTED");
    BOOST_TEST(!state.health.healthy);
}

// One host with another table behind the name: the reason says which field, and what of it.
BOOST_AUTO_TEST_CASE(a_foreign_table_is_shown_by_what_differs) {
    MemberEvidence evidence = showing("XD-");
    evidence.catalogue->tables[0].engine_full = "ReplicatedMergeTree('/clickhouse/tables/t__dbt_tmp/{uuid}/"
                                                "{shard}', '{replica}') ORDER BY id SETTINGS "
                                                "index_granularity = 8192";
    evidence.keeper->replicas[0].zookeeper_path = "/clickhouse/tables/t__dbt_tmp/" + uuid_x.text() + "/1";
    const MemberState state = onceswap::protocol::member_state(record(true), evidence);
    BOOST_TEST(text(state.state) == "FOREIGN");
    BOOST_TEST(state.reason.starts_with("t is other (uuid has 'eeeeeeee-"));
    BOOST_TEST(state.reason.find("; engine_full has '") != std::string::npos);
    BOOST_TEST(state.reason.find("t__dbt_tmp/") != std::string::npos);
    BOOST_TEST(state.reason.find("where the predecessor has") != std::string::npos);
    BOOST_TEST(state.reason.find("onceswap_c is desired, onceswap_c__aside is absent") != std::string::npos);
    BOOST_TEST((state.target.uuid == uuid_x));
}

BOOST_AUTO_TEST_CASE(an_alter_is_a_warning) {
    const AuthorityRecord rec = record(true);
    MemberEvidence evidence = showing("DP-");
    evidence.catalogue->columns["t"].push_back({3, "added", "String", "", "", ""});
    evidence.catalogue->tables[1].engine_full =
        "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') "
        "ORDER BY id SETTINGS index_granularity = 1024";
    const MemberState state = onceswap::protocol::member_state(rec, evidence);
    BOOST_TEST(text(state.state) == "COMMITTED");
    BOOST_REQUIRE(state.warnings.size() == 2U);
    BOOST_TEST(state.warnings[0] == "t: the schema is not the recorded one");
    BOOST_TEST(state.warnings[1].starts_with("onceswap_c: engine_full has '"));
    BOOST_TEST(state.warnings[1].find("1024") != std::string::npos);
    // The expanded form of the same clause is no change.
    evidence = showing("DP-");
    evidence.catalogue->tables[0].engine_full =
        "ReplicatedMergeTree('/clickhouse/tables/" + uuid_d.text() +
        "/{shard}', '{replica}') ORDER BY  id SETTINGS index_granularity = 8192";
    BOOST_TEST(onceswap::protocol::member_state(rec, evidence).warnings.empty());
    // Columns that are not there cannot be compared.
    evidence.catalogue->columns.clear();
    BOOST_TEST(onceswap::protocol::member_state(rec, evidence).warnings.size() == 2U);
}

BOOST_AUTO_TEST_CASE(rows_that_cannot_be_are_foreign) {
    MemberEvidence twice = showing("DP-");
    put(twice, "t", uuid_d);
    BOOST_TEST(text(onceswap::protocol::member_state(record(true), twice).state) == "FOREIGN");
    // A table of that name in another database is not the target.
    MemberEvidence elsewhere = showing("DP-");
    elsewhere.catalogue->tables[0].database = "d2";
    BOOST_TEST(text(onceswap::protocol::member_state(record(true), elsewhere).state) == "FOREIGN");
    AuthorityRecord one_table = record(true);
    one_table.predecessor = one_table.desired;
    for (const char* names : {"D--", "DD-", "-D-"})
        BOOST_TEST(text(onceswap::protocol::member_state(one_table, showing(names)).state) == "FOREIGN");
    // The nil uuid identifies no table, not even one that a record calls so.
    AuthorityRecord nil = record(false);
    nil.desired.uuid = Uuid{};
    MemberEvidence evidence = answered(false);
    put(evidence, "t", Uuid{});
    BOOST_TEST(text(onceswap::protocol::member_state(nil, evidence).state) == "FOREIGN");
}

BOOST_AUTO_TEST_CASE(health_of_one_table) {
    const auto health = [](auto change) {
        MemberEvidence evidence = showing("DP-");
        change(evidence.keeper->replicas[0]);
        return table_health(*evidence.keeper, "t", 2);
    };
    BOOST_TEST(health([](ReplicaRow&) {}).healthy);
    BOOST_TEST(health([](ReplicaRow& r) { r.log_pointer = r.log_max_index = 0; }).healthy);
    BOOST_TEST(health([](ReplicaRow& r) { r.log_pointer = 1, r.log_max_index = 0; }).healthy);

    struct Row {
        const char* problem;
        Health seen;
    };

    const std::vector<Row> rows{
        {"is_readonly", health([](ReplicaRow& r) { r.is_readonly = true; })},
        {"total_replicas 3 of 2", health([](ReplicaRow& r) { r.total_replicas = 3; })},
        {"active_replicas 1 of 2", health([](ReplicaRow& r) { r.active_replicas = 1; })},
        {"queue_size 7", health([](ReplicaRow& r) { r.queue_size = 7; })},
        {"absolute_delay 9 s", health([](ReplicaRow& r) { r.absolute_delay = 9; })},
        {"log_pointer 4, log_max_index 4", health([](ReplicaRow& r) { r.log_pointer = 4; })},
        {"log_pointer 0, log_max_index 4", health([](ReplicaRow& r) { r.log_pointer = 0; })},
        {"log_pointer 6, log_max_index 4", health([](ReplicaRow& r) { r.log_pointer = 6; })},
        {"last_queue_update_exception: x", health([](ReplicaRow& r) { r.last_queue_update_exception = "x"; })
        },
        {"zookeeper_exception: y", health([](ReplicaRow& r) { r.zookeeper_exception = "y"; })},
        {"session expired", health([](ReplicaRow& r) {
             r = ReplicaRow{};
             r.table = "t";
             r.is_session_expired = true;
         })},
        {"no row in system.replicas", health([](ReplicaRow& r) { r.table = "u"; })},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.problem) {
            BOOST_TEST(row.seen.known);
            BOOST_TEST(!row.seen.healthy);
            BOOST_REQUIRE(row.seen.problems.size() == 1U);
            BOOST_TEST(row.seen.problems[0] == row.problem);
        }
    }
}

BOOST_AUTO_TEST_CASE(health_stands_beside_the_state) {
    MemberEvidence evidence = showing("PD-");
    evidence.keeper->replicas[1].queue_size = 3;
    MemberState state = onceswap::protocol::member_state(record(true), evidence);
    BOOST_TEST(text(state.state) == "PENDING");
    BOOST_REQUIRE(state.health.problems.size() == 1U);
    BOOST_TEST(state.health.problems[0] == "onceswap_c: queue_size 3");
    // The predecessor's backlog is nobody's concern once it has lost the name.
    evidence = showing("DP-");
    evidence.keeper->replicas[1].queue_size = 3;
    BOOST_TEST(onceswap::protocol::member_state(record(true), evidence).health.healthy);
    state = onceswap::protocol::member_state(record(true), showing("DP-", false));
    BOOST_TEST(text(state.state) == "COMMITTED");
    BOOST_TEST(!state.health.healthy);
    BOOST_REQUIRE(state.health.problems.size() == 1U);
    BOOST_TEST(state.health.problems[0] == "ch1:9000: timed out");
}

BOOST_AUTO_TEST_CASE(differing_parts) {
    BOOST_TEST(differing_part("abc", "abd") == "'abc'");
    BOOST_TEST(differing_part("", "x") == "''");
    BOOST_TEST(differing_part("same", "same") == "'same'");
    BOOST_TEST(
        differing_part(
            "/clickhouse/tables/t__dbt_tmp/{uuid}/{shard}/{replica}",
            "/clickhouse/tables/t/{uuid}/{shard}/{replica}"
        ) == "'...use/tables/t__dbt_tmp/{uuid}/{sha...'"
    );
    BOOST_TEST(differing_part(std::string(1000, 'a'), "b").size() <= 170U);
    BOOST_TEST(differing_part("\xC3\xA4\xC3\xB6", "\xC3\xA4\xC3\xBC") == "'\xC3\xA4\xC3\xB6'");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
