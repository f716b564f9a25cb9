#include "protocol/error_code.hpp"
#include "protocol/report.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace {

using namespace onceswap::protocol;

const std::filesystem::path pages = std::filesystem::path(ONCESWAP_SOURCE_DIR) / "docs" / "errors";

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    BOOST_REQUIRE_MESSAGE(file, path);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The page's text without line breaks, so that a sentence can be looked for.
std::string unwrapped(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

BOOST_AUTO_TEST_SUITE(error_code)

BOOST_AUTO_TEST_CASE(every_code_has_its_page) {
    const std::string index = read(pages / "README.md");
    for (const Code code : all_codes()) {
        const std::string name(stable_name(code));
        BOOST_TEST_CONTEXT(name) {
            const std::string page = read(pages / (name + ".md"));
            BOOST_TEST(page.starts_with("# " + name + "\n\n"));
            BOOST_TEST(unwrapped(page).find(std::string(meaning(code))) != std::string::npos);
            // Four headings in this order, each with something below it.
            std::size_t at = 0;
            for (const std::string heading :
                 {"## What was seen", "## What it means", "## Next safe action", "## What not to do"}) {
                const std::size_t found = page.find("\n" + heading + "\n", at);
                BOOST_REQUIRE_MESSAGE(found != std::string::npos, heading);
                at = found + heading.size() + 2;
                BOOST_TEST(std::min(page.find("\n\n", at), page.size()) - at > 10U, heading);
            }
            BOOST_TEST(std::ranges::count(page, '#') == 9);
            const bool is_warning =
                unwrapped(page).find("A warning: the publication goes on.") != std::string::npos;
            const std::string exit = is_warning ? "warning" : std::to_string(exit_code(code));
            if (!is_warning)
                BOOST_TEST(unwrapped(page).find("Exit code " + exit + ".") != std::string::npos);
            const std::string line =
                "| [`" + name + "`](" + name + ".md) | " + exit + " | " + std::string(meaning(code)) + " |\n";
            BOOST_TEST(index.find(line) != std::string::npos);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_page_has_its_code) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(pages)) {
        const std::string name = entry.path().stem().string();
        if (name == "README")
            continue;
        BOOST_TEST((entry.path().extension() == ".md"), entry.path());
        const auto code = code_from_name(name);
        BOOST_REQUIRE_MESSAGE(code, name);
        BOOST_TEST(stable_name(*code) == name);
        ++count;
    }
    BOOST_TEST(count == all_codes().size());
}

BOOST_AUTO_TEST_CASE(every_code_has_a_unique_stable_name_that_leads_back) {
    std::set<std::string_view> names;
    for (const Code code : all_codes()) {
        const std::string_view name = stable_name(code);
        BOOST_TEST_CONTEXT(name) {
            BOOST_TEST(name.starts_with("ONCESWAP_"));
            BOOST_TEST(std::ranges::all_of(name, [](char c) { return c == '_' || (c >= 'A' && c <= 'Z'); }));
            BOOST_TEST(names.insert(name).second);
            BOOST_TEST((code_from_name(name) == code));
            BOOST_TEST((code_from_name(name.substr(9)) == code));
            std::string lower(name);
            for (char& c : lower)
                c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            BOOST_TEST((code_from_name(lower) == code));
            BOOST_TEST((code_from_name(lower.substr(9)) == code));
        }
    }
    BOOST_TEST(names.size() == static_cast<std::size_t>(Code::deadline_reached));
}

BOOST_AUTO_TEST_CASE(what_is_no_name_has_no_code) {
    for (const char* name :
         {"", "ONCESWAP_", "ONCESWAP", "ONCESWAP_CAS_CONFLIC", "CAS_CONFLICT ", "ONCESWAP_ONCESWAP_READY"})
        BOOST_TEST(!code_from_name(name), name);
}

BOOST_AUTO_TEST_CASE(every_sentence_is_one_sentence) {
    for (const Code code : all_codes()) {
        BOOST_TEST_CONTEXT(stable_name(code)) {
            BOOST_TEST(meaning(code).ends_with('.'));
            BOOST_TEST(next_safe_action(code).ends_with('.'));
            BOOST_TEST((what_not_to_do(code).empty() || what_not_to_do(code).starts_with("Do not ")));
            for (const std::string_view sentence :
                 {meaning(code), next_safe_action(code), what_not_to_do(code)})
                BOOST_TEST(sentence.find('\n') == std::string_view::npos);
        }
    }
}

BOOST_AUTO_TEST_CASE(is_an_error_code_of_its_own_category) {
    const boost::system::error_code error = Code::cas_conflict;
    BOOST_TEST(error.failed());
    BOOST_TEST((error.category() == onceswap_category()));
    BOOST_TEST(error.message().starts_with("ONCESWAP_CAS_CONFLICT: "));
    const boost::system::error_code none(0, onceswap_category());
    BOOST_TEST(none.message() == "ONCESWAP: no such code");
    const boost::system::error_code beyond(10'000, onceswap_category());
    BOOST_TEST(beyond.message() == "ONCESWAP: no such code");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
