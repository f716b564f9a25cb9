#include "proxied_server.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap::testing;
using namespace onceswap::fault_proxy;
namespace asio = boost::asio;

BOOST_AUTO_TEST_SUITE(zookeeper)

namespace {

std::string number(std::int32_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8)
        text += static_cast<char>(static_cast<std::uint32_t>(value) >> shift & 0xff);
    return text;
}

std::string framed(const std::string& body) {
    return number(static_cast<std::int32_t>(body.size())) + body;
}

std::string request(std::int32_t xid, std::int32_t type) {
    return framed(number(xid) + number(type) + "payload");
}

std::string reply(std::int32_t xid) {
    return framed(number(xid) + std::string(12, '\0') + "result");
}

const std::string handshake = framed(std::string(44, 'h'));

/// A session that has shaken hands through a proxy with one rule.
struct Session {
    explicit Session(std::string_view rule) : proxied(Protocol::zookeeper) {
        proxied.add(rule);
        client.emplace(proxied.connect());
        server.emplace(proxied.accept());
        send(*client, handshake);
        BOOST_TEST(receive(*server, handshake.size()) == handshake);
        send(*server, handshake);
        BOOST_TEST(receive(*client, handshake.size()) == handshake);
    }

    ProxiedServer proxied;
    std::optional<ProxiedServer::Socket> client;
    std::optional<ProxiedServer::Socket> server;
};

} // namespace

BOOST_AUTO_TEST_CASE(a_dropped_transaction_never_reaches_the_server) {
    Session session(R"({"name":"m","on":"transaction","type":14,"action":"drop"})");
    send(*session.client, request(1, 4) + request(2, 14));
    BOOST_TEST(rest(*session.server).text == request(1, 4));
    BOOST_TEST((rest(*session.client).end == asio::error::eof));
    BOOST_TEST(session.proxied.ask([](const Proxy& proxy) {
        return proxy.tally().transactions.at(14);
    }) == 1U);
}

BOOST_AUTO_TEST_CASE(a_reply_that_is_cut_is_the_one_with_the_transactions_xid) {
    Session session(R"({"name":"m","on":"transaction","type":14,"action":"cut_reply"})");
    const std::string both = request(7, 14) + request(8, 4);
    send(*session.client, both);
    BOOST_TEST(receive(*session.server, both.size()) == both); // it is committed
    send(*session.server, reply(-1) + reply(7) + reply(8));
    BOOST_TEST(rest(*session.client).text == reply(-1)); // a watch event passes
    BOOST_TEST((rest(*session.server).end == asio::error::eof));
}

BOOST_AUTO_TEST_CASE(a_held_transaction_waits_where_others_have_passed) {
    Session session(R"({"name":"m","on":"transaction","type":14,"nth":2,"action":"hold"})");
    send(*session.client, request(1, 14) + request(2, 14));
    BOOST_TEST(receive(*session.server, request(1, 14).size()) == request(1, 14));
    BOOST_TEST(session.proxied.wait([](const Proxy& proxy) { return proxy.held() == 1; }));
    BOOST_TEST(session.server->available() == 0U);
    session.proxied.ask([](Proxy& proxy) { return proxy.release(false); });
    BOOST_TEST(receive(*session.server, request(2, 14).size()) == request(2, 14));
}

BOOST_AUTO_TEST_CASE(a_held_reply_comes_after_a_release) {
    Session session(R"({"name":"m","on":"transaction","action":"hold_reply"})");
    send(*session.client, request(5, 1));
    BOOST_TEST(receive(*session.server, request(5, 1).size()) == request(5, 1));
    send(*session.server, reply(5));
    BOOST_TEST(session.proxied.wait([](const Proxy& proxy) { return proxy.held() == 1; }));
    BOOST_TEST(session.client->available() == 0U);
    session.proxied.ask([](Proxy& proxy) { return proxy.release(false); });
    BOOST_TEST(receive(*session.client, reply(5).size()) == reply(5));
}

BOOST_AUTO_TEST_CASE(pings_are_no_requests_and_frames_come_in_any_pieces) {
    Session session(R"({"name":"m","on":"transaction","nth":2,"action":"drop"})");
    const std::string all = request(-2, 11) + request(1, 4) + request(-2, 11);
    for (const char byte : all)
        send(*session.client, std::string_view(&byte, 1));
    BOOST_TEST(receive(*session.server, all.size()) == all);
    BOOST_TEST(session.proxied.ask([](const Proxy& proxy) { return proxy.tally().requests; }) == 1U);
    send(*session.client, request(2, 4));
    BOOST_TEST((rest(*session.client).end == asio::error::eof));
}

BOOST_AUTO_TEST_CASE(a_transaction_is_chosen_by_what_is_in_it) {
    Session session(R"({"name":"m","on":"transaction","type":14,"contains":"/b","action":"drop"})");
    const std::string other = framed(number(1) + number(14) + "/a/c");
    send(
        *session.client,
        other + framed(number(2) + number(4) + "/a/b") + framed(number(3) + number(14) + "/a/b")
    );
    BOOST_TEST(rest(*session.server).text == other + framed(number(2) + number(4) + "/a/b"));
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_frames_end_the_connection) {
    Session session(R"({"name":"m","on":"transaction","type":14,"action":"drop"})");
    send(*session.client, "GET / HTTP/1.1\r\n\r\n"); // as a length that is 1.1 GB
    BOOST_TEST((rest(*session.client).end == asio::error::connection_reset));
}

BOOST_AUTO_TEST_SUITE_END()
