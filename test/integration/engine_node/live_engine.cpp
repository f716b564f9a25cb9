#include "live_engine.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <poll.h>
#include <stdexcept>
#include <unistd.h>

namespace onceswap::testing {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

std::unique_ptr<LiveEngine>& shared_engine() {
    static std::unique_ptr<LiveEngine> engine;
    return engine;
}

/// Ends the cluster before the program's statics go.
struct EndsEngine {
    ~EndsEngine() {
        if (shared_engine() == nullptr)
            return;
        shared_engine()->process().send(SIGTERM);
        const Ended ended = shared_engine()->process().wait(std::chrono::seconds(30));
        BOOST_TEST_MESSAGE("engine-clickhouse: " << describe(ended));
        shared_engine().reset();
    }
};

} // namespace

BOOST_TEST_GLOBAL_FIXTURE(EndsEngine);

std::map<std::string, std::string> engine_environment() {
    std::map<std::string, std::string> environment;
    for (const char* name : {"ONCESWAP_LIBCHDB", "XDG_CACHE_HOME"})
        if (const char* value = std::getenv(name))
            environment[name] = value;
    return environment;
}

int Reply::code() const {
    static constexpr std::string_view name = "X-ClickHouse-Exception-Code: ";
    const std::size_t at = head.find(name);
    int code = 0;
    if (at != std::string::npos)
        std::from_chars(head.data() + at + name.size(), head.data() + head.size(), code);
    return code;
}

json::value ask_line(std::uint16_t port, const std::string& line) {
    asio::io_context io;
    asio::ip::tcp::socket socket(io);
    socket.connect({asio::ip::address_v4::loopback(), port});
    asio::write(socket, asio::buffer(line + "\n"));
    std::string answer;
    asio::read_until(socket, asio::dynamic_buffer(answer), '\n');
    return json::parse(answer);
}

LiveEngine& LiveEngine::get() {
    if (shared_engine() == nullptr)
        shared_engine() = std::make_unique<LiveEngine>(std::vector<std::string>{"--user", "reader:secret"});
    return *shared_engine();
}

LiveEngine::LiveEngine(std::vector<std::string> arguments)
    : process_(
          std::string(ONCESWAP_BINARY_DIR) + "/engine-clickhouse", std::move(arguments), engine_environment()
      ) {
    if (!process_.wait_for_output("\n"))
        throw std::runtime_error("engine-clickhouse does not come up: " + process_.err());
    ports_ = json::parse(process_.out());
}

std::uint16_t LiveEngine::http_port(std::size_t member) const {
    return static_cast<std::uint16_t>(ports_.at("members").as_array().at(member).at("http_port").as_int64());
}

std::string LiveEngine::url(std::size_t member) const {
    return "http://127.0.0.1:" + std::to_string(http_port(member));
}

Reply LiveEngine::ask(std::size_t member, const std::string& sql, const Settings& parameters) {
    engine_node::PeerAnswer answer = engine_node::ask_peer(http_port(member), "/", parameters, sql);
    Reply reply;
    reply.status = answer.status;
    reply.head = std::move(answer.head);
    reply.body = std::move(answer.body);
    return reply;
}

std::string LiveEngine::rows(std::size_t member, const std::string& sql, const Settings& parameters) {
    const Reply reply = ask(member, sql, parameters);
    BOOST_REQUIRE_MESSAGE(reply.status == 200, sql << ": " << reply.body);
    return reply.body;
}

void LiveEngine::make_target(const std::string& database, unsigned count) {
    rows(0, "CREATE DATABASE " + database + " ON CLUSTER c1 ENGINE = Atomic");
    rows(
        0,
        "CREATE TABLE " + database +
            ".target ON CLUSTER c1 (id UInt64, name String) ENGINE = "
            "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id"
    );
    if (count != 0)
        rows(0, "INSERT INTO " + database + ".target FORMAT JSONEachRow\n" + new_rows(count));
}

std::string LiveEngine::uuid(std::size_t member, const std::string& database, const std::string& table) {
    std::string text = rows(
        member,
        "SELECT toString(uuid) FROM system.tables WHERE database = '" + database + "' AND name = '" + table +
            "'"
    );
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

json::value LiveEngine::control(const std::string& line) {
    return ask_line(static_cast<std::uint16_t>(ports_.at("control_port").as_int64()), line);
}

json::value LiveEngine::worker(std::size_t member, const Settings& parameters) {
    const engine_node::PeerAnswer answer =
        engine_node::ask_peer(http_port(member), "/_node/worker", parameters, {});
    BOOST_REQUIRE_MESSAGE(answer.status == 200, answer.body);
    return json::parse(answer.body);
}

json::value LiveEngine::keeper_proxy(std::size_t member, const std::string& line) {
    return ask_line(
        static_cast<std::uint16_t>(
            ports_.at("members").as_array().at(member).at("keeper_proxy_control_port").as_int64()
        ),
        line
    );
}

std::vector<std::int64_t> LiveEngine::executed(const std::string& comment, const std::string& text) {
    const json::value answer =
        control("{\"do\":\"executed\",\"comment\":\"" + comment + "\",\"text\":\"" + text + "\"}");
    std::vector<std::int64_t> counts;
    for (const json::value& count : answer.at("executed").as_array())
        counts.push_back(count.to_number<std::int64_t>());
    return counts;
}

std::string
wait_for_rows(LiveEngine& engine, std::size_t member, const std::string& sql, const std::string& wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::string seen;
    do {
        seen = engine.rows(member, sql);
        if (seen == wanted)
            break;
        ::poll(nullptr, 0, 20); // nothing tells a client when it is so
    } while (std::chrono::steady_clock::now() < end);
    return seen;
}

TemporaryFile::TemporaryFile(const std::string& text) : name_("/tmp/onceswap-test-XXXXXX") {
    ::close(::mkstemp(name_.data()));
    std::ofstream(name_) << text;
}

TemporaryFile::~TemporaryFile() {
    ::unlink(name_.c_str());
}

std::string new_rows(unsigned count) {
    std::string text;
    for (unsigned i = 1; i <= count; ++i)
        text += "{\"id\":" + std::to_string(i) + ",\"name\":\"new " + std::to_string(i) + "\"}\n";
    return text;
}

} // namespace onceswap::testing
