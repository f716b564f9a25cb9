#include "spoilt_cluster.hpp"

namespace {

using namespace spoilt;

BOOST_AUTO_TEST_SUITE(admission_members)

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

BOOST_AUTO_TEST_SUITE_END()

} // namespace
