#include "balancer.hpp"
#include "http_transport/beast_transport.hpp"
#include "http_transport/response.hpp"
#include "loop_fixture.hpp"
#include "process.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

// The transport and the tools against real servers: ClickHouse 18.16 of Debian, two replicas over a
// ZooKeeper.

namespace onceswap::test {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::string_view version_here = "18.16.1";

/// One legacy-clickhouse for the whole program.
class Legacy {
  public:
    static Legacy& get() {
        static Legacy legacy;
        return legacy;
    }

    std::string url(std::size_t member) const {
        return std::string(ports_.at("urls").at(member).as_string());
    }

    http::Endpoint endpoint(std::size_t member) const {
        auto parsed = http::Endpoint::parse(url(member));
        BOOST_REQUIRE(parsed.has_value());
        return *parsed;
    }

    pid_t pid(std::size_t member) const {
        return static_cast<pid_t>(ports_.at("members").at(member).at("pid").as_int64());
    }

    std::uint16_t native_port(std::size_t member) const {
        return static_cast<std::uint16_t>(ports_.at("members").at(member).at("port").as_int64());
    }

    ~Legacy() { // asked, not killed: then it takes its folder with it
        process_.send(SIGTERM);
        process_.wait();
    }

    Legacy(const Legacy&) = delete;
    Legacy& operator=(const Legacy&) = delete;

  private:
    Legacy()
        : process_(
              ONCESWAP_BINARY_DIR "/legacy-clickhouse", {"--user", "loader:secret", "--ddl-timeout", "15"}
          ) {
        if (!process_.wait_for_output("\n"))
            throw std::runtime_error("legacy-clickhouse: " + process_.err());
        ports_ = json::parse(process_.out());
    }

