#include "protocol/digest.hpp"
#include "protocol/engine_clause.hpp"
#include "protocol/generation.hpp"
#include "protocol/member_facts.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>
#include <set>

using namespace onceswap::protocol;

namespace {

const Uuid own = *Uuid::parse("11112222-3333-4444-8555-666677778888");

std::string normalized(std::string_view clause) {
    return normalize_engine_full(clause, own);
}

std::vector<ColumnDefinition> columns() {
    return {
        {1, "id", "UInt64", "", "", ""},
        {2, "name", "String", "DEFAULT", "'x'", "CODEC(ZSTD(1))"},
        {3, "at", "DateTime", "MATERIALIZED", "now()", ""},
    };
}

const TableKeys keys{"toYYYYMM(at)", "id, name", "id", "id"};

} // namespace

BOOST_AUTO_TEST_SUITE(generations)

BOOST_AUTO_TEST_CASE(two_spellings_of_one_clause_are_one) {
    const std::vector<std::vector<std::string>> classes{
        {
            "ReplicatedMergeTree('/t/{uuid}/{shard}', '{replica}') ORDER BY id SETTINGS index_granularity = "
            "8192",
            "ReplicatedMergeTree('/t/{uuid}/{shard}','{replica}')ORDER BY id SETTINGS index_granularity=8192",
            "  ReplicatedMergeTree ( '/t/{uuid}/{shard}' ,\n\t'{replica}' )  ORDER  BY `id`\r\nSETTINGS "
            "index_granularity = 8192 ",
            "ReplicatedMergeTree('/t/11112222-3333-4444-8555-666677778888/{shard}', '{replica}') ORDER BY id "
            "SETTINGS index_granularity = 8192",
            "ReplicatedMergeTree('/t/11112222-3333-4444-8555-666677778888/{shard}', '{replica}') ORDER BY "
            "\"id\" SETTINGS `index_granularity` = 8192",
        },
        {"E('/{uuid}')", "E('/11112222-3333-4444-8555-666677778888')"},
        {"E('/{uuid}/A')", "E('/11112222-3333-4444-8555-666677778888/A')", "E(\t'/{uuid}/\\x41')"},
        {"E('a\\'b')", "E('a''b')", "E('a\\x27b')"},
        {"E('\\n')", "E('\\x0a')", "E('\n')"},
        {"MergeTree ORDER BY (a, b)", "MergeTree ORDER BY(`a`,`b`)", "MergeTree ORDER BY ( a , b )"},
        {"M ORDER BY `a b`", "M ORDER BY \"a b\""},
        {"M ORDER BY a.b", "M ORDER BY `a` . `b`"},
        {"M TTL d + toIntervalDay(30)", "M TTL d+toIntervalDay( 30 )"},
        {"M ORDER BY a -> b", "M ORDER BY a->b"},
    };
    std::set<std::string> texts;
    for (const auto& spellings : classes) {
        for (const std::string& spelling : spellings)
            BOOST_TEST(normalized(spelling) == normalized(spellings.front()));
        BOOST_TEST(texts.insert(normalized(spellings.front())).second);
    }
}

BOOST_AUTO_TEST_CASE(an_expanded_uuid_in_any_letter_case_is_the_macro) {
    for (const char* spelling :
         {"11112222-3333-4444-8555-6666777788AB",
          "11112222-3333-4444-8555-6666777788ab",
          "11112222-3333-4444-8555-6666777788aB"}) {
        const Uuid mixed = *Uuid::parse("11112222-3333-4444-8555-6666777788ab");
        const std::string clause = "E('/x/" + std::string(spelling) + "/" + std::string(spelling) + "')";
        BOOST_TEST(normalize_engine_full(clause, mixed) == "E('/x/{uuid}/{uuid}')");
    }
    BOOST_TEST(
        normalized("E('/x/99992222-3333-4444-8555-666677778888')") ==
        "E('/x/99992222-3333-4444-8555-666677778888')"
    );
    const std::string nil = "E('/x/00000000-0000-0000-0000-000000000000')";
    BOOST_TEST(normalize_engine_full(nil, Uuid()) == nil);
}

BOOST_AUTO_TEST_CASE(only_the_engines_arguments_hold_the_uuid) {
    const std::string clause = "E('/{uuid}') ORDER BY a COMMENT '11112222-3333-4444-8555-666677778888'";
    BOOST_TEST(normalized(clause) == clause);
}

