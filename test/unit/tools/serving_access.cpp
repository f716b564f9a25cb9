#include "tools/serving/access.hpp"
#include "tools/serving/listen_address.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap::serving;

BOOST_AUTO_TEST_SUITE(serving_access)

BOOST_AUTO_TEST_CASE(hosts_that_are_ours) {
    const Access loopback(true, {"Watch.Example"}, std::nullopt);
    const Access open(false, {}, std::nullopt);

    const struct {
        const char* host;
        bool on_loopback;
        bool on_open;
    } rows[] = {
        {"localhost", true, true},
        {"LOCALHOST:9466", true, true},
        {"127.0.0.1:9466", true, true},
        {"127.1.2.3", true, true},
        {"[::1]:9466", true, true},
        {"[::1]", true, true},
        {"watch.example:80", true, false},
        {"10.1.2.3", false, true},
        {"[2001:db8::1]:9466", false, true},
        {"localhost.evil.example", false, false},
        {"evil.example", false, false},
        {"127.0.0.1.evil.example", false, false},
        {"localhost:port", false, false},
        {"localhost:123456", false, false},
        {"[::1", false, false},
        {"[::1]x", false, false},
        {"::1", false, false},
        {"", false, false},
        {":9466", false, false},
    };

    for (const auto& row : rows) {
        BOOST_TEST(loopback.host_is_ours(row.host) == row.on_loopback, row.host);
        BOOST_TEST(open.host_is_ours(row.host) == row.on_open, row.host);
    }
}

BOOST_AUTO_TEST_CASE(addresses_to_listen_on) {
    for (const char* good : {"127.0.0.1:9466", "0.0.0.0:0", "[::1]:80", "[::]:65535"}) {
        const auto parsed = parse_listen_address(good);
        BOOST_REQUIRE_MESSAGE(parsed, good);
        BOOST_TEST(text(*parsed) == good);
    }
    BOOST_TEST(text(*parse_listen_address("localhost:1")) == "127.0.0.1:1");
    for (const char* bad :
         {"",
          ":",
          ":80",
          "80",
          "127.0.0.1",
          "127.0.0.1:",
          "127.0.0.1:x",
          "127.0.0.1:-1",
          "127.0.0.1:65536",
          "::1:80",
          "[127.0.0.1]:80",
          "[::1]",
          "name:80",
          "127.0.0.1:80 "})
        BOOST_TEST(!parse_listen_address(bad), bad);
}

BOOST_AUTO_TEST_SUITE_END()
