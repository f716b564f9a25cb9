// `reconcile-watch serve` as a process, against sim-clickhouse.
#include "http_client.hpp"
#include "published_schema.hpp"
#include "serving.hpp"
#include "workshop.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace onceswap::testing;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(serve)

namespace {

constexpr const char* parse_metrics = R"(
import sys
from prometheus_client.parser import text_string_to_metric_families
for family in text_string_to_metric_families(sys.stdin.read()):
    for sample in family.samples:
        print(family.type, sample.name, sorted(sample.labels.items()), sample.value)
)";

} // namespace

BOOST_AUTO_TEST_CASE(every_route_and_what_is_no_route) {
    SimProcess sim;
    Serving serving(sim.where());
    const json::value document = serving.status_with("NO_RECORD");
    BOOST_TEST(published_schema_problems("serve.schema.json", json::serialize(document)) == "");
    BOOST_TEST(document.at("slots").as_array().size() == 1U);
    BOOST_TEST(document.at("slots").at(0).at("report").at("members").as_array().size() == sim.urls().size());

    const Reply page = ask(serving.port(), "/");
    BOOST_TEST(page.status == 200U);
    const std::string policy = header_of(page, "Content-Security-Policy");
    BOOST_TEST(contains(policy, "default-src 'none'"), policy);
    BOOST_TEST(!contains(policy, "unsafe"), policy);
    for (const char* outside : {"src=\"", "http://", "https://", "@import", "url("})
        BOOST_TEST(!contains(page.body, outside), outside);

    const Reply metrics = ask(serving.port(), "/metrics");
    BOOST_TEST(metrics.status == 200U);
    BOOST_TEST(header_of(metrics, "Cache-Control") == "no-store");
    const Ended parsed = run("/usr/bin/python3", {"-c", parse_metrics}, metrics.body);
    BOOST_TEST(parsed.code == 0, describe(parsed));
    BOOST_TEST(
        contains(
            parsed.out,
            "gauge onceswap_verdict [('cluster', 'c1'), ('database', 'db'), ('table', 'target'), ('verdict', "
            "'NO_RECORD')] 1.0"
        ),
        parsed.out
    );
    BOOST_TEST(contains(parsed.out, "counter onceswap_watch_rounds_total"), parsed.out);
    BOOST_TEST(contains(parsed.out, "counter onceswap_serve_answers_total [('status', '200')]"), parsed.out);

    BOOST_TEST(ask(serving.port(), "/healthz").body == "ok\n");
    const Reply head = ask(serving.port(), "/api/status?x=1", {}, "HEAD");
    BOOST_TEST(head.status == 200U);
    BOOST_TEST(head.body == "");
    const std::string tag = header_of(page, "ETag");
    BOOST_TEST(ask(serving.port(), "/", "If-None-Match: " + tag + "\r\n").status == 304U);
    BOOST_TEST(ask(serving.port(), "/", "If-None-Match: \"other\"\r\n").status == 200U);

    const struct {
        const char* what;
        const char* method;
        const char* path;
        const char* headers;
        unsigned status;
    } rows[] = {
        {"no such path", "GET", "/etc/passwd", "", 404},
        {"a path that climbs", "GET", "/../metrics", "", 404},
        {"a change", "POST", "/api/status", "Content-Length: 0\r\n", 405},
        {"a change with a body", "PUT", "/", "Content-Length: 5\r\n", 405},
        {"another change", "DELETE", "/metrics", "", 405},
        {"options", "OPTIONS", "/", "", 405},
        {"a name of somebody else's", "GET", "/api/status", "Host: evil.example:9466\r\n", 421},
        {"an address that is not this machine", "GET", "/api/status", "Host: 10.0.0.1\r\n", 421},
        {"two hosts", "GET", "/", "Host: localhost\r\nHost: localhost\r\n", 400},
        {"a head that is too long", "GET", "/", "X: ", 431},
    };

    for (const auto& row : rows) {
        const std::string headers =
            row.status == 431 ? row.headers + std::string(9'000, 'x') + "\r\n" : row.headers;
        const Reply reply = ask(serving.port(), row.path, headers, row.method);
        BOOST_TEST(reply.status == row.status, row.what << ": " << reply.head);
        if (row.status == 405)
            BOOST_TEST(header_of(reply, "Allow") == "GET, HEAD", row.what);
    }
    Client garbage(serving.port());
    garbage.send("\x16\x03\x01 this is TLS\r\n\r\n");
    BOOST_TEST(garbage.until_closed().starts_with("HTTP/1.1 400 "));
    BOOST_TEST(sim.mutations() == 0U);
}

BOOST_AUTO_TEST_CASE(a_publication_is_a_timeline) {
    SimProcess sim;
    const Workshop workshop;
    Serving serving(Words{"--all", "--database", "db", "--cluster", "c1"} + [&] {
        Words urls;
        for (const std::string& url : sim.urls())
            urls = urls + Words{"--url", url};
        return urls;
    }());
    const std::string rows = workshop.rows("rows.ndjson", 10);
    const Words publish =
        Words{"publish"} + sim.where() + Words{"--from", rows, "--execute", "--invocation-id", "i"};
    const Ended committed = run(refresh_load(), publish + Words{"--no-cleanup"});
    BOOST_REQUIRE_MESSAGE(committed.code == 0, describe(committed));
    serving.status_with("SET_ASIDE_REQUIRED");
    const std::uint64_t mutations = sim.mutations();
    const Ended completed = run(refresh_load(), Words{"resume"} + sim.where() + Words{"--execute"});
    BOOST_REQUIRE_MESSAGE(completed.code == 0, describe(completed));
    const json::value document = serving.status_with("COMPLETED");
    BOOST_TEST(published_schema_problems("serve.schema.json", json::serialize(document)) == "");
    std::vector<std::string> changes;
    for (const json::value& one : document.at("slots").at(0).at("timeline").as_array())
        changes.push_back(std::string(one.at("change").as_string()) + " " + json::serialize(one.at("to")));
    BOOST_TEST(!changes.empty());
    BOOST_TEST(
        (std::find(changes.begin(), changes.end(), "verdict \"COMPLETED\"") != changes.end()),
        json::serialize(document)
    );
    std::vector<std::string> statements;
    for (const json::value& one : document.at("slots").at(0).at("mutations").as_array()) {
        const std::string step(one.at("step").as_string());
        if (one.at("statement").as_string() != "setup" && step != "result")
            statements.push_back(std::string(one.at("statement").as_string()) + " " + step);
    }
    statements.erase(std::unique(statements.begin(), statements.end()), statements.end());
    const std::vector<std::string> expected{
        "publish permitted",
        "publish queued",
        "publish ended",
        "aside permitted",
        "aside queued",
        "aside ended",
        "cleanup permitted",
        "cleanup queued",
        "cleanup ended",
    };
    BOOST_TEST(statements == expected, boost::test_tools::per_element());
    BOOST_TEST(sim.mutations() > mutations); // the resume's own, none of ours
    const std::uint64_t after = sim.mutations();
    const Reply metrics = ask(serving.port(), "/metrics");
    BOOST_TEST(contains(metrics.body, "verdict=\"COMPLETED\"} 1\n"), metrics.body);
    BOOST_TEST(sim.mutations() == after);
}

BOOST_AUTO_TEST_CASE(a_token_guards_the_data_and_is_shown_nowhere) {
    SimProcess sim;
    const Workshop workshop;
    const std::string secret = "planted-token-0123456789";
    const std::string file = workshop.file("token", secret + "\n");
    std::filesystem::permissions(
        file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write
    );
    Serving serving(sim.where() + Words{"--bearer-token-file", file, "--verbose"});
    std::string everything;
    for (const char* path : {"/api/status", "/metrics"}) {
        for (const std::string& header :
             {std::string(),
              std::string("Authorization: Bearer wrong-token-0123456789\r\n"),
              std::string("Authorization: Basic cGxhbnRlZA==\r\n"),
              "Authorization: Bearer " + secret + "x\r\n",
              "Authorization: Bearer " + secret.substr(1) + "\r\n",
              "Authorization: Bearer " + secret + "\r\nAuthorization: Bearer " + secret + "\r\n"}) {
            const Reply reply = ask(serving.port(), path, header);
            BOOST_TEST(reply.status == 401U, path << " with " << header);
            BOOST_TEST(header_of(reply, "WWW-Authenticate") == "Bearer realm=\"onceswap\"");
            everything += reply.head + reply.body;
        }
        const Reply reply = ask(serving.port(), path, "Authorization: bearer " + secret + "\r\n");
        BOOST_TEST(reply.status == 200U, path);
        everything += reply.head + reply.body;
    }
    for (const char* path : {"/", "/healthz"}) {
        const Reply reply = ask(serving.port(), path);
        BOOST_TEST(reply.status == 200U, path);
        everything += reply.head + reply.body;
    }
    everything += content_of("/proc/" + std::to_string(serving.process().pid()) + "/cmdline");
    serving.process().send(SIGTERM);
    const Ended ended = serving.process().wait();
    BOOST_TEST(ended.code == 143, describe(ended));
    BOOST_TEST(!contains(everything + ended.out + ended.err, secret));
}

BOOST_AUTO_TEST_CASE(a_cluster_that_never_answers_holds_up_no_reader_and_no_stop) {
    SimProcess sim;
    sim.add_fault(R"({"point": "arrive", "effect": "hold", "times": 0})");
    Serving serving(sim.where() + Words{"--readonly-user"});
    BOOST_REQUIRE(sim.wait_until_fired(0, serving.process()));
    BOOST_TEST(ask(serving.port(), "/healthz").status == 200U);
    const json::value document = serving.status();
    BOOST_TEST(document.at("slots").as_array().empty());
    BOOST_TEST(document.at("rounds").as_string() == "0");
    const auto before = std::chrono::steady_clock::now();
    serving.process().send(SIGINT);
    const Ended ended = serving.process().wait();
    const auto took = std::chrono::steady_clock::now() - before;
    BOOST_TEST(ended.code == 130, describe(ended));
    BOOST_TEST(contains(ended.err, "only the watching was stopped\n"), describe(ended));
    // 100 ms on a machine of its own; the tests share theirs.
    BOOST_TEST_MESSAGE(
        "stopped after " << std::chrono::duration_cast<std::chrono::milliseconds>(took).count() << " ms"
    );
    BOOST_TEST((took < std::chrono::seconds(2)));
}

BOOST_AUTO_TEST_CASE(a_deadline_ends_with_3_and_every_event_is_in_the_log) {
    SimProcess sim;
    const Workshop workshop;
    const std::string log = workshop.path("events.ndjson");
    const Words logged = sim.where() + Words{"--event-log", log};
    const Ended published =
        run(refresh_load(),
            Words{"publish"} + logged + Words{"--from", workshop.rows("rows.ndjson", 10), "--execute"});
    BOOST_TEST(published.code == 0, describe(published));
    const std::string of_publish = content_of(log);
    const Ended ended =
        run(reconcile_watch(), Words{"serve", "--listen", "127.0.0.1:0", "--timeout", "1s"} + logged);
    BOOST_TEST(ended.code == 3, describe(ended));
    const std::string both = content_of(log);
    BOOST_TEST(both.starts_with(of_publish)); // appended
    std::uint64_t mutations = 0;
    std::uint64_t passes = 0;
    std::istringstream lines_of(both);
    for (std::string line; std::getline(lines_of, line);) {
        const json::value event = json::parse(line);
        mutations += event.at("event").as_string() == "mutation" ? 1U : 0U;
        passes += event.at("event").as_string() == "pass" ? 1U : 0U;
    }
    BOOST_TEST(passes > 0U);
    BOOST_TEST(contains(of_publish, "\"statement\":\"exchange\",\"outcome\":\"Acknowledged\""), of_publish);
    BOOST_TEST(!contains(both.substr(of_publish.size()), "\"mutation\""), both);
    BOOST_TEST(mutations <= sim.mutations());
    const std::filesystem::perms mine =
        std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    const bool only_mine = (std::filesystem::status(log).permissions() & std::filesystem::perms::all) == mine;
    BOOST_TEST(only_mine);
}

BOOST_AUTO_TEST_CASE(bad_input_is_one_line_and_2) {
    SimProcess sim;
    const Workshop workshop;
    Serving serving(sim.where());
    const std::string open_token = workshop.file("open", std::string(20, 'a') + "\n");
    std::filesystem::permissions(open_token, std::filesystem::perms::all);
    const std::string short_token = workshop.file("short", "abc\n");
    std::filesystem::permissions(short_token, std::filesystem::perms::owner_read);
    const std::string odd_token = workshop.file("odd", "planted secret with spaces\n");
    std::filesystem::permissions(odd_token, std::filesystem::perms::owner_read);
    const std::string taken = "127.0.0.1:" + std::to_string(serving.port());

    const struct {
        Words words;
        std::string name;
    } rows[] = {
        {{"--listen", "9466"}, "--listen"},
        {{"--listen", "127.0.0.1:"}, "--listen"},
        {{"--listen", "127.0.0.1:70000"}, "--listen"},
        {{"--listen", "::1:9466"}, "--listen"},
        {{"--listen", "example.com:9466"}, "--listen"},
        {{"--listen", taken}, "--listen"},
        {{"--listen", "192.0.2.1:0"}, "--listen"},
        {{"--bearer-token-file", workshop.path("none")}, "--bearer-token-file"},
        {{"--bearer-token-file", open_token}, "--bearer-token-file"},
        {{"--bearer-token-file", short_token}, "--bearer-token-file"},
        {{"--bearer-token-file", odd_token}, "--bearer-token-file"},
        {{"--event-log", workshop.path("no/such/folder")}, "--event-log"},
        {{"--event-log", "/dev/null"}, "--event-log"},
    };

    for (const auto& row : rows) {
        const Ended ended = run(reconcile_watch(), Words{"serve"} + sim.where() + row.words);
        BOOST_TEST(ended.code == 2, describe(ended));
        BOOST_TEST(lines(ended.err) == 1U, describe(ended));
        BOOST_TEST(contains(ended.err, row.name), describe(ended));
        BOOST_TEST(!contains(ended.err, "planted"), describe(ended));
    }
}

BOOST_AUTO_TEST_SUITE_END()
