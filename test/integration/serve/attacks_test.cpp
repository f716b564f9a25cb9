// What a hostile client, page, file or name can do to `serve`: over real sockets, against the real process.
#include "http_client.hpp"
#include "serving.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <vector>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(serve_attacks)

namespace {

const std::string host = "Host: localhost\r\n";

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
        ++count;
    return count;
}

std::string raw(const Serving& serving, const std::string& bytes) {
    Client client(serving.port());
    client.send(bytes);
    return client.until_closed();
}

long resident_kib(Serving& serving) {
    const std::string status = content_of("/proc/" + std::to_string(serving.process().pid()) + "/status");
    const auto at = status.find("VmRSS:");
    return at == std::string::npos ? -1 : std::stol(status.substr(at + 6));
}

/// More than any of these tests may cost: what is bounded stays far below, what is not goes far beyond.
constexpr long much_kib = 32L * 1024;

constexpr const char* verdicts_of = R"(
import sys
from prometheus_client.parser import text_string_to_metric_families
for family in text_string_to_metric_families(sys.stdin.read()):
    for sample in family.samples:
        if sample.name == "onceswap_verdict":
            print(ascii(sample.labels["cluster"]), ascii(sample.labels["table"]), sample.labels["verdict"])
)";

} // namespace

BOOST_AUTO_TEST_CASE(slow_heads_end_and_hold_up_nobody) {
    SimProcess sim;
    Serving serving(sim.where());
    Client silent(serving.port());
    Client half(serving.port());
    half.send("GET / HTTP/1.1\r\nHost: localhost\r\n");
    Client drip(serving.port());
    drip.send("GET / HTTP/1.1\r\nX: ");
    unsigned bytes = 0;
    while (!drip.closed_within(std::chrono::milliseconds(100)) && bytes < 1'000) {
        drip.send("x");
        ++bytes;
        BOOST_TEST_REQUIRE(ask(serving.port(), "/healthz").status == 200U);
    }
    BOOST_TEST(bytes < 1'000U, "a byte now and then does not keep a head open");
    silent.until_closed(std::chrono::minutes(1));
    half.until_closed(std::chrono::minutes(1));
    const std::string metrics = ask(serving.port(), "/metrics").body;
    BOOST_TEST(contains(metrics, "\nonceswap_serve_timed_out_total 3\n"), metrics);
}

BOOST_AUTO_TEST_CASE(too_many_connections_are_turned_away_and_cost_nothing) {
    SimProcess sim;
    Serving serving(sim.where());
    serving.status_with("NO_RECORD");
    const long before = resident_kib(serving);
    std::vector<std::unique_ptr<Client>> clients;
    for (unsigned i = 0; i < 300; ++i)
        clients.push_back(std::make_unique<Client>(serving.port()));
    unsigned turned_away = 0;
    for (const auto& client : clients) {
        const std::string said = client->until_closed(std::chrono::minutes(1));
        BOOST_TEST((said.empty() || said.starts_with("HTTP/1.1 503 ")), said);
        turned_away += said.empty() ? 0U : 1U;
    }
    BOOST_TEST(turned_away >= 300U - 64U);
    BOOST_TEST(turned_away < 300U, "the first ones had a place, and lost it for saying nothing");
    BOOST_TEST(ask(serving.port(), "/healthz").status == 200U);
    const long grown = resident_kib(serving) - before;
    BOOST_TEST(grown < much_kib, "grew by " << grown << " KiB");
}

BOOST_AUTO_TEST_CASE(heads_that_are_none_and_paths_that_lead_elsewhere) {
    SimProcess sim;
    Serving serving(sim.where());
    const std::string close = "Connection: close\r\n\r\n";
    std::string many;
    for (unsigned i = 0; i < 2'000; ++i)
        many += "a: b\r\n";
    using namespace std::string_literals;

    const struct {
        const char* what;
        std::string bytes;
        const char* status;
    } rows[] = {
        {"a long target", "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n" + host + close, "431"},
        {"a long name", "GET / HTTP/1.1\r\n" + std::string(20'000, 'a') + ": b\r\n" + close, "431"},
        {"many short lines", "GET / HTTP/1.1\r\n" + host + many + close, "431"},
        {"a long line that never ends", std::string(20'000, 'a'), "4"},
        {"a NUL", "GET / HTTP/1.1\r\nHost: local\0host\r\n\r\n"s, "400"},
        {"a space before the colon", "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", "400"},
        {"no version", "GET /\r\n\r\n", "400"},
        {"HTTP/2 without asking", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"},
        {"no host", "GET / HTTP/1.1\r\n" + close, "400"},
        {"no host of the old version", "GET / HTTP/1.0\r\n\r\n", "400"},
        {"an empty host", "GET / HTTP/1.1\r\nHost:\r\n" + close, "421"},
        {"a rebound name", "GET /api/status HTTP/1.1\r\nHost: evil.example\r\n" + close, "421"},
        {"a rebound name behind ours", "GET / HTTP/1.1\r\nHost: localhost.evil.example\r\n" + close, "421"},
        {"a user in the host", "GET / HTTP/1.1\r\nHost: localhost@evil.example\r\n" + close, "421"},
        {"a foreign name in the target alone",
         "GET http://evil.example/etc HTTP/1.1\r\n" + host + close,
         "404"},
        {"lengths that differ",
         "GET / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
         "400"},
        {"a length below zero", "GET / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n", "400"},
        {"a double slash", "GET //metrics HTTP/1.1\r\n" + host + close, "404"},
        {"a slash behind", "GET /metrics/ HTTP/1.1\r\n" + host + close, "404"},
        {"an escaped letter", "GET /%6detrics HTTP/1.1\r\n" + host + close, "404"},
        {"an escaped slash", "GET /..%2fmetrics HTTP/1.1\r\n" + host + close, "404"},
        {"an escaped NUL", "GET /metrics%00 HTTP/1.1\r\n" + host + close, "404"},
        {"dots", "GET /x/../metrics HTTP/1.1\r\n" + host + close, "404"},
        {"a dot", "GET /./metrics HTTP/1.1\r\n" + host + close, "404"},
        {"capitals", "GET /METRICS HTTP/1.1\r\n" + host + close, "404"},
        {"a semicolon", "GET /metrics;x HTTP/1.1\r\n" + host + close, "404"},
        {"a backslash", "GET \\metrics HTTP/1.1\r\n" + host + close, "404"},
        {"a file", "GET /../../../../etc/passwd HTTP/1.1\r\n" + host + close, "404"},
        {"POST", "POST / HTTP/1.1\r\n" + host + close, "405"},
        {"PATCH", "PATCH /api/status HTTP/1.1\r\n" + host + close, "405"},
        {"DELETE of nothing", "DELETE /none HTTP/1.1\r\n" + host + close, "405"},
        {"TRACE", "TRACE / HTTP/1.1\r\nX-Planted: planted-secret\r\n" + host + close, "405"},
        {"CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\n" + host + close, "405"},
        {"small letters", "get / HTTP/1.1\r\n" + host + close, "405"},
        {"a method of its own", "<script> / HTTP/1.1\r\n" + host + close, "400"},
        {"a method nobody knows", "PLANTED / HTTP/1.1\r\n" + host + close, "405"},
    };

    for (const auto& row : rows) {
        const std::string said = raw(serving, row.bytes);
        BOOST_TEST(
            said.starts_with(std::string("HTTP/1.1 ") + row.status), row.what << ": " << said.substr(0, 300)
        );
        BOOST_TEST(count_of(said, "HTTP/1.1 ") == 1U, row.what);
        BOOST_TEST(
            contains(said, "\r\nAllow: GET, HEAD\r\n") == (std::string(row.status) == "405"), row.what
        );
        for (const char* never : {"planted", "PLANTED", "evil", "<script>", "etc/passwd", "Access-Control"})
            BOOST_TEST(!contains(said, never), row.what << " is repeated: " << said);
    }
    BOOST_TEST(ask(serving.port(), "/healthz").status == 200U);
}

BOOST_AUTO_TEST_CASE(a_head_without_an_end_is_not_kept) {
    SimProcess sim;
    Serving serving(sim.where());
    serving.status_with("NO_RECORD");
    const long before = resident_kib(serving);
    std::string lines_of_head;
    while (lines_of_head.size() < (64U << 20U))
        lines_of_head += "a: b\r\n";
    Client client(serving.port());
    client.send("GET / HTTP/1.1\r\n" + host);
    client.send_for(lines_of_head, std::chrono::seconds(60));
    const long grown = resident_kib(serving) - before;
    BOOST_TEST(grown < much_kib, "grew by " << grown << " KiB");
    BOOST_TEST(client.until_closed().starts_with("HTTP/1.1 431 "));
}

BOOST_AUTO_TEST_CASE(a_foreign_page_is_told_nothing) {
    SimProcess sim;
    Serving serving(sim.where());
    for (const char* path : {"/", "/healthz", "/metrics", "/api/status", "/none"}) {
        for (const char* method : {"GET", "HEAD", "OPTIONS"}) {
            const Reply reply =
                ask(serving.port(),
                    path,
                    "Origin: http://evil.example\r\nAccess-Control-Request-Method: GET\r\n",
                    method);
            BOOST_TEST(!contains(reply.head, "Access-Control"), path << ": " << reply.head);
            BOOST_TEST(header_of(reply, "X-Content-Type-Options") == "nosniff", path);
            BOOST_TEST(header_of(reply, "Cross-Origin-Resource-Policy") == "same-origin", path);
            BOOST_TEST(header_of(reply, "X-Frame-Options") == "DENY", path);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_body_is_no_second_request) {
    SimProcess sim;
    Serving serving(sim.where());
    const std::string inner = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const std::string length = "Content-Length: " + std::to_string(inner.size()) + "\r\n";

    const struct {
        const char* what;
        std::string bytes;
    } rows[] = {
        {"a body of a GET", "GET /healthz HTTP/1.1\r\n" + host + length + "\r\n" + inner},
        {"a body of a POST", "POST / HTTP/1.1\r\n" + host + length + "\r\n" + inner},
        {"chunks", "GET /healthz HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner
        },
        {"both",
         "GET /healthz HTTP/1.1\r\n" + host + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n" +
             inner},
        {"chunks that are called otherwise",
         "GET /healthz HTTP/1.1\r\n" + host + "Transfer-Encoding: xchunked\r\n\r\n" + inner},
        {"a switch of protocols",
         "GET /healthz HTTP/1.1\r\n" + host + "Connection: close, Upgrade\r\nUpgrade: h2c\r\n\r\n" + inner},
        {"a promise", "POST / HTTP/1.1\r\n" + host + "Expect: 100-continue\r\n" + length + "\r\n" + inner},
    };

    for (const auto& row : rows) {
        const std::string said = raw(serving, row.bytes);
        BOOST_TEST(count_of(said, "HTTP/1.1 ") == 1U, row.what << ": " << said);
        BOOST_TEST(!contains(said, "onceswap_"), row.what << ": " << said);
        BOOST_TEST(contains(said, "\r\nConnection: close\r\n"), row.what << ": " << said);
    }

    const long before = resident_kib(serving);
    Client endless(serving.port());
    endless.send(
        "POST / HTTP/1.1\r\n" + host + "Content-Length: 1073741824\r\n\r\n" + std::string(64U << 20U, 'x')
    );
    BOOST_TEST(resident_kib(serving) - before < much_kib);
    BOOST_TEST(ask(serving.port(), "/healthz").status == 200U);
}

BOOST_AUTO_TEST_CASE(requests_in_a_row_are_answered_in_order_and_never_piled_up) {
    SimProcess sim;
    Serving serving(sim.where());
    std::string bytes;
    for (unsigned i = 0; i < 500; ++i)
        bytes += std::string("GET /") + (i % 2 == 0 ? "healthz" : "none") + " HTTP/1.1\r\n" + host + "\r\n";
    const std::string said =
        raw(serving, bytes + "GET /healthz HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n");
    BOOST_TEST(count_of(said, "HTTP/1.1 200 OK\r\n") == 251U);
    BOOST_TEST(count_of(said, "HTTP/1.1 404 ") == 250U);
    BOOST_TEST(said.find("HTTP/1.1 404 ") < said.find("HTTP/1.1 200 OK\r\n", 1));

    // Who asks for the page without end and takes nothing.
    const long before = resident_kib(serving);
    std::string pages;
    while (pages.size() < (8U << 20U))
        pages += "GET / HTTP/1.1\r\n" + host + "\r\n";
    Client greedy(serving.port());
    greedy.send_for(pages, std::chrono::seconds(60)); // until the server has had enough of it
    const long grown = resident_kib(serving) - before;
    BOOST_TEST(grown < much_kib, "grew by " << grown << " KiB");
    BOOST_TEST(ask(serving.port(), "/healthz").status == 200U);
    const std::string metrics = ask(serving.port(), "/metrics").body;
    BOOST_TEST(contains(metrics, "\nonceswap_serve_timed_out_total 1\n"), metrics);
}

BOOST_AUTO_TEST_CASE(a_token_is_neither_guessed_nor_repeated) {
    SimProcess sim;
    const Workshop workshop;
    const std::string secret = "planted-token-0123456789";
    const std::string file = workshop.file("token", secret + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    Serving serving(sim.where() + Words{"--bearer-token-file", file});
    const std::string guess = "planted-guess-0123456789";
    for (const std::string& header :
         {"Authorization: Bearer " + guess + "\r\n",
          "Authorization: " + guess + "\r\n",
          "Authorization: Basic " + secret + "\r\n",
          "Authorization: Bearer\t" + secret + "\r\n",
          "Authorization: Bearer " + secret + ", Bearer x\r\n",
          "Proxy-Authorization: Bearer " + secret + "\r\n",
          "Cookie: token=" + secret + "\r\n"}) {
        const Reply reply = ask(serving.port(), "/metrics", header);
        BOOST_TEST(reply.status == 401U, header);
        BOOST_TEST(!contains(reply.head + reply.body, "planted"), reply.head << reply.body);
    }
    BOOST_TEST(ask(serving.port(), "/metrics?token=" + secret).status == 401U, "never in an address");
    BOOST_TEST(ask(serving.port(), "/metrics", "Authorization: Bearer " + secret + "\r\n").status == 200U);
    BOOST_TEST(!contains(serving.process().err(), "planted"));
}

BOOST_AUTO_TEST_CASE(a_token_file_that_is_none_is_one_line_and_2) {
    SimProcess sim;
    const Workshop workshop;
    using Perms = std::filesystem::perms;
    const auto file = [&](const char* name, const std::string& content, Perms perms) {
        std::string path = workshop.file(name, content);
        std::filesystem::permissions(path, perms);
        return path;
    };
    const std::string good(20, 'a');
    const std::string fifo = workshop.path("fifo");
    BOOST_REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);

    const struct {
        const char* what;
        std::string path;
    } rows[] = {
        {"nothing", workshop.path("none")},
        {"an empty one", file("empty", "", Perms::owner_read)},
        {"an empty first line", file("line", "\n" + good + "\n", Perms::owner_read)},
        {"one that others read", file("others", good, Perms::owner_read | Perms::others_read)},
        {"a short one", file("short", "planted", Perms::owner_read)},
        {"a long one", file("long", "planted" + std::string(600, 'a'), Perms::owner_read)},
        {"one with a NUL", file("nul", "planted" + std::string(1, '\0') + good, Perms::owner_read)},
        {"a folder", workshop.path(".")},
        {"a pipe that nobody writes", fifo},
        {"a device without an end", "/dev/zero"},
    };

    for (const auto& row : rows) {
        Process process(
            reconcile_watch(),
            Words{"serve", "--listen", "127.0.0.1:0"} + sim.where() + Words{"--bearer-token-file", row.path}
        );
        const Ended ended = process.wait(std::chrono::seconds(30));
        BOOST_TEST(ended.code == 2, row.what << ": " << describe(ended));
        BOOST_TEST(lines(ended.err) == 1U, row.what << ": " << describe(ended));
        BOOST_TEST(contains(ended.err, "--bearer-token-file"), row.what << ": " << describe(ended));
        BOOST_TEST(!contains(ended.err, "planted"), row.what << ": " << describe(ended));
    }
}

BOOST_AUTO_TEST_CASE(names_and_texts_of_servers_stay_labels_and_strings) {
    const Workshop workshop;
    const std::string scenario = workshop.file("hostile.json", R"JSON({
      "members": 2,
      "clusters": [{"name": "c\"} 1 <b>", "members": [0, 1]}],
      "tables": [{"database": "db", "name": "<img src=x onerror=alert(1)>\\\"'{} # HELP x",
        "columns": [{"name": "id", "type": "UInt64"}],
        "engine_full": "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id", "rows": 3}],
      "faults": [{"point": "arrive", "match": {"member": 1}, "times": 0, "effect": "answer", "code": 999,
        "text": "Code: 999. DB::Exception: <script>alert(1)</script>\n\"} 1\nonceswap_verdict{cluster=\"forged\",database=\"db\",table=\"forged\",verdict=\"COMPLETED\"} 1\n (KEEPER_EXCEPTION)"}]
    })JSON");
    SimProcess sim({"--scenario", scenario});
    Words words{"--cluster", "c\"} 1 <b>", "--table", "db.`<img src=x onerror=alert(1)>\\\\\"'{} # HELP x`"};
    for (const std::string& url : sim.urls())
        words = words + Words{"--url", url};
    Serving serving(words);
    serving.status_where("a reading", [](const boost::json::value& now) {
        return !now.at("slots").as_array().empty();
    });
    const Reply metrics = ask(serving.port(), "/metrics");
    const Ended parsed = run("/usr/bin/python3", {"-c", verdicts_of}, metrics.body);
    BOOST_TEST(parsed.code == 0, describe(parsed));
    BOOST_TEST(lines(parsed.out) == 1U, "one slot, none forged: " << describe(parsed));
    BOOST_TEST(contains(parsed.out, "<img src=x onerror=alert(1)>"), parsed.out);
    BOOST_TEST(!contains(parsed.out, "forged"), parsed.out);
    const Reply status = ask(serving.port(), "/api/status");
    BOOST_TEST(header_of(status, "Content-Type") == "application/json");
    BOOST_TEST(count_of(status.body, "\n") == 1U, "control characters are escaped: " << status.body);
    const Reply page = ask(serving.port(), "/");
    BOOST_TEST(!contains(page.body, "onerror"), "the page holds no data");
}

BOOST_AUTO_TEST_SUITE_END()
