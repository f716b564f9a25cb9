#include "server.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

// sim-clickhouse as a process: HTTP as ClickHouse speaks it, faults on the wire, the control port.

using namespace onceswap::testing;
namespace json = boost::json;

namespace {

const std::string format = "/?default_format=JSONCompactEachRowWithNamesAndTypes";
const std::string candidate =
    "CREATE TABLE db.b UUID '11111111-2222-4333-8444-555555555555' ON CLUSTER c1 AS db.target";
const std::string exchange = "EXCHANGE TABLES db.target AND db.b ON CLUSTER c1";

std::string temporary(const char* name) {
    return (std::filesystem::temp_directory_path() / ("onceswap_" + std::to_string(::getpid()) + "_" + name))
        .string();
}

long executed(Server& server, const char* statement_class) {
    long count = 0;
    const json::value truth = server.truth();
    for (const json::value& one : truth.at("executions").as_array())
        count +=
            one.at("class").as_string() == statement_class && one.at("code").to_number<int>() == 0 ? 1 : 0;
    return count;
}

long resident_kib(pid_t pid) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/status");
    std::string line;
    while (std::getline(in, line))
        if (line.starts_with("VmHWM:"))
            return std::stol(line.substr(6));
    return 0;
}

} // namespace

BOOST_AUTO_TEST_SUITE(sim_server)

BOOST_AUTO_TEST_CASE(answers_like_clickhouse) {
    Server server({"--members", "2"});

    struct Row {
        const char* what;
        std::string request;
        unsigned status;
        std::string code;
        std::string part;
    };

    const std::string close = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    const auto post = [&](const std::string& sql, const std::string& headers = {}) {
        return "POST /" + close + headers + "Content-Length: " + std::to_string(sql.size()) + "\r\n\r\n" +
               sql;
    };
    const std::vector<Row> rows{
        {"ping", "GET /ping" + close + "\r\n", 200, "", "Ok.\n"},
        {"root", "GET /" + close + "\r\n", 200, "", "Ok.\n"},
        {"no handle", "GET /nothing" + close + "\r\n", 404, "", "There is no handle /nothing"},
        {"query by GET", "GET /?query=SELECT%20count()%20FROM%20db.target" + close + "\r\n", 200, "", "100\n"
        },
        {"mutation by GET",
         "GET /?query=DROP+TABLE+db.target" + close + "\r\n",
         500,
         "164",
         "method GET implies readonly"},
        {"no length", "POST /" + close + "\r\n", 411, "381", "HTTP_LENGTH_REQUIRED"},
        {"chunked",
         "POST /" + close + "Transfer-Encoding: chunked\r\n\r\n8\r\nSELECT 1\r\n0\r\n\r\n",
         200,
         "",
         "1\n"},
        {"parameter and body", "POST /?query=SELECT" + close + "Content-Length: 2\r\n\r\n 7", 200, "", "7\n"},
        {"syntax",
         post("SELEC 1"),
         400,
         "62",
         "Code: 62. DB::Exception: Syntax error: failed at position 1 (SELEC)"},
        {"table",
         post("SELECT count() FROM db.nope"),
         404,
         "60",
         "(UNKNOWN_TABLE) (version 24.8.14.39 (official build))"},
        {"setting",
         "POST /?nothing=1" + close + "Content-Length: 8\r\n\r\nSELECT 1",
         404,
         "115",
         "Setting nothing is neither"},
        {"format",
         "POST /?default_format=Pretty" + close + "Content-Length: 8\r\n\r\nSELECT 1",
         404,
         "73",
         "Unknown format Pretty"},
        {"user",
         post("SELECT 1", "X-ClickHouse-User: nobody\r\n"),
         403,
         "516",
         "nobody: Authentication failed"},
        {"basic", post("SELECT 1", "Authorization: Basic ZGVmYXVsdDo=\r\n"), 200, "", "1\n"},
        {"both",
         post("SELECT 1", "Authorization: Basic ZGVmYXVsdDo=\r\nX-ClickHouse-User: default\r\n"),
         403,
         "516",
         "simultaneously"},
        {"expect",
         "POST /" + close + "Expect: 100-continue\r\nContent-Length: 8\r\n\r\nSELECT 1",
         100,
         "",
         "HTTP/1.1 200 OK"},
    };
    for (const Row& row : rows) {
        const Bytes bytes = Server::raw(server.port(0), row.request);
        BOOST_TEST_CONTEXT(row.what << "\n" << bytes.text) {
            BOOST_TEST(bytes.status() == row.status);
            BOOST_TEST(bytes.header("X-ClickHouse-Exception-Code") == row.code);
            BOOST_TEST(bytes.text.find(row.part) != std::string::npos);
        }
    }
    const Bytes whole = server.post(1, "SELECT toString(serverUUID()) AS server_uuid, 1 AS one", format);
    bool ended = false;
    BOOST_TEST(whole.body(&ended).starts_with("[\"server_uuid\", \"one\"]\n[\"String\", \"UInt8\"]\n[\""));
    BOOST_TEST(ended);
    BOOST_TEST(whole.header("X-ClickHouse-Format") == "JSONCompactEachRowWithNamesAndTypes");
    BOOST_TEST(whole.header("X-ClickHouse-Query-Id").size() == 36U);
    BOOST_TEST(
        whole.body().find(std::string(server.description().at("members").at(1).at("server_uuid").as_string())
        ) != std::string::npos
    );
}

