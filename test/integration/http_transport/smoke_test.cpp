#include "loop_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace onceswap::test {

BOOST_FIXTURE_TEST_SUITE(success, LoopFixture)

BOOST_AUTO_TEST_CASE(read) {
    ScriptedServer server(loop, {{read_request(), send(reply(200, one_row))}});
    const auto exchange = this->LoopFixture::read(server, select_request());
    BOOST_TEST(exchange.evidence.reply_complete);
    BOOST_TEST(exchange.evidence.error.message() == boost::system::error_code().message());
    BOOST_TEST_MESSAGE(server.received()[0]);
    BOOST_REQUIRE(exchange.response);
    BOOST_TEST(exchange.response->body == one_row);
}

BOOST_AUTO_TEST_CASE(mutation) {
    ScriptedServer server(loop, {{read_request(), send(chunked_reply(200, {}))}});
    const auto exchange = mutate(server, insert_request());
    BOOST_TEST(exchange.evidence.reply_complete);
    BOOST_TEST(exchange.evidence.bytes_handed_over == server.received()[0].size());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::test
