#include "proxied_server.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>

using namespace onceswap::testing;
using namespace onceswap::fault_proxy;
namespace asio = boost::asio;

BOOST_AUTO_TEST_SUITE(bytes)

BOOST_AUTO_TEST_CASE(without_a_rule_both_directions_pass_unchanged_and_ends_pass_too) {
    ProxiedServer proxied;
    auto client = proxied.connect();
    auto server = proxied.accept();
    const std::string large(1'000'000, 'x');
    std::thread sender([&] {
        send(client, large);
        client.shutdown(asio::ip::tcp::socket::shutdown_send);
    });
    const Rest request = rest(server);
    sender.join();
    BOOST_TEST(request.text.size() == large.size());
    BOOST_TEST((request.end == asio::error::eof));
    send(server, "answer");
    server.close();
    BOOST_TEST(rest(client).text == "answer");
    BOOST_TEST(proxied.wait([](const Proxy& proxy) { return proxy.open() == 0; }));
    BOOST_TEST(proxied.ask([](const Proxy& proxy) { return proxy.tally().connections; }) == 1U);
    BOOST_TEST(proxied.ask([](const Proxy& proxy) { return proxy.tally().bytes_to_server; }) == large.size());
    BOOST_TEST(proxied.ask([](const Proxy& proxy) { return proxy.tally().bytes_to_client; }) == 6U);
}

