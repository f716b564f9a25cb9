#include "protocol/authority_record.hpp"
#include "protocol/digest.hpp"
#include "protocol/inventory.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>
#include <set>

using namespace onceswap::protocol;

namespace {

ClusterRow
row(std::string cluster,
    std::uint32_t shard,
    std::uint32_t replica,
    std::string host,
    std::uint16_t port = 9000) {
    return {std::move(cluster), shard, replica, std::move(host), "10.0.0.1", port, false, true};
}

std::vector<ClusterRow> three() {
    return {row("c", 1, 1, "ch-1"), row("c", 1, 2, "ch-2"), row("c", 1, 3, "ch-3")};
}

Inventory inventory_of(const std::vector<ClusterRow>& rows, std::string_view cluster = "c") {
    const auto inventory = Inventory::from_rows(cluster, rows);
    BOOST_REQUIRE_MESSAGE(inventory.has_value(), (inventory ? std::string() : inventory.error().detail));
    return *inventory;
}

template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& engine) {
    for (std::size_t i = items.size(); i > 1; --i)
        std::swap(items[i - 1], items[engine() % i]);
}

} // namespace

BOOST_AUTO_TEST_SUITE(inventories)

BOOST_AUTO_TEST_CASE(a_member_is_written_as_host_and_port) {
    BOOST_TEST(text({"ch-1", 9000}) == "ch-1:9000");
    BOOST_TEST(text({"10.0.0.1", 65535}) == "10.0.0.1:65535");
    BOOST_TEST(text({"2001:db8::1", 9000}) == "[2001:db8::1]:9000");
    BOOST_TEST(text({"::", 1}) == "[::]:1");
    BOOST_TEST(text({"[::1]", 9000}) == "[::1]:9000");
}

BOOST_AUTO_TEST_CASE(members_are_ordered_by_replica_number) {
    const Inventory inventory =
        inventory_of({row("c", 1, 10, "a"), row("c", 1, 2, "z"), row("other", 1, 1, "x")});
    BOOST_TEST(inventory.cluster() == "c");
    BOOST_REQUIRE(inventory.size() == 2U);
    BOOST_TEST(inventory.members()[0].at.host == "z");
    BOOST_TEST(inventory.members()[1].at.host == "a");
    BOOST_TEST((inventory.find({"a", 9000}) == std::size_t{1}));
    BOOST_TEST(!inventory.find({"a", 9001}).has_value());
    BOOST_TEST(!inventory.find({"x", 9000}).has_value());
}

BOOST_AUTO_TEST_CASE(one_host_with_two_ports_is_two_members) {
    BOOST_TEST(inventory_of({row("c", 1, 1, "h", 9000), row("c", 1, 2, "h", 9001)}).size() == 2U);
}

BOOST_AUTO_TEST_CASE(what_is_no_inventory) {
    struct Row {
        const char* name;
        std::vector<ClusterRow> rows;
        Code code;
    };

    auto no_internal_replication = three();
    no_internal_replication[1].internal_replication = false;
    std::vector<ClusterRow> sixty_five;
    for (std::uint32_t i = 1; i <= 65; ++i)
        sixty_five.push_back(row("c", 1, i, "h" + std::to_string(i)));
    const std::vector<Row> table{
        {"nothing", {}, Code::inventory_incomplete},
        {"other clusters only", {row("d", 1, 1, "a"), row("C", 1, 2, "b")}, Code::inventory_incomplete},
        {"one member", {row("c", 1, 1, "a")}, Code::topology_unsupported},
        {"two shards", {row("c", 1, 1, "a"), row("c", 2, 1, "b")}, Code::topology_unsupported},
        {"two shards with two replicas",
         {row("c", 1, 1, "a"), row("c", 1, 2, "b"), row("c", 2, 1, "d"), row("c", 2, 2, "e")},
         Code::topology_unsupported},
        {"internal_replication 0", no_internal_replication, Code::topology_unsupported},
        {"sixty-five members", sixty_five, Code::topology_unsupported},
        {"replica number twice", {row("c", 1, 1, "a"), row("c", 1, 1, "b")}, Code::inventory_invalid},
        {"place twice", {row("c", 1, 1, "a"), row("c", 1, 2, "a")}, Code::inventory_invalid},
        {"row twice", {row("c", 1, 1, "a"), row("c", 1, 1, "a")}, Code::inventory_invalid},
        {"place in two shards", {row("c", 1, 1, "a"), row("c", 2, 1, "a")}, Code::inventory_invalid},
        {"no host", {row("c", 1, 1, ""), row("c", 1, 2, "b")}, Code::inventory_invalid},
        {"no port", {row("c", 1, 1, "a", 0), row("c", 1, 2, "b")}, Code::inventory_invalid},
    };
    for (const Row& each : table) {
        BOOST_TEST_CONTEXT(each.name) {
            const auto inventory = Inventory::from_rows("c", each.rows);
            BOOST_REQUIRE(!inventory.has_value());
            BOOST_TEST((inventory.error().code == each.code));
            BOOST_TEST(!inventory.error().detail.empty());
        }
    }
    sixty_five.pop_back();
    BOOST_TEST(inventory_of(sixty_five).size() == limits::members);
}

BOOST_AUTO_TEST_CASE(the_digest_is_that_of_the_named_fields) {
    const Inventory inventory = inventory_of({row("c", 1, 1, "a"), row("c", 1, 2, "b", 9440)});
    BOOST_TEST(
        inventory.digest() ==
        sha256_hex(
            R"({"cluster":"c","members":[{"host_name":"a","internal_replication":true,"port":9000,"replica_num":1,"shard_num":1},)"
            R"({"host_name":"b","internal_replication":true,"port":9440,"replica_num":2,"shard_num":1}]})"
        )
    );
}

