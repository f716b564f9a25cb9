#include "protocol/correlation_token.hpp"
#include "spoilt_cluster.hpp"

namespace {

using namespace spoilt;

BOOST_AUTO_TEST_SUITE(admission_facade)

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

BOOST_AUTO_TEST_CASE(room_for_a_record) {
    struct Row {
        const char* what;
        const char* limit; ///< as it stands in the definition, on the second member alone
        std::optional<std::uint64_t> records;
        bool is_known; ///< the target has a record
        const char* refused;
        const char* warned;
    };

    const Row rows[] = {
        {"no limit", "", 1'000'000, false, "", ""},
        {"0 is none", ", 0", 5, false, "", ""},
        {"nobody showed the records", ", 1", std::nullopt, false, "", ""},
        {"room", ", 1000", 898, false, "", ""},
        {"a tenth is free afterwards", ", 1000", 899, false, "", ""},
        {"less than a tenth", ", 1000", 900, false, "", "has 900 records; the limit in its definition is 1000"
        },
        {"the last one", ", 2", 1, false, "", "has 1 record; the limit in its definition is 2"},
        {"full", ", 2", 2, false, "has 2 records; the limit in its definition is 2", ""},
        {"more than full", ", 2", 3, false, "has 3 records", ""},
        {"full, and this is one of them", ", 2", 2, true, "", "has 2 records"},
        {"more than full, and this is one of them", ", 2", 3, true, "", "has 3 records"},
        {"one that is known needs no other", ", 1000", 900, true, "", ""},
        {"a number that no server can keep", ", 99999999999999999999999", 5, false, "", ""},
    };
    for (const Row& row : rows)
        BOOST_TEST_CONTEXT(row.what) {
            AdmissionFacts facts = healthy::cluster();
            catalogue(facts, 1).tables.at(0).engine_full =
                "KeeperMap('/onceswap/authority/v1'" + std::string(row.limit) + ") PRIMARY KEY target_key";
            facts.authority_records = row.records;
            if (row.is_known)
                for_each_member(facts, [](auto& each) { each.keeper->authority = record_at(4); });
            const auto found = admit(facts).findings;
            std::size_t expected = 0;
            for (const auto& [severity, detail] :
                 {std::pair(Severity::refuse, row.refused), std::pair(Severity::warn, row.warned)}) {
                if (*detail == '\0')
                    continue;
                ++expected;
                BOOST_TEST(has(found, severity, Code::authority_full, "ch2:9000", detail), list(found));
            }
            const auto told = std::ranges::count_if(found, [](const Finding& finding) {
                return finding.severity != Severity::pass;
            });
            BOOST_TEST(static_cast<std::size_t>(told) == expected, list(found));
        }
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

BOOST_AUTO_TEST_SUITE_END()

} // namespace
