#include "protocol/row_decoding.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace onceswap::protocol;

namespace {

const std::string header = "[\"a\", \"b\"]\n[\"String\", \"UInt64\"]\n";

std::string nested(int depth) {
    std::string value;
    for (int level = 0; level < depth; ++level)
        value += '[';
    for (int level = 0; level < depth; ++level)
        value += ']';
    return value;
}

} // namespace

BOOST_AUTO_TEST_SUITE(result_set)

BOOST_AUTO_TEST_CASE(rows_are_addressed_by_column_name) {
    const auto result = ResultSet::parse(header + "[\"x\", \"18446744073709551615\"]\n[\"y\", 1]\n");
    BOOST_REQUIRE(result.has_value());
    BOOST_TEST(
        result->names() == (std::vector<std::string_view>{"a", "b"}), boost::test_tools::per_element()
    );
    BOOST_TEST(
        result->types() == (std::vector<std::string_view>{"String", "UInt64"}),
        boost::test_tools::per_element()
    );
    BOOST_TEST(result->rows() == 2U);
    BOOST_REQUIRE(result->cell(1, "a"));
    BOOST_TEST((result->cell(1, "a").text() == "y"));
    BOOST_TEST((result->cell(0, "b").text() == "18446744073709551615"));
    BOOST_TEST((result->cell(1, "b").integer() == 1));
    BOOST_TEST(!result->cell(0, "c"));
    BOOST_TEST(!result->cell(2, "a"));
}

BOOST_AUTO_TEST_CASE(no_rows_is_an_answer) {
    const auto result = ResultSet::parse(header);
    BOOST_REQUIRE(result.has_value());
    BOOST_TEST(result->rows() == 0U);
    BOOST_TEST(!result->cell(0, "a"));
}

BOOST_AUTO_TEST_CASE(a_copy_outlives_the_original) {
    std::vector<ResultSet> kept;
    {
        auto result = ResultSet::parse(header + "[\"x\", 1]\n");
        BOOST_REQUIRE(result.has_value());
        kept.push_back(*result);
        kept.push_back(std::move(*result));
    }
    for (const ResultSet& one : kept)
        BOOST_TEST((one.cell(0, "a").text() == "x"));
}

BOOST_AUTO_TEST_CASE(malformed_answers) {
    const std::string row = "[\"x\", 1]\n";

    const struct {
        std::string_view name;
        std::string body;
        std::string_view detail; ///< must be in the failure's text
    } table[] = {
        {"empty", "", "line 1: the last line has no end"},
        {"no line end", header + "[\"x\", 1]", "line 3: the last line has no end"},
        {"cut in a row", header + row + "[\"x\", ", "line 4: the last line has no end"},
        {"cut in a row, then a line end", header + row + "[\"x\", \n", "line 4: column"},
        {"only names", "[\"a\", \"b\"]\n", "line 1: no line of types"},
        {"no columns", "[]\n[]\n", "line 1: not a line of column names"},
        {"names that are no strings", "[1, 2]\n[\"a\", \"b\"]\n", "line 1: not a line of column names"},
        {"a name twice", "[\"a\", \"a\"]\n[\"String\", \"String\"]\n", "line 1: column a twice"},
        {"a type short", "[\"a\", \"b\"]\n[\"String\"]\n", "line 2: not a type for each column"},
        {"a type too many", "[\"a\"]\n[\"String\", \"String\"]\n", "line 2: not a type for each column"},
        {"types missing, rows there", "[\"a\"]\n[1]\n", "line 2: not a type for each column"},
        {"a value short", header + "[\"x\"]\n", "line 3: 1 values for 2 columns"},
        {"a value too many", header + row + "[\"x\", 1, 2]\n", "line 4: 3 values for 2 columns"},
        {"an object for a row", header + "{\"a\":\"x\",\"b\":1}\n", "line 3: not an array"},
        {"null for a row", header + "null\n", "line 3: not an array"},
        {"an empty line", header + "\n", "line 3: column 1"},
        {"an empty line at the end", header + row + "\n", "line 4: column 1"},
        {"two rows in a line", header + "[\"x\", 1] [\"y\", 2]\n", "line 3: column"},
        {"bare nan", header + "[\"x\", nan]\n", "line 3: column"},
        {"bare inf", header + "[\"x\", -inf]\n", "line 3: column"},
        {"a comment", header + "[\"x\", 1] // y\n", "line 3: column"},
        {"a trailing comma", header + "[\"x\", 1,]\n", "line 3: column"},
        {"invalid UTF-8", header + "[\"\xFF\", 1]\n", "line 3: column"},
        {"a raw control character", header + "[\"\x01\", 1]\n", "line 3: column"},
        {"too deep", header + "[\"x\", " + nested(8) + "]\n", "line 3: column"},
        // What servers append when a query fails after its first rows: text up to 25.x, a block of its own
        // since.
        {"exception as text",
         header + row + "Code: 395. DB::Exception: Value passed to 'throwIf'. (X)\n",
         "line 4: column 1"},
        {"exception in a block",
         header + row + "\r\n__exception__\r\nabcdefghijklmnop\r\nCode: 395. DB::Exception: x\r\n",
         "line 4"},
        {"exception behind half a row", header + "[\"x\", Code: 241. DB::Exception: Memory limit\n", "line 3"
        },
        {"exception as a row",
         header + row + "{\"exception\": \"Code: 395. DB::Exception: x\"}\n",
         "line 4: not an array"},
        {"an error page", "<html><body>502 Bad Gateway</body></html>\n", "line 1: column 1"},
        {"an exception alone", "Code: 60. DB::Exception: Unknown table. (UNKNOWN_TABLE)\n", "line 1: column 1"
        },
    };

    for (const auto& [name, body, detail] : table) {
        const auto result = ResultSet::parse(body);
        BOOST_TEST_CONTEXT(name) {
            BOOST_REQUIRE(result.has_error());
            BOOST_TEST((result.error().code == Code::generation_unknown));
            BOOST_TEST(result.error().detail.find(detail) != std::string::npos, result.error().detail);
        }
    }
}

BOOST_AUTO_TEST_CASE(limits) {
    std::string body = header;
    for (int row = 0; row < 5; ++row)
        body += "[\"x\", 1]\n";
    BOOST_TEST(ResultSet::parse(body, 5).has_value());
    const auto too_many = ResultSet::parse(body, 4);
    BOOST_REQUIRE(too_many.has_error());
    BOOST_TEST(too_many.error().detail == "malformed answer, line 7: more than 4 rows");
    BOOST_TEST(ResultSet::parse(header + "[\"x\", " + nested(7) + "]\n").has_value());
    const std::string huge(ResultSet::max_body_bytes + 1, '\n');
    const auto too_long = ResultSet::parse(huge);
    BOOST_REQUIRE(too_long.has_error());
    BOOST_TEST(too_long.error().detail.find("more than 67108864 bytes") != std::string::npos);
}

// No prefix of an answer is an answer, except where a whole number of rows is left: that is why the decoders
// want exactly one row.
BOOST_AUTO_TEST_CASE(every_truncation_is_seen) {
    const std::string whole = header + "[\"x\", 1]\n[\"y\", 2]\n";
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::string body = whole.substr(0, length);
        const bool whole_lines = length >= header.size() && body.back() == '\n';
        BOOST_TEST(ResultSet::parse(body).has_value() == whole_lines, "length " << length);
    }
}

BOOST_AUTO_TEST_SUITE_END()
