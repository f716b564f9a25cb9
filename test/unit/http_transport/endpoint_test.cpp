#include "http_transport/endpoint.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

namespace onceswap::http {

BOOST_AUTO_TEST_SUITE(endpoint)

BOOST_AUTO_TEST_CASE(what_is_taken) {
    struct Row {
        const char* url;
        bool tls;
        const char* host;
        unsigned port;
        const char* prefix;
        bool loopback;
        const char* text;
    };

    const Row rows[] = {
        {"http://ch1", false, "ch1", 8123, "", false, "http://ch1:8123"},
        {"https://ch1", true, "ch1", 8443, "", false, "https://ch1:8443"},
        {"HTTP://Ch1.Example.NET:80/", false, "ch1.example.net", 80, "", false, "http://ch1.example.net:80"},
        {"http://ch1:8124/a/b/", false, "ch1", 8124, "/a/b", false, "http://ch1:8124/a/b"},
        {"http://ch1/%61", false, "ch1", 8123, "/%61", false, "http://ch1:8123/%61"},
        {"http://10.0.0.1:1", false, "10.0.0.1", 1, "", false, "http://10.0.0.1:1"},
        {"http://127.0.0.1:65535", false, "127.0.0.1", 65535, "", true, "http://127.0.0.1:65535"},
        {"http://127.8.9.1", false, "127.8.9.1", 8123, "", true, "http://127.8.9.1:8123"},
        {"https://[::1]:9", true, "::1", 9, "", true, "https://[::1]:9"},
        {"http://[2001:DB8::5]", false, "2001:db8::5", 8123, "", false, "http://[2001:db8::5]:8123"},
        {"http://localhost", false, "localhost", 8123, "", true, "http://localhost:8123"},
        {"http://localhost.example",
         false,
         "localhost.example",
         8123,
         "",
         false,
         "http://localhost.example:8123"},
        {"http://127.evil.net", false, "127.evil.net", 8123, "", false, "http://127.evil.net:8123"},
        {"http://ch_1-a", false, "ch_1-a", 8123, "", false, "http://ch_1-a:8123"},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.url) {
            const auto endpoint = Endpoint::parse(row.url);
            BOOST_REQUIRE_MESSAGE(endpoint.has_value(), (endpoint ? std::string() : endpoint.error()));
            BOOST_TEST(endpoint->tls() == row.tls);
            BOOST_TEST(endpoint->host() == row.host);
            BOOST_TEST(endpoint->port() == row.port);
            BOOST_TEST(endpoint->prefix() == row.prefix);
            BOOST_TEST(endpoint->is_loopback_literal() == row.loopback);
            BOOST_TEST(endpoint->text() == row.text);
            const auto again = Endpoint::parse(endpoint->text());
            BOOST_REQUIRE(again.has_value());
            BOOST_TEST((*again == *endpoint));
        }
    }
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
    const std::string rows[] = {
        "",
        "ch1",
        "ch1:8123",
        "//ch1",
        "/a",
        "http:",
        "http://",
        "http:///a",
        "http://:8123",
        "ftp://ch1",
        "clickhouse://ch1:9000",
        "tcp://ch1:9000",
        "http://ch1:0",
        "http://ch1:65536",
        "http://ch1:abc",
        "http://ch1:-1",
        "http://ch1?x=1",
        "http://ch1/?",
        "http://ch1/#",
        "http://ch1#f",
        "http://ch 1",
        "http://ch1/a b",
        "http://ch1\r\nX: y",
        "http://c%0d%0a1",
        "http://ch*1",
        "http://[::1",
        "http://[v1.x]",
        "http://[fe80::1%25eth0]",
        std::string("http://ch1\0", 11),
        "http://" + std::string(254, 'a'),
        "http://ch1/" + std::string(3'000, 'a'),
    };
    for (const std::string& row : rows) {
        BOOST_TEST_CONTEXT(row) {
            BOOST_TEST(!Endpoint::parse(row).has_value());
        }
    }
}

BOOST_AUTO_TEST_CASE(a_secret_in_the_url_is_refused_and_not_repeated) {
    for (const char* url :
         {"http://user:hunter2@ch1", "https://hunter2@ch1", "http://:hunter2@ch1:1/x", "http://u:hunter2@c h"
         }) {
        const auto endpoint = Endpoint::parse(url);
        BOOST_REQUIRE(!endpoint.has_value());
        BOOST_TEST(endpoint.error().find("hunter2") == std::string::npos);
        BOOST_TEST(!endpoint.error().empty());
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::http
