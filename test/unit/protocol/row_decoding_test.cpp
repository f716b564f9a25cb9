#include "answers.hpp"

using namespace answers;

BOOST_AUTO_TEST_SUITE(row_decoding)

BOOST_AUTO_TEST_CASE(catalogue) {
    const CatalogueFacts facts = decoded(decode_catalogue(answer("catalogue")));
    BOOST_TEST((facts.identity == Identity{server, "26.7.2.1", "ch-1", 19101, 1796051353}));

    BOOST_REQUIRE(facts.clusters.size() == 3U);
    BOOST_TEST((facts.clusters[2] == ClusterRow{"c2", 1, 2, "127.0.0.1", "127.0.0.1", 19102, false, true}));
    BOOST_TEST(facts.clusters[0].is_local);

    BOOST_REQUIRE(facts.databases.size() == 1U);
    BOOST_TEST(
        (facts.databases[0] ==
         DatabaseRow{"db", "Atomic", *Uuid::parse("b7bf71d8-0e69-4ece-b6ce-47f14e6c0765")})
    );

    BOOST_REQUIRE(facts.tables.size() == 3U);
    BOOST_TEST(facts.tables[0].engine == "KeeperMap");
    BOOST_TEST(facts.tables[0].engine_full == "KeeperMap('/onceswap/authority/v1') PRIMARY KEY target_key");
    BOOST_TEST(!facts.tables[0].total_bytes.has_value());
    const TableRow& target = facts.tables[2];
    BOOST_TEST(target.name == "target");
    BOOST_TEST(target.database == "db");
    BOOST_TEST(target.uuid.text() == "01234567-89ab-4cde-8f01-23456789abcd");
    BOOST_TEST(
        target.engine_full ==
        "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') PARTITION BY "
        "id % 2 ORDER BY id SETTINGS index_granularity = 8192"
    );
    BOOST_TEST(target.create_table_query.starts_with("CREATE TABLE db.target (`id` UInt64, "));
    BOOST_TEST((target.keys == TableKeys{"id % 2", "id", "id", ""}));
    BOOST_TEST(target.dependencies == std::vector<std::string>{"db.mv"}, boost::test_tools::per_element());
    BOOST_TEST(
        target.loading_dependents == std::vector<std::string>{"db.dict"}, boost::test_tools::per_element()
    );
    BOOST_TEST((target.total_bytes == std::optional<std::uint64_t>(0)));

    BOOST_REQUIRE(facts.columns.size() == 3U);
    BOOST_TEST(facts.columns.at("__onceswap_authority").size() == 7U);
    const auto& columns = facts.columns.at("target");
    BOOST_REQUIRE(columns.size() == 3U);
    BOOST_TEST((columns[1] == ColumnDefinition{2, "a b", "Nullable(String)", "DEFAULT", "'x\\'y'", ""}));
    BOOST_TEST(
        (columns[2] == ColumnDefinition{3, "d", "DateTime64(3, 'UTC')", "", "", "CODEC(Delta(8), ZSTD(1))"})
    );

    BOOST_TEST((decoded(decode_catalogue(answer("catalogue_bare"))) == facts));
}

BOOST_AUTO_TEST_CASE(keeper) {
    const KeeperFacts facts = decoded(decode_keeper(answer("keeper")));
    BOOST_TEST((facts.server_uuid == server));
    BOOST_REQUIRE(facts.replicas.size() == 2U);
    ReplicaRow target;
    target.table = "target";
    target.is_readonly = true;
    target.total_replicas = 1;
    target.absolute_delay = 1796051353;
    target.zookeeper_name = "default";
    target.zookeeper_path = "/clickhouse/tables/01234567-89ab-4cde-8f01-23456789abcd/01";
    target.replica_name = "r1";
    BOOST_TEST((facts.replicas[1] == target));
    BOOST_REQUIRE(facts.authority.has_value());
    BOOST_TEST(
        (*facts.authority == AuthorityRow{"k'1", "op", "f1", "DISPATCHING", 1, "{}", std::string(64, 'b'), 1})
    );
    BOOST_TEST((decoded(decode_keeper(answer("keeper_bare"))) == facts));

    KeeperFacts without = facts;
    without.authority.reset();
    BOOST_TEST((decoded(decode_keeper(answer("keeper_without_facade"))) == without));
    BOOST_TEST((decoded(decode_keeper(answer("keeper_without_facade_bare"))) == without));
}

