#include "protocol/canonical_json.hpp"
#include "protocol/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

using namespace onceswap::protocol;

namespace {

constexpr std::size_t no_limit = 1 << 20;

std::string reason(std::string_view bytes) {
    const auto value = parse_canonical_json(bytes, no_limit);
    if (value)
        return {};
    BOOST_REQUIRE((value.error().code == Code::authority_invalid));
    BOOST_REQUIRE(!value.error().detail.empty());
    return value.error().detail;
}

/// Random values with every kind that canonical JSON has; small keys so that objects are shared prefixes of
/// each other.
class ValueGenerator {
  public:
    explicit ValueGenerator(std::uint64_t seed) : engine_(seed) {}

    boost::json::value value(int depth) {
        switch (engine_() % (depth > 0 ? 8 : 6)) {
        case 0:
            return nullptr;
        case 1:
            return engine_() % 2 == 0;
        case 2:
            return static_cast<std::int64_t>(engine_());
        case 3:
            return engine_();
        case 4:
            return static_cast<std::int64_t>(engine_() % 7) - 3;
        case 5:
            return boost::json::value(boost::json::string(text()));
        case 6: {
            boost::json::array out;
            for (auto count = engine_() % 4; count > 0; --count)
                out.push_back(value(depth - 1));
            return out;
        }
        default: {
            boost::json::object out;
            for (auto count = engine_() % 5; count > 0; --count)
                out[text()] = value(depth - 1);
            return out;
        }
        }
    }

  private:
    std::string text() {
        static const std::vector<std::string> pieces{
            "a",
            "b",
            "A",
            "\"",
            "\\",
            "/",
            "\n",
            "\t",
            "\x01",
            "\x1f",
            "\x7f",
            std::string(1, '\0'),
            "\xc3\xa9",
            "\xe2\x82\xac",
            "\xef\xbf\xbf",
            "\xf0\x9f\x90\x98",
            "\xf4\x8f\xbf\xbf",
        };
        std::string out;
        for (auto count = engine_() % 4; count > 0; --count)
            out += pieces[engine_() % pieces.size()];
        return out;
    }

