#include "tools/explaining/explanation.hpp"

#include "protocol/error_code.hpp"
#include "protocol/report.hpp"
#include "protocol/verdict.hpp"
#include "tools/cli/status_table.hpp"
#include "tools/explaining/error_pages.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

using namespace onceswap;
using namespace onceswap::explaining;

BOOST_AUTO_TEST_SUITE(explanations)

namespace {

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_code_has_the_page_of_docs_errors) {
    for (const protocol::Code code : protocol::all_codes()) {
        const std::string name(protocol::stable_name(code));
        std::ifstream stream(std::string(ONCESWAP_SOURCE_DIR) + "/docs/errors/" + name + ".md");
        const std::string page{std::istreambuf_iterator<char>(stream), {}};
        BOOST_TEST(!page.empty(), name);
        BOOST_TEST(error_page(name) == page, name);
        const auto explanation = explanation_of(name);
        BOOST_REQUIRE_MESSAGE(explanation, name);
        BOOST_TEST(explanation->name == name);
        BOOST_TEST(*explanation->exit_code == protocol::exit_code(code));
        const std::string text = explanation_text(*explanation);
        for (const char* part :
             {"What was seen\n", "What it means\n", "Next safe action\n", "What not to do\n"})
            BOOST_TEST(contains(text, part), name << "\n" << text);
        BOOST_TEST(!contains(text, "#"), text);
    }
    BOOST_TEST(error_page("ONCESWAP_NOTHING").empty());
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(ONCESWAP_SOURCE_DIR) + "/docs/errors")) {
        const std::string name = entry.path().stem().string();
        if (name != "README")
            BOOST_TEST(explanation_of(name).has_value(), name);
    }
}

BOOST_AUTO_TEST_CASE(every_verdict_state_and_exit_code_is_explained) {
    std::set<int> exit_codes{0, 1, 2, 8, 130, 143};
    for (int number = 0; number <= static_cast<int>(protocol::Word::cleanup_incomplete); ++number) {
        const auto word = static_cast<protocol::Word>(number);
        const auto explanation = explanation_of(protocol::text(word));
        BOOST_REQUIRE_MESSAGE(explanation, protocol::text(word));
        BOOST_TEST(!explanation->meaning.empty());
        BOOST_TEST(*explanation->exit_code == protocol::exit_code(word), protocol::text(word));
        exit_codes.insert(protocol::exit_code(word));
    }
    for (const protocol::Code code : protocol::all_codes())
        exit_codes.insert(protocol::exit_code(code));
    for (int number = 0; number <= static_cast<int>(protocol::State::unavailable); ++number) {
        const auto state = static_cast<protocol::State>(number);
        BOOST_TEST(explanation_of(protocol::text(state)).has_value(), protocol::text(state));
    }
    for (const int code : exit_codes)
        BOOST_TEST(explanation_of(std::to_string(code)).has_value(), code);
    BOOST_TEST(!explanation_of("10").has_value());
}

BOOST_AUTO_TEST_CASE(names_are_taken_as_people_write_them) {
    for (const char* word :
         {"ONCESWAP_PARTIAL_TERMINAL", "PARTIAL_TERMINAL", "partial_terminal", "onceswap_Partial-Terminal"})
        BOOST_TEST(explanation_of(word).value().name == "ONCESWAP_PARTIAL_TERMINAL");
    BOOST_TEST(explanation_of("committed").value().kind == "verdict");
    for (const char* word : {"", "ONCESWAP_", "nothing", "COMMITTED\n", "-1"})
        BOOST_TEST(!explanation_of(word).has_value(), word);
}

BOOST_AUTO_TEST_SUITE_END()
