#include "operator_record.hpp"
#include "protocol/orphans.hpp"

#include <boost/test/unit_test.hpp>

namespace {

using namespace onceswap::protocol;
using namespace onceswap::testing;

ShownTables shown(std::string endpoint, std::vector<NamedTable> tables) {
    ShownTables out;
    out.endpoint = std::move(endpoint);
    out.tables = std::move(tables);
    return out;
}

BOOST_AUTO_TEST_SUITE(tables_of_ours)

BOOST_AUTO_TEST_CASE(each_standing) {
    const NamedTable table("onceswap_x", numbered_uuid(7));
    const NamedTable other("onceswap_x", numbered_uuid(8));

    enum class Says { nothing, orphan, retained, candidate, aside };

    struct Row {
        const char* name;
        Says says;
        Phase phase;
        bool readable;
        std::vector<NamedTable> first, second;
        TableStanding standing;
        bool listed = true;
    };

    const Phase done = Phase::completed;
    const std::vector<Row> rows{
        {"orphan", Says::orphan, done, true, {table}, {table}, TableStanding::orphan},
        {"orphan on one", Says::orphan, done, true, {table}, {}, TableStanding::orphan},
        {"orphan, other records unreadable", Says::orphan, done, false, {table}, {}, TableStanding::orphan},
        {"orphan gone", Says::orphan, done, true, {}, {}, TableStanding::gone},
        {"orphan with another uuid", Says::orphan, done, true, {other}, {other}, TableStanding::diverged},
        {"orphan with two uuids", Says::orphan, done, true, {table}, {other}, TableStanding::diverged},
        {"retained", Says::retained, done, true, {table}, {table}, TableStanding::retained},
        {"retained gone", Says::retained, done, true, {}, {}, TableStanding::gone},
        {"candidate", Says::candidate, Phase::dispatching, true, {table}, {}, TableStanding::in_use},
        {"aside", Says::aside, Phase::cleanup_dispatching, true, {table}, {}, TableStanding::in_use},
        {"candidate of a settled one", Says::candidate, done, true, {table}, {}, TableStanding::unrecorded},
        {"unrecorded", Says::nothing, done, true, {table}, {}, TableStanding::unrecorded},
        {"unrecorded with two uuids", Says::nothing, done, true, {table}, {other}, TableStanding::diverged},
        {"unreadable records", Says::nothing, done, false, {table}, {}, TableStanding::unknown},
        {"nothing", Says::nothing, done, true, {}, {}, TableStanding::gone, false},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.name) {
            auto record = operator_record(row.phase);
            switch (row.says) {
            case Says::nothing:
                break;
            case Says::orphan:
                record.orphans = {table};
                break;
            case Says::retained:
                record.retained = {table};
                break;
            case Says::candidate:
                record.candidate = table.name;
                break;
            case Says::aside:
                record.aside = table.name;
                break;
            }
            const std::vector<AuthorityRecord> records{record};
            const std::vector<ShownTables> answers{shown("one", row.first), shown("two", row.second)};
            const auto listed = list_tables(records, row.readable, answers);
            BOOST_REQUIRE(listed.size() == (row.listed ? 1U : 0U));
            if (!row.listed)
                continue;
            BOOST_TEST(text(listed[0].standing) == text(row.standing));
            BOOST_TEST(listed[0].shown_on.size() + listed[0].not_on.size() == 2U);
            const bool by_record = row.says == Says::orphan || row.says == Says::retained;
            if (by_record)
                BOOST_TEST((listed[0].table == table));
        }
    }
}

BOOST_AUTO_TEST_CASE(the_claim_that_forbids_most_counts) {
    const NamedTable table("onceswap_x", numbered_uuid(7));
    auto open = operator_record(Phase::prepared);
    open.candidate = table.name;
    auto keeper = operator_record(Phase::completed);
    keeper.retained = {table};
    auto orphaner = operator_record(Phase::completed);
    orphaner.orphans = {table};
    const std::vector<ShownTables> answers{shown("one", {table})};
    const auto standing = [&](std::vector<AuthorityRecord> records) {
        return list_tables(records, true, answers).at(0).standing;
    };
    BOOST_TEST((standing({orphaner, keeper, open}) == TableStanding::in_use));
    BOOST_TEST((standing({orphaner, keeper}) == TableStanding::retained));
    BOOST_TEST((standing({orphaner}) == TableStanding::orphan));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