    std::mt19937_64 engine_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(canonical_json_text)

BOOST_AUTO_TEST_CASE(one_text_for_one_value) {
    struct Row {
        const char* json;
        const char* canonical;
    };

    const std::vector<Row> table{
        {"null", "null"},
        {" true ", "true"},
        {"false", "false"},
        {"0", "0"},
        {"-1", "-1"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"18446744073709551615", "18446744073709551615"},
        {"\"\"", "\"\""},
        {"\"a\\/b\"", "\"a/b\""},
        {"\"\\u0041\\u00e9\\u20ac\\ud83d\\udc18\"", "\"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x98\""},
        {"\"\\u0000\\u0001\\u001f\\u007f\"", "\"\\u0000\\u0001\\u001f\x7f\""},
        {"\"\\b\\f\\n\\r\\t\\\"\\\\\"", "\"\\b\\f\\n\\r\\t\\\"\\\\\""},
        {"\"\\u0008\\u000c\\u000a\\u000d\\u0009\\u0022\\u005c\"", "\"\\b\\f\\n\\r\\t\\\"\\\\\""},
        {"[ ]", "[]"},
        {"{ }", "{}"},
        {"[ 1 , [ 2 ] ]", "[1,[2]]"},
        {"{\"b\":1,\"a\":{\"d\":[],\"c\":{}}}", "{\"a\":{\"c\":{},\"d\":[]},\"b\":1}"},
    };
    for (const Row& row : table)
        BOOST_TEST(canonical_json(boost::json::parse(row.json)) == row.canonical, row.json);
}

BOOST_AUTO_TEST_CASE(keys_are_sorted_by_bytes) {
    // Upper case before lower, a prefix before what it begins, every ASCII key before every other, and UTF-8
    // order, which UTF-16 would turn round for the last two.
    const std::vector<std::string> sorted{
        "", "A", "B", "a", "aa", "b", "\x7f", "\xc3\xa9", "\xef\xbf\xbf", "\xf0\x9f\x90\x98"
    };
    boost::json::object backwards;
    for (auto key = sorted.rbegin(); key != sorted.rend(); ++key)
        backwards[*key] = 1;
    std::string expected = "{";
    for (const std::string& key : sorted)
        expected += (expected.size() > 1 ? ",\"" : "\"") + key + "\":1";
    BOOST_TEST(canonical_json(backwards) == expected + "}");
}

BOOST_AUTO_TEST_CASE(what_has_no_canonical_text) {
    BOOST_CHECK_THROW(canonical_json(1.0), std::invalid_argument);
    BOOST_CHECK_THROW(canonical_json(boost::json::array{1, 2.5}), std::invalid_argument);
    for (const char* text :
         {"\xff", "a\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
        BOOST_CHECK_THROW(
            canonical_json(boost::json::value(boost::json::string(text))), std::invalid_argument
        );
        boost::json::object object;
        object[text] = 1;
        BOOST_CHECK_THROW(canonical_json(object), std::invalid_argument);
    }
}

BOOST_AUTO_TEST_CASE(canonical_text_is_read_back) {
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) {
            const boost::json::value value = ValueGenerator(seed).value(4);
            const std::string text = canonical_json(value);
            const auto parsed = parse_canonical_json(text, no_limit);
            BOOST_REQUIRE_MESSAGE(parsed.has_value(), (parsed ? std::string() : parsed.error().detail));
            BOOST_TEST(canonical_json(*parsed) == text);
        }
    }
}

BOOST_AUTO_TEST_CASE(bytes_that_were_tampered_with_are_refused_or_canonical_themselves) {
    std::mt19937_64 engine(42);
    std::size_t refused = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const std::string text = canonical_json(ValueGenerator(seed).value(4));
        for (int round = 0; round < 40; ++round) {
            std::string changed = text;
            const std::size_t at = engine() % changed.size();
            const std::uint64_t way = engine() % 3;
            if (way == 0)
                changed[at] = static_cast<char>(engine() % 256);
            else if (way == 1)
                changed.erase(at, 1);
            else
                changed.insert(at, 1, static_cast<char>(engine() % 256));
            BOOST_TEST_CONTEXT("seed " << seed << ", round " << round) {
                const auto parsed = parse_canonical_json(changed, no_limit);
                if (!parsed) {
                    ++refused;
                    continue;
                }
                BOOST_REQUIRE(canonical_json(*parsed) == changed);
            }
        }
    }
    BOOST_TEST(refused > 5000U);
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
    const std::vector<std::string> table{
        "",
        " ",
        "nul",
        "{",
        "[1,]",
        "{\"a\":1,}",
        "[1 ]",
        "1 ",
        " 1",
        "1\n",
        "\xef\xbb\xbf"
        "1",
        "1.0",
        "1e2",
        "-0",
        "01",
        "+1",
        "18446744073709551616",
        "-9223372036854775809",
        "NaN",
        "{\"b\":1,\"a\":2}",
        "{\"a\":1,\"a\":1}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":{\"b\":1,\"b\":1}}",
        "{\"a\":1,\"\\u0061\":1}",
        "\"\\/\"",
        "\"\\u0041\"",
        "\"\\u001F\"",
        "\"\\u000a\"",
        "\"\xff\"",
        "\"\xed\xa0\x80\"",
        "\"\\ud800\"",
        "\"\x01\"",
        "{a:1}",
        "'a'",
        "[1]//",
        "[1][2]",
        std::string("1\0", 2),
    };
    for (const std::string& text : table)
        BOOST_TEST(!reason(text).empty(), text);
}

BOOST_AUTO_TEST_CASE(depth_and_length_are_limited) {
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    BOOST_TEST(reason(nested(16)).empty());
    BOOST_TEST(!reason(nested(17)).empty());
    BOOST_TEST(!reason(nested(100'000)).empty());
    BOOST_TEST(parse_canonical_json("[1,2]", 5).has_value());
    const auto too_long = parse_canonical_json("[1,2]", 4);
    BOOST_REQUIRE(!too_long.has_value());
    BOOST_TEST(too_long.error().detail.find("5 bytes") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_refusal_points_at_the_first_byte_that_differs) {
    BOOST_TEST(reason("[1, 2]").find("byte 3") != std::string::npos);
    BOOST_TEST(reason("{\"b\":1,\"a\":2}").find("byte 2") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(utf8_by_its_definition) {
    // Every code point, encoded as the standard says, is valid; the bytes around the borders are not.
    const auto encode = [](std::uint32_t point) {
        std::string out;
        const auto put = [&out](std::uint32_t byte) {
            out += static_cast<char>(static_cast<unsigned char>(byte));
        };
        if (point < 0x80) {
            put(point);
        } else if (point < 0x800) {
            put(0xc0 | (point >> 6));
            put(0x80 | (point & 0x3f));
        } else if (point < 0x10000) {
            put(0xe0 | (point >> 12));
            put(0x80 | ((point >> 6) & 0x3f));
            put(0x80 | (point & 0x3f));
        } else {
            put(0xf0 | (point >> 18));
            put(0x80 | ((point >> 12) & 0x3f));
            put(0x80 | ((point >> 6) & 0x3f));
            put(0x80 | (point & 0x3f));
        }
        return out;
    };
    std::size_t wrong = 0;
    for (std::uint32_t point = 0; point <= 0x110fff; ++point) {
        const std::string text = encode(point);
        const bool is_scalar = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
        wrong += valid_utf8_prefix(text) == (is_scalar ? text.size() : 0) ? 0U : 1U;
        if (text.size() > 1)
            wrong += valid_utf8_prefix(std::string_view(text).substr(0, text.size() - 1)) == 0 ? 0U : 1U;
    }
    BOOST_TEST(wrong == 0U);
    for (const char* overlong :
         {"\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\x80", "\xbf", "\xf8\x88\x80\x80\x80"})
        BOOST_TEST(valid_utf8_prefix(overlong) == 0U);
    BOOST_TEST(valid_utf8_prefix("ab\xffz") == 2U);
}

BOOST_AUTO_TEST_CASE(a_printable_head_is_cut_at_a_character) {
    BOOST_TEST(printable_head("abc", 3) == "abc");
    BOOST_TEST(printable_head("abcd", 3) == "abc");
    BOOST_TEST(printable_head("ab\xc3\xa9", 3) == "ab");
    BOOST_TEST(printable_head("ab\xc3\xa9", 4) == "ab\xc3\xa9");
    BOOST_TEST(printable_head("a\nb\x7f\x01", 9) == "a b  ");
    BOOST_TEST(printable_head("\xff\xc3", 9) == "??");
    BOOST_TEST(printable_head("abc", 0).empty());
}

BOOST_AUTO_TEST_SUITE_END()
