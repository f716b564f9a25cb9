#include "protocol/statement_parser.hpp"
#include "protocol/statements.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

using namespace onceswap::protocol;

namespace {

std::string every_byte() {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte)
        bytes += static_cast<char>(byte);
    return bytes;
}

void round_trip(const std::string& value) {
    const std::string literal = quote_literal(value);
    const auto as_literal = tokenize(literal);
    BOOST_REQUIRE_MESSAGE(as_literal && as_literal->size() == 1, literal);
    BOOST_TEST((as_literal->front().kind == TokenKind::string_literal));
    BOOST_TEST(as_literal->front().value == value);

    const std::string identifier = quote_identifier(value);
    const auto as_identifier = tokenize(identifier);
    BOOST_REQUIRE_MESSAGE(as_identifier && as_identifier->size() == 1, identifier);
    BOOST_TEST((as_identifier->front().kind == TokenKind::quoted_identifier));
    BOOST_TEST(as_identifier->front().value == value);

    for (const std::string& quoted : {literal, identifier}) {
        for (const char c : quoted)
            BOOST_TEST(
                (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F), "a control character in " << quoted
            );
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(quoting)

BOOST_AUTO_TEST_CASE(literals_have_one_spelling) {
    BOOST_TEST(quote_literal("") == "''");
    BOOST_TEST(quote_literal("plain") == "'plain'");
    BOOST_TEST(quote_literal("it's") == "'it\\'s'");
    BOOST_TEST(quote_literal("a`b\"c") == "'a`b\"c'");
    BOOST_TEST(quote_literal("a\\b") == "'a\\\\b'");
    BOOST_TEST(quote_literal("\n\t\r\b\f") == "'\\n\\t\\r\\b\\f'");
    BOOST_TEST(quote_literal(std::string("\0\x01\x1F\x7F", 4)) == "'\\0\\x01\\x1F\\x7F'");
    BOOST_TEST(quote_literal("t\xC3\xA4") == "'t\xC3\xA4'");
}

BOOST_AUTO_TEST_CASE(identifiers_are_always_quoted) {
    BOOST_TEST(quote_identifier("target") == "`target`");
    BOOST_TEST(quote_identifier("a`b") == "`a\\`b`");
    BOOST_TEST(quote_identifier("a'b\"c") == "`a'b\"c`");
    BOOST_TEST(quote_identifier("a\\b\n") == "`a\\\\b\\n`");
}

BOOST_AUTO_TEST_CASE(what_is_quoted_is_read_back_by_our_lexer) {
    for (const std::string& value : {
             std::string(),
             every_byte(),
             std::string("'; DROP TABLE x; --"),
             std::string("\\N\\x41\\'"),
             std::string("''"),
             std::string("``"),
             std::string("\\"),
             std::string("*/ /*"),
             std::string("$tag$"),
             std::string("\0", 1),
             std::string("\xE2\x80\x98\xE2\x80\x99"),
         })
        round_trip(value);
}

BOOST_AUTO_TEST_CASE(random_bytes_are_read_back) {
    constexpr std::uint32_t seed = 20240817;
    std::mt19937 random(seed);
    static constexpr char spice[] = {'\'', '`', '"', '\\', '\n', '\0', 'x', 'N', '0', '$', '/', '*'};
    for (int round = 0; round < 2000; ++round) {
        BOOST_TEST_CONTEXT("seed " << seed << " round " << round) {
            std::string value;
            for (auto left = random() % 24; left > 0; --left) {
                value +=
                    random() % 2 == 0 ? spice[random() % sizeof spice] : static_cast<char>(random() % 256);
            }
            round_trip(value);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
