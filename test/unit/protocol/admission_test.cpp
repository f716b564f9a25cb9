#include "healthy_cluster.hpp"
#include "protocol/admission.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/delete_ttl.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace onceswap::protocol;
using Spoil = std::function<void(AdmissionFacts&)>;

std::string list(const std::vector<Finding>& findings) {
    std::string out;
    for (const Finding& finding : findings)
        if (finding.severity != Severity::pass)
            out += "\n  " + std::string(finding.severity == Severity::warn ? "warn " : "refuse ") +
                   std::string(stable_name(finding.code)) + " [" + finding.check + "] " + finding.host +
                   ": " + finding.detail;
    return out;
}

bool has(
    const std::vector<Finding>& findings,
    Severity severity,
    Code code,
    const std::string& host,
    const std::string& part
) {
    return std::ranges::any_of(findings, [&](const Finding& finding) {
        return finding.severity == severity && finding.code == code && finding.host == host &&
               finding.detail.find(part) != std::string::npos;
    });
}

struct Row {
    const char* what;
    Spoil spoil;
    Severity severity;
    Code code;
    const char* host;
    std::string part;
};

void run(const std::vector<Row>& rows, const AdmissionFacts& good) {
    for (const Row& row : rows) {
        AdmissionFacts facts = good;
        row.spoil(facts);
        const Admission admission = admit(facts);
        BOOST_TEST_CONTEXT(row.what << list(admission.findings)) {
            BOOST_TEST(has(admission.findings, row.severity, row.code, row.host, row.part));
            BOOST_TEST(admission.refused() == (row.severity == Severity::refuse));
            // Nothing else is refused for a reason of its own: one defect, one code.
            for (const Finding& finding : admission.findings)
                if (finding.severity == Severity::refuse && row.severity == Severity::warn)
                    BOOST_TEST(stable_name(finding.code) == stable_name(row.code));
        }
    }
}

CatalogueFacts& catalogue(AdmissionFacts& facts, std::size_t member = 1) {
    return *facts.endpoints[member].catalogue;
}

KeeperFacts& keeper(AdmissionFacts& facts, std::size_t member = 1) {
    return *facts.endpoints[member].keeper;
}

CapabilityFacts& capability(AdmissionFacts& facts, std::size_t member = 1) {
    return *facts.endpoints[member].capabilities;
}

TableRow& target_row(AdmissionFacts& facts, std::size_t member = 1) {
    return catalogue(facts, member).tables.at(1);
}

void for_each_member(AdmissionFacts& facts, const std::function<void(EndpointFacts&)>& change) {
    for (EndpointFacts& endpoint : facts.endpoints)
        change(endpoint);
}

AuthorityRow record_at(std::int32_t version, std::string operation = {}) {
    AuthorityRow row;
    row.version = version;
    row.operation_id = std::move(operation);
    return row;
}

BOOST_AUTO_TEST_SUITE(admission)

BOOST_AUTO_TEST_CASE(a_healthy_cluster_passes_every_check) {
    for (const std::size_t members : {2U, 3U, 5U})
        for (const bool with_target : {true, false}) {
            AdmissionFacts facts = healthy::cluster(members, with_target);
            std::ranges::reverse(facts.endpoints); // URLs come in any order
            const Admission admission = admit(facts);
            BOOST_TEST_CONTEXT(list(admission.findings)) {
                BOOST_TEST(!admission.refused());
                BOOST_TEST(admission.first_refusal() == nullptr);
                BOOST_TEST(admission.findings.size() == 16U);
                for (const Finding& finding : admission.findings)
                    BOOST_TEST((finding.severity == Severity::pass), finding.check);
                BOOST_REQUIRE(admission.inventory);
                BOOST_TEST(admission.inventory->size() == members);
                BOOST_REQUIRE(admission.members.size() == members);
                for (std::size_t i = 0; i < members; ++i) {
                    BOOST_TEST(admission.members[i].member.at.host == healthy::host(i));
                    BOOST_TEST((admission.members[i].server_uuid == healthy::server(i)));
                    BOOST_TEST(admission.members[i].endpoint == members - 1 - i);
                    BOOST_TEST(admission.members[i].version == "24.8.14.39");
                }
                BOOST_TEST((admission.facade == FacadeStanding::complete));
                BOOST_TEST(admission.target.has_value() == with_target);
                if (with_target)
                    BOOST_TEST((admission.target == healthy::generation(healthy::uuid('a'))));
            }
        }
}

