#include "http_transport/reply_reader.hpp"
#include "http_transport/transport_error.hpp"

#include <boost/beast/http/error.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace onceswap::http {
namespace {

using boost::beast::flat_buffer;
namespace beast_http = boost::beast::http;

constexpr std::size_t header_limit = 1'024;
constexpr std::size_t body_limit = 200;

struct Reader {
    Reader() : buffer(header_limit + 64 * 1024), reader(buffer, {header_limit, body_limit}) {}

    flat_buffer buffer;
    ReplyReader reader;

    /// Gives the bytes in pieces of at most `piece`; returns how many were taken before it was finished.
    std::size_t give(std::string_view bytes, std::size_t piece) {
        std::size_t given = 0;
        while (given < bytes.size() && !reader.finished()) {
            const auto room = reader.prepare();
            const std::size_t size = std::min({piece, bytes.size() - given, room.size()});
            std::memcpy(room.data(), bytes.data() + given, size);
            given += size;
            reader.commit(size);
        }
        return given;
    }
};

struct Row {
    const char* what;
    std::string bytes;
    boost::system::error_code error; ///< of the reader after the stream has ended; clear: complete
    unsigned status;                 ///< 0: no final header
    std::string body;
    Framing framing;
    bool reusable;
};

const std::string ok = "HTTP/1.1 200 OK\r\n";

std::vector<Row> rows() {
    const std::string long_value(2'000, 'x');
    return {
        {"length", ok + "Content-Length: 3\r\n\r\nabc", {}, 200, "abc", Framing::content_length, true},
        {"length zero", ok + "Content-Length: 0\r\n\r\n", {}, 200, "", Framing::content_length, true},
        {"connection close",
         ok + "Connection: close\r\nContent-Length: 1\r\n\r\na",
         {},
         200,
         "a",
         Framing::content_length,
         false},
        {"1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", {}, 200, "a", Framing::content_length, false
        },
        {"chunked",
         ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
         {},
         200,
         "abcde",
         Framing::chunked,
         true},
        {"chunked, empty",
         ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         {},
         200,
         "",
         Framing::chunked,
         true},
        {"trailers change nothing",
         ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-ClickHouse-Exception-Code: "
              "7\r\nX-ClickHouse-Query-Id: no\r\n\r\n",
         {},
         200,
         "a",
         Framing::chunked,
         true},
        {"interim",
         "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\nX: y\r\n\r\n" + ok + "Content-Length: 1\r\n\r\na",
         {},
         200,
         "a",
         Framing::content_length,
         true},
        {"204", "HTTP/1.1 204 No\r\n\r\n", {}, 204, "", Framing::none, true},
        {"503",
         "HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nno",
         {},
         503,
         "no",
         Framing::content_length,
         true},
        {"close-delimited",
         ok + "\r\n",
         TransportError::close_delimited,
         200,
         "",
         Framing::close_delimited,
         false},
        {"upgrade",
         "HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
         TransportError::upgrade_refused,
         0,
         "",
         Framing::none,
         false},
        {"both framings",
         ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         beast_http::error::bad_transfer_encoding,
         0,
         "",
         Framing::none,
         false},
        {"two lengths",
         ok + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
         beast_http::error::multiple_content_length,
         0,
         "",
         Framing::none,
         false},
        {"a bad length",
         ok + "Content-Length: -3\r\n\r\nabc",
         beast_http::error::bad_content_length,
         0,
         "",
         Framing::none,
         false},
        {"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", beast_http::error::bad_version, 0, "", Framing::none, false
        },
        {"a bad chunk",
         ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n",
         beast_http::error::bad_chunk,
         200,
         "",
         Framing::chunked,
         false},
        {"body too long by its length",
         ok + "Content-Length: 201\r\n\r\n",
         beast_http::error::body_limit,
         200,
         "",
         Framing::content_length,
         false},
        {"body too long by its chunks",
         ok + "Transfer-Encoding: chunked\r\n\r\nC9\r\n",
         beast_http::error::body_limit,
         200,
         "",
         Framing::chunked,
         false},
        {"header too long",
         ok + "X: " + long_value + "\r\n\r\n",
         beast_http::error::header_limit,
         0,
         "",
         Framing::none,
         false},
        {"chunk extension too long",
         ok + "Transfer-Encoding: chunked\r\n\r\n1;" + long_value + "\r\na\r\n0\r\n\r\n",
         beast_http::error::header_limit,
         200,
         "",
         Framing::chunked,
         false},
        {"trailer too long",
         ok + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + long_value + "\r\n\r\n",
         beast_http::error::header_limit,
         200,
         "",
         Framing::chunked,
         false},
    };
}

} // namespace

BOOST_AUTO_TEST_SUITE(reply_reader)

BOOST_AUTO_TEST_CASE(every_reply_in_pieces_of_every_size) {
    for (const Row& row : rows()) {
        // A limit on what piles up unparsed acts when it is passed, so large pieces may slip through whole:
        // small ones only.
        const bool piles_up = row.error == beast_http::error::header_limit;
        for (std::size_t piece = 1; piece <= (piles_up ? 64 : row.bytes.size()); ++piece) {
            BOOST_TEST_CONTEXT(row.what << ", pieces of " << piece) {
                Reader all;
                all.give(row.bytes, piece);
                all.reader.end_of_stream();
                BOOST_TEST(all.reader.finished());
                BOOST_TEST(all.reader.error().message() == row.error.message());
                BOOST_TEST(all.reader.complete() == !row.error);
                BOOST_TEST(all.reader.reusable() == row.reusable);
                BOOST_TEST((all.reader.framing() == row.framing));
                BOOST_TEST(all.reader.any_byte());
                const auto response = all.reader.take_response();
                BOOST_TEST(response.has_value() == (row.status != 0));
                if (response) {
                    BOOST_TEST(response->status == row.status);
                    BOOST_TEST(response->body == row.body);
                    BOOST_TEST(!response->exception_code.has_value());
                    BOOST_TEST(response->query_id.empty());
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_reply_cut_anywhere_is_not_complete) {
    for (const Row& row : rows()) {
        if (row.error) {
            continue;
        }
        for (std::size_t size = 0; size < row.bytes.size(); ++size) {
            BOOST_TEST_CONTEXT(row.what << " cut at " << size) {
                Reader all;
                all.give(std::string_view(row.bytes).substr(0, size), row.bytes.size());
                BOOST_TEST(!all.reader.finished());
                all.reader.end_of_stream();
                BOOST_TEST(!all.reader.complete());
                BOOST_TEST(!all.reader.reusable());
                const TransportError expected =
                    size == 0 ? TransportError::closed_without_reply : TransportError::truncated;
                BOOST_TEST((all.reader.error() == expected));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(header_fields_that_rules_need) {
    Reader all;
    all.give(
        "HTTP/1.1 404 Not Found\r\nx-clickhouse-exception-CODE: 60\r\nX-ClickHouse-Exception-Tag: abc\r\n"
        "X-ClickHouse-Query-Id: q-1\r\nX-ClickHouse-Format: JSON\r\nX-ClickHouse-Summary: {}\r\n"
        "X-ClickHouse-Timezone: UTC\r\nKeep-Alive: timeout=3, max=9999\r\nContent-Length: 0\r\n\r\n",
        7
    );
    BOOST_REQUIRE(all.reader.complete());
    BOOST_REQUIRE(all.reader.keep_alive_timeout().has_value());
    BOOST_TEST(all.reader.keep_alive_timeout()->count() == 3);
    const auto response = all.reader.take_response();
    BOOST_REQUIRE(response);
    BOOST_TEST(response->exception_code.value() == 60);
    BOOST_TEST(response->exception_tag == "abc");
    BOOST_TEST(response->query_id == "q-1");
    BOOST_TEST(response->format == "JSON");
    BOOST_TEST(response->summary == "{}");
}

BOOST_AUTO_TEST_CASE(an_exception_header_that_is_no_number_is_still_there) {
    for (const char* value : {"", "x", "60x", "-1", "99999999999999"}) {
        Reader all;
        all.give(ok + "X-ClickHouse-Exception-Code: " + value + "\r\nContent-Length: 0\r\n\r\n", 1'000);
        const auto response = all.reader.take_response();
        BOOST_REQUIRE(response);
        BOOST_REQUIRE(response->exception_code.has_value());
        BOOST_TEST(*response->exception_code == 0);
    }
}

BOOST_AUTO_TEST_CASE(what_is_behind_a_reply_ends_the_connection) {
    Reader all;
    const std::string bytes = ok + "Content-Length: 1\r\n\r\na" + ok;
    all.give(bytes, bytes.size());
    BOOST_TEST(all.reader.complete());
    BOOST_TEST(!all.reader.reusable());
}

BOOST_AUTO_TEST_CASE(interim_replies_are_bounded) {
    std::string bytes;
    for (int i = 0; i < 17; ++i) {
        bytes += "HTTP/1.1 102 Processing\r\n\r\n";
    }
    Reader all;
    all.give(bytes, bytes.size());
    BOOST_TEST((all.reader.error() == TransportError::too_many_interim_replies));
    BOOST_TEST(!all.reader.take_response().has_value());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::http