BOOST_AUTO_TEST_CASE(keep_alive) {
    Server server({});
    const std::string one = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nSELECT 1";
    const std::string last =
        "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 8\r\n\r\nSELECT 2";
    const Bytes bytes = Server::raw(server.port(0), one + one + last);
    std::size_t answers = 0;
    for (std::size_t at = bytes.text.find("HTTP/1.1 200"); at != std::string::npos;
         at = bytes.text.find("HTTP/1.1 200", at + 1))
        ++answers;
    BOOST_TEST(answers == 3U);
    BOOST_TEST(bytes.header("Keep-Alive").starts_with("timeout="));
}

BOOST_AUTO_TEST_CASE(faults_on_the_wire) {
    Server server({"--members", "2"});
    BOOST_TEST(server.post(0, candidate).status() == 200U);
    const auto fault = [&](const std::string& text) {
        BOOST_TEST(server.ask_control("POST", "/faults", text).at("added") == 1);
    };

    fault(R"({"point":"effect","match":{"class":"exchange"},"effect":"lose"})");
    const Bytes lost = server.post(0, exchange);
    BOOST_TEST(lost.text == "");
    BOOST_TEST(!lost.reset);
    BOOST_TEST(executed(server, "exchange") == 2);

    fault(R"({"point":"arrive","match":{"class":"exchange"},"effect":"reset"})");
    const Bytes reset = server.post(0, exchange);
    BOOST_TEST(reset.text == "");
    BOOST_TEST(reset.reset);
    BOOST_TEST(executed(server, "exchange") == 2);

    fault(R"({"point":"effect","match":{"class":"probe"},"effect":"truncate"})");
    const Bytes cut = server.post(0, "SELECT toString(serverUUID()) AS server_uuid", format);
    bool whole = true;
    cut.body(&whole);
    BOOST_TEST(cut.status() == 200U);
    BOOST_TEST(!whole);

    fault(R"({"point":"arrive","match":{"class":"probe"},"effect":"raw_answer","code":502,"text":"<html>"})");
    const Bytes gateway = server.post(0, "SELECT 1");
    BOOST_TEST(gateway.status() == 502U);
    BOOST_TEST(gateway.header("X-ClickHouse-Query-Id") == "");

    fault(R"({"point":"connect","match":{"member":0},"effect":"route","on":1})");
    const std::string other(server.description().at("members").at(1).at("server_uuid").as_string());
    BOOST_TEST(server.post(0, "SELECT toString(serverUUID()) AS u").body() == other + "\n");
    BOOST_TEST(server.post(0, "SELECT toString(serverUUID()) AS u").body() != other + "\n");

    fault(R"({"point":"arrive","match":{"class":"probe"},"effect":"crash"})");
    BOOST_TEST(server.post(1, "SELECT 1").reset);
    BOOST_TEST(server.post(1, "SELECT 1").refused);
    fault(R"({"effect":"restart","on":1})");
    BOOST_TEST(server.post(1, "SELECT 1").body() == "1\n");

    const json::value wrong = server.ask_control("POST", "/faults", R"({"effect":"nothing"})");
    BOOST_TEST(wrong.at("status") == 400);
    BOOST_TEST(wrong.at("error").as_string() == "faults.effect: no such effect: nothing");
}

