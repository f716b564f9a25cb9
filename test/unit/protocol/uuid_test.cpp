#include "protocol/uuid.hpp"

#include <boost/test/unit_test.hpp>

using onceswap::protocol::Uuid;

BOOST_AUTO_TEST_SUITE(uuid)

BOOST_AUTO_TEST_CASE(text_is_what_was_parsed_in_lower_case) {
    const auto parsed = Uuid::parse("0123ABCD-4567-89ef-FEDC-ba9876543210");
    BOOST_REQUIRE(parsed.has_value());
    BOOST_TEST(parsed->text() == "0123abcd-4567-89ef-fedc-ba9876543210");
    BOOST_TEST((Uuid::parse(parsed->text()) == parsed));
}

BOOST_AUTO_TEST_CASE(anything_else_is_no_uuid) {
    for (const char* text : {
             "",
             "0123abcd",
             "0123abcd456789effedcba9876543210",
             "{0123abcd-4567-89ef-fedc-ba9876543210}",
             "0123abcd-4567-89ef-fedc-ba987654321",
             "0123abcd-4567-89ef-fedc-ba98765432100",
             "0123abcd-4567-89ef-fedc-ba987654321g",
             "0123abcd-4567-89ef-fedcba-9876543210",
             "0123abcd 4567 89ef fedc ba9876543210",
             " 123abcd-4567-89ef-fedc-ba9876543210",
             "-123abcd-4567-89ef-fedc-ba9876543210",
             "0123abcd-4567-89ef-fedc-ba9876543210 ",
             "0123abcd--567-89ef-fedc-ba9876543210",
             "+123abcd-4567-89ef-fedc-ba9876543210",
         })
        BOOST_TEST(!Uuid::parse(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(every_single_wrong_character_is_seen) {
    const std::string good = "0123abcd-4567-89ef-fedc-ba9876543210";
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const char wrong : {'g', ' ', '-', '0', '\0', '/', ':', '@', 'G', '`'}) {
            std::string text = good;
            text[i] = wrong;
            const bool is_dash = good[i] == '-';
            const bool fits = is_dash ? wrong == '-' : wrong == '0';
            BOOST_TEST_CONTEXT("position " << i << ", '" << wrong << "'")
            BOOST_TEST(Uuid::parse(text).has_value() == fits);
        }
    }
}

BOOST_AUTO_TEST_CASE(nil_is_nobody) {
    BOOST_TEST(Uuid().is_nil());
    BOOST_TEST(Uuid::parse("00000000-0000-0000-0000-000000000000")->is_nil());
    BOOST_TEST(!Uuid::parse("00000000-0000-0000-0000-000000000001")->is_nil());
    BOOST_TEST(Uuid().text() == "00000000-0000-0000-0000-000000000000");
}

BOOST_AUTO_TEST_CASE(random_ones_are_version_4_and_keep_the_other_bits) {
    std::array<std::uint8_t, 16> zeros{};
    std::array<std::uint8_t, 16> ones{};
    ones.fill(0xff);
    BOOST_TEST(Uuid::random_from(zeros).text() == "00000000-0000-4000-8000-000000000000");
    BOOST_TEST(Uuid::random_from(ones).text() == "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

BOOST_AUTO_TEST_CASE(order_is_that_of_the_text) {
    const auto a = *Uuid::parse("00000000-0000-0000-0000-0000000000ff");
    const auto b = *Uuid::parse("00000000-0000-0000-0000-000000000100");
    BOOST_TEST((a < b));
    BOOST_TEST(a.text() < b.text());
}

BOOST_AUTO_TEST_SUITE_END()
