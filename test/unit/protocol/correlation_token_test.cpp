#include "protocol/correlation_token.hpp"
#include "protocol/digest.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <stdexcept>

using namespace onceswap::protocol;

namespace {

const std::string operation = "0123456789abcdef0123" + std::string(44, '7');
const std::string random_part = "000102030405060708090a0b0c0d0e0f";

std::array<std::uint8_t, 16> entropy() {
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(i);
    return bytes;
}

} // namespace

BOOST_AUTO_TEST_SUITE(correlation_tokens)

BOOST_AUTO_TEST_CASE(text_and_back) {
    constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    for (const Action action :
         {Action::publish, Action::aside, Action::cleanup, Action::retire, Action::setup}) {
        for (const std::uint64_t epoch : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{10}, last}) {
            const CorrelationToken token = make_token(operation, action, epoch, entropy());
            const std::string expected = "onceswap-v1-0123456789abcdef0123-" + std::string(text(action)) +
                                         "-" + std::to_string(epoch) + "-" + random_part;
            BOOST_TEST(token.text() == expected);
            BOOST_TEST(token.text().size() <= 128U);
            BOOST_TEST(token.text().starts_with(token_prefix(operation)));
            BOOST_TEST((CorrelationToken::parse(expected) == token));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_prefix_belongs_to_one_operation) {
    BOOST_TEST(token_prefix(operation) == "onceswap-v1-0123456789abcdef0123-");
    BOOST_CHECK_THROW(token_prefix("0123"), std::invalid_argument);
    BOOST_CHECK_THROW(token_prefix("0123456789ABCDEF0123"), std::invalid_argument);
    BOOST_CHECK_THROW(make_token("", Action::publish, 1, {}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(what_is_no_token) {
    const std::string good = "onceswap-v1-0123456789abcdef0123-publish-7-" + random_part;
    BOOST_REQUIRE(CorrelationToken::parse(good).has_value());
    const auto replaced = [&good](const std::string& what, const std::string& with) {
        return std::string(good).replace(good.find(what), what.size(), with);
    };
    const std::vector<std::string> table{
        "",
        " " + good,
        good + " ",
        good + "0",
        good.substr(0, good.size() - 1),
        replaced("onceswap", "Onceswap"),
        replaced("v1", "v2"),
        replaced("0123456789abcdef0123", "0123456789abcdef012"),
        replaced("0123456789abcdef0123", "0123456789abcdef01234"),
        replaced("0123456789abcdef0123", "0123456789ABCDEF0123"),
        replaced("0123456789abcdef0123", ""),
        replaced("publish", "exchange"),
        replaced("publish", ""),
        replaced("publish", "PUBLISH"),
        replaced("-7-", "--"),
        replaced("-7-", "-07-"),
        replaced("-7-", "-+7-"),
        replaced("-7-", "--7-"),
        replaced("-7-", "-7.0-"),
        replaced("-7-", "-18446744073709551616-"),
        replaced("-7-", "-7-7-"),
        replaced("-publish", ""),
        replaced("0f", "0F"),
        replaced("0f", "0g"),
    };
    for (const std::string& text : table)
        BOOST_TEST(!CorrelationToken::parse(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(a_token_that_lost_or_gained_a_byte_is_none) {
    const std::string good = make_token(operation, Action::cleanup, 12, entropy()).text();
    for (std::size_t i = 0; i < good.size(); ++i) {
        BOOST_TEST_CONTEXT("byte " << i) {
            // Only the epoch's digits can be fewer or more and still be an epoch.
            const auto shorter = CorrelationToken::parse(std::string(good).erase(i, 1));
            BOOST_TEST((!shorter || shorter->epoch != 12));
            const auto longer = CorrelationToken::parse(std::string(good).insert(i, 1, '3'));
            BOOST_TEST((!longer || longer->epoch != 12));
            BOOST_TEST(!CorrelationToken::parse(std::string(good).insert(i, 1, '-')).has_value());
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