/// A request is held, the tester learns of it, and decides.
BOOST_AUTO_TEST_CASE(hold_and_release) {
    for (const bool drop : {false, true}) {
        Server server({"--members", "2"});
        server.post(0, candidate);
        server.ask_control(
            "POST", "/faults", R"({"point":"arrive","match":{"mutations_only":true},"effect":"hold"})"
        );
        Bytes bytes;
        std::thread client([&] { bytes = server.post(0, exchange); });
        const json::value held = server.ask_control("GET", "/events?after=1&fired=0&wait_ms=30000");
        BOOST_TEST(held.at("held") == 1);
        BOOST_TEST(held.at("requests").as_array().size() == 1U);
        BOOST_TEST(held.at("requests").at(0).at("class").as_string() == "exchange");
        BOOST_TEST(executed(server, "exchange") == 0);
        BOOST_TEST(server.ask_control("POST", drop ? "/release?drop=1" : "/release").at("released") == 1);
        client.join();
        BOOST_TEST(bytes.status() == (drop ? 0U : 200U));
        BOOST_TEST(executed(server, "exchange") == (drop ? 0 : 2));
    }
}

BOOST_AUTO_TEST_CASE(events_wait_for_news) {
    Server server({});
    BOOST_TEST(server.ask_control("GET", "/events?after=0&wait_ms=1").at("requests").as_array().empty());
    json::value news;
    std::thread tester([&] { news = server.ask_control("GET", "/events?after=0&wait_ms=30000"); });
    server.post(0, "SELECT 1");
    tester.join();
    BOOST_TEST(news.at("last") == 1);
    BOOST_TEST(server.ask_control("GET", "/nothing").at("status") == 404);
}

BOOST_AUTO_TEST_CASE(versions_break_off_in_their_own_way) {
    struct Row {
        const char* profile;
        const char* part;
        bool whole;
        std::size_t tag;
    };

    for (const Row& row :
         {Row{"24.8", "Code: 241. DB::Exception: x.", true, 0},
          Row{"25.8", "__exception__\r\nCode: 241", false, 0},
          Row{"25.11", "\r\n__exception__\r\n", true, 16},
          Row{"26.7", "\r\n__exception__\r\n", true, 16}}) {
        Server server(
            {"--profile",
             row.profile,
             "--fault",
             R"({"point":"effect","match":{"class":"probe"},"effect":"midstream","code":241,"text":"x"})"}
        );
        const Bytes bytes = server.post(0, "SELECT toString(serverUUID()) AS u", format);
        bool whole = !row.whole;
        const std::string body = bytes.body(&whole);
        BOOST_TEST_CONTEXT(row.profile << "\n" << bytes.text) {
            BOOST_TEST(bytes.status() == 200U);
            BOOST_TEST(body.find(row.part) != std::string::npos);
            BOOST_TEST(whole == row.whole);
            BOOST_TEST(bytes.header("X-ClickHouse-Exception-Tag").size() == row.tag);
        }
    }
}

/// The optional parts of a reply can be missing.
BOOST_AUTO_TEST_CASE(a_bare_reply) {
    Server server({"--fault", R"({"point":"effect","match":{"class":"probe"},"effect":"bare_reply"})"});
    const Bytes bare = server.post(0, "SELECT toString(serverUUID()) AS u", format);
    const Bytes usual = server.post(0, "SELECT toString(serverUUID()) AS u", format);
    BOOST_TEST_CONTEXT(bare.text << usual.text) {
        BOOST_TEST(bare.status() == 200U);
        BOOST_TEST(bare.header("X-ClickHouse-Summary") == "");
        BOOST_TEST(bare.header("Connection") == "Close");
        BOOST_TEST(usual.header("X-ClickHouse-Summary") != "");
    }
}