BOOST_AUTO_TEST_CASE(what_differs_stays_different) {
    const std::vector<std::string> table{
        "",
        "M",
        "m",
        "MergeTree ORDER BY id",
        "MergeTree ORDER BY ID",
        "MergeTree ORDER BY `order`",
        "MergeTree ORDER BY order",
        "MergeTree ORDER BY 'id'",
        "MergeTree ORDER BY (id)",
        "MergeTree ORDER BY id, name",
        "MergeTree ORDER BY idname",
        "MergeTree ORDER BY id name",
        "MergeTree ORDER BY `id name`",
        "MergeTree ORDER BY `id, name`",
        "MergeTree ORDER BY -id",
        "MergeTree ORDER BY - -id",
        "MergeTree ORDER BY id SETTINGS index_granularity = 8192",
        "MergeTree ORDER BY id SETTINGS index_granularity = 819",
        "MergeTree ORDER BY id SETTINGS index_granularity = 8.192",
        "MergeTree ORDER BY id SETTINGS index_granularity = '8192'",
        "ReplicatedMergeTree('/t/{uuid}', 'r')",
        "ReplicatedMergeTree('/t/{uuid}/', 'r')",
        "ReplicatedMergeTree('/t/{uuid }', 'r')",
        "ReplicatedMergeTree('/t/{uuid}', 'R')",
        "ReplicatedMergeTree('/t/{uuid}','r','x')",
        "ReplicatedMergeTree('/t/{uuid}, r')",
        "ReplicatedMergeTree('/t/{UUID}', 'r')",
        "ReplicatedMergeTree('a\\\\nb')",
        "ReplicatedMergeTree('a\\nb')",
        "ReplicatedMergeTree('a\\\\\\nb')",
        "ReplicatedMergeTree('a b')",
        "ReplicatedMergeTree('a  b')",
        "ReplicatedMergeTree(`a b`)",
        "E(\\", // cannot be read: equal only to itself
        "E('",
        "E('a",
        "E(`a",
        "E('a\\",
        "E('\\x4",
        "E #",
        "a >= b",
        "a > = b",
        "1.5",
        "1 .5",
    };
    std::set<std::string> texts;
    for (const std::string& clause : table)
        BOOST_TEST(texts.insert(normalized(clause)).second, clause);
}

BOOST_AUTO_TEST_CASE(normal_text_is_its_own_normal_text) {
    // Any sequence of tokens: rendered, read again, the same tokens and the same text; so no two sequences
    // share a text.
    const std::vector<EngineToken> pool{
        {EngineToken::Kind::word, "ORDER"},
        {EngineToken::Kind::word, "id"},
        {EngineToken::Kind::word, "e"},
        {EngineToken::Kind::quoted_identifier, "order"},
        {EngineToken::Kind::quoted_identifier, "a`b"},
        {EngineToken::Kind::quoted_identifier, ""},
        {EngineToken::Kind::quoted_identifier, "1a"},
        {EngineToken::Kind::string_literal, ""},
        {EngineToken::Kind::string_literal, "a'b\\c\n\x01"},
        {EngineToken::Kind::string_literal, "\xc3\xa9"},
        {EngineToken::Kind::string_literal, "\xff"},
        {EngineToken::Kind::string_literal, "\\d"},
        {EngineToken::Kind::string_literal, std::string(1, '\0')},
        {EngineToken::Kind::number, "1"},
        {EngineToken::Kind::number, "2.5"},
        {EngineToken::Kind::number, "1e-5"},
        {EngineToken::Kind::number, "3e"},
        {EngineToken::Kind::number, "0x1e"},
        {EngineToken::Kind::symbol, "("},
        {EngineToken::Kind::symbol, ")"},
        {EngineToken::Kind::symbol, ","},
        {EngineToken::Kind::symbol, "."},
        {EngineToken::Kind::symbol, "-"},
        {EngineToken::Kind::symbol, ">"},
        {EngineToken::Kind::symbol, "="},
        {EngineToken::Kind::symbol, ">="},
        {EngineToken::Kind::symbol, "->"},
        {EngineToken::Kind::symbol, ":"},
        {EngineToken::Kind::symbol, "::"},
        {EngineToken::Kind::symbol, "["},
        {EngineToken::Kind::symbol, "]"},
        {EngineToken::Kind::symbol, "<"},
        {EngineToken::Kind::symbol, "|"},
    };
    std::mt19937_64 engine(77);
    for (int round = 0; round < 20'000; ++round) {
        std::vector<EngineToken> tokens;
        for (auto count = engine() % 8; count > 0; --count)
            tokens.push_back(pool[engine() % (pool.size() - 1)]); // a lone | is no token
        const std::string text = render_engine_clause(tokens);
        const auto again = tokenize_engine_clause(text);
        BOOST_TEST_CONTEXT("round " << round << ": " << text) {
            BOOST_REQUIRE(again.has_value());
            BOOST_REQUIRE((*again == tokens));
        }
    }
}