BOOST_AUTO_TEST_CASE(endpoints) {
    run(
        {
            {"none",
             [](auto& f) { f.endpoints.clear(); },
             Severity::refuse,
             Code::inventory_incomplete,
             "",
             "no endpoint"},
            {"a silent one",
             [](auto& f) {
                 f.endpoints[1].catalogue.reset();
                 f.endpoints[1].problems = {"connection refused"};
             },
             Severity::refuse,
             Code::inventory_incomplete,
             "http://ch2:8123",
             "connection refused"},
            {"no UUID",
             [](auto& f) { catalogue(f).identity.server_uuid = Uuid{}; },
             Severity::refuse,
             Code::endpoint_mismatch,
             "http://ch2:8123",
             "no UUID"},
            {"two URLs of one server",
             [](auto& f) { f.endpoints[1] = f.endpoints[0], f.endpoints[1].endpoint = "http://b:8123"; },
             Severity::refuse,
             Code::endpoint_mismatch,
             "http://b:8123",
             "the same server as http://ch1:8123"},
            {"a member without URL",
             [](auto& f) { f.endpoints.pop_back(); },
             Severity::refuse,
             Code::inventory_incomplete,
             "ch2:9000",
             "none of the given endpoints"},
            {"a URL of a stranger",
             [](auto& f) {
                 f.endpoints.push_back(healthy::endpoint(7, 2));
                 catalogue(f, 2).clusters = healthy::cluster_rows(2, 0);
             },
             Severity::refuse,
             Code::endpoint_mismatch,
             "http://ch8:8123",
             "is no member"},
            {"a balancer: Keeper part",
             [](auto& f) { keeper(f).server_uuid = healthy::server(0); },
             Severity::refuse,
             Code::endpoint_mismatch,
             "http://ch2:8123",
             "balancer"},
            {"a balancer: capabilities",
             [](auto& f) { capability(f).identity.server_uuid = healthy::server(0); },
             Severity::refuse,
             Code::endpoint_mismatch,
             "http://ch2:8123",
             "capabilities"},
            {"a balancer: row policies",
             [](auto& f) { f.endpoints[1].row_policies->server_uuid = healthy::server(0); },
             Severity::refuse,
             Code::endpoint_mismatch,
             "http://ch2:8123",
             "row policies"},
            {"roster failed",
             [](auto& f) { f.roster_problem = "Code: 279"; },
             Severity::refuse,
             Code::inventory_incomplete,
             "",
             "Code: 279"},
            {"roster is empty",
             [](auto& f) { f.roster.clear(); },
             Severity::refuse,
             Code::inventory_incomplete,
             "",
             "no row"},
            {"roster lacks a member",
             [](auto& f) { f.roster.pop_back(); },
             Severity::refuse,
             Code::inventory_incomplete,
             "ch2:9000",
             "no row of this member"},
            {"roster has one more",
             [](auto& f) { f.roster.push_back({3, healthy::server(5), "x"}); },
             Severity::refuse,
             Code::inventory_invalid,
             "x",
             "position 3 of 2"},
            {"roster has position 0",
             [](auto& f) { f.roster[0].shard_num = 0; },
             Severity::refuse,
             Code::inventory_invalid,
             "ch1",
             "position 0 of 2"},
            {"roster has a member twice",
             [](auto& f) { f.roster.push_back({2, healthy::server(5), "x"}); },
             Severity::refuse,
             Code::inventory_invalid,
             "ch2:9000",
             "twice"},
            {"a cloned server",
             [](auto& f) { f.roster[1].server_uuid = healthy::server(0); },
             Severity::refuse,
             Code::inventory_invalid,
             "ch2:9000",
             "cloned"},
            {"a member without UUID",
             [](auto& f) { f.roster[1].server_uuid = Uuid{}; },
             Severity::refuse,
             Code::inventory_invalid,
             "ch2:9000",
             "no UUID"},
        },
        healthy::cluster()
    );
}