BOOST_AUTO_TEST_CASE(every_field_of_a_replica_has_its_own_place) {
    std::string body = answer("keeper_bare");
    body = with(body, "[\"target\",1,0,1,0,0,1796051353,0,0,", "[\"target\",0,1,2,3,4,5,6,7,");
    body = with(body, "\"r1\",\"\",\"\"]", "\"r9\",\"e1\",\"e2\"]", "\"target\"");
    const ReplicaRow row = decoded(decode_keeper(body)).replicas.at(1);
    BOOST_TEST(
        (row ==
         ReplicaRow{
             "target",
             false,
             true,
             2,
             3,
             4,
             5,
             6,
             7,
             "default",
             "/clickhouse/tables/01234567-89ab-4cde-8f01-23456789abcd/01",
             "r9",
             "e1",
             "e2"
         })
    );
}

BOOST_AUTO_TEST_CASE(authority) {
    for (const char* name : {"authority_row", "authority_row_bare"}) {
        const AuthorityRows rows = decoded(decode_authority(answer(name)));
        BOOST_TEST((rows.server_uuid == server));
        BOOST_REQUIRE(rows.rows.size() == 1U);
        BOOST_TEST(
            (rows.rows[0] == AuthorityRow{"k'1", "op", "f1", "DISPATCHING", 1, "{}", std::string(64, 'b'), 1})
        );
    }
    // Absence is an answer that has the identity and no row.
    const std::string body = answer("authority_row");
    const auto begin = body.rfind("[{");
    const AuthorityRows none = decoded(decode_authority(body.substr(0, begin) + "[]]\n"));
    BOOST_TEST((none.server_uuid == server));
    BOOST_TEST(none.rows.empty());
}

BOOST_AUTO_TEST_CASE(queue) {
    const QueueRows rows = decoded(decode_queue(answer("queue_by_token")));
    BOOST_TEST((rows.server_uuid == server));
    BOOST_TEST(rows.entries_in_queue == 0U);
    BOOST_REQUIRE(rows.rows.size() == 2U);
    QueueRow failed;
    failed.entry = "query-0000000001";
    failed.entry_version = 5;
    failed.cluster = "c1";
    failed.query = "EXCHANGE TABLES db.a AND db.b ON CLUSTER c1";
    failed.settings = {{"log_comment", "tok"}, {"x", "1"}};
    failed.query_create_time = 1700000000;
    failed.host = "127.0.0.1";
    failed.port = std::uint16_t{19101};
    failed.status = "Finished";
    failed.exception_code = 57;
    failed.exception_text = "Code: 57. DB::Exception: it's\nbad";
    BOOST_TEST((rows.rows[0] == failed));
    BOOST_TEST((rows.rows[1].status == "Active"));
    BOOST_TEST((rows.rows[1].exception_code == std::nullopt));
    BOOST_TEST((rows.rows[1].exception_text == std::nullopt));
    BOOST_TEST((decoded(decode_queue(answer("queue_by_token_bare"))).rows == rows.rows));

    for (const char* name : {"queue_unfinished", "queue_unfinished_bare"}) {
        const QueueRows unfinished = decoded(decode_queue(answer(name)));
        BOOST_TEST(unfinished.entries_in_queue == 2U);
        BOOST_REQUIRE(unfinished.rows.size() == 2U);
        const QueueRow& unknown = unfinished.rows[1];
        BOOST_TEST((unknown.entry_version == std::nullopt));
        BOOST_TEST((unknown.host == std::nullopt));
        BOOST_TEST((unknown.port == std::nullopt));
        BOOST_TEST((unknown.status == std::nullopt));
        BOOST_TEST(unknown.settings.empty());
    }
}