/// Rows stream through: counted, not kept.
BOOST_AUTO_TEST_CASE(a_large_insert_costs_no_memory) {
    Server server({"--rows", "0"});
    constexpr std::size_t rows = 600'000;
    std::string body = "INSERT INTO db.target FORMAT JSONEachRow\n";
    for (std::size_t i = 0; i < rows; ++i)
        body += "{\"id\":" + std::to_string(i) +
                ",\"name\":\"a row with some text in it so that it is about a hundred bytes long, or so\"}\n";
    const long before = resident_kib(server.process().pid());
    const Bytes bytes =
        server.post(0, body, "/?insert_deduplication_token=t&input_format_skip_unknown_fields=0");
    BOOST_TEST_CONTEXT(bytes.text) BOOST_TEST(bytes.status() == 200U);
    BOOST_TEST(server.post(0, "SELECT count() FROM db.target").body() == std::to_string(rows) + "\n");
    const long grown = resident_kib(server.process().pid()) - before;
    BOOST_TEST(body.size() > 50'000'000U);
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    constexpr bool measured = false; // its quarantine keeps what was freed
#else
    constexpr bool measured = true;
#endif
#else
    constexpr bool measured = true;
#endif
    BOOST_TEST((!measured || grown < 8 * 1024));
    const Bytes wrong = server.post(
        0,
        "INSERT INTO db.target FORMAT JSONEachRow\n{\"id\":1}\n{\"id\":2,\"extra\":3}\n",
        "/?input_format_skip_unknown_fields=0"
    );
    BOOST_TEST(wrong.header("X-ClickHouse-Exception-Code") == "117");
    BOOST_TEST(wrong.text.find("(at row 2)") != std::string::npos);
    BOOST_TEST(server.post(0, "INSERT INTO db.nope FORMAT JSONEachRow\n{\"id\":1}\n").status() == 404U);
}

BOOST_AUTO_TEST_CASE(many_members) {
    Server server({"--members", "64"});
    BOOST_TEST(server.post(63, candidate, format).status() == 200U);
    BOOST_TEST(server.post(0, exchange, format).status() == 200U);
    BOOST_TEST(executed(server, "exchange") == 64);
    BOOST_TEST(resident_kib(server.process().pid()) < 64 * 1024);
}

BOOST_AUTO_TEST_CASE(ports_scenario_and_end) {
    const std::string ports = temporary("ports.json");
    const std::string scenario = temporary("scenario.json");
    std::ofstream(scenario) << R"({"members":3,"profile":"26.7","clusters":[{"name":"prod"}],
        "tables":[{"name":"t","columns":[{"name":"x","type":"UInt8"}],"sorting_key":"x","rows":7}]})";
    Server server({"--scenario", scenario, "--port-file", ports});
    std::ifstream in(ports);
    std::ostringstream text;
    text << in.rdbuf();
    BOOST_TEST(json::serialize(json::parse(text.str())) == json::serialize(server.description()));
    BOOST_TEST(server.description().at("cluster").as_string() == "prod");
    BOOST_TEST(server.description().at("urls").as_array().size() == 3U);
    BOOST_TEST(server.post(2, "SELECT count() FROM db.t").body() == "7\n");
    server.process().send(SIGTERM);
    const Ended ended = server.process().wait();
    BOOST_TEST_CONTEXT(describe(ended)) BOOST_TEST(ended.code == 0);
    std::filesystem::remove(ports);
    std::filesystem::remove(scenario);

    Server stopped({});
    stopped.ask_control("POST", "/faults", R"({"point":"arrive","effect":"hold"})");
    std::thread client([&] { stopped.post(0, "SELECT 1"); });
    stopped.ask_control("GET", "/events?after=0&fired=0&wait_ms=30000");
    stopped.ask_control("POST", "/stop"); // with a request held and its client waiting
    client.join();
    BOOST_TEST(stopped.process().wait().code == 0);
}

BOOST_AUTO_TEST_CASE(wrong_usage) {
    const std::string program = std::string(ONCESWAP_BINARY_DIR) + "/sim-clickhouse";
    const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
        {{"--members", "1"}, "--members: a number from 2 to 64 is expected, not 1"},
        {{"--members", "65"}, "--members"},
        {{"--members"}, "a value is missing"},
        {{"--profile", "1"}, "--profile: 24.8, 25.8, 25.11 or 26.7"},
        {{"--nothing"}, "unknown option --nothing"},
        {{"--scenario", "/no/such/file"}, "cannot read /no/such/file"},
        {{"--fault", "{\"effect\":\"x\"}"}, "--fault.effect: no such effect: x"},
        {{"--fault", "{"}, "--fault, line 1"},
    };
    for (const auto& [arguments, part] : rows) {
        const Ended ended = run(program, arguments);
        BOOST_TEST_CONTEXT(describe(ended)) {
            BOOST_TEST(ended.code == 2);
            BOOST_TEST(ended.err.find(part) != std::string::npos);
        }
    }
    const Ended help = run(program, {"--help"});
    BOOST_TEST(help.code == 0);
    BOOST_TEST(help.out.find("Examples") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
