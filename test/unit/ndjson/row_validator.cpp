#include "tools/ndjson/row_validator.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace onceswap::ndjson;

BOOST_AUTO_TEST_SUITE(row_validator)

namespace {

RowValidator one_column(std::string_view type, std::string default_kind = "") {
    std::vector<Column> columns;
    columns.emplace_back("v", type, std::move(default_kind));
    return RowValidator(std::move(columns));
}

RowValidator table() {
    std::vector<Column> columns;
    columns.emplace_back("id", "UInt32", "");
    columns.emplace_back("name", "LowCardinality(String)", "");
    columns.emplace_back("at", "DateTime", "DEFAULT");
    columns.emplace_back("day", "Date", "MATERIALIZED");
    columns.emplace_back("same", "String", "ALIAS");
    columns.emplace_back("in", "String", "EPHEMERAL");
    return RowValidator(std::move(columns));
}

} // namespace

BOOST_AUTO_TEST_CASE(lines_and_the_place_of_what_is_wrong) {
    const struct {
        std::string line;
        std::size_t column; ///< 0: a good row
        const char* what;
    } rows[] = {
        {R"({"id":1,"name":"a"})", 0, ""},
        {R"({})", 0, ""},
        {R"(  { "name" : "x" , "id" : 4294967295 }  )", 0, ""},
        {"{\"id\":1}\r", 0, ""},
        {R"({"n\u0061me":"\u00e9\n"})", 0, ""},
        {R"({"in":"x","at":null})", 0, ""},
        {R"([1])", 1, "a row must be a JSON object"},
        {R"(12)", 1, "a row must be a JSON object"},
        {R"( "x")", 2, "a row must be a JSON object"},
        {R"("a\nb")", 1, "a row must be a JSON object"},
        {R"(true)", 1, "a row must be a JSON object"},
        {R"(null)", 1, "a row must be a JSON object"},
        {R"({"id":1)", 8, "the line ends inside the object"},
        {R"({"id":1,})", 9, "malformed JSON"},
        {R"({"id":1} x)", 10, "something follows the object"},
        {R"({"id":1}{"id":2})", 9, "something follows the object"},
        {R"({"id":1},)", 9, "something follows the object"},
        {R"({'id':1})", 2, "malformed JSON"},
        {R"({"id":01})", 8, "malformed JSON"},
        {R"({"id":NaN})", 7, "malformed JSON"},
        {R"({/* c */"id":1})", 2, "malformed JSON"},
        {R"({"id":1,"nope":2})", 9, "unknown field `nope`: the table has no such column"},
        {R"({"no\tpe":2})", 2, "unknown field `no?pe`"},
        {R"({"id":1,"id":2})", 9, "field `id` is there twice"},
        {R"({"id":1,"name":"a","id":2})", 20, "field `id` is there twice"},
        {R"({"day":"2024-01-01"})", 2, "field `day` is a MATERIALIZED column"},
        {R"({"same":"x"})", 2, "field `same` is a ALIAS column"},
        {R"({"name":null})", 9, "`name`: null does not fit"},
        {R"({"name":7})", 9, "`name`: expected a string for LowCardinality(String)"},
        {R"({"name":"a","id":-1})", 18, "`id`: out of range for UInt32 (0 to 4294967295)"},
        {R"({"name":"[{,:\"","id":"x"})", 23, "`id`: expected an integer for UInt32"},
        {"{\"name\":\"\x80\"}", 10, "malformed JSON"},
        {"{\"name\":\"a\tb\"}", 11, "malformed JSON"},
    };

    RowValidator validator = table();
    for (const auto& row : rows) {
        const auto error = validator.check(row.line);
        BOOST_TEST_CONTEXT(row.line) {
            BOOST_TEST((error ? error->column : 0) == row.column);
            BOOST_TEST(
                (error ? error->what : "").find(row.what) != std::string::npos, (error ? error->what : "fine")
            );
        }
    }
}

BOOST_AUTO_TEST_CASE(values_against_types) {
    const struct {
        const char* type;
        const char* value;
        bool fits;
    } rows[] = {
        {"UInt8", "255", true},
        {"UInt8", "256", false},
        {"UInt8", "-1", false},
        {"UInt8", "true", true},
        {"UInt16", "true", false},
        {"UInt8", "1.0", false},
        {"UInt8", "1e1", false},
        {"UInt8", R"("12")", true},
        {"UInt8", R"("+12")", true},
        {"UInt8", R"("300")", false},
        {"UInt8", R"("")", false},
        {"UInt8", R"("-")", false},
        {"Int8", "-128", true},
        {"Int8", "-129", false},
        {"Int8", "127", true},
        {"Int8", "128", false},
        {"Int32", "2147483648", false},
        {"Int64", "9223372036854775807", true},
        {"Int64", "9223372036854775808", false},
        {"Int64", "-9223372036854775808", true},
        {"Int64", "-9223372036854775809", false},
        {"UInt64", "18446744073709551615", true},
        {"UInt64", "18446744073709551616", false},
        {"UInt64", R"("18446744073709551616")", false},
        {"Int128", "170141183460469231731687303715884105727", true},
        {"Int128", "170141183460469231731687303715884105728", false},
        {"Int128", "-170141183460469231731687303715884105728", true},
        {"UInt256",
         R"("115792089237316195423570985008687907853269984665640564039457584007913129639935")",
         true},
        {"UInt256",
         R"("115792089237316195423570985008687907853269984665640564039457584007913129639936")",
         false},
        {"Float64", "1e308", true},
        {"Float64", "1e400", false},
        {"Float32", "1e39", false},
        {"Float32", "1", true},
        {"Float64", R"("nan")", true},
        {"Float64", R"("-inf")", true},
        {"Float64", R"("1.5e3")", true},
        {"Float64", R"("1,5")", false},
        {"Float64", "true", false},
        {"Decimal(5, 2)", "999.99", true},
        {"Decimal(5, 2)", "1000", false},
        {"Decimal(5, 2)", "1.239", false},
        {"Decimal(5, 2)", "1.2300", true},
        {"Decimal(5, 2)", R"("-12.5")", true},
        {"Decimal(5, 2)", "1e2", true},
        {"Decimal(5, 2)", "1e3", false},
        {"Decimal(5, 2)", "0", true},
        {"Decimal(5, 2)", R"("1.2.3")", false},
        {"Decimal(38, 0)", "99999999999999999999999999999999999999", true},
        {"Bool", "true", true},
        {"Bool", "1", true},
        {"Bool", "2", false},
        {"Bool", R"("yes")", false},
        {"String", R"("")", true},
        {"String", "1", false},
        {"String", "true", false},
        {"String", "{}", false},
        {"String", "[]", false},
        {"FixedString(2)", R"("ab")", true},
        {"FixedString(2)", R"("a")", true},
        {"FixedString(2)", R"("abc")", false},
        {"FixedString(2)", R"("\u00e9")", true},
        {"FixedString(2)", R"("a\u00e9")", false},
        {"Date", R"("2024-02-29")", true},
        {"Date", R"("2023-02-29")", false},
        {"Date", R"("2149-06-06")", true},
        {"Date", R"("2149-06-07")", false},
        {"Date", R"("1969-12-31")", false},
        {"Date", R"("2024-13-01")", false},
        {"Date", R"("2024-01-01 00:00:00")", false},
        {"Date", "19000", false},
        {"Date32", R"("1900-01-01")", true},
        {"Date32", R"("1899-12-31")", false},
        {"DateTime", R"("2024-01-01 23:59:59")", true},
        {"DateTime", R"("2024-01-01T23:59:59")", true},
        {"DateTime", R"("2024-01-01 24:00:00")", false},
        {"DateTime", R"("2024-01-01 1:2:3")", false},
        {"DateTime", R"("2106-02-08 00:00:00")", false},
        {"DateTime", "1700000000", true},
        {"DateTime", "4294967296", false},
        {"DateTime", R"("4294967296")", false},
        {"DateTime", "-1", false},
        {"DateTime", "1.5", false},
        {"DateTime", R"("yesterday")", false},
        {"DateTime64(3)", R"("2024-01-01 00:00:00.123")", true},
        {"DateTime64(3)", "1700000000.123", true},
        {"DateTime64(3)", R"("2300-01-01 00:00:00")", false},
        {"UUID", R"("00000000-0000-4000-8000-00000000000a")", true},
        {"UUID", R"("00000000-0000-4000-8000-00000000000g")", false},
        {"UUID", R"("0000000000004000800000000000000a")", true},
        {"UUID", "1", false},
        {"IPv4", R"("1.2.3.4")", true},
        {"IPv4", "1", false},
        {"Enum8('a' = 1, 'b' = 2)", R"("a")", true},
        {"Enum8('a' = 1, 'b' = 2)", R"("c")", false},
        {"Enum8('a' = 1, 'b' = 2)", R"("\u0061")", true},
        {"Enum8('a' = 1, 'b' = 2)", "2", true},
        {"Enum8('a' = 1, 'b' = 2)", "3", false},
        {"Nullable(UInt8)", "null", true},
        {"LowCardinality(Nullable(String))", "null", true},
        {"UInt8", "null", false},
        {"Array(UInt8)", "null", false},
        {"Array(UInt8)", "[]", true},
        {"Array(UInt8)", "[1,255]", true},
        {"Array(UInt8)", "[1,256]", false},
        {"Array(UInt8)", "[null]", false},
        {"Array(Nullable(UInt8))", "[null]", true},
        {"Array(UInt8)", "{}", false},
        {"Array(UInt8)", R"("[1]")", false},
        {"Array(Array(Int8))", "[[1],[],[-128,127]]", true},
        {"Array(Array(Int8))", "[1]", false},
        {"Map(String, UInt8)", R"({"a":1,"b":255})", true},
        {"Map(String, UInt8)", R"({"a":256})", false},
        {"Map(UInt8, String)", R"({"255":"x"})", true},
        {"Map(UInt8, String)", R"({"256":"x"})", false},
        {"Map(String, UInt8)", "[]", false},
        {"Tuple(UInt8, String)", R"([1,"a"])", true},
        {"Tuple(UInt8, String)", R"([1])", false},
        {"Tuple(UInt8, String)", R"([1,"a",2])", false},
        {"Tuple(UInt8, String)", R"({"a":1})", false},
        {"Tuple(a UInt8, b String)", R"({"b":"x","a":1})", true},
        {"Tuple(a UInt8, b String)", R"({"c":1})", false},
        {"Tuple(a UInt8, b Tuple(UInt8, UInt8))", R"([1,[2,3]])", true},
        {"Tuple(a UInt8, b Tuple(UInt8, UInt8))", R"([1,[2,300]])", false},
        {"JSON", R"({"a":[1,{"b":null}]})", true},
        {"Dynamic", "null", true},
    };

    for (const auto& row : rows) {
        RowValidator validator = one_column(row.type);
        const std::string line = std::string(R"({"v":)") + row.value + "}";
        const auto error = validator.check(line);
        BOOST_TEST(
            !error == row.fits, row.type << " " << row.value << ": " << (error ? error->what : "fits")
        );
        if (error)
            BOOST_TEST(error->column >= 6, row.type << " " << row.value << " at " << error->column);
    }
}

BOOST_AUTO_TEST_CASE(null_takes_a_default_where_the_column_has_one) {
    RowValidator with_default = one_column("UInt8", "DEFAULT");
    BOOST_TEST(!with_default.check(R"({"v":null})"));
    RowValidator nested = one_column("Array(UInt8)", "DEFAULT");
    BOOST_TEST(!!nested.check(R"({"v":[null]})")); // the default is the column's, not an element's
}

BOOST_AUTO_TEST_CASE(values_are_never_repeated_in_messages) {
    const char* const secrets[] = {
        R"({"v":"s3cret"})", R"({"v":[["s3cret"]]})", R"({"v":{"s3cret":1}})", R"({"v":s3cret})"
    };
    for (const char* type :
         {"UInt8", "Date", "UUID", "Enum8('a' = 1)", "DateTime", "Decimal(3, 1)", "Array(UInt8)"}) {
        RowValidator validator = one_column(type);
        for (const char* line : secrets) {
            const auto error = validator.check(line);
            BOOST_REQUIRE(error);
            BOOST_TEST(
                error->what.find("s3cret") == std::string::npos, type << " " << line << ": " << error->what
            );
        }
    }
}

BOOST_AUTO_TEST_CASE(depth_is_bounded) {
    RowValidator validator = one_column("JSON");
    const std::string deep = R"({"v":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
    const auto error = validator.check(deep);
    BOOST_REQUIRE(error);
    BOOST_TEST(error->what == "nested more than 32 levels deep");
    BOOST_TEST(!validator.check(R"({"v":[[1]]})")); // and the validator goes on with the next line
}

BOOST_AUTO_TEST_SUITE_END()
