#include "tools/cli/duration.hpp"
#include "tools/cli/session.hpp"
#include "tools/cli/table_name.hpp"
#include "tools/cli/terminal.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace onceswap;
using namespace onceswap::cli;

BOOST_AUTO_TEST_SUITE(texts)

BOOST_AUTO_TEST_CASE(durations) {
    const struct {
        const char* text;
        long long ms; ///< -1: none
    } rows[] = {
        {"0", 0},
        {"5", 5'000},
        {"250ms", 250},
        {"5s", 5'000},
        {"10m", 600'000},
        {"2h", 7'200'000},
        {"1m30s", 90'000},
        {"720h", 2'592'000'000},
        {"721h", -1},
        {"", -1},
        {"s", -1},
        {"5 s", -1},
        {"-5s", -1},
        {"5d", -1},
        {"1m30", -1},
        {"1.5s", -1},
        {"99999999999s", -1},
        {"4294967295h", -1},
    };

    for (const auto& row : rows) {
        const auto duration = parse_duration(row.text);
        BOOST_TEST((duration ? duration->count() : -1) == row.ms, row.text);
        if (duration)
            BOOST_TEST((parse_duration(text(*duration)) == duration), row.text << " as " << text(*duration));
    }
}

BOOST_AUTO_TEST_CASE(table_names_come_back) {
    const struct {
        const char* text;
        const char* database;
        const char* table;
    } rows[] = {
        {"db.t", "db", "t"},
        {"`db`.`t`", "db", "t"},
        {"`my.db`.t", "my.db", "t"},
        {"db.`a.b`", "db", "a.b"},
        {"`a\\`b`.t", "a`b", "t"},
    };

    for (const auto& row : rows) {
        const auto name = parse_table_name(row.text);
        BOOST_REQUIRE_MESSAGE(name.has_value(), row.text);
        BOOST_TEST(name->database == row.database);
        BOOST_TEST(name->table == row.table);
        const auto again = parse_table_name(text(*name));
        BOOST_REQUIRE_MESSAGE(again.has_value(), text(*name));
        BOOST_TEST((*again == *name));
    }
    for (const char* wrong : {"", "t", ".t", "db.", "a.b.c", "`a.t", "`a`t", "``.t", "db.t "}) {
        const bool taken = parse_table_name(wrong).has_value();
        BOOST_TEST(taken == (std::string(wrong) == "db.t "), wrong);
    }
    BOOST_TEST(!parse_table_name("db.t\n").has_value());
    BOOST_TEST(!parse_table_name("db." + std::string(207, 'x')).has_value());
}

BOOST_AUTO_TEST_CASE(colour_is_decided_by_flag_then_terminal_then_environment) {
    const struct {
        ColorChoice choice;
        bool is_terminal;
        const char* no_color;
        const char* term;
        bool expected;
    } rows[] = {
        {ColorChoice::automatic, true, nullptr, "xterm", true},
        {ColorChoice::automatic, true, "", "xterm", true},
        {ColorChoice::automatic, true, "1", "xterm", false},
        {ColorChoice::automatic, true, nullptr, "dumb", false},
        {ColorChoice::automatic, false, nullptr, "xterm", false},
        {ColorChoice::always, false, "1", "dumb", true},
        {ColorChoice::never, true, nullptr, "xterm", false},
    };

    for (const auto& row : rows)
        BOOST_TEST(wants_color(row.choice, row.is_terminal, row.no_color, row.term) == row.expected);
}

BOOST_AUTO_TEST_CASE(words_for_a_shell) {
    BOOST_TEST(shell_quoted("http://a:8123") == "http://a:8123");
    BOOST_TEST(shell_quoted("") == "''");
    BOOST_TEST(shell_quoted("a b") == "'a b'");
    BOOST_TEST(shell_quoted("it's") == "'it'\\''s'");
    BOOST_TEST(shell_quoted("$(x)`;&|") == "'$(x)`;&|'");
}

BOOST_AUTO_TEST_SUITE_END()