BOOST_AUTO_TEST_CASE(inventories) {
    const auto all_clusters =
        [](AdmissionFacts& facts, const std::function<void(ClusterRow&)>& change, std::size_t row = 1) {
            for_each_member(facts, [&](EndpointFacts& e) { change(e.catalogue->clusters[row]); });
        };
    run(
        {
            {"no such cluster",
             [](auto& f) { f.cluster = "nope"; },
             Severity::refuse,
             Code::inventory_incomplete,
             "http://ch1:8123",
             "'nope'"},
            {"one member lacks the cluster",
             [](auto& f) { catalogue(f).clusters.clear(); },
             Severity::refuse,
             Code::inventory_incomplete,
             "http://ch2:8123",
             "'c'"},
            {"several shards",
             [&](auto& f) { all_clusters(f, [](ClusterRow& r) { r.shard_num = 2; }); },
             Severity::refuse,
             Code::topology_unsupported,
             "http://ch1:8123",
             "shards"},
            {"internal_replication 0",
             [&](auto& f) { all_clusters(f, [](ClusterRow& r) { r.internal_replication = false; }); },
             Severity::refuse,
             Code::topology_unsupported,
             "http://ch1:8123",
             "internal_replication"},
            {"one member only",
             [](auto& f) { for_each_member(f, [](auto& e) { e.catalogue->clusters.pop_back(); }); },
             Severity::refuse,
             Code::topology_unsupported,
             "http://ch1:8123",
             "one member"},
            {"one host and port twice",
             [&](auto& f) { all_clusters(f, [](ClusterRow& r) { r.host_name = "ch1"; }); },
             Severity::refuse,
             Code::inventory_invalid,
             "http://ch1:8123",
             "ch1:9000"},
            {"one more on one member",
             [](auto& f) { catalogue(f).clusters.push_back({"c", 1, 3, "ch3", "", 9000, false, true}); },
             Severity::refuse,
             Code::inventory_invalid,
             "http://ch2:8123",
             "ch3:9000 is listed here and not there"},
            {"another port on one member",
             [](auto& f) { catalogue(f).clusters[0].port = 9440; },
             Severity::refuse,
             Code::inventory_invalid,
             "http://ch2:8123",
             "ch1:9440"},
            {"other replica numbers on one member",
             [](auto& f) {
                 std::swap(catalogue(f).clusters[0].replica_num, catalogue(f).clusters[1].replica_num);
             },
             Severity::refuse,
             Code::inventory_invalid,
             "http://ch2:8123",
             "ch2:9000 is replica 1 here and 2 there"},
            {"an alias on one member only",
             [](auto& f) {
                 for (ClusterRow row : healthy::cluster_rows(2, 1))
                     catalogue(f).clusters.push_back((row.cluster = "b", row));
             },
             Severity::refuse,
             Code::inventory_invalid,
             "http://ch2:8123",
             "'b' here and 'c' there"},
            {"no row is local",
             [](auto& f) { catalogue(f).clusters[1].is_local = false; },
             Severity::warn,
             Code::hazard_is_local,
             "http://ch2:8123",
             "0 rows"},
            {"every row is local",
             [](auto& f) { catalogue(f).clusters[0].is_local = true; },
             Severity::warn,
             Code::hazard_is_local,
             "http://ch2:8123",
             "2 rows of the cluster as itself: ch1:9000, ch2:9000"},
            {"a clock behind",
             [](auto& f) { catalogue(f).identity.now -= 301; },
             Severity::warn,
             Code::hazard_clock_skew,
             "http://ch2:8123",
             "301 s behind http://ch1:8123"},
        },
        healthy::cluster()
    );
    AdmissionFacts within = healthy::cluster();
    catalogue(within).identity.now -= 300;
    BOOST_TEST(list(admit(within).findings) == "");
}

BOOST_AUTO_TEST_CASE(alias_names_are_one_cluster) {
    AdmissionFacts facts = healthy::cluster();
    for (std::size_t i = 0; i < 2; ++i)
        for (ClusterRow row : healthy::cluster_rows(2, i))
            catalogue(facts, i).clusters.push_back((row.cluster = "another", row));
    for (const char* name : {"c", "another"}) {
        facts.cluster = name;
        const Admission admission = admit(facts);
        BOOST_TEST(list(admission.findings) == "");
        BOOST_REQUIRE(admission.inventory);
        BOOST_TEST(admission.inventory->cluster() == "another");
    }
}

BOOST_AUTO_TEST_CASE(versions) {
    for (const char* version :
         {"23.10.1.1", "23.11", "24.8.14.39", "25.1.1", "100.0", "24.8.14.39-altinity"}) {
        AdmissionFacts facts = healthy::cluster();
        catalogue(facts).identity.version = version;
        BOOST_TEST(list(admit(facts).findings) == "", version);
    }
    for (const char* version :
         {"23.9.7.102", "22.12", "18.16.1", "", "24", "x.y", "24.", ".8", "-24.8", "23.1.10"}) {
        AdmissionFacts facts = healthy::cluster();
        catalogue(facts).identity.version = version;
        BOOST_TEST(
            has(admit(facts).findings,
                Severity::refuse,
                Code::capability_missing,
                "ch2:9000",
                "23.10 or later"),
            version
        );
    }
}