BOOST_AUTO_TEST_CASE(where_the_path_argument_has_the_macro) {
    struct Row {
        const char* clause;
        bool has;
    };

    const std::vector<Row> table{
        {"ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id", true},
        {"ReplicatedReplacingMergeTree('/x/{uuid}', '{replica}', version) ORDER BY id", true},
        {"ReplicatedMergeTree('/x/11112222-3333-4444-8555-666677778888/{shard}', '{replica}') ORDER BY id",
         true},
        {"ReplicatedMergeTree('/x/{shard}/db/t', '{replica}') ORDER BY id", false},
        {"ReplicatedMergeTree('/x/{database}/{table}', '{uuid}') ORDER BY id", false},
        {"ReplicatedMergeTree('/x/{shard}', '{replica}') ORDER BY id COMMENT '{uuid}'", false},
        {"ReplicatedMergeTree(concat('/x/', '{uuid}'), '{replica}') ORDER BY id", false},
        {"ReplicatedMergeTree ORDER BY id", false},
        {"ReplicatedMergeTree() ORDER BY id", false},
        {"ReplicatedMergeTree(`{uuid}`) ORDER BY id", false},
        {"MergeTree('/x/{uuid}') ORDER BY id", false},
        {"KeeperMap('/x/{uuid}') PRIMARY KEY k", false},
        {"", false},
        {"'{uuid}'", false},
        {"ReplicatedMergeTree('{uuid}", false},
    };
    for (const Row& row : table)
        BOOST_TEST(path_argument_has_uuid(normalized(row.clause)) == row.has, row.clause);
}

BOOST_AUTO_TEST_CASE(the_engine_families) {
    struct Row {
        const char* engine;
        bool replicated;
        bool merging;
    };

    const std::vector<Row> table{
        {"ReplicatedMergeTree", true, false},
        {"ReplicatedReplacingMergeTree", true, true},
        {"ReplicatedSummingMergeTree", true, true},
        {"ReplicatedAggregatingMergeTree", true, true},
        {"ReplicatedCollapsingMergeTree", true, true},
        {"ReplicatedVersionedCollapsingMergeTree", true, true},
        {"ReplicatedGraphiteMergeTree", true, true},
        {"ReplicatedCoalescingMergeTree", true, true},
        {"MergeTree", false, false},
        {"ReplacingMergeTree", false, true},
        {"ReplicatedFooMergeTree", false, false},
        {"ReplicatedFoo", false, false},
        {"Replicated", false, false},
        {"ReplicatedReplicatedMergeTree", false, false},
        {"ReplicatedMergeTreeX", false, false},
        {"XReplicatedMergeTree", false, false},
        {"replicatedmergetree", false, false},
        {"SharedMergeTree", false, false},
        {"Distributed", false, false},
        {"", false, false},
    };
    for (const Row& row : table) {
        BOOST_TEST(is_replicated_merge_tree(row.engine) == row.replicated, row.engine);
        BOOST_TEST(is_merging_engine(row.engine) == row.merging, row.engine);
    }
}

BOOST_AUTO_TEST_CASE(the_schema_digest_is_that_of_a_fixed_list_of_fields) {
    const std::vector<ColumnDefinition> one{{7, "id", "UInt64", "DEFAULT", "1", "CODEC(NONE)"}};
    const std::string canonical =
        R"json({"columns":[{"compression_codec":"CODEC(NONE)","default_expression":"1",)json"
        R"json("default_kind":"DEFAULT","name":"id","type":"UInt64"}],)json"
        R"json("partition_key":"p","primary_key":"k","sampling_key":"m","sorting_key":"s"})json";
    BOOST_TEST(schema_digest(one, {"p", "s", "k", "m"}) == sha256_hex(canonical));
}

BOOST_AUTO_TEST_CASE(the_schema_digest_knows_positions_and_not_the_order_of_rows) {
    auto rows = columns();
    const std::string original = schema_digest(rows, keys);
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    do {
        BOOST_TEST(schema_digest(rows, keys) == original);
    } while (std::next_permutation(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.name < b.name;
    }));
    auto exchanged = columns();
    std::swap(exchanged[0].position, exchanged[1].position);
    BOOST_TEST(schema_digest(exchanged, keys) != original);
}

