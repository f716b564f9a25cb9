// What one client can take from the server: with short times, on one loop with its clients.
#include "tools/serving/http_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace onceswap::serving;
using Socket = asio::ip::tcp::socket;

BOOST_AUTO_TEST_SUITE(http_server)

namespace {

struct Bench {
    explicit Bench(ServerLimits limits, std::size_t body_size = 3) {
        auto body = std::make_shared<const std::string>(body_size, 'b');
        weak_body = body;
        auto made = HttpServer::listen(
            loop.get_executor(),
            asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0),
            [this, body](const HttpRequest& request) {
                targets.push_back(request.target);
                HttpAnswer answer;
                answer.body = body;
                return answer;
            },
            limits
        );
        BOOST_REQUIRE(made);
        server = std::move(*made);
    }

    std::unique_ptr<Socket> connect() {
        auto socket = std::make_unique<Socket>(loop);
        socket->connect(server->endpoint());
        return socket;
    }

    /// Everything until the server closes; the loop runs that long.
    std::string until_closed(Socket& socket) {
        std::string all;
        bool closed = false;
        read(socket, all, closed);
        while (!closed)
            loop.run_one_for(std::chrono::minutes(1));
        return all;
    }

    void read(Socket& socket, std::string& all, bool& closed) {
        socket.async_read_some(asio::buffer(buffer), [&](boost::system::error_code error, std::size_t size) {
            all.append(buffer.data(), size);
            closed = bool(error);
            if (!error)
                read(socket, all, closed);
        });
    }

    asio::io_context loop;
    std::vector<std::string> targets;
    std::weak_ptr<const std::string> weak_body;
    std::array<char, 4'096> buffer{};
    std::unique_ptr<HttpServer> server;
};

ServerLimits short_times() {
    ServerLimits limits;
    limits.request_time = std::chrono::milliseconds(40);
    limits.answer_time = std::chrono::milliseconds(40);
    limits.idle_time = std::chrono::milliseconds(60);
    limits.linger_time = std::chrono::milliseconds(40);
    return limits;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_client_that_says_nothing_or_never_ends_its_head_is_closed) {
    for (const std::string& said :
         {std::string(), std::string("GET / HT"), std::string("GET / HTTP/1.1\r\nHost: a\r\n")}) {
        Bench bench(short_times());
        const auto client = bench.connect();
        asio::write(*client, asio::buffer(said));
        BOOST_TEST(bench.until_closed(*client) == "", said);
        BOOST_TEST(bench.server->counters().timed_out == 1U, said);
        BOOST_TEST(bench.server->open_connections() == 0U);
    }
}

BOOST_AUTO_TEST_CASE(requests_in_one_write_are_answered_in_order_and_an_idle_connection_ends) {
    Bench bench(short_times());
    const auto client = bench.connect();
    asio::write(
        *client,
        asio::buffer(std::string("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"))
    );
    const std::string all = bench.until_closed(*client);
    BOOST_TEST(bench.targets == (std::vector<std::string>{"/1", "/2"}), boost::test_tools::per_element());
    BOOST_TEST(all.find("HTTP/1.1 200 OK\r\n", 1) != std::string::npos, all);
}

BOOST_AUTO_TEST_CASE(who_takes_no_answer_loses_it_and_holds_no_copy) {
    Bench bench(short_times(), std::size_t{64} << 20U); // more than the kernel's buffers take
    const auto client = bench.connect();
    const auto other = bench.connect();
    asio::write(*client, asio::buffer(std::string("GET / HTTP/1.1\r\nHost: a\r\n\r\n")));
    asio::write(*other, asio::buffer(std::string("GET / HTTP/1.1\r\nHost: a\r\n\r\n")));
    long most = 0;
    while (bench.server->counters().timed_out < 2) {
        bench.loop.run_one_for(std::chrono::minutes(1));
        most = std::max(most, bench.weak_body.use_count());
    }
    bench.loop.poll();      // the writes that the closing ended
    BOOST_TEST(most <= 3L); // the bench's own, and one reference for each
    BOOST_TEST(bench.weak_body.use_count() == 1L);
    BOOST_TEST(bench.server->open_connections() == 0U);
}

BOOST_AUTO_TEST_CASE(beyond_the_limit_there_is_a_503_and_the_others_stay) {
    ServerLimits limits;
    limits.connections = 2;
    Bench bench(limits);
    const auto first = bench.connect();
    const auto second = bench.connect();
    while (bench.server->open_connections() < 2)
        bench.loop.run_one_for(std::chrono::minutes(1));
    const auto third = bench.connect();
    const std::string refused = bench.until_closed(*third);
    BOOST_TEST(refused.starts_with("HTTP/1.1 503 "), refused);
    BOOST_TEST(bench.server->counters().turned_away == 1U);
    asio::write(*first, asio::buffer(std::string("GET / HTTP/1.0\r\nHost: a\r\n\r\n")));
    BOOST_TEST(bench.until_closed(*first).starts_with("HTTP/1.1 200 "));
}

BOOST_AUTO_TEST_CASE(a_body_is_never_read) {
    Bench bench(short_times());
    const auto client = bench.connect();
    asio::write(
        *client,
        asio::buffer("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n" + std::string(20'000, 'x'))
    );
    const std::string all = bench.until_closed(*client);
    BOOST_TEST(all.find("Connection: close\r\n") != std::string::npos, all);
    BOOST_TEST(bench.targets.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_stop_closes_who_waits_and_the_port) {
    Bench bench(ServerLimits{});
    const auto client = bench.connect();
    while (bench.server->open_connections() < 1)
        bench.loop.run_one_for(std::chrono::minutes(1));
    const auto where = bench.server->endpoint();
    bench.server->stop();
    BOOST_TEST(bench.until_closed(*client) == "");
    Socket late(bench.loop);
    boost::system::error_code error;
    late.connect(where, error);
    BOOST_TEST(error == asio::error::connection_refused);
}

BOOST_AUTO_TEST_SUITE_END()