BOOST_AUTO_TEST_CASE(capabilities) {
    std::vector<Row> rows{
        {"not answered",
         [](auto& f) {
             f.endpoints[1].capabilities.reset();
             f.endpoints[1].problems = {"capabilities: timed out"};
         },
         Severity::refuse,
         Code::capability_missing,
         "ch2:9000",
         "timed out"},
        {"entries without settings",
         [](auto& f) { capability(f).settings["distributed_ddl_entry_format_version"] = "1"; },
         Severity::refuse,
         Code::capability_missing,
         "ch2:9000",
         "distributed_ddl_entry_format_version is 1"},
        {"no entry format",
         [](auto& f) { capability(f).settings.erase("distributed_ddl_entry_format_version"); },
         Severity::refuse,
         Code::capability_missing,
         "ch2:9000",
         "not there"},
        {"settings column of another type",
         [](auto& f) { capability(f).queue_columns["settings"] = "String"; },
         Severity::refuse,
         Code::capability_missing,
         "ch2:9000",
         "not a Map"},
        {"no grants",
         [](auto& f) {
             f.endpoints[1].grants.reset();
             f.endpoints[1].problems = {"grants: timed out"};
         },
         Severity::refuse,
         Code::access_insufficient,
         "ch2:9000",
         "timed out"},
        {"a privilege missing on one member",
         [](auto& f) { f.endpoints[1].grants->push_back("REVOKE DROP TABLE ON d.* FROM u"); },
         Severity::refuse,
         Code::access_insufficient,
         "ch2:9000",
         "missing: DROP TABLE ON d.*"},
        {"a role",
         [](auto& f) { f.endpoints[1].grants = {"GRANT publisher TO u"}; },
         Severity::refuse,
         Code::access_insufficient,
         "ch2:9000",
         "the roles publisher"},
        {"no database",
         [](auto& f) { catalogue(f).databases.clear(); },
         Severity::refuse,
         Code::database_unsupported,
         "ch2:9000",
         "no database 'd'"},
        {"a Replicated database",
         [](auto& f) { catalogue(f).databases[0].engine = "Replicated"; },
         Severity::refuse,
         Code::database_unsupported,
         "ch2:9000",
         "engine Replicated"},
        {"an Ordinary database",
         [](auto& f) { catalogue(f).databases[0].engine = "Ordinary"; },
         Severity::refuse,
         Code::database_unsupported,
         "ch2:9000",
         "engine Ordinary"},
    };
    for (const auto& [name, value] : healthy::capabilities(0).settings) {
        if (name == "distributed_ddl_entry_format_version")
            continue;
        rows.push_back(
            {"setting missing",
             [name](auto& f) { capability(f).settings.erase(name); },
             Severity::refuse,
             Code::capability_missing,
             "ch2:9000",
             name}
        );
        rows.push_back(
            {"setting constrained",
             [name](auto& f) { capability(f).readonly_settings = {name}; },
             Severity::refuse,
             Code::capability_missing,
             "ch2:9000",
             name}
        );
    }
    const CapabilityFacts reference = healthy::capabilities(0);
    for (const auto& [name, type] : reference.queue_columns)
        rows.push_back(
            {"queue column missing",
             [name](auto& f) { capability(f).queue_columns.erase(name); },
             Severity::refuse,
             Code::capability_missing,
             "ch2:9000",
             name}
        );
    run(rows, healthy::cluster());
}

BOOST_AUTO_TEST_CASE(the_facade) {
    const auto facade = [](AdmissionFacts& f) -> TableRow& { return catalogue(f).tables.at(0); };
    const auto columns = [](AdmissionFacts& f) -> std::vector<ColumnDefinition>& {
        return catalogue(f).columns[std::string(authority_table)];
    };
    run(
        {
            {"another root",
             [&](auto& f) { facade(f).engine_full = "KeeperMap('/x') PRIMARY KEY target_key"; },
             Severity::refuse,
             Code::authority_invalid,
             "ch2:9000",
             "KeeperMap('/x')"},
            {"another key",
             [&](auto& f) {
                 facade(f).engine_full = "KeeperMap('/onceswap/authority/v1') PRIMARY KEY operation_id";
             },
             Severity::refuse,
             Code::authority_invalid,
             "ch2:9000",
             "operation_id"},
            {"another engine",
             [&](auto& f) {
                 facade(f).engine = "MergeTree", facade(f).engine_full = "MergeTree ORDER BY target_key";
             },
             Severity::refuse,
             Code::authority_invalid,
             "ch2:9000",
             "MergeTree"},
            {"an engine that cannot be read",
             [&](auto& f) { facade(f).engine_full = "KeeperMap('"; },
             Severity::refuse,
             Code::authority_invalid,
             "ch2:9000",
             "its engine is"},
            {"a column more",
             [&](auto& f) { columns(f).push_back({8, "x", "String", "", "", ""}); },
             Severity::refuse,
             Code::authority_invalid,
             "ch2:9000",
             "8 columns"},
            {"a column less",
             [&](auto& f) { columns(f).pop_back(); },
             Severity::refuse,
             Code::authority_invalid,
             "ch2:9000",
             "6 columns"},
            {"another type",
             [&](auto& f) { columns(f)[6].type = "String"; },
             Severity::refuse,
             Code::authority_invalid,
             "ch2:9000",
             "payload_sha256 String instead of payload_sha256 FixedString(64)"},
            {"another order",
             [&](auto& f) { std::swap(columns(f)[1].position, columns(f)[2].position); },
             Severity::refuse,
             Code::authority_invalid,
             "ch2:9000",
             "column 2 is fence_token"},
            {"a default",
             [&](auto& f) { columns(f)[1].default_kind = "DEFAULT"; },
             Severity::refuse,
             Code::authority_invalid,
             "ch2:9000",
             "column 2"},
            {"no columns",
             [&](auto& f) { catalogue(f).columns.erase(std::string(authority_table)); },
             Severity::refuse,
             Code::authority_invalid,
             "ch2:9000",
             "could not be read"},
            {"the Keeper part is silent",
             [](auto& f) {
                 f.endpoints[1].keeper.reset();
                 f.endpoints[1].problems = {"Session expired"};
             },
             Severity::refuse,
             Code::generation_unknown,
             "ch2:9000",
             "Session expired"},
            {"a record on one member only",
             [](auto& f) { keeper(f, 0).authority = record_at(4, "abcdefabcdefabcdef"); },
             Severity::refuse,
             Code::authority_conflict,
             "ch2:9000",
             "reads no record where ch1:9000 reads version 4 of operation abcdefabcdef"},
            {"another version",
             [](auto& f) {
                 keeper(f, 0).authority = record_at(4);
                 keeper(f, 1).authority = record_at(3);
             },
             Severity::refuse,
             Code::authority_conflict,
             "ch2:9000",
             "version 3"},
        },
        healthy::cluster()
    );
    AdmissionFacts limited = healthy::cluster();
    for (std::size_t i = 0; i < 2; ++i)
        catalogue(limited, i).tables[0].engine_full =
            "KeeperMap('/onceswap/authority/v1', 1000)  PRIMARY KEY (`target_key`)";
    BOOST_TEST(list(admit(limited).findings) == "");
}

