#include "http_transport/response.hpp"
#include "http_transport/transport_error.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

namespace onceswap::http {
namespace {

const std::string result_set = "[\"a\"]\n[\"UInt8\"]\n[1]\n";
const std::string error_text = "Code: 60. DB::Exception: Table d.t does not exist. (UNKNOWN_TABLE)";

Exchange exchange_of(unsigned status, std::optional<int> header_code, std::string body, bool complete) {
    Exchange exchange;
    exchange.evidence.phase = complete ? CallPhase::done : CallPhase::body;
    exchange.evidence.bytes_handed_over = 321;
    exchange.evidence.any_reply_byte = true;
    exchange.evidence.reply_complete = complete;
    exchange.evidence.peer = "http://ch1:8123";
    if (!complete) {
        exchange.evidence.error = TransportError::truncated;
    }
    Response response;
    response.status = status;
    response.exception_code = header_code;
    response.body = std::move(body);
    exchange.response = std::move(response);
    return exchange;
}

} // namespace

BOOST_AUTO_TEST_SUITE(response)

BOOST_AUTO_TEST_CASE(what_is_observed) {
    struct Row {
        const char* what;
        unsigned status;
        std::optional<int> header_code;
        std::string body;
        bool complete;
        BodyShape shape;
        std::optional<int> code;
        std::string text;
        bool success;
    };

    const Row rows[] = {
        {"empty, as demanded", 200, {}, "", true, BodyShape::empty, {}, "", true},
        {"rows, as demanded", 200, {}, result_set, true, BodyShape::result_set, {}, "", true},
        {"rows where none belong", 200, {}, result_set, true, BodyShape::empty, {}, "", false},
        {"nothing where rows belong", 200, {}, "", true, BodyShape::result_set, {}, "", false},
        {"a proxy's page on 200", 200, {}, "<html>ok</html>", true, BodyShape::result_set, {}, "", false},
        {"Ok. of a ping", 200, {}, "Ok.\n", true, BodyShape::empty, {}, "", false},
        {"cut", 200, {}, result_set, false, BodyShape::result_set, {}, "", false},
        {"empty and cut", 200, {}, "", false, BodyShape::empty, {}, "", false},
        {"201", 201, {}, "", true, BodyShape::empty, {}, "", false},
        {"204", 204, {}, "", true, BodyShape::empty, {}, "", false},
        {"200 with a header code and no body", 200, 209, "", true, BodyShape::empty, 209, "", false},
        {"200 with a header that is no number", 200, 0, "", true, BodyShape::empty, 0, "", false},
        {"200 with a text at the end",
         200,
         {},
         result_set + error_text + "\n",
         true,
         BodyShape::result_set,
         60,
         error_text,
         false},
        {"200 with a text only", 200, {}, error_text, true, BodyShape::empty, 60, error_text, false},
        {"200 with an unreadable marker",
         200,
         {},
         result_set + "__exception__\r\n?\n",
         true,
         BodyShape::result_set,
         {},
         "",
         false},
        {"a row that quotes one",
         200,
         {},
         result_set + "[\"" + error_text + "\"]\n",
         true,
         BodyShape::result_set,
         {},
         "",
         true},
        {"header and text", 404, 60, error_text + "\n", true, BodyShape::empty, 60, error_text, false},
        {"the header wins", 500, 159, error_text + "\n", true, BodyShape::empty, 159, error_text, false},
        {"text only, 18.x",
         500,
         {},
         "Code: 47, e.displayText() = DB::Exception: Unknown identifier: x",
         true,
         BodyShape::empty,
         47,
         "Code: 47, e.displayText() = DB::Exception: Unknown identifier: x",
         false},
        {"something in between", 503, {}, "no backend", true, BodyShape::empty, {}, "", false},
        {"redirect", 301, {}, "", true, BodyShape::empty, {}, "", false},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.what) {
            const Exchange exchange = exchange_of(row.status, row.header_code, row.body, row.complete);
            const protocol::ReplyEvidence seen = observe(exchange, row.shape);
            BOOST_TEST(seen.bytes_handed_over == 321u);
            BOOST_TEST(seen.status == row.status);
            BOOST_TEST(seen.reply_complete == row.complete);
            BOOST_TEST(seen.success_shape == row.success);
            BOOST_TEST(seen.exception.has_value() == row.code.has_value());
            if (seen.exception && row.code) {
                BOOST_TEST(seen.exception->code == *row.code);
                BOOST_TEST(seen.exception->text == row.text);
            }
            const auto body = successful_body(exchange);
            const bool rows_came = row.body == result_set || row.body.ends_with(error_text + "\"]\n");
            BOOST_TEST(body.has_value() == (row.complete && row.status == 200 && rows_came));
            if (body) {
                BOOST_TEST(*body == row.body);
            } else {
                BOOST_TEST(body.error().find("http://ch1:8123: ") == 0u, body.error());
                if (row.code) {
                    BOOST_TEST(
                        body.error().find("code " + std::to_string(*row.code)) != std::string::npos,
                        body.error()
                    );
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_success_before_the_request_was_sent_is_none) {
    for (const BodyShape shape : {BodyShape::empty, BodyShape::result_set}) {
        Exchange exchange = exchange_of(200, {}, shape == BodyShape::empty ? "" : result_set, true);
        BOOST_TEST(observe(exchange, shape).success_shape);
        exchange.evidence.request_cut = true;
        BOOST_TEST(!observe(exchange, shape).success_shape);
        BOOST_TEST(!successful_body(exchange).has_value());
    }
}

BOOST_AUTO_TEST_CASE(without_a_reply) {
    Exchange exchange;
    exchange.evidence.phase = CallPhase::connect;
    exchange.evidence.error = TransportError::deadline_reached;
    exchange.evidence.detail = "10.0.0.1:8123";
    BOOST_TEST((observe(exchange, BodyShape::empty) == protocol::ReplyEvidence()));
    const auto body = successful_body(exchange);
    BOOST_REQUIRE(!body.has_value());
    BOOST_TEST(body.error() == "connect: the deadline was reached (10.0.0.1:8123)");
}

BOOST_AUTO_TEST_CASE(errors_have_names) {
    for (int value = 1; value <= static_cast<int>(TransportError::tls_failed); ++value) {
        const boost::system::error_code error = make_error_code(static_cast<TransportError>(value));
        BOOST_TEST(error.message() != "unknown transport error");
        BOOST_TEST(error.category().name() == std::string("onceswap.transport"));
    }
    BOOST_TEST((make_error_code(TransportError::deadline_reached) == boost::system::errc::timed_out));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::http
