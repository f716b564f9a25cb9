#include "protocol/digest.hpp"
#include "protocol/names.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace onceswap::protocol;

namespace {

const TargetName events{"db", "events"};

} // namespace

BOOST_AUTO_TEST_SUITE(names)

BOOST_AUTO_TEST_CASE(keys_are_digests_of_canonical_text) {
    BOOST_TEST(target_key("c", events) == sha256_hex(R"({"cluster":"c","database":"db","target":"events"})"));
    BOOST_TEST(
        operation_id("c", events, "run-7", "plan") ==
        sha256_hex(
            R"({"cluster":"c","database":"db","invocation_id":"run-7","plan_digest":"plan","target":"events","version":1})"
        )
    );
}

BOOST_AUTO_TEST_CASE(each_part_makes_another_key) {
    const std::set<std::string> keys{
        target_key("c", events),
        target_key("C", events),
        target_key("c", {"db", "Events"}),
        target_key("c", {"dbe", "vents"}),
        target_key("cd", {"b", "events"}),
        target_key("", events),
    };
    BOOST_TEST(keys.size() == 6U);
    const std::set<std::string> operations{
        operation_id("c", events, "run", "plan"),
        operation_id("d", events, "run", "plan"),
        operation_id("c", events, "run2", "plan"),
        operation_id("c", events, "run", "plan2"),
        operation_id("c", events, "", "runplan"),
        operation_id("c", {"db", "event"}, "run", "plan"),
        operation_id("c", {"d", "bevents"}, "run", "plan"),
    };
    BOOST_TEST(operations.size() == 7U);
    BOOST_TEST(operation_id("c", events, "run", "plan") == operation_id("c", events, "run", "plan"));
}

BOOST_AUTO_TEST_CASE(a_candidates_name_says_whose_it_is) {
    const std::string key = target_key("c", events);
    const std::string operation = operation_id("c", events, "run", "plan");
    const std::string prefix =
        "onceswap_" + sha256_hex("{\"target_key\":\"" + key + "\"}").substr(0, 12) + "_";
    BOOST_TEST(candidate_prefix(key) == prefix);
    BOOST_TEST(candidate_name(key, operation, 0) == prefix + operation.substr(0, 8) + "_00000000");
    BOOST_TEST(candidate_name(key, operation, 0xdeadbeef) == prefix + operation.substr(0, 8) + "_deadbeef");
    BOOST_TEST(candidate_name(key, operation, 0x0a) == prefix + operation.substr(0, 8) + "_0000000a");
    BOOST_TEST(candidate_prefix(target_key("d", events)) != prefix);
    BOOST_TEST(aside_name("x") == "x__aside");
    BOOST_TEST(aside_name(candidate_name(key, operation, 1)).starts_with(prefix));
}

BOOST_AUTO_TEST_CASE(only_the_exact_form_is_a_candidates_name) {
    const std::string key = target_key("c", events);
    const std::string name = candidate_name(key, operation_id("c", events, "run", "plan"), 0xdeadbeef);
    BOOST_TEST(is_candidate_name(key, name));
    BOOST_TEST(!is_candidate_name(target_key("d", events), name));
    std::string upper = name;
    upper.back() = 'F';
    std::string other_border = name;
    other_border[other_border.size() - 9] = 'a';
    for (const std::string& other :
         {aside_name(name),
          name + "0",
          name.substr(0, name.size() - 1),
          name + "_copy",
          upper,
          other_border,
          candidate_prefix(key),
          std::string()})
        BOOST_TEST(!is_candidate_name(key, other), other);
}

BOOST_AUTO_TEST_CASE(names_fit_in_a_file_name_unescaped) {
    const std::string aside = aside_name(candidate_name(sha256_hex("k"), sha256_hex("o"), 1));
    BOOST_TEST(aside.size() == 46U);
    BOOST_TEST(aside.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