BOOST_AUTO_TEST_CASE(where_the_facade_stands) {
    AdmissionFacts facts = healthy::cluster();
    const auto take_away = [&facts](std::size_t member) {
        catalogue(facts, member).tables.erase(catalogue(facts, member).tables.begin());
    };
    take_away(1);
    Admission admission = admit(facts);
    BOOST_TEST(list(admission.findings) == "");
    BOOST_TEST((admission.facade == FacadeStanding::absent_on_some));
    take_away(0);
    admission = admit(facts);
    BOOST_TEST(list(admission.findings) == "");
    BOOST_TEST((admission.facade == FacadeStanding::absent_everywhere));
}

BOOST_AUTO_TEST_CASE(targets) {
    run(
        {
            {"absent on one member",
             [](auto& f) { catalogue(f).tables.pop_back(); },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "does not have t"},
            {"not replicated",
             [](auto& f) { target_row(f).engine = "MergeTree"; },
             Severity::refuse,
             Code::engine_unsupported,
             "ch2:9000",
             "engine MergeTree"},
            {"Distributed",
             [](auto& f) { target_row(f).engine = "Distributed"; },
             Severity::refuse,
             Code::engine_unsupported,
             "ch2:9000",
             "engine Distributed"},
            {"a view",
             [](auto& f) { target_row(f).engine = "View"; },
             Severity::refuse,
             Code::engine_unsupported,
             "ch2:9000",
             "engine View"},
            {"a path without uuid",
             [](auto& f) {
                 for_each_member(f, [](auto& e) {
                     e.catalogue->tables[1].engine_full =
                         "ReplicatedMergeTree('/clickhouse/tables/d/t/{shard}', '{replica}') ORDER BY id";
                 });
             },
             Severity::refuse,
             Code::engine_unsupported,
             "ch1:9000",
             "does not contain {uuid}"},
            {"another uuid on one member",
             [](auto& f) {
                 target_row(f).uuid = healthy::uuid('b');
                 keeper(f).replicas[0].zookeeper_path =
                     "/clickhouse/tables/" + healthy::uuid('b').text() + "/1";
             },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "uuid has 'bbbbbbbb-"},
            {"another path on one member",
             [](auto& f) { keeper(f).replicas[0].zookeeper_path += "__dbt_tmp"; },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "__dbt_tmp'"},
            {"another schema on one member",
             [](auto& f) { catalogue(f).columns["t"].push_back({3, "x", "String", "", "", ""}); },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "the schema differs from that of ch1:9000"},
            {"another keeper on one member",
             [](auto& f) { keeper(f).replicas[0].zookeeper_name = "aux"; },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "zookeeper_name has 'aux'"},
            {"no replica row",
             [](auto& f) { keeper(f).replicas.clear(); },
             Severity::refuse,
             Code::generation_unknown,
             "ch2:9000",
             "could not be read"},
            {"no columns",
             [](auto& f) { catalogue(f).columns.erase("t"); },
             Severity::refuse,
             Code::generation_unknown,
             "ch2:9000",
             "could not be read"},
            {"no uuid",
             [](auto& f) { for_each_member(f, [](auto& e) { e.catalogue->tables[1].uuid = Uuid{}; }); },
             Severity::refuse,
             Code::generation_unknown,
             "ch1:9000",
             "could not be read"},
            {"read-only",
             [](auto& f) { keeper(f).replicas[0].is_readonly = true; },
             Severity::refuse,
             Code::target_unhealthy,
             "ch2:9000",
             "read-only"},
            {"expired session",
             [](auto& f) {
                 ReplicaRow& row = keeper(f).replicas[0];
                 row.is_session_expired = true;
                 row.total_replicas = row.active_replicas = 0;
             },
             Severity::refuse,
             Code::target_unhealthy,
             "ch2:9000",
             "session is expired"},
            {"one replica name twice",
             [](auto& f) { keeper(f).replicas[0].replica_name = "r1"; },
             Severity::refuse,
             Code::generation_diverged,
             "ch2:9000",
             "'r1' is also that of ch1:9000"},
            {"a replica that is no member",
             [](auto& f) { for_each_member(f, [](auto& e) { e.keeper->replicas[0].total_replicas = 3; }); },
             Severity::refuse,
             Code::inventory_incomplete,
             "ch1:9000",
             "3 replicas in Keeper"},
        },
        healthy::cluster()
    );
    // Macro and expanded form of the path are one engine clause.
    AdmissionFacts mixed = healthy::cluster();
    target_row(mixed).engine_full = "ReplicatedMergeTree('/clickhouse/tables/" + healthy::uuid('a').text() +
                                    "/{shard}', '{replica}') ORDER BY id SETTINGS index_granularity = 8192";
    BOOST_TEST(list(admit(mixed).findings) == "");
    // A backlog of the predecessor is not in the way: its rows are replaced.
    AdmissionFacts busy = healthy::cluster();
    keeper(busy).replicas[0].queue_size = 7;
    keeper(busy).replicas[0].absolute_delay = 60;
    BOOST_TEST(list(admit(busy).findings) == "");
}

