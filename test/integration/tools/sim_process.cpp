#include "sim_process.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace onceswap::testing {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;

namespace {

constexpr std::string_view changing[] = {
    "create_facade",
    "create_candidate",
    "insert_rows",
    "authority_insert",
    "authority_update",
    "exchange",
    "rename",
    "drop",
    "other"
};

} // namespace

SimProcess::SimProcess(std::vector<std::string> arguments)
    : process_(std::string(ONCESWAP_BINARY_DIR) + "/sim-clickhouse", std::move(arguments)) {
    if (!process_.wait_for_output("\n"))
        throw std::runtime_error("sim-clickhouse did not come up: " + process_.err());
    const json::value info = json::parse(process_.out().substr(0, process_.out().find('\n')));
    for (const json::value& url : info.at("urls").as_array())
        urls_.emplace_back(url.as_string());
    cluster_ = info.at("cluster").as_string();
    control_port_ = std::to_string(info.at("control_port").to_number<unsigned>());
}

std::vector<std::string> SimProcess::where() const {
    std::vector<std::string> words;
    for (const std::string& url : urls_) {
        words.emplace_back("--url");
        words.push_back(url);
    }
    words.insert(words.end(), {"--cluster", cluster_, "--table", "db.target"});
    return words;
}

json::value SimProcess::ask(const std::string& method, const std::string& target, const std::string& body) {
    asio::io_context loop;
    asio::ip::tcp::socket socket(loop);
    const auto port = static_cast<std::uint16_t>(std::stoul(control_port_));
    socket.connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), port));
    http::request<http::string_body> request(http::string_to_verb(method), target, 11);
    request.set(http::field::host, "127.0.0.1");
    request.body() = body;
    request.prepare_payload();
    http::write(socket, request);
    boost::beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(256 * 1024 * 1024);
    http::read(socket, buffer, parser);
    if (parser.get().result_int() != 200)
        throw std::runtime_error(method + " " + target + ": " + parser.get().body());
    return json::parse(parser.get().body());
}

json::value SimProcess::truth() {
    return ask("GET", "/truth");
}

std::uint64_t SimProcess::requests_of(std::string_view statement_class) {
    const json::value all = truth();
    const json::value* count = all.at("requests").as_object().if_contains(statement_class);
    return count == nullptr ? 0 : count->to_number<std::uint64_t>();
}

std::uint64_t SimProcess::mutations() {
    const json::value all = truth();
    std::uint64_t sum = 0;
    for (const std::string_view each : changing) {
        if (const json::value* count = all.at("requests").as_object().if_contains(each))
            sum += count->to_number<std::uint64_t>();
    }
    return sum;
}

std::vector<std::string> SimProcess::classes_from(std::string_view client) {
    const json::value all = ask("GET", "/events?after=0");
    std::vector<std::string> classes;
    for (const json::value& one : all.at("requests").as_array()) {
        if (one.at("client").as_string() == client)
            classes.emplace_back(one.at("class").as_string());
    }
    return classes;
}

SimProcess::~SimProcess() {
    if (!process_.running())
        return;
    std::vector<std::string> classes;
    try {
        classes = classes_from("reconcile-watch");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "what reconcile-watch sent is not known: %s\n", error.what());
        std::abort();
    }
    for (const std::string& each : classes) {
        if (std::find(std::begin(changing), std::end(changing), each) != std::end(changing)) {
            std::fprintf(stderr, "reconcile-watch sent a statement of class %s\n", each.c_str());
            std::abort();
        }
    }
}

std::uint64_t SimProcess::executions_of(std::string_view statement_class) {
    const json::value all = truth();
    const json::array& executions = all.at("executions").as_array();
    return static_cast<std::uint64_t>(std::count_if(
        executions.begin(),
        executions.end(),
        [&](const json::value& one) {
            return one.at("class").as_string() == statement_class && one.at("code").to_number<int>() == 0;
        }
    ));
}

std::vector<std::int64_t> SimProcess::rows_of(std::string_view table) {
    const json::value all = truth();
    std::vector<std::int64_t> rows;
    for (const json::value& member : all.at("members").as_array()) {
        std::int64_t found = -1;
        for (const json::value& each : member.at("tables").as_array()) {
            if (each.at("name").as_string() == table)
                found = each.at("rows").to_number<std::int64_t>();
        }
        rows.push_back(found);
    }
    return rows;
}

std::string SimProcess::phase() {
    const json::value all = truth();
    const json::array& rows = all.at("authority").as_array();
    if (rows.empty())
        return {};
    if (rows.size() > 1)
        throw std::runtime_error("more than one authority row");
    return std::string(rows.front().at("phase").as_string());
}

std::vector<std::string> SimProcess::candidates() {
    const json::value all = truth();
    std::vector<std::string> names;
    for (const json::value& each : all.at("members").as_array().front().at("tables").as_array()) {
        if (each.at("name").as_string().starts_with("onceswap_"))
            names.emplace_back(each.at("name").as_string());
    }
    return names;
}

void SimProcess::add_fault(const std::string& text) {
    ask("POST", "/faults", text);
}

std::uint64_t SimProcess::fired() {
    const json::value all = truth();
    return all.at("fired").as_array().size();
}

bool SimProcess::wait_until_fired(std::uint64_t fired, Process& process, std::chrono::milliseconds limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    const std::string target = "/events?wait_ms=500&after=1000000000&fired=" + std::to_string(fired);
    while (std::chrono::steady_clock::now() < until) {
        const bool ran = process.running();
        if (ask("GET", target).at("fired").to_number<std::uint64_t>() > fired)
            return true;
        if (!ran)
            return false;
    }
    return false;
}

void SimProcess::release(bool drop) {
    ask("POST", drop ? "/release?drop=1" : "/release");
}

} // namespace onceswap::testing