BOOST_AUTO_TEST_CASE(the_digest_does_not_know_the_order_of_rows) {
    std::mt19937_64 engine(5);
    std::vector<ClusterRow> rows;
    for (std::uint32_t i = 1; i <= 7; ++i)
        rows.push_back(row("c", 1, i, "h" + std::to_string(8 - i)));
    rows.push_back(row("d", 1, 1, "h1"));
    const Inventory first = inventory_of(rows);
    for (int round = 0; round < 200; ++round) {
        shuffle(rows, engine);
        BOOST_TEST_CONTEXT("round " << round) {
            const Inventory shuffled = inventory_of(rows);
            BOOST_TEST(shuffled.digest() == first.digest());
            BOOST_TEST((shuffled == first));
        }
    }
    auto small = three();
    std::sort(small.begin(), small.end(), [](const auto& a, const auto& b) {
        return a.host_name < b.host_name;
    });
    const std::string digest = inventory_of(small).digest();
    do {
        BOOST_TEST(inventory_of(small).digest() == digest);
    } while (std::next_permutation(small.begin(), small.end(), [](const auto& a, const auto& b) {
        return a.host_name < b.host_name;
    }));
}

BOOST_AUTO_TEST_CASE(each_field_of_meaning_changes_the_digest_and_no_other_does) {
    using Change = void (*)(std::vector<ClusterRow>&);
    const std::string original = inventory_of(three()).digest();
    const std::vector<std::pair<const char*, Change>> drift{
        {"host_name", [](auto& rows) { rows[1].host_name = "ch-2x"; }},
        {"host_name case", [](auto& rows) { rows[1].host_name = "CH-2"; }},
        {"port", [](auto& rows) { rows[1].port = 9001; }},
        {"replica_num", [](auto& rows) { rows[2].replica_num = 4; }},
        {"replica numbers exchanged", [](auto& rows) { std::swap(rows[0].replica_num, rows[1].replica_num); }
        },
        {"shard_num",
         [](auto& rows) {
             for (ClusterRow& each : rows)
                 each.shard_num = 2;
         }},
        {"a member less", [](auto& rows) { rows.pop_back(); }},
        {"a member more", [](auto& rows) { rows.push_back(row("c", 1, 4, "ch-4")); }},
    };
    std::set<std::string> digests{original};
    for (const auto& [name, change] : drift) {
        auto rows = three();
        change(rows);
        BOOST_TEST(digests.insert(inventory_of(rows).digest()).second, name);
    }
    const std::vector<std::pair<const char*, Change>> evidence{
        {"host_address", [](auto& rows) { rows[1].host_address = "10.9.9.9"; }},
        {"is_local", [](auto& rows) { rows[1].is_local = true; }},
        {"another cluster", [](auto& rows) { rows.push_back(row("d", 1, 1, "x")); }},
    };
    for (const auto& [name, change] : evidence) {
        auto rows = three();
        change(rows);
        BOOST_TEST(inventory_of(rows).digest() == original, name);
    }
    auto renamed = three();
    for (ClusterRow& each : renamed)
        each.cluster = "d";
    BOOST_TEST(inventory_of(renamed, "d").digest() != original);
}

BOOST_AUTO_TEST_CASE(the_smallest_name_of_the_same_members_is_the_canonical_one) {
    std::vector<ClusterRow> rows;
    for (const char* name : {"prod", "alias", "Zeta"})
        for (std::uint32_t i = 1; i <= 2; ++i)
            rows.push_back(row(name, 1, i, "h" + std::to_string(i)));
    rows.push_back(row("A_subset", 1, 1, "h1"));
    rows.push_back(row("B_other_port", 1, 1, "h1", 9001));
    rows.push_back(row("B_other_port", 1, 2, "h2"));
    rows.push_back(row("C_exchanged", 1, 1, "h2"));
    rows.push_back(row("C_exchanged", 1, 2, "h1"));
    rows.push_back(row("D_superset", 1, 1, "h1"));
    rows.push_back(row("D_superset", 1, 2, "h2"));
    rows.push_back(row("D_superset", 1, 3, "h3"));
    rows.push_back(row("E_shards", 1, 1, "h1"));
    rows.push_back(row("E_shards", 2, 2, "h2"));
    auto no_internal = row("F_not_internal", 1, 1, "h1");
    no_internal.internal_replication = false;
    rows.push_back(no_internal);
    rows.push_back(row("F_not_internal", 1, 2, "h2"));
    std::mt19937_64 engine(9);
    for (int round = 0; round < 20; ++round) {
        shuffle(rows, engine);
        for (const char* name : {"prod", "alias", "Zeta"})
            BOOST_TEST(Inventory::canonical_name(name, rows) == "Zeta"); // upper case sorts first
        BOOST_TEST(Inventory::canonical_name("A_subset", rows) == "A_subset");
        BOOST_TEST(Inventory::canonical_name("D_superset", rows) == "D_superset");
        BOOST_TEST(Inventory::canonical_name("absent", rows) == "absent");
        BOOST_TEST(Inventory::canonical_name("", rows) == "");
    }
    // Addresses differ from member to member of the same name and mean nothing here.
    for (ClusterRow& each : rows)
        each.host_address = each.cluster;
    BOOST_TEST(Inventory::canonical_name("prod", rows) == "Zeta");
}

BOOST_AUTO_TEST_SUITE_END()