TableRow view(const char* engine, std::string query) {
    TableRow row;
    row.database = "other";
    row.name = "v";
    row.engine = engine;
    row.create_table_query = std::move(query);
    return row;
}

BOOST_AUTO_TEST_CASE(hazards) {
    const auto with_view = [](const char* engine, const char* query) -> Spoil {
        return [engine, query](AdmissionFacts& f) { capability(f).views = {view(engine, query)}; };
    };
    const auto with_policy = [](std::string table) -> Spoil {
        return [table](AdmissionFacts& f) { f.endpoints[1].row_policies->policies = {{"p", table}}; };
    };
    run(
        {
            {"a view fed by the target",
             [](auto& f) { target_row(f).dependencies = {"d.mv"}; },
             Severity::refuse,
             Code::hazard_view_depends,
             "ch2:9000",
             "d.mv"},
            {"a view that reads the target",
             with_view(
                 "MaterializedView",
                 "CREATE MATERIALIZED VIEW other.v TO d.x (`id` UInt64) AS SELECT id FROM d.t"
             ),
             Severity::refuse,
             Code::hazard_view_depends,
             "ch2:9000",
             "other.v"},
            {"a view that writes to the target",
             with_view(
                 "MaterializedView",
                 "CREATE MATERIALIZED VIEW other.v TO `d`.`t` (`id` UInt64) AS SELECT id FROM d.y"
             ),
             Severity::refuse,
             Code::hazard_view_depends,
             "ch2:9000",
             "other.v"},
            {"a view that cannot be read",
             with_view("MaterializedView", "CREATE MATERIALIZED VIEW 'v"),
             Severity::refuse,
             Code::hazard_view_depends,
             "ch2:9000",
             "other.v"},
            {"a dictionary that loads from the target",
             with_view(
                 "Dictionary",
                 "CREATE DICTIONARY other.v (`id` UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 't' DB "
                 "'d')) LIFETIME(MIN 0 MAX 300) LAYOUT(FLAT())"
             ),
             Severity::warn,
             Code::hazard_dictionary_depends,
             "ch2:9000",
             "other.v"},
            {"a dictionary by its dependence",
             [](auto& f) { target_row(f).loading_dependents = {"d.dict"}; },
             Severity::warn,
             Code::hazard_dictionary_depends,
             "ch2:9000",
             "d.dict"},
            {"a policy on the target",
             with_policy("t"),
             Severity::warn,
             Code::hazard_row_policy,
             "ch2:9000",
             "'p' is on t"},
            {"a policy on the database",
             with_policy(""),
             Severity::warn,
             Code::hazard_row_policy,
             "ch2:9000",
             "the whole database"},
            {"policies cannot be read",
             [](auto& f) {
                 f.endpoints[1].row_policies.reset();
                 f.endpoints[1].problems = {"policies: Code: 497"};
             },
             Severity::warn,
             Code::hazard_row_policy,
             "ch2:9000",
             "497"},
            {"beyond the drop limit",
             [](auto& f) { target_row(f).total_bytes = 11, capability(f).max_table_size_to_drop = 10; },
             Severity::warn,
             Code::hazard_drop_limit,
             "ch2:9000",
             "11 bytes, max_table_size_to_drop is 10"},
            {"a TTL",
             [](auto& f) {
                 for_each_member(f, [](auto& e) {
                     e.catalogue->tables[1].engine_full =
                         "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id "
                         "TTL day + toIntervalDay(30)";
                 });
             },
             Severity::warn,
             Code::hazard_ttl,
             "ch1:9000",
             "TTL"},
            {"many unfinished entries",
             [](auto& f) {
                 for (int i = 0; i < 16; ++i)
                     f.unfinished.push_back(
                         healthy::unfinished("query-" + std::to_string(i), "DROP TABLE x.y ON CLUSTER c")
                     );
             },
             Severity::warn,
             Code::hazard_queue_backlog,
             "",
             "16 entries are unfinished"},
            {"a full queue",
             [](auto& f) { f.entries_in_queue = 900; },
             Severity::warn,
             Code::hazard_queue_backlog,
             "",
             "900 entries"},
            {"a stuck entry",
             [](auto& f) {
                 f.unfinished = {healthy::unfinished("query-3", "OPTIMIZE TABLE x.y ON CLUSTER c")};
                 f.unfinished[0].query_create_time -= 571;
             },
             Severity::warn,
             Code::hazard_queue_stuck,
             "",
             "query-3 is unfinished for 601 s on ch2:9000"},
            {"leftovers",
             [](auto& f) {
                 f.unfinished = {healthy::unfinished("query-3", "EXCHANGE TABLES d.t AND d.x ON CLUSTER c")};
                 f.unfinished[0].status = "Removing";
             },
             Severity::warn,
             Code::hazard_removing_leftovers,
             "",
             "1 entries"},
            {"somebody's DDL on the target",
             [](auto& f) {
                 f.unfinished = {
                     healthy::unfinished("query-3", "ALTER TABLE d.t ON CLUSTER c ADD COLUMN x UInt8")
                 };
             },
             Severity::refuse,
             Code::foreign_ddl_pending,
             "",
             "query-3 names t"},
            {"somebody's DDL that cannot be read",
             [](auto& f) { f.unfinished = {healthy::unfinished("query-3", "ALTER TABLE 'x")}; },
             Severity::refuse,
             Code::foreign_ddl_pending,
             "",
             "query-3"},
            {"somebody's DDL on the candidate",
             [](auto& f) {
                 f.candidate = healthy::candidate;
                 f.unfinished = {
                     healthy::unfinished("query-3", "DROP TABLE d.onceswap_candidate ON CLUSTER c")
                 };
             },
             Severity::refuse,
             Code::foreign_ddl_pending,
             "",
             "query-3"},
        },
        healthy::cluster()
    );
}

