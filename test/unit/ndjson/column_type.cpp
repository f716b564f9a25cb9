#include "tools/ndjson/column_type.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap::ndjson;

BOOST_AUTO_TEST_SUITE(column_type)

namespace {

/// A type in a notation of the test's own, so that a whole tree is one string.
std::string shape(const ColumnType& type) {
    std::string out = type.nullable ? "?" : "";
    switch (type.kind) {
    case TypeKind::integer:
        out += (type.is_signed ? "i" : "u") + std::to_string(type.bits);
        break;
    case TypeKind::floating:
        out += "f" + std::to_string(type.bits);
        break;
    case TypeKind::decimal:
        out += "dec" + std::to_string(type.precision) + "." + std::to_string(type.scale);
        break;
    case TypeKind::boolean:
        out += "bool";
        break;
    case TypeKind::string:
        out += "str";
        break;
    case TypeKind::fixed_string:
        out += "fix" + std::to_string(type.length);
        break;
    case TypeKind::date:
        out += "date";
        break;
    case TypeKind::date32:
        out += "date32";
        break;
    case TypeKind::date_time:
        out += "time";
        break;
    case TypeKind::date_time64:
        out += "time64";
        break;
    case TypeKind::uuid:
        out += "uuid";
        break;
    case TypeKind::address:
        out += "ip";
        break;
    case TypeKind::enumeration:
        out += "enum{";
        for (const auto& [name, value] : type.enum_values)
            out += name + "=" + std::to_string(value) + ";";
        out += "}";
        break;
    case TypeKind::array:
    case TypeKind::map:
    case TypeKind::tuple:
        out += type.kind == TypeKind::array ? "[" : type.kind == TypeKind::map ? "<" : "(";
        for (std::size_t at = 0; at < type.arguments.size(); ++at) {
            out += at == 0 ? "" : ",";
            out += type.names.empty() ? "" : type.names[at] + ":";
            out += shape(type.arguments[at]);
        }
        out += type.kind == TypeKind::array ? "]" : type.kind == TypeKind::map ? ">" : ")";
        break;
    case TypeKind::opaque:
        out += "any";
        break;
    }
    return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_type_is_understood_or_left_to_the_server) {
    const struct {
        const char* text;
        const char* expected;
    } rows[] = {
        {"UInt8", "u8"},
        {"Int256", "i256"},
        {"Float32", "f32"},
        {"Bool", "bool"},
        {"String", "str"},
        {"FixedString(16)", "fix16"},
        {"Decimal(18, 4)", "dec18.4"},
        {"Decimal(9)", "dec9.0"},
        {"Date", "date"},
        {"Date32", "date32"},
        {"DateTime", "time"},
        {"DateTime('Europe/Zurich')", "time"},
        {"DateTime64(3, 'UTC')", "time64"},
        {"UUID", "uuid"},
        {"IPv6", "ip"},
        {"Nullable(Int32)", "?i32"},
        {"LowCardinality(String)", "str"},
        {"LowCardinality(Nullable(String))", "?str"},
        {"SimpleAggregateFunction(sum, UInt64)", "u64"},
        {"Enum8('a' = 1, 'b\\'(,' = -2)", "enum{a=1;b'(,=-2;}"},
        {"Enum16('x', 'y')", "enum{x=1;y=2;}"},
        {"Array(Array(Nullable(UInt16)))", "[[?u16]]"},
        {"Map(LowCardinality(String), Array(Int8))", "<str,[i8]>"},
        {"Tuple(UInt8, String)", "(u8,str)"},
        {"Tuple(a UInt8, `b c` Array(Tuple(x Int8, y String)))", "(a:u8,b c:[(x:i8,y:str)])"},
        {"Nested(a UInt8, b String)", "[(a:u8,b:str)]"},
        {"JSON", "?any"},
        {"Variant(String, UInt8)", "?any"},
        {"AggregateFunction(sum, UInt64)", "?any"},
        {"Decimal(4, 9)", "?any"},
        {"Array(UInt8", "?any"},
        {"Enum8('a", "?any"},
        {"", "?any"},
    };

    for (const auto& row : rows)
        BOOST_TEST(
            shape(parse_column_type(row.text)) == row.expected,
            row.text << ": " << shape(parse_column_type(row.text))
        );
}

BOOST_AUTO_TEST_CASE(deep_nesting_ends_in_any) {
    std::string text = "UInt8";
    for (int depth = 0; depth < 1000; ++depth)
        text = "Array(" + text + ")";
    const std::string got = shape(parse_column_type(text));
    BOOST_TEST(got.find("any") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
