#include "answers.hpp"
#include "protocol/json_text.hpp"

#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

// Two readers of the same bytes: this one and Boost.JSON must take and refuse the same and see the same
// values.

using namespace onceswap::protocol;

namespace {

constexpr std::size_t depth = 8;

namespace json = boost::json;

json::value rebuilt(JsonView view) {
    switch (view.kind()) {
    case JsonView::Kind::null:
        return nullptr;
    case JsonView::Kind::boolean:
        return view.node()->is_true;
    case JsonView::Kind::integer:
        return *view.integer();
    case JsonView::Kind::unsigned_integer:
        return *view.unsigned_integer();
    case JsonView::Kind::fraction:
        return 0.5;
    case JsonView::Kind::string:
        return json::value(json::string(*view.text()));
    case JsonView::Kind::array: {
        json::array array;
        view.for_each_element([&](JsonView element) { array.push_back(rebuilt(element)); });
        return array;
    }
    case JsonView::Kind::object: {
        json::object object;
        view.for_each_pair([&](std::string_view key, JsonView value) { object[key] = rebuilt(value); });
        return object;
    }
    }
    return nullptr;
}

/// Doubles become the one that rebuilt() puts in their place.
void blur(json::value& value) {
    if (value.is_double())
        value = 0.5;
    if (value.is_uint64() && value.get_uint64() <= std::uint64_t{INT64_MAX})
        value = static_cast<std::int64_t>(value.get_uint64());
    if (auto* array = value.if_array())
        for (json::value& element : *array)
            blur(element);
    if (auto* object = value.if_object())
        for (auto& pair : *object)
            blur(pair.value());
}

std::optional<json::value> by_boost(std::string_view bytes) {
    json::parse_options options;
    options.max_depth = depth;
    json::parser parser({}, options);
    boost::system::error_code error;
    const std::size_t consumed = parser.write_some(bytes.data(), bytes.size(), error);
    if (error || consumed != bytes.size())
        return std::nullopt;
    json::value value = parser.release();
    blur(value);
    return value;
}

void compare(std::string_view bytes) {
    JsonText text;
    const auto place = text.add(bytes, depth);
    const auto expected = by_boost(bytes);
    BOOST_REQUIRE_MESSAGE(
        place.has_value() == expected.has_value(),
        (place ? "taken, Boost.JSON refuses: " : "refused, Boost.JSON takes: ") << bytes
    );
    if (!place)
        return;
    const json::value seen = rebuilt(text.at(*place));
    BOOST_REQUIRE_MESSAGE(
        seen == *expected,
        bytes << "\n"
              << json::serialize(seen) << "\n"
              << json::serialize(*expected)
    );
}

} // namespace

BOOST_AUTO_TEST_SUITE(json_text)

