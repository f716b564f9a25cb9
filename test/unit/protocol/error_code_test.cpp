#include "protocol/error_code.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace {

using namespace onceswap::protocol;

BOOST_AUTO_TEST_SUITE(error_code)

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
