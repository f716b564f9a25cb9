#include "http_transport/request_bytes.hpp"
#include "http_transport/request_target.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace onceswap::http {
namespace {

using protocol::Statement;
using protocol::StatementKind;

Endpoint endpoint(const char* url = "http://ch1/p") {
    const auto parsed = Endpoint::parse(url);
    BOOST_REQUIRE(parsed.has_value());
    return *parsed;
}

RequestStyle style() {
    RequestStyle style;
    style.user_agent = "onceswap";
    return style;
}

std::vector<std::string> parameters(const std::string& target) {
    std::vector<std::string> out;
    std::size_t at = target.find('?') + 1;
    while (at <= target.size()) {
        const std::size_t end = std::min(target.find('&', at), target.size());
        out.push_back(target.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

std::string joined(const RequestBytes& bytes, std::uint64_t offset) {
    std::string out;
    for (const auto& buffer : bytes.from(offset)) {
        out.append(static_cast<const char*>(buffer.data()), buffer.size());
    }
    return out;
}

std::size_t count(const std::vector<std::string>& all, const std::string& one) {
    return static_cast<std::size_t>(std::ranges::count(all, one));
}

} // namespace

BOOST_AUTO_TEST_SUITE(request)

BOOST_AUTO_TEST_CASE(a_read_has_the_contract_settings) {
    const Request request(Statement(StatementKind::catalogue, "SELECT 1"), "q 1&");
    const auto target = request_target(endpoint(), request, request.query_id, false);
    BOOST_REQUIRE(target.has_value());
    BOOST_TEST(target->starts_with("/p/?"));
    const std::vector<std::string> expected = {
        "wait_end_of_query=1",
        "default_format=JSONCompactEachRowWithNamesAndTypes",
        "query_id=q%201%26",
        "send_progress_in_http_headers=0",
        "http_write_exception_in_output_format=0",
        "enable_http_compression=0",
        "output_format_json_quote_64bit_integers=1",
        "output_format_json_validate_utf8=1",
        "skip_unavailable_shards=0"
    };
    BOOST_TEST(parameters(*target) == expected, boost::test_tools::per_element());
}

/// A server that knows none of our settings must still be able to say which version it is.
BOOST_AUTO_TEST_CASE(the_version_is_asked_without_a_setting) {
    const Request request(protocol::version_statement(), "q");
    for (const bool readonly_user : {false, true}) {
        const auto target = request_target(endpoint(), request, request.query_id, readonly_user);
        BOOST_REQUIRE(target.has_value());
        const std::vector<std::string> expected = {
            "wait_end_of_query=1", "default_format=TabSeparated", "query_id=q"
        };
        BOOST_TEST(parameters(*target) == expected, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(a_mutation_has_its_own_settings_once) {
    const protocol::Settings settings = {
        {"skip_unavailable_shards", "0"}, {"log_comment", "a=b&c'\n"}, {"enable_http_compression", "0"}
    };
    const Request request(Statement(StatementKind::exchange, "EXCHANGE", settings), "q");
    const auto target = request_target(endpoint(), request, request.query_id, false);
    BOOST_REQUIRE(target.has_value());
    const auto all = parameters(*target);
    BOOST_TEST(count(all, "skip_unavailable_shards=0") == 1u);
    BOOST_TEST(count(all, "enable_http_compression=0") == 1u);
    BOOST_TEST(count(all, "log_comment=a%3Db%26c%27%0A") == 1u);
    BOOST_TEST(count(all, "wait_end_of_query=1") == 1u);
}

BOOST_AUTO_TEST_CASE(a_mutation_without_the_setting_does_not_get_that_of_reads) {
    const Request request(Statement(StatementKind::authority_insert, "INSERT"), "q");
    const auto target = request_target(endpoint(), request, request.query_id, false);
    BOOST_REQUIRE(target.has_value());
    BOOST_TEST(count(parameters(*target), "skip_unavailable_shards=0") == 0u);
}

BOOST_AUTO_TEST_CASE(a_readonly_user_sends_no_setting) {
    const protocol::Settings settings = {{"skip_unavailable_shards", "0"}};
    const Request request(Statement(StatementKind::catalogue, "SELECT 1", settings), "q");
    const auto target = request_target(endpoint(), request, request.query_id, true);
    BOOST_REQUIRE(target.has_value());
    const std::vector<std::string> expected = {
        "wait_end_of_query=1", "default_format=JSONCompactEachRowWithNamesAndTypes", "query_id=q"
    };
    BOOST_TEST(parameters(*target) == expected, boost::test_tools::per_element());
    for (const StatementKind kind : protocol::all_statement_kinds()) {
        const Request each(Statement(kind, "X"), "q");
        const bool sendable = !protocol::is_mutation(kind) && kind != StatementKind::settings_probe;
        BOOST_TEST(request_target(endpoint(), each, "q", true).has_value() == sendable, protocol::text(kind));
    }
}

BOOST_AUTO_TEST_CASE(the_target_is_bounded) {
    const protocol::Settings fits = {{"x", std::string(max_target_bytes - 600, 'a')}};
    const protocol::Settings too_long = {{"x", std::string(max_target_bytes, 'a')}};
    const protocol::Settings too_long_encoded = {{"x", std::string(max_target_bytes / 2, ' ')}};
    const protocol::Settings nameless = {{"", "1"}};
    for (const auto& [settings, good] :
         {std::pair{fits, true},
          std::pair{too_long, false},
          std::pair{too_long_encoded, false},
          std::pair{nameless, false}}) {
        const Request request(Statement(StatementKind::exchange, "E", settings), "q");
        BOOST_TEST(
            RequestBytes::make(endpoint(), request, "q", style(), AfterReply::close).has_value() == good
        );
    }
    const Request anonymous(Statement(StatementKind::exchange, "E"), "");
    BOOST_TEST(!RequestBytes::make(endpoint(), anonymous, "", style(), AfterReply::close).has_value());
}

BOOST_AUTO_TEST_CASE(the_wire) {
    Request request(Statement(StatementKind::insert_rows, "INSERT INTO t FORMAT JSONEachRow"), "q");
    request.payload = "{\"a\":1}\n";
    const auto bytes =
        RequestBytes::make(endpoint("http://[::1]:81"), request, "q", style(), AfterReply::close);
    BOOST_REQUIRE(bytes.has_value());
    const std::string all = joined(*bytes, 0);
    BOOST_TEST(all.size() == bytes->size());
    BOOST_TEST(all.starts_with("POST /?wait_end_of_query=1&"));
    const std::string expected_end =
        " HTTP/1.1\r\nHost: [::1]:81\r\nUser-Agent: onceswap\r\nX-ClickHouse-User: default"
        "\r\nConnection: close\r\nContent-Type: text/plain; charset=UTF-8"
        "\r\nContent-Length: 41\r\n\r\nINSERT INTO t FORMAT JSONEachRow\n{\"a\":1}\n";
    BOOST_TEST(all.ends_with(expected_end), all);
    BOOST_TEST(all.find("Expect") == std::string::npos);
    BOOST_TEST(all.find("Encoding") == std::string::npos);
    for (std::uint64_t offset = 0; offset <= bytes->size(); ++offset) {
        BOOST_TEST(joined(*bytes, offset) == all.substr(offset));
    }
}

BOOST_AUTO_TEST_CASE(reads_keep_the_connection) {
    const Request request(Statement(StatementKind::catalogue, "SELECT 1"), "q");
    const auto bytes = RequestBytes::make(endpoint(), request, "q", style(), AfterReply::keep_alive);
    BOOST_REQUIRE(bytes.has_value());
    BOOST_TEST(bytes->start().find("Connection:") == std::string_view::npos);
    BOOST_TEST(bytes->start().find("\r\nHost: ch1:8123\r\n") != std::string_view::npos);
}

BOOST_AUTO_TEST_CASE(who_asks) {
    struct Row {
        std::string user;
        std::string password;
        std::string line; ///< empty: not sendable
    };

    const Row rows[] = {
        {"default", "", "X-ClickHouse-User: default\r\nC"},
        {"loader", "s3cret", "X-ClickHouse-User: loader\r\nX-ClickHouse-Key: s3cret\r\nC"},
        {"loader", "with space", "X-ClickHouse-User: loader\r\nX-ClickHouse-Key: with space\r\nC"},
        {"loader", " edge", "Authorization: Basic bG9hZGVyOiBlZGdl\r\nC"},
        {"loader", "p\xc3\xa4ss", "Authorization: Basic bG9hZGVyOnDDpHNz\r\nC"},
        {"loader", "a\r\nb", "Authorization: Basic bG9hZGVyOmENCmI=\r\nC"},
        {"l\xc3\xb6", "", "Authorization: Basic bMO2Og==\r\nC"},
        {"", "x", "Authorization: Basic Ong=\r\nC"},
        {"a:b", "x", "X-ClickHouse-User: a:b\r\nX-ClickHouse-Key: x\r\nC"},
        {"a:b", "p\xc3\xa4ss", ""},
        {"a:\n", "s3cret", ""},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.user << " / " << row.password) {
            RequestStyle mine = style();
            mine.credentials = Credentials(row.user, row.password);
            const Request request(Statement(StatementKind::catalogue, "SELECT 1"), "q");
            const auto bytes = RequestBytes::make(endpoint(), request, "q", mine, AfterReply::keep_alive);
            BOOST_TEST(bytes.has_value() == !row.line.empty());
            if (bytes) {
                const std::string head(bytes->start().substr(0, bytes->start().find("\r\n\r\n")));
                BOOST_TEST(head.find("\r\n" + row.line) != std::string::npos, head);
                const bool basic = head.find("Authorization") != std::string::npos;
                BOOST_TEST((head.find("X-ClickHouse") == std::string::npos) == basic, "both ways at once");
            } else {
                BOOST_TEST(bytes.error().find("s3cret") == std::string::npos);
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::http
