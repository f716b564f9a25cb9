#include "process.hpp"
#include "proxied_server.hpp"

#include <boost/asio/read_until.hpp>
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <string>
#include <vector>

using namespace onceswap::testing;
namespace asio = boost::asio;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(program)

namespace {

const std::string proxy_program = std::string(ONCESWAP_BINARY_DIR) + "/fault-proxy";

std::uint16_t port_of(const json::value& ports, const char* name) {
    return static_cast<std::uint16_t>(ports.at(name).as_int64());
}

struct Control {
    Control(asio::io_context& io, std::uint16_t port) : socket(io) {
        socket.connect({asio::ip::address_v4::loopback(), port});
    }

    json::value ask(std::string line) {
        send(socket, line + "\n");
        const std::size_t length = asio::read_until(socket, asio::dynamic_buffer(pending), '\n');
        const json::value answer = json::parse(pending.substr(0, length));
        pending.erase(0, length);
        return answer;
    }

    asio::ip::tcp::socket socket;
    std::string pending;
};

} // namespace

BOOST_AUTO_TEST_CASE(rules_are_given_at_run_time_and_counted) {
    asio::io_context io;
    asio::ip::tcp::acceptor listener(io, {asio::ip::address_v4::loopback(), 0});
    Process process(proxy_program, {"--to", "127.0.0.1:" + std::to_string(listener.local_endpoint().port())});
    BOOST_REQUIRE(process.wait_for_output("\n"));
    const json::value ports = json::parse(process.out());
    Control control(io, port_of(ports, "control_port"));
    BOOST_TEST(control.ask(R"({"do":"status"})").at("connections").as_int64() == 0);
    BOOST_TEST(
        control.ask(R"({"do":"add","rule":{"name":"r","on":"bytes","at":2,"action":"stall"}})")
            .at("rules")
            .as_int64() == 1
    );
    asio::ip::tcp::socket client(io);
    client.connect({asio::ip::address_v4::loopback(), port_of(ports, "port")});
    asio::ip::tcp::socket server = listener.accept();
    send(server, "abc");
    BOOST_TEST(receive(client, 2) == "ab");
    BOOST_TEST(control.ask(R"({"do":"wait","fired":1,"held":1})").at("held").as_int64() == 1);
    BOOST_TEST(control.ask(R"({"do":"release"})").at("released").as_int64() == 1);
    BOOST_TEST(receive(client, 1) == "c");
    const json::value status = control.ask(R"({"do":"status"})");
    BOOST_TEST(status.at("fired").as_array().at(0).as_string() == "r");
    BOOST_TEST(status.at("bytes_to_client").as_int64() == 3);
    for (const char* wrong : {"{", R"({"do":"dance"})", R"({"do":"add"})", R"({"do":"status","x":1})"})
        BOOST_TEST(control.ask(wrong).as_object().contains("error"));
    BOOST_TEST(control.ask(R"({"do":"disconnect"})").at("disconnected").as_int64() == 1);
    BOOST_TEST((rest(client).end == asio::error::eof));
    BOOST_TEST(control.ask(R"({"do":"stop"})").at("stopping").as_bool());
    BOOST_TEST(process.wait().code == 0);
}

BOOST_AUTO_TEST_CASE(a_signal_ends_it_while_something_is_held_and_wrong_usage_is_2) {
    asio::io_context io;
    asio::ip::tcp::acceptor listener(io, {asio::ip::address_v4::loopback(), 0});
    Process process(
        proxy_program,
        {"--to",
         "127.0.0.1:" + std::to_string(listener.local_endpoint().port()),
         "--rule",
         R"({"name":"s","on":"connection","action":"stall"})"}
    );
    BOOST_REQUIRE(process.wait_for_output("\n"));
    const json::value ports = json::parse(process.out());
    asio::ip::tcp::socket client(io);
    client.connect({asio::ip::address_v4::loopback(), port_of(ports, "port")});
    Control control(io, port_of(ports, "control_port"));
    BOOST_TEST(control.ask(R"({"do":"wait","held":1})").at("held").as_int64() == 1);
    process.send(SIGTERM);
    BOOST_TEST(process.wait().code == 0);

    const std::vector<std::vector<std::string>> wrong{
        {},
        {"--to"},
        {"--to", "nowhere"},
        {"--to", "127.0.0.1:1", "--protocol", "smtp"},
        {"--to", "127.0.0.1:1", "--rule", "{}"},
        {"--to", "127.0.0.1:1", "--rule", "{"},
        {"--color", "red"}
    };
    for (const std::vector<std::string>& arguments : wrong) {
        const Ended ended = run(proxy_program, arguments);
        BOOST_TEST(ended.code == 2, describe(ended));
        BOOST_TEST(ended.err.starts_with("fault-proxy: "));
    }
    const Ended help = run(proxy_program, {"--help"});
    BOOST_TEST(help.code == 0);
    BOOST_TEST(help.out.find("Examples") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