BOOST_AUTO_TEST_CASE(what_is_no_hazard) {
    const auto passes = [](const char* what, const Spoil& spoil) {
        AdmissionFacts facts = healthy::cluster();
        spoil(facts);
        BOOST_TEST(list(admit(facts).findings) == "", what);
    };
    passes("a view elsewhere", [](auto& f) {
        capability(f).views = {
            view("MaterializedView", "CREATE MATERIALIZED VIEW other.v TO d2.t AS SELECT t FROM d.u")
        };
    });
    passes("a policy elsewhere", [](auto& f) { f.endpoints[1].row_policies->policies = {{"p", "u"}}; });
    passes("no drop limit", [](auto& f) {
        target_row(f).total_bytes = 1'000, capability(f).max_table_size_to_drop = 0;
    });
    passes("the drop limit is not shown", [](auto& f) { capability(f).max_table_size_to_drop.reset(); });
    passes("at the drop limit", [](auto& f) { capability(f).max_table_size_to_drop = 1'000; });
    passes("an entry about another table", [](auto& f) {
        f.unfinished = {healthy::unfinished("query-3", "ALTER TABLE d.u ON CLUSTER c ADD COLUMN t UInt8")};
        f.unfinished[0].query = "DROP TABLE d.u ON CLUSTER c";
    });
    passes("our own staging", [](auto& f) {
        f.unfinished = {
            healthy::unfinished("query-3", "CREATE TABLE d.onceswap_x UUID 'u' ON CLUSTER c AS d.t")
        };
        f.unfinished[0].settings["log_comment"] = make_token(healthy::operation, Action::setup, 0, {}).text();
    });
}

BOOST_AUTO_TEST_CASE(ttl_clauses) {
    const std::string head = "ReplicatedMergeTree('/p/{uuid}', '{replica}') ORDER BY (id, ttl) ";
    for (const char* tail :
         {"TTL d + toIntervalDay(1)",
          "TTL d + toIntervalDay(1) DELETE",
          "TTL d + toIntervalDay(1) DELETE WHERE x = 1",
          "TTL d + toIntervalDay(1) TO DISK 'x', d + toIntervalDay(2)",
          "TTL d + 1, e + 2 TO VOLUME 'cold'",
          "ttl d + toIntervalDay(1) SETTINGS index_granularity = 1",
          "TTL d GROUP BY id SET x = max(x)",
          "TTL 'open"})
        BOOST_TEST(has_deleting_ttl(head + tail), tail);
    for (const char* tail :
         {"",
          "SETTINGS index_granularity = 8192",
          "TTL d + toIntervalDay(1) TO DISK 'x'",
          "TTL d + toIntervalDay(1) TO VOLUME 'x', d + toIntervalDay(9) RECOMPRESS CODEC(ZSTD(17)) SETTINGS "
          "a = 1"})
        BOOST_TEST(!has_deleting_ttl(head + tail), tail);
}

BOOST_AUTO_TEST_CASE(a_lost_record) {
    const std::string prefix = candidate_prefix(target_key("c", healthy::target));
    const auto leave = [](AdmissionFacts& facts, const std::string& table) {
        capability(facts).ours = {healthy::table_row(table, healthy::uuid('e'))};
    };
    const std::string own = prefix + std::string(healthy::operation).substr(0, 8) + "_00000001";
    const std::string others = prefix + "ffffffff_00000001";

    struct Case {
        const char* what;
        Spoil spoil;
        bool lost;
    };

    const auto entry = [](const char* query, Action action) {
        QueueRow row = healthy::unfinished("query-9", query);
        row.settings["log_comment"] = make_token(healthy::operation, action, 1, {}).text();
        return row;
    };
    const std::vector<Case> cases{
        {"another operation's table", [&](auto& f) { leave(f, others); }, true},
        {"our own staged table", [&](auto& f) { leave(f, own), f.operation_id = healthy::operation; }, false},
        {"our own staged table, nobody says so", [&](auto& f) { leave(f, own); }, true},
        {"our own aside table",
         [&](auto& f) { leave(f, aside_name(own)), f.operation_id = healthy::operation; },
         true},
        {"this call's candidate", [&](auto& f) { leave(f, others), f.candidate = others; }, false},
        {"another target's table",
         [&](auto& f) { leave(f, "onceswap_ffffffffffff_ffffffff_00000001"); },
         false},
        {"a table in another database",
         [&](auto& f) { leave(f, others), capability(f).ours[0].database = "d2"; },
         false},
        {"with a record",
         [&](auto& f) {
             leave(f, others);
             for_each_member(f, [](auto& e) { e.keeper->authority = record_at(1); });
         },
         false},
    };
    for (const Case& each : cases) {
        AdmissionFacts facts = healthy::cluster();
        each.spoil(facts);
        BOOST_TEST_CONTEXT(each.what << list(admit(facts).findings)) {
            BOOST_TEST(
                has(admit(facts).findings, Severity::refuse, Code::authority_lost, "ch2:9000", "no record") ==
                each.lost
            );
            BOOST_TEST(admit(facts).refused() == each.lost);
            facts.accept_lost_authority = true;
            BOOST_TEST(!admit(facts).refused());
            BOOST_TEST(
                has(admit(facts).findings, Severity::warn, Code::authority_lost, "ch2:9000", "no record") ==
                each.lost
            );
        }
    }
    AdmissionFacts facts = healthy::cluster();
    facts.unfinished = {entry("EXCHANGE TABLES d.t AND d.x ON CLUSTER c", Action::publish)};
    BOOST_TEST(
        has(admit(facts).findings,
            Severity::refuse,
            Code::authority_lost,
            "",
            "unfinished publish statement in query-9")
    );
    facts.unfinished = {entry("EXCHANGE TABLES d.u AND d.x ON CLUSTER c", Action::publish)};
    BOOST_TEST(!admit(facts).refused());
}

// Whatever part of whatever endpoint is missing: no crash, and a refusal unless the part only serves
// warnings.
BOOST_AUTO_TEST_CASE(every_missing_part_is_noticed) {
    for (unsigned mask = 0; mask < 1024; ++mask) {
        AdmissionFacts facts = healthy::cluster();
        for (std::size_t i = 0; i < 2; ++i) {
            EndpointFacts& endpoint = facts.endpoints[i];
            const unsigned bits = mask >> (5 * i);
            if (bits & 1U)
                endpoint.catalogue.reset();
            if (bits & 2U)
                endpoint.keeper.reset();
            if (bits & 4U)
                endpoint.capabilities.reset();
            if (bits & 8U)
                endpoint.row_policies.reset();
            if (bits & 16U)
                endpoint.grants.reset();
        }
        const bool only_policies = (mask & ~(8U | 8U << 5U)) == 0;
        const Admission admission = admit(facts);
        BOOST_TEST(admission.refused() == !only_policies, "mask " << mask);
        BOOST_TEST((list(admission.findings).empty() == (mask == 0)), "mask " << mask);
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