BOOST_AUTO_TEST_CASE(capabilities) {
    const std::string body = answer("capabilities");
    const CapabilityFacts facts = decoded(decode_capabilities(body));
    BOOST_TEST((facts.identity.server_uuid == server));
    BOOST_TEST(facts.settings.size() == 17U);
    BOOST_TEST(facts.settings.at("distributed_ddl_entry_format_version") == "5");
    BOOST_TEST(facts.settings.at("insert_keeper_max_retries") == "20");
    BOOST_TEST(facts.readonly_settings.empty());
    BOOST_TEST(facts.queue_columns.size() == 15U);
    BOOST_TEST(facts.queue_columns.at("settings") == "Map(String, String)");
    BOOST_REQUIRE(facts.views.size() == 2U);
    BOOST_TEST(facts.views[0].engine == "Dictionary");
    BOOST_TEST(facts.views[1].engine == "MaterializedView");
    BOOST_REQUIRE(facts.ours.size() == 1U);
    BOOST_TEST(facts.ours[0].name == "onceswap_0123456789ab_x");
    BOOST_TEST((facts.max_table_size_to_drop == std::optional<std::uint64_t>(50'000'000'000)));

    const std::string constrained =
        with(body, "\"readonly\":0", "\"readonly\":1", "\"name\":\"insert_deduplicate\"");
    BOOST_TEST(
        decoded(decode_capabilities(constrained)).readonly_settings ==
            std::vector<std::string>{"insert_deduplicate"},
        boost::test_tools::per_element()
    );
    // An older server does not show the limit.
    const std::string unshown =
        with(body, "[{\"name\":\"max_table_size_to_drop\",\"value\":\"50000000000\"}]", "[]");
    BOOST_TEST(!decoded(decode_capabilities(unshown)).max_table_size_to_drop.has_value());
}

BOOST_AUTO_TEST_CASE(small_answers) {
    BOOST_TEST((decoded(decode_identity(answer("settings_probe"))) == server));
    // Every read has the identity, so the same decoder takes all of them.
    BOOST_TEST((decoded(decode_identity(answer("queue_by_token"))) == server));

    for (const char* name : {"row_count", "row_count_bare"}) {
        const RowCount count = decoded(decode_row_count(answer(name)));
        BOOST_TEST((count.server_uuid == server));
        BOOST_TEST(count.rows == 0U);
    }
    std::string most = with(answer("row_count"), "\"0\"", "\"18446744073709551615\"");
    BOOST_TEST(decoded(decode_row_count(most)).rows == 18446744073709551615U);
    most = with(answer("row_count_bare"), ", 0]", ", 18446744073709551615]");
    BOOST_TEST(decoded(decode_row_count(most)).rows == 18446744073709551615U);
    // Older servers do not make a scalar subquery nullable.
    BOOST_TEST(decode_row_count(with(answer("row_count"), "Nullable(UInt64)", "UInt64")).has_value());

    for (const char* name : {"column_types", "column_types_bare"}) {
        const LoaderColumns columns = decoded(decode_column_types(answer(name)));
        BOOST_TEST((columns.server_uuid == server));
        BOOST_REQUIRE(columns.columns.size() == 3U);
        BOOST_TEST(columns.columns[1].name == "a b");
        BOOST_TEST(columns.columns[1].type == "Nullable(String)");
        BOOST_TEST(columns.columns[1].default_kind == "DEFAULT");
        BOOST_TEST(columns.columns[2].name == "d");
    }

    BOOST_TEST(decoded(decode_row_policies(answer("row_policies"))).policies.empty());
    const auto policies = decoded(decode_row_policies(with(
        answer("row_policies"), ", []]", ", [{\"name\":\"p1\",\"table_name\":\"target\"},[\"p2\",\"\"]]]"
    )));
    BOOST_REQUIRE(policies.policies.size() == 2U);
    BOOST_TEST(policies.policies[0].name == "p1");
    BOOST_TEST(policies.policies[0].table == "target");
    BOOST_TEST(policies.policies[1].name == "p2");

    const auto roster = decoded(decode_roster(answer("roster")));
    BOOST_REQUIRE(roster.size() == 1U);
    BOOST_TEST(roster[0].shard_num == 1U);
    BOOST_TEST((roster[0].server_uuid == server));
    BOOST_TEST(roster[0].host_name == "ch-1");
}

BOOST_AUTO_TEST_CASE(grants) {
    const std::string head = "[\"GRANTS FOR loader\"]\n[\"String\"]\n";
    const auto lines =
        decoded(decode_grants(head + "[\"GRANT SELECT ON db.* TO loader\"]\n[\"GRANT CLUSTER\"]\n"));
    BOOST_REQUIRE(lines.size() == 2U);
    BOOST_TEST(lines[0] == "GRANT SELECT ON db.* TO loader");
    BOOST_TEST(decoded(decode_grants(head)).empty());
    const auto decode = failure_of(decode_grants);
    refuses(
        decode, Code::generation_unknown, head + "[null]\n", "grants[0].text: not a text but NULL", "NULL"
    );
    refuses(
        decode, Code::generation_unknown, "[\"a\", \"b\"]\n[\"String\", \"String\"]\n", "one column", "two"
    );
    refuses(decode, Code::generation_unknown, "[\"a\"]\n[\"UInt8\"]\n[1]\n", "one column", "type");
    refuses(decode, Code::generation_unknown, head + "[\"x\"", "malformed", "cut");
}

BOOST_AUTO_TEST_CASE(ddl_result) {
    const std::string head =
        "[\"host\", \"port\", \"status\", \"error\", \"num_hosts_remaining\", \"num_hosts_active\"]\n"
        "[\"String\", \"UInt16\", \"Int64\", \"String\", \"UInt64\", \"UInt64\"]\n";
    const auto rows = decoded(decode_ddl_result(
        head + "[\"ch-1\", 9000, \"0\", \"\", \"1\", \"0\"]\n[\"ch-2\", 9000, 57, \"Code: 57.\", 0, 0]\n"
    ));
    BOOST_REQUIRE(rows.size() == 2U);
    BOOST_TEST((rows[0].at == HostPort{"ch-1", 9000}));
    BOOST_TEST(rows[0].status == 0);
    BOOST_TEST(rows[1].status == 57);
    BOOST_TEST(rows[1].error == "Code: 57.");
    const auto decode = failure_of(decode_ddl_result);
    constexpr auto code = Code::outcome_unknown;
    refuses(
        decode, code, head + "[\"ch-1\", 9000, null, \"\", 1, 0]\n", "rows[0].status: not an integer", "NULL"
    );
    refuses(
        decode, code, head + "[\"ch-1\", 65536, 0, \"\", 1, 0]\n", "rows[0].port: not an integer", "port"
    );
    refuses(decode, code, head + "[\"ch-1\", 9000, 0.5, \"\", 1, 0]\n", "a fraction", "fraction");
    refuses(
        decode, code, with(head, "Int64", "Nullable(Int64)"), "status: missing, or the type", "output mode"
    );
    refuses(decode, code, with(head, "\"error\"", "\"errors\""), "error: missing", "column");
    refuses(decode, code, "", "malformed", "empty");
}

BOOST_AUTO_TEST_CASE(unknown_columns_are_ignored) {
    std::string body = answer("row_count");
    body = with(body, "\"server_uuid\"", "\"newer\", \"server_uuid\"");
    body = with(body, "[\"String\"", "[\"Dynamic\", \"String\"", "\n");
    body = with(body, "[\"8a3f", "[{\"x\": [null, 1.5]}, \"8a3f");
    BOOST_TEST((decoded(decode_row_count(body)).server_uuid == server));
}

BOOST_AUTO_TEST_CASE(names_may_be_quoted_in_the_line_of_types) {
    const std::string body = answer("column_types");
    BOOST_TEST(decode_column_types(with(body, "(position UInt64", "(`position` UInt64")).has_value());
    // Newer servers can print long types over several lines.
    BOOST_TEST(decode_column_types(
                   with(body, "(position UInt64, name String", "(\\n    position UInt64,\\n    name String")
    )
                   .has_value());
}

BOOST_AUTO_TEST_SUITE_END()
