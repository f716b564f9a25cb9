#include "http_transport/exception_text.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

namespace onceswap::http {
namespace {

const std::string names_and_types = "[\"a\"]\n[\"String\"]\n";
const std::string tag = "abcdefghijklmnop";

struct Row {
    const char* what;
    std::string body;
    BodyIs is;
    std::string tag;
    std::optional<int> code;
    std::string text;
};

} // namespace

BOOST_AUTO_TEST_SUITE(exception_text)

BOOST_AUTO_TEST_CASE(framings_and_spellings) {
    const std::string plain =
        "Code: 60. DB::Exception: Table d.t does not exist. (UNKNOWN_TABLE) (version 24.8.14.39)";
    const std::string keeper =
        "Code: 999. Coordination::Exception: Transaction failed (Node exists): Op #0. (KEEPER_EXCEPTION)";
    const std::string old =
        "Code: 47, e.displayText() = DB::Exception: Unknown identifier: x, e.what() = DB::Exception";
    const std::string host =
        "Code: 57. DB::Exception: There was an error on [ch2:9000]: Code: 60. DB::Exception: gone.";
    const Row rows[] = {
        {"whole body", plain + "\n", BodyIs::error, "", 60, plain},
        {"without newline", plain, BodyIs::error, "", 60, plain},
        {"keeper", keeper + "\n", BodyIs::error, "", 999, keeper},
        {"18.x", old + "\n", BodyIs::error, "", 47, old},
        {"18.x on 200", old + "\n", BodyIs::result, "", 47, old},
        {"only the first counts", host + "\n", BodyIs::error, "", 57, host},
        {"appended behind rows", names_and_types + "[\"x\"]\n" + plain + "\n", BodyIs::result, "", 60, plain},
        {"appended inside a row", names_and_types + "[\"x" + plain + "\n", BodyIs::result, "", 60, plain},
        {"appended inside a row, two lines",
         names_and_types + "[\"x" + plain + "\nstack\n",
         BodyIs::result,
         "",
         60,
         plain + "\nstack"},
        {"24.12 marker", names_and_types + "__exception__\r\n" + plain + "\n", BodyIs::result, "", 60, plain},
        {"24.12 marker inside a row",
         names_and_types + "[\"x__exception__\r\n" + plain + "\n",
         BodyIs::result,
         "",
         60,
         plain},
        {"25.11 block",
         names_and_types + "\r\n__exception__\r\n" + tag + "\r\n" + plain + "\n88 " + tag +
             "\r\n__exception__\r\n",
         BodyIs::result,
         tag,
         60,
         plain},
        {"25.11 block, tag not told",
         "\r\n__exception__\r\n" + tag + "\r\n" + plain + "\n88 " + tag + "\r\n__exception__\r\n",
         BodyIs::result,
         "",
         60,
         plain},
        {"data before, status 500", "[\"x\"]\n" + plain + "\n", BodyIs::error, "", 60, plain},
        {"quoted in a row",
         names_and_types + "[\"Code: 60. DB::Exception: quoted\"]\n",
         BodyIs::result,
         "",
         {},
         {}},
        {"quoted in the first row, then real",
         names_and_types + "[\"Code: 1. DB::Exception: q\"]\n" + plain,
         BodyIs::result,
         "",
         60,
         plain},
        {"empty", "", BodyIs::error, "", {}, {}},
        {"a proxy's page",
         "<html><h1>502 Bad Gateway</h1>Error Code: 502. See the log.</html>",
         BodyIs::error,
         "",
         {},
         {}},
        {"another program's codes", "Code: 62. Something went wrong", BodyIs::error, "", {}, {}},
        {"no number", "Code: x. DB::Exception: y", BodyIs::error, "", {}, {}},
        {"negative", "Code: -60. DB::Exception: y", BodyIs::error, "", {}, {}},
        {"too large a number", "Code: 99999999999. DB::Exception: y", BodyIs::error, "", {}, {}},
        {"cut before the class", "Code: 60. D", BodyIs::error, "", {}, {}},
        {"Poco's own",
         "Poco::Exception. Code: 1000, e.code() = 111, Connection refused",
         BodyIs::error,
         "",
         {},
         {}},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.what) {
            const auto found = find_exception_text(row.body, row.is, row.tag);
            BOOST_TEST(found.has_value() == row.code.has_value());
            if (found && row.code) {
                BOOST_TEST(found->code == *row.code);
                BOOST_TEST(found->text == row.text);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(the_marker_alone_is_seen) {
    BOOST_TEST(has_exception_marker("x\r\n__exception__\r\nnot readable"));
    BOOST_TEST(!has_exception_marker("[\"__exception__\\r\\n\"]\n"));
}

BOOST_AUTO_TEST_CASE(text_is_bounded) {
    const std::string body = "Code: 60. DB::Exception: " + std::string(100'000, 'x');
    const auto found = find_exception_text(body, BodyIs::error, "");
    BOOST_REQUIRE(found);
    BOOST_TEST(found->text.size() == max_exception_text);
}

BOOST_AUTO_TEST_CASE(result_sets_by_their_lines) {
    const std::string whole[] = {
        names_and_types, names_and_types + "[\"x\"]\n", names_and_types + "[1,[2]]\n[3]\n"
    };
    for (const std::string& body : whole) {
        BOOST_TEST(looks_like_result_set(body), body);
        // Every true prefix that is not itself whole lines is refused.
        for (std::size_t size = 0; size < body.size(); ++size) {
            const std::string prefix = body.substr(0, size);
            const bool lines = size >= names_and_types.size() && prefix.back() == '\n';
            BOOST_TEST(looks_like_result_set(prefix) == lines, "prefix of " << size << " bytes of " << body);
        }
    }
    for (const std::string& body :
         {std::string(),
          std::string("\n"),
          std::string("\n\n"),
          std::string("[]\n"),
          std::string("Ok.\n"),
          names_and_types + "\n",
          names_and_types + "Code: 1. DB::Exception: x\n",
          names_and_types + "{\"exception\":1}\n"}) {
        BOOST_TEST(!looks_like_result_set(body), body);
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::http