BOOST_AUTO_TEST_CASE(each_field_changes_the_schema_digest) {
    using ChangeColumns = void (*)(std::vector<ColumnDefinition>&);
    using ChangeKeys = void (*)(TableKeys&);
    std::set<std::string> digests{schema_digest(columns(), keys)};
    for (const ChangeColumns change : std::initializer_list<ChangeColumns>{
             [](auto& c) { c[1].name = "nam"; },
             [](auto& c) { c[1].type = "Nullable(String)"; },
             [](auto& c) { c[1].default_kind = "ALIAS"; },
             [](auto& c) { c[1].default_expression = "'y'"; },
             [](auto& c) { c[1].compression_codec.clear(); },
             [](auto& c) { c.pop_back(); },
             [](auto& c) { c.push_back({4, "x", "UInt8", "", "", ""}); },
             [](auto& c) { c.clear(); },
         }) {
        auto changed = columns();
        change(changed);
        BOOST_TEST(digests.insert(schema_digest(changed, keys)).second);
    }
    for (const ChangeKeys change : std::initializer_list<ChangeKeys>{
             [](auto& k) { k.partition_key.clear(); },
             [](auto& k) { k.sorting_key = "id"; },
             [](auto& k) { k.primary_key = "id, name"; },
             [](auto& k) { k.sampling_key.clear(); },
             [](auto& k) { std::swap(k.partition_key, k.sorting_key); },
         }) {
        TableKeys changed = keys;
        change(changed);
        BOOST_TEST(digests.insert(schema_digest(columns(), changed)).second);
    }
}

BOOST_AUTO_TEST_CASE(storage_is_recognized_by_uuid_keeper_and_path) {
    const Generation generation{own, "engine", "schema", "default", "/t/1"};
    Generation altered = generation;
    altered.engine_full = "other";
    altered.schema_digest = "other";
    BOOST_TEST(same_storage(generation, altered));
    Generation other = generation;
    other.uuid = Uuid();
    BOOST_TEST(!same_storage(generation, other));
    other = generation;
    other.zookeeper_name = "second";
    BOOST_TEST(!same_storage(generation, other));
    other = generation;
    other.zookeeper_path = "/t/2";
    BOOST_TEST(!same_storage(generation, other));
}

BOOST_AUTO_TEST_CASE(a_members_two_answers_make_a_generation) {
    CatalogueFacts catalogue;
    TableRow table;
    table.database = "db";
    table.name = "t";
    table.uuid = own;
    table.engine = "ReplicatedMergeTree";
    table.engine_full = "ReplicatedMergeTree('/t/" + own.text() + "', '{replica}') ORDER BY `id`";
    table.keys = keys;
    catalogue.tables = {table};
    catalogue.columns["t"] = columns();
    ReplicaRow other;
    other.table = "another";
    ReplicaRow replica;
    replica.table = "t";
    replica.zookeeper_name = "default";
    replica.zookeeper_path = "/t/" + own.text();

    const auto generation = generation_of(catalogue, std::vector<ReplicaRow>{other, replica}, "t");
    BOOST_REQUIRE(generation.has_value());
    BOOST_TEST((generation->uuid == own));
    BOOST_TEST(generation->engine_full == "ReplicatedMergeTree('/t/{uuid}', '{replica}') ORDER BY id");
    BOOST_TEST(generation->schema_digest == schema_digest(columns(), keys));
    BOOST_TEST(generation->zookeeper_name == "default");
    BOOST_TEST(generation->zookeeper_path == replica.zookeeper_path);

    BOOST_TEST(!generation_of(catalogue, std::vector<ReplicaRow>{other}, "t").has_value());
    BOOST_TEST(!generation_of(catalogue, std::vector<ReplicaRow>{other, replica}, "another").has_value());
    CatalogueFacts unreadable = catalogue;
    unreadable.columns.clear();
    BOOST_TEST(!generation_of(unreadable, std::vector<ReplicaRow>{replica}, "t").has_value());
    CatalogueFacts plain = catalogue;
    plain.tables[0].engine = "MergeTree";
    const auto local = generation_of(plain, std::vector<ReplicaRow>{}, "t");
    BOOST_REQUIRE(local.has_value());
    BOOST_TEST(local->zookeeper_path.empty());
}

BOOST_AUTO_TEST_SUITE_END()