BOOST_AUTO_TEST_CASE(both_readers_agree_about_forms) {
    for (const std::string_view bytes : {
             "",
             " ",
             "null",
             " null ",
             "nul",
             "nulll",
             "true",
             "false",
             "tru",
             "TRUE",
             "0",
             "-0",
             "-",
             "00",
             "01",
             "-01",
             "1",
             "9223372036854775807",
             "9223372036854775808",
             "-9223372036854775808",
             "-9223372036854775809",
             "18446744073709551615",
             "18446744073709551616",
             "99999999999999999999999999999",
             "1.5",
             "1.",
             ".5",
             "1e3",
             "1E+3",
             "1e-3",
             "1e",
             "1e+",
             "+1",
             "0x1",
             "1 2",
             "\"\"",
             "\"a\"",
             "\"a",
             "\"a\\\"",
             "\"\\\"\"",
             "\"\\\\\"",
             "\"\\/\\b\\f\\n\\r\\t\"",
             "\"\\a\"",
             "\"\\u0041\"",
             "\"\\u00e9\"",
             "\"\\u20ac\"",
             "\"\\ud83d\\ude00\"",
             "\"\\ud83d\"",
             "\"\\ude00\"",
             "\"\\ud83d\\u0041\"",
             "\"\\ud83dx\"",
             "\"\\u12\"",
             "\"\\u12g4\"",
             "\"\\u0000\"",
             "\"\xc3\xa9\"",
             "\"\xe2\x82\xac\"",
             "\"\xf0\x9f\x98\x80\"",
             "\"\xc3\"",
             "\"\xff\"",
             "\"\xed\xa0\x80\"",
             "\"\xc0\x80\"",
             "\"12345678\"",
             "\"1234567\"",
             "\"123456789\x01\"",
             "\"12345678\xc3\xa9 12345678\"",
             "\"12345678\\n12345678\"",
             "\"1234\x7f"
             "5678\"",
             "[]",
             "[ ]",
             "[1]",
             "[1,2]",
             "[1,]",
             "[,1]",
             "[1 2]",
             "[1",
             "]",
             "{}",
             "{ }",
             "{\"a\":1}",
             "{\"a\" : 1 , \"b\" : [ ] }",
             "{\"a\":1,}",
             "{a:1}",
             "{\"a\"}",
             "{\"a\":}",
             "{1:2}",
             "{\"a\":1,\"a\":2}",
             "[[[[[[[[]]]]]]]]",
             "[[[[[[[[[]]]]]]]]]",
             "[[[[[[[1]]]]]]]",
             "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}}}}}",
             "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{}}}}}}}}}",
             "[nan]",
             "[-inf]",
             "[1] // x",
             "\xef\xbb\xbf[]",
             "[\"a\":1]",
             "[\t\"a\"\r]",
         })
        compare(bytes);
}

BOOST_AUTO_TEST_CASE(both_readers_agree_about_answers_and_what_becomes_of_them) {
    std::mt19937_64 random(20250701);
    const std::string_view inserted = "\"\\[]{},:0-9eun \n\x01\x7f\x80\xc3\xff";
    std::size_t refused = 0;
    std::size_t taken = 0;
    for (const char* name :
         {"catalogue", "keeper", "capabilities", "queue_by_token", "queue_by_token_bare", "catalogue_bare"}) {
        const std::string whole = answers::answer(name);
        std::size_t begin = 0;
        while (begin < whole.size()) {
            const std::size_t end = whole.find('\n', begin);
            const std::string line = whole.substr(begin, end - begin);
            begin = end + 1;
            compare(line);
            for (int i = 0; i < 400; ++i) {
                std::string changed = line;
                const std::size_t at = random() % changed.size();
                const char c = inserted[random() % inserted.size()];
                switch (random() % 4) {
                case 0:
                    changed[at] = c;
                    break;
                case 1:
                    changed.insert(at, 1, c);
                    break;
                case 2:
                    changed.erase(at, 1);
                    break;
                default:
                    changed.resize(at);
                }
                compare(changed);
                by_boost(changed) ? ++taken : ++refused;
            }
        }
    }
    BOOST_TEST(taken > 100U);
    BOOST_TEST(refused > 100U);
}

BOOST_AUTO_TEST_CASE(several_values_share_one_text_and_a_refused_one_leaves_nothing) {
    JsonText text;
    const auto first = text.add("[1,\"a\\n\"]", depth);
    BOOST_TEST(!text.add("[1,2,[3", depth).has_value());
    const auto second = text.add("{\"k\":null}", depth);
    BOOST_REQUIRE((first && second));
    BOOST_TEST(*second == 3U); // the array and its two elements stand before it
    BOOST_TEST(text.at(*first).size() == 2U);
    std::vector<std::string> keys;
    text.at(*second).for_each_pair([&](std::string_view key, JsonView value) {
        keys.emplace_back(key);
        BOOST_TEST(value.is_null());
    });
    BOOST_TEST(keys == std::vector<std::string>{"k"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
