#include "balancer.hpp"
#include "live_engine.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(balancer)

/// Two members behind one address are told apart by their UUIDs, whichever of them answers what.
BOOST_AUTO_TEST_CASE(two_members_behind_one_address_are_refused) {
    LiveEngine& engine = LiveEngine::get();
    engine.make_target("balanced", 10);
    const TemporaryFile rows(new_rows(5));
    const Balancer first({engine.http_port(0), engine.http_port(1)});
    const Balancer second({engine.http_port(1), engine.http_port(0)});
    const std::vector<std::vector<std::string>> addresses{
        {first.url(), second.url()}, {first.url(), engine.url(1)}, {engine.url(0), second.url()}
    };
    for (const std::vector<std::string>& urls : addresses) {
        const Ended ended =
            run(std::string(ONCESWAP_BINARY_DIR) + "/refresh-load",
                {"publish",
                 "--from",
                 rows.name(),
                 "--execute",
                 "--url",
                 urls[0],
                 "--url",
                 urls[1],
                 "--cluster",
                 "c1",
                 "--table",
                 "balanced.target"});
        BOOST_TEST(ended.code == 8, describe(ended));
        // Which part of a pass meets the other server is chance: the catalogue, or what is read beside it.
        const bool named = ended.err.find("ONCESWAP_ENDPOINT_MISMATCH") != std::string::npos ||
                           ended.err.find("answered as server") != std::string::npos;
        BOOST_TEST(named, describe(ended));
    }
    BOOST_TEST(first.connections() + second.connections() > 1U);
    for (const std::size_t member : {0U, 1U}) { // no candidate was made; the authority table may have been
        const std::string tables =
            engine.rows(member, "SELECT name FROM system.tables WHERE database = 'balanced'");
        BOOST_TEST(!tables.starts_with("onceswap_"), tables);
        BOOST_TEST(tables.find("\nonceswap_") == std::string::npos, tables);
        BOOST_TEST(tables.find("target\n") != std::string::npos, tables);
    }
}

BOOST_AUTO_TEST_SUITE_END()
