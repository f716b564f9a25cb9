#include "process.hpp"
#include "published_schema.hpp"
#include "tools/demo_cluster/demo_fault.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

// `refresh-load publish --demo` in a process without a server or a configuration: every row of its table ends
// as the table says, and the table has every verdict.

using namespace onceswap;
using demo_cluster::DemoFault;
using protocol::Word;

BOOST_AUTO_TEST_SUITE(refresh_load_demo)

namespace {

std::string program() {
    return std::string(ONCESWAP_BINARY_DIR) + "/refresh-load";
}

testing::Ended demo(std::vector<std::string> more) {
    std::vector<std::string> words = {"publish", "--demo"};
    words.insert(words.end(), more.begin(), more.end());
    return testing::run(program(), words);
}

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The enumeration, without a default: a new verdict does not compile before it has its place here.
bool is_word(Word word) {
    switch (word) {
    case Word::no_record:
    case Word::authority_lost:
    case Word::authority_invalid:
    case Word::authority_foreign:
    case Word::abandoned:
    case Word::drifted:
    case Word::completed:
    case Word::outcome_unknown:
    case Word::retire_in_progress:
    case Word::retire_unknown:
    case Word::retire_lost:
    case Word::retire_incomplete:
    case Word::retired_mixed:
    case Word::retirable:
    case Word::inventory_drift:
    case Word::ready:
    case Word::not_dispatched:
    case Word::in_progress:
    case Word::awaiting_receipt:
    case Word::partial_in_progress:
    case Word::committed:
    case Word::not_committed:
    case Word::partial_terminal:
    case Word::completable:
    case Word::set_aside_required:
    case Word::drop_required:
    case Word::cleanup_in_progress:
    case Word::cleanup_unknown:
    case Word::cleanup_lost:
    case Word::cleanup_incomplete:
        return true;
    }
    return false;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_verdict_is_in_the_table_once) {
    std::map<Word, std::string> names;
    std::set<std::string_view> used;
    for (const DemoFault& fault : demo_cluster::demo_faults()) {
        BOOST_TEST(names.emplace(fault.word, fault.name).second, fault.name << ": a second one");
        BOOST_TEST(used.insert(fault.name).second, fault.name << " is there twice");
    }
    std::size_t words = 0;
    for (int number = 0; is_word(static_cast<Word>(number)); ++number, ++words)
        BOOST_TEST(
            names.contains(static_cast<Word>(number)),
            protocol::text(static_cast<Word>(number)) << " has no demo"
        );
    BOOST_TEST(words == demo_cluster::demo_faults().size());
}

BOOST_AUTO_TEST_CASE(every_row_ends_as_the_table_says) {
    std::string documents;
    for (const DemoFault& fault : demo_cluster::demo_faults()) {
        const std::string name(fault.name);
        const std::string word(protocol::text(fault.word));
        const testing::Ended shown = demo({"--demo-fault", name});
        BOOST_TEST_CONTEXT(testing::describe(shown)) {
            BOOST_TEST(shown.code == fault.exit_code);
            BOOST_TEST(shown.out.starts_with("DEMO " + name + ": a simulated cluster"));
            BOOST_TEST((shown.out.find("\nVerdict:   " + word + "\n") != std::string::npos));
            BOOST_TEST((shown.err.find("demo: $ ") != std::string::npos));
        }
        const testing::Ended json = demo({"--demo-fault", name, "--json", "--quiet"});
        BOOST_TEST_CONTEXT(testing::describe(json)) {
            BOOST_TEST(json.code == fault.exit_code);
            const boost::json::value document = boost::json::parse(json.out);
            documents += json.out;
            BOOST_TEST(document.at("demo").as_string() == name);
            BOOST_TEST(document.at("exit_code").as_int64() == fault.exit_code);
            BOOST_TEST(document.at("verdict").at("word").as_string() == word);
            // Quiet: the one line about what is no success, and nothing of the story.
            const auto lines = std::ranges::count(json.err, '\n');
            BOOST_TEST(lines == (fault.exit_code == 0 ? 0 : 1));
        }
    }
    BOOST_TEST(testing::published_schema_problems("report.schema.json", documents) == "");
}

BOOST_AUTO_TEST_CASE(without_a_fault_it_is_a_whole_publication_and_the_same_each_time) {
    const testing::Ended first = demo({});
    BOOST_TEST_CONTEXT(testing::describe(first)) {
        BOOST_TEST(first.code == 0);
        BOOST_TEST((first.out.find("Verdict:   COMPLETED\n") != std::string::npos));
    }
    const testing::Ended second = demo({"--demo-fault", "completed"});
    BOOST_TEST(first.out == second.out);
    BOOST_TEST(first.err == second.err);
    const testing::Ended kept = demo({"--no-cleanup"});
    BOOST_TEST((kept.out.find("Verdict:   COMMITTED\n") != std::string::npos), testing::describe(kept));
}

BOOST_AUTO_TEST_CASE(the_names_are_printed) {
    const testing::Ended list = demo({"--demo-fault", "list"});
    BOOST_TEST(list.code == 0);
    const testing::Ended json = demo({"--demo-fault", "list", "--json"});
    BOOST_TEST(json.code == 0);
    const boost::json::value document = boost::json::parse(json.out);
    const testing::Ended bad = demo({"--demo-fault", "no-such"});
    BOOST_TEST(bad.code == 2);
    BOOST_TEST(bad.out == "");
    BOOST_TEST(std::ranges::count(bad.err, '\n') == 1);
    BOOST_TEST((bad.err.find("--demo-fault: no `no-such`; there are completed, ") != std::string::npos));
    BOOST_REQUIRE(document.as_array().size() == demo_cluster::demo_faults().size());
    const std::string page = content_of(std::string(ONCESWAP_SOURCE_DIR) + "/docs/cli/refresh-load.md");
    std::size_t row = 0;
    for (const DemoFault& fault : demo_cluster::demo_faults()) {
        const std::string name(fault.name);
        BOOST_TEST((list.out.find("\n" + name + " ") != std::string::npos), name << " is not in the list");
        BOOST_TEST((bad.err.find(name) != std::string::npos), name << " is not named");
        BOOST_TEST(document.at(row++).at("name").as_string() == name);
        const std::string line = "| `" + name + "` | " + std::string(protocol::text(fault.word)) + " | " +
                                 std::to_string(fault.exit_code) + " | " + std::string(fault.summary) + " |";
        BOOST_TEST((page.find(line + "\n") != std::string::npos), "docs/cli/refresh-load.md lacks: " << line);
    }
}

BOOST_AUTO_TEST_CASE(what_a_demo_has_no_use_for_is_refused_by_name) {
    struct Row {
        std::vector<std::string> words;
        const char* said;
    };

    for (const Row& row :
         {Row{{"publish", "--demo", "--from", "rows.ndjson"}, "leave --from out"},
          Row{{"publish", "--demo", "--table", "db.t"}, "leave --table out"},
          Row{{"publish", "--demo", "--timeout", "5s"}, "leave --timeout out"},
          Row{{"plan", "--demo"}, "unknown option --demo"},
          Row{{"publish",
               "--url",
               "http://ch-1:8123",
               "--cluster",
               "c1",
               "--table",
               "db.t",
               "--demo-fault",
               "ready"},
              "--demo-fault belongs to --demo"}}) {
        const testing::Ended ended = testing::run(program(), row.words);
        BOOST_TEST_CONTEXT(testing::describe(ended)) {
            BOOST_TEST(ended.code == 2);
            BOOST_TEST(ended.out == "");
            BOOST_TEST((ended.err.find(row.said) != std::string::npos));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