BOOST_AUTO_TEST_CASE(an_answer_is_cut_reset_or_truncated_at_a_byte) {
    struct Row {
        const char* action;
        boost::system::error_code end;
    };

    const Row rows[] = {
        {"cut", asio::error::eof}, {"reset", asio::error::connection_reset}, {"truncate", asio::error::eof}
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.action) {
            ProxiedServer proxied;
            proxied.add(std::string(R"({"name":"r","on":"bytes","at":4,"action":")") + row.action + "\"}");
            auto client = proxied.connect();
            auto server = proxied.accept();
            send(client, "ask");
            BOOST_TEST(receive(server, 3) == "ask");
            send(server, "ans");
            BOOST_TEST(receive(client, 3) == "ans");
            send(server, "wer");
            const Rest seen = rest(client);
            // A reset may overtake the byte before it.
            BOOST_TEST((seen.text == "w" || (seen.text.empty() && row.end == asio::error::connection_reset)));
            BOOST_TEST((seen.end == row.end), seen.end.message());
            BOOST_TEST(proxied.ask([](const Proxy& proxy) { return proxy.rules().fired().size(); }) == 1U);
            if (std::string_view(row.action) == "truncate") { // the sender does not notice
                send(server, "more");
                send(client, "still here");
                BOOST_TEST(receive(server, 10) == "still here");
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(bytes_are_duplicated_by_count) {
    ProxiedServer proxied;
    proxied.add(
        R"({"name":"twice","on":"bytes","direction":"to_server","at":2,"action":"duplicate","count":3})"
    );
    auto client = proxied.connect();
    auto server = proxied.accept();
    send(client, "abcd");
    send(client, "efg");
    BOOST_TEST(receive(server, 10) == "abcdecdefg");
}

BOOST_AUTO_TEST_CASE(a_rule_after_some_bytes_strikes_only_where_they_were_sent) {
    ProxiedServer proxied;
    proxied.add(R"({"name":"lost","on":"bytes","after":"EXCHANGE TABLES","action":"cut"})");
    auto other = proxied.connect();
    auto other_server = proxied.accept();
    send(other, "SELECT 1");
    BOOST_TEST(receive(other_server, 8) == "SELECT 1");
    send(other_server, "1");
    BOOST_TEST(receive(other, 1) == "1");

    auto client = proxied.connect();
    auto server = proxied.accept();
    send(client, "POST EXCHA");
    BOOST_TEST(receive(server, 10) == "POST EXCHA");
    send(server, "100"); // before the trigger is whole
    BOOST_TEST(receive(client, 3) == "100");
    send(client, "NGE TABLES a AND b");
    BOOST_TEST(receive(server, 18) == "NGE TABLES a AND b");
    send(server, "200");
    const Rest seen = rest(client);
    BOOST_TEST(seen.text == "");
    BOOST_TEST((seen.end == asio::error::eof));
    BOOST_TEST((rest(server).end == asio::error::eof));
    send(other_server, "2"); // the other connection stands
    BOOST_TEST(receive(other, 1) == "2");
}

BOOST_AUTO_TEST_CASE(stalled_bytes_pass_after_a_release_or_never) {
    for (const bool drop : {false, true}) {
        ProxiedServer proxied;
        proxied.add(R"({"name":"s","on":"bytes","direction":"to_server","at":1,"action":"stall"})");
        auto client = proxied.connect();
        auto server = proxied.accept();
        send(client, "go");
        BOOST_TEST(receive(server, 1) == "g");
        BOOST_TEST(proxied.wait([](const Proxy& proxy) { return proxy.held() == 1; }));
        BOOST_TEST(server.available() == 0U);
        BOOST_TEST(proxied.ask([&](Proxy& proxy) { return proxy.release(drop); }) == 1U);
        if (drop)
            BOOST_TEST(rest(server).text == "");
        else
            BOOST_TEST(receive(server, 1) == "o");
    }
}

BOOST_AUTO_TEST_CASE(a_delay_is_at_least_as_long_as_it_says) {
    ProxiedServer proxied;
    proxied.add(R"({"name":"d","on":"bytes","direction":"to_server","action":"delay","delay_ms":50})");
    auto client = proxied.connect();
    auto server = proxied.accept();
    const auto begin = std::chrono::steady_clock::now();
    send(client, "x");
    BOOST_TEST(receive(server, 1) == "x");
    BOOST_TEST((std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(50)));
}

BOOST_AUTO_TEST_CASE(connections_are_counted_refused_and_chosen_by_number) {
    ProxiedServer proxied;
    proxied.add(R"({"name":"second","on":"connection","nth":2,"action":"reset"})");
    auto first = proxied.connect();
    auto first_server = proxied.accept();
    auto second = proxied.connect();
    BOOST_TEST((rest(second).end == asio::error::connection_reset));
    auto third = proxied.connect();
    auto third_server = proxied.accept();
    send(third, "x");
    BOOST_TEST(receive(third_server, 1) == "x");
    proxied.ask([](Proxy& proxy) {
        proxy.refuse(true);
        return true;
    });
    auto fourth = proxied.connect();
    BOOST_TEST((rest(fourth).end == asio::error::connection_reset));
    BOOST_TEST(proxied.ask([](Proxy& proxy) { return proxy.disconnect(false); }) == 2U);
    BOOST_TEST((rest(first).end == asio::error::eof));
    BOOST_TEST((rest(third_server).end == asio::error::eof));
    BOOST_TEST(proxied.ask([](const Proxy& proxy) { return proxy.tally().connections; }) == 3U);
    BOOST_TEST(proxied.ask([](const Proxy& proxy) { return proxy.tally().refused; }) == 1U);
}

BOOST_AUTO_TEST_CASE(http_requests_are_counted_whatever_pieces_they_come_in) {
    ProxiedServer proxied(Protocol::http);
    auto client = proxied.connect();
    auto server = proxied.accept();
    const std::string text =
        "POST /?a=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nPOST / HT"
        "GET /ping HTTP/1.1\r\nHost: h\r\n\r\n"
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    for (const char byte : text)
        send(client, std::string_view(&byte, 1));
    BOOST_TEST(receive(server, text.size()) == text);
    BOOST_TEST(proxied.ask([](const Proxy& proxy) { return proxy.tally().requests; }) == 3U);
}

BOOST_AUTO_TEST_CASE(a_rule_that_means_nothing_is_refused) {
    for (const char* wrong :
         {R"({"on":"bytes","action":"hold"})",
          R"({"on":"transaction","action":"cut"})",
          R"({"on":"connection","action":"duplicate"})",
          R"({"on":"never","action":"cut"})",
          R"({"on":"bytes"})",
          R"({"on":"bytes","action":"cut","nth":0})",
          R"({"on":"bytes","action":"cut","typ":1})",
          R"({"on":"bytes","action":"cut","direction":"up"})",
          R"({"on":"connection","action":"cut","at":1})",
          R"([])"})
        BOOST_CHECK_THROW(rule_from_json(boost::json::parse(wrong)), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
