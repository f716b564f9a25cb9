#include "simulated_cluster.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

namespace onceswap::testing {

namespace asio = boost::asio;

namespace {

std::string scenario(const std::vector<std::string>& databases, const std::string& tables) {
    std::string list;
    for (const std::string& name : databases)
        list += (list.empty() ? "" : ",") + std::string(R"({"name":")") + name + "\"}";
    return R"({"profile":"26.7","settings":{"keeper_max_retries":"0"},"clusters":[{"name":"c1","members":[0,1]}],"members":[
{"host":"127.0.0.1","port":19101,"server_uuid":"6f1c1c2e-0000-4000-8000-000000000001"},
{"host":"127.0.0.1","port":19102,"server_uuid":"6f1c1c2e-0000-4000-8000-000000000002"}],
"databases":[)" +
           list + R"(],"tables":)" + tables + "}";
}

} // namespace

Settings with_transport(Settings settings) {
    const Settings added{
        {"wait_end_of_query", "1"},
        {"send_progress_in_http_headers", "0"},
        {"http_write_exception_in_output_format", "0"},
        {"enable_http_compression", "0"},
        {"output_format_json_quote_64bit_integers", "1"},
        {"output_format_json_validate_utf8", "1"},
        {"default_format", "JSONCompactEachRowWithNamesAndTypes"}
    };
    settings.insert(settings.end(), added.begin(), added.end());
    return settings;
}

SimulatedCluster::SimulatedCluster(const std::vector<std::string>& databases, const std::string& tables)
    : scenario_(scenario(databases, tables)),
      process_(std::string(ONCESWAP_BINARY_DIR) + "/sim-clickhouse", {"--scenario", scenario_.name()}) {
    BOOST_REQUIRE_MESSAGE(process_.wait_for_output("\n"), process_.err());
    ports_ = boost::json::parse(process_.out());
}

Reply SimulatedCluster::ask(std::size_t member, const std::string& sql, const Settings& parameters) {
    const auto port =
        static_cast<std::uint16_t>(ports_.at("members").as_array().at(member).at("http_port").as_int64());
    engine_node::PeerAnswer answer = engine_node::ask_peer(port, "/", parameters, sql);
    Reply reply;
    reply.status = answer.status;
    reply.head = std::move(answer.head);
    reply.body = std::move(answer.body);
    return reply;
}

std::string SimulatedCluster::control(const std::string& target, const std::string& body) {
    asio::io_context io;
    asio::ip::tcp::socket socket(io);
    socket.connect(
        {asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(ports_.at("control_port").as_int64())}
    );
    const std::string verb = body.empty() && target.starts_with("/events") ? "GET " : "POST ";
    asio::write(
        socket,
        asio::buffer(
            verb + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body
        )
    );
    std::string answer;
    boost::system::error_code over;
    asio::read(socket, asio::dynamic_buffer(answer, 1 << 24), over);
    BOOST_REQUIRE_MESSAGE(answer.starts_with("HTTP/1.1 200"), target << ": " << answer);
    const std::size_t head = answer.find("\r\n\r\n");
    return answer.substr(head + 4);
}

} // namespace onceswap::testing