    testing::Process process_;
    json::value ports_;
};

/// A statement as it is, without a setting that this version would not know; TabSeparated comes back.
http::Request bare(const std::string& sql) {
    static int count = 0;
    protocol::Statement statement = protocol::version_statement();
    statement.sql = sql;
    http::Request request(std::move(statement), "legacy-" + std::to_string(++count));
    request.deadline = std::chrono::steady_clock::now() + 2min;
    return request;
}

http::TransportOptions as_user(const std::string& name, const std::string& password) {
    http::TransportOptions options = patient_options();
    options.credentials = http::Credentials(name, password);
    return options;
}

http::Exchange ask(LoopFixture& fixture, std::size_t member, http::Request request) {
    const auto exchange = fixture.start_read(Legacy::get().endpoint(member), std::move(request));
    fixture.run_calls();
    return std::move(exchange->value());
}

/// The body of an answer that must be a success.
std::string rows(LoopFixture& fixture, std::size_t member, const std::string& sql) {
    const http::Exchange exchange = ask(fixture, member, bare(sql));
    BOOST_TEST_CONTEXT(sql) {
        BOOST_TEST(http::observe(exchange, http::BodyShape::text).success_shape);
        BOOST_REQUIRE(exchange.response.has_value());
        return exchange.response->body;
    }
    return {};
}

/// Asks until the answer is this one: replicas follow each other when they do.
void wait_for(LoopFixture& fixture, std::size_t member, const std::string& sql, const std::string& wanted) {
    const auto end = std::chrono::steady_clock::now() + 2min;
    std::string seen;
    do {
        const http::Exchange exchange = ask(fixture, member, bare(sql));
        seen = exchange.response ? exchange.response->body : "";
    } while (seen != wanted && std::chrono::steady_clock::now() < end);
    BOOST_TEST(seen == wanted);
}

/// Tables that a publication would make, on either member.
std::string tables_of_ours(LoopFixture& fixture) {
    std::string all;
    for (const std::size_t member : {0U, 1U})
        all += rows(
            fixture,
            member,
            "SELECT name FROM system.tables WHERE positionCaseInsensitive(name, 'onceswap') > 0"
        );
    return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(legacy_server)

BOOST_AUTO_TEST_CASE(says_its_version) {
    LoopFixture fixture;
    BOOST_TEST(rows(fixture, 0, "SELECT version()") == std::string(version_here) + "\n");
    BOOST_TEST(rows(fixture, 1, "SELECT version()") == std::string(version_here) + "\n");
}

/// 18.16 has no X-ClickHouse-Exception-Code: the code comes of the text, whatever the status.
BOOST_AUTO_TEST_CASE(errors) {
    LoopFixture fixture;

    const struct {
        const char* sql;
        int code;
        unsigned status;
    } cases[] = {
        {"SELECT nope", 47, 404},
        {"SELECT * FROM nope", 60, 404},
        {"SELECT nope()", 46, 404},
        {"SELEC 1", 62, 400},
        {"EXCHANGE TABLES a AND b", 62, 400},
        {"SELECT * FROM system.distributed_ddl_queue", 60, 404},
        {"CREATE TABLE x (k String, v String) ENGINE = KeeperMap('/x')", 56, 404},
        {"CREATE DATABASE d ENGINE = Atomic", 336, 404},
        {"SELECT 1 FORMAT JSONCompactEachRowWithNamesAndTypes", 73, 404},
    };

    for (const auto& row : cases) {
        const http::Exchange exchange = ask(fixture, 0, bare(row.sql));
        BOOST_TEST_CONTEXT(row.sql) {
            BOOST_REQUIRE(exchange.response.has_value());
            BOOST_TEST(exchange.response->status == row.status, exchange.response->body);
            const auto exception = http::find_exception(*exchange.response);
            BOOST_REQUIRE(exception.has_value());
            BOOST_TEST(exception->code == row.code, exception->text);
            BOOST_TEST(exchange.evidence.reply_complete);
        }
    }
}

BOOST_AUTO_TEST_CASE(passwords) {
    for (const auto& [password, good] : {std::pair{"secret", true}, {"wrong", false}}) {
        LoopFixture fixture;
        fixture.transport(as_user("loader", password));
        const http::Exchange exchange = ask(fixture, 0, bare("SELECT 1"));
        BOOST_REQUIRE(exchange.response.has_value());
        const auto exception = http::find_exception(*exchange.response);
        BOOST_TEST(exception.has_value() != good);
        if (!good) {
            BOOST_TEST(exception->code == 193); // WRONG_PASSWORD
            BOOST_TEST(exchange.response->status == 401U);
        }
    }
}

BOOST_AUTO_TEST_CASE(large_answers) {
    LoopFixture fixture;
    const std::string sql = "SELECT number FROM system.numbers LIMIT 2000000";
    const std::string all = rows(fixture, 0, sql);
    BOOST_TEST(all.size() == 14'888'890U);
    BOOST_TEST(all.ends_with("1999998\n1999999\n"));

    http::Request small = bare(sql);
    small.max_body_bytes = 1 << 20;
    const http::Exchange cut = ask(fixture, 0, std::move(small));
    BOOST_TEST(!cut.evidence.reply_complete);
    BOOST_TEST(!http::observe(cut, http::BodyShape::text).success_shape);
}

/// The server closes a connection that was idle for its keep_alive_timeout of 10 s. The end of a second
/// connection, which became idle later, shows that this has happened.
BOOST_AUTO_TEST_CASE(an_idle_connection_that_the_server_closed) {
    LoopFixture fixture;
    http::TransportOptions options = patient_options();
    options.idle_limit = 10min; // not ours to close
    fixture.transport(options);
    BOOST_TEST(rows(fixture, 0, "SELECT 1") == "1\n");

    asio::io_context other;
    asio::ip::tcp::socket witness(other);
    const http::Endpoint endpoint = Legacy::get().endpoint(0);
    witness.connect({asio::ip::address_v4::loopback(), endpoint.port()});
    asio::write(witness, asio::buffer(std::string_view("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")));
    std::string said;
    boost::system::error_code error;
    asio::read_until(witness, asio::dynamic_buffer(said), "\r\n\r\n", error);
    BOOST_REQUIRE(!error);
    char rest[512];
    while (!error)
        witness.read_some(asio::buffer(rest), error);
    BOOST_TEST((error == asio::error::eof), error.message());

    const http::Exchange exchange = ask(fixture, 0, bare("SELECT 2"));
    BOOST_REQUIRE(exchange.response.has_value());
    BOOST_TEST(exchange.response->body == "2\n");
}

/// The result of ON CLUSTER, and its end when a host does not answer: 159, and the host runs it later.
BOOST_AUTO_TEST_CASE(ddl_on_cluster) {
    LoopFixture fixture;
    const std::string engine = "ENGINE = ReplicatedMergeTree('/t/{shard}/t', '{replica}') ORDER BY id";
    const std::string made = rows(fixture, 0, "CREATE TABLE t ON CLUSTER c1 (id UInt64) " + engine);
    for (const std::size_t member : {0U, 1U})
        BOOST_TEST(
            made.find("127.0.0.1\t" + std::to_string(Legacy::get().native_port(member)) + "\t0\t\t") !=
            std::string::npos
        );
    BOOST_TEST(rows(fixture, 0, "INSERT INTO t SELECT number FROM system.numbers LIMIT 10") == "");
    wait_for(fixture, 1, "SELECT count() FROM t", "10\n");

    // Hosts come as they finish, and the number of those that are missing goes down; a FORMAT clause is not
    // heard.
    const std::string counted =
        rows(fixture, 0, "CREATE TABLE u ON CLUSTER c1 (id UInt64) ENGINE = Memory FORMAT JSON");
    BOOST_TEST(std::ranges::count(counted, '\n') == 2, counted);
    BOOST_TEST(counted.find("\t0\t\t1\t0\n") != std::string::npos, counted);
    BOOST_TEST(counted.ends_with("\t0\t\t0\t0\n"), counted);

    // What a host refuses is the statement's error, with that host's code; the other one says the same.
    const http::Exchange again =
        ask(fixture, 0, bare("CREATE TABLE u ON CLUSTER c1 (id UInt64) ENGINE = Memory"));
    BOOST_REQUIRE(again.response.has_value());
    const auto refused = http::find_exception(*again.response);
    BOOST_REQUIRE(refused.has_value());
    BOOST_TEST(refused->code == 57, refused->text); // TABLE_ALREADY_EXISTS
    BOOST_TEST(again.response->status == 500U);
    BOOST_TEST(refused->text.find("There was an error on [127.0.0.1:") != std::string::npos, refused->text);

    ::kill(Legacy::get().pid(1), SIGSTOP);
    const http::Exchange exchange =
        ask(fixture, 0, bare("CREATE TABLE late ON CLUSTER c1 (id UInt64) ENGINE = Memory"));
    ::kill(Legacy::get().pid(1), SIGCONT);
    BOOST_REQUIRE(exchange.response.has_value());
    const auto exception = http::find_exception(*exchange.response);
    BOOST_REQUIRE(exception.has_value());
    BOOST_TEST(exception->code == 159, exception->text); // TIMEOUT_EXCEEDED
    BOOST_TEST(exchange.response->status == 500U);
    for (const char* part :
         {"Watching task /clickhouse/task_queue/ddl/query-",
          "is executing longer than distributed_ddl_task_timeout (=15) seconds",
          "There are 1 unfinished hosts (0 of them are currently active)",
          "they are going to execute the query in background"})
        BOOST_TEST(exception->text.find(part) != std::string::npos, exception->text);
    wait_for(fixture, 1, "EXISTS TABLE late", "1\n");
}

/// Each new connection behind a balancer reaches the other server; one that is kept stays where it is.
BOOST_AUTO_TEST_CASE(two_members_behind_one_address) {
    const Legacy& legacy = Legacy::get();
    const testing::Balancer balancer({legacy.endpoint(0).port(), legacy.endpoint(1).port()});
    const auto endpoint = http::Endpoint::parse(balancer.url());
    BOOST_REQUIRE(endpoint.has_value());
    const std::string who = "SELECT substitution FROM system.macros WHERE macro = 'replica'";
    std::vector<std::string> answers;
    for (int connection = 0; connection < 4; ++connection) {
        LoopFixture fixture; // and a pool of its own
        for (int again = 0; again < 2; ++again) {
            const auto exchange = fixture.start_read(*endpoint, bare(who));
            fixture.run_calls();
            BOOST_REQUIRE(exchange->value().response.has_value());
            answers.push_back(exchange->value().response->body);
        }
    }
    const std::vector<std::string> expected{"r1\n", "r1\n", "r2\n", "r2\n", "r1\n", "r1\n", "r2\n", "r2\n"};
    BOOST_TEST(answers == expected, boost::test_tools::per_element());

    // This version has no UUID to be told apart by, so it is refused before who answers is asked.
    LoopFixture fixture;
    rows(fixture, 0, "CREATE TABLE IF NOT EXISTS wanted (id UInt64) ENGINE = Memory");
    const testing::Ended ended = testing::run(
        ONCESWAP_BINARY_DIR "/reconcile-watch",
        {"status",
         "--url",
         balancer.url(),
         "--url",
         legacy.url(1),
         "--cluster",
         "c1",
         "--table",
         "default.wanted"}
    );
    BOOST_TEST(ended.code == 8, testing::describe(ended));
    BOOST_TEST(ended.err.find("ONCESWAP_CAPABILITY_MISSING") != std::string::npos, testing::describe(ended));
    BOOST_TEST(tables_of_ours(fixture) == "");
}

/// Refused by what it is, with its version and with nothing done.
BOOST_AUTO_TEST_CASE(the_tools_refuse_it) {
    const Legacy& legacy = Legacy::get();
    LoopFixture fixture;
    rows(fixture, 0, "CREATE TABLE IF NOT EXISTS wanted (id UInt64) ENGINE = Memory");
    const std::string folder = ::getenv("TMPDIR") != nullptr ? ::getenv("TMPDIR") : "/tmp";
    const std::string input = folder + "/legacy-rows-" + std::to_string(::getpid()) + ".ndjson";
    std::ofstream(input) << "{\"id\":1}\n";
    const std::vector<std::string> where = {
        "--url", legacy.url(0), "--url", legacy.url(1), "--cluster", "c1", "--table", "default.wanted"
    };
    std::vector<std::string> status = {"status"};
    status.insert(status.end(), where.begin(), where.end());
    std::vector<std::string> publish = {"publish", "--from", input, "--execute"};
    publish.insert(publish.end(), where.begin(), where.end());
    for (const auto& [program, arguments] :
         {std::pair{"reconcile-watch", status}, {"refresh-load", publish}}) {
        const testing::Ended ended = testing::run(std::string(ONCESWAP_BINARY_DIR "/") + program, arguments);
        BOOST_TEST_CONTEXT(testing::describe(ended)) {
            BOOST_TEST(ended.code == 8);
            BOOST_TEST(ended.err.find("ONCESWAP_CAPABILITY_MISSING") != std::string::npos);
            BOOST_TEST(ended.err.find(std::string(version_here)) != std::string::npos);
        }
    }
    std::remove(input.c_str());
    BOOST_TEST(tables_of_ours(fixture) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::test
