// Two servers behind one address: each new connection reaches the next one.
#include "balancer.hpp"
#include "workshop.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace onceswap::testing;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(endpoint_mismatch)

namespace {

std::uint16_t port_of(const std::string& url) {
    return static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
}

Words at(const std::string& first, const std::string& second) {
    return {"--url", first, "--url", second, "--cluster", "c1", "--table", "db.target"};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_publication_and_the_doctor_say_that_an_address_is_a_balancers) {
    SimProcess sim({"--members", "2"});
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 3);
    const std::string one = sim.urls()[0];
    const std::string other = sim.urls()[1];
    const Balancer first({port_of(one), port_of(other)});
    const Balancer second({port_of(other), port_of(one)});
    for (const Words& where :
         {at(first.url(), second.url()), at(first.url(), other), at(one, second.url())}) {
        const Ended published =
            run(refresh_load(), Words{"publish"} + where + Words{"--from", rows, "--execute"});
        BOOST_TEST_CONTEXT(describe(published)) {
            BOOST_TEST(published.code == 8);
            BOOST_TEST(contains(published.err, "ONCESWAP_ENDPOINT_MISMATCH"));
            BOOST_TEST(contains(published.out, "Give each member's own address instead of a balancer's"));
        }
        const Ended examined = run(reconcile_watch(), Words{"doctor", "--json"} + where);
        BOOST_TEST_CONTEXT(describe(examined)) {
            BOOST_TEST(examined.code == 8);
            const json::value document = json::parse(examined.out);
            BOOST_TEST(document.at("refused_with").as_string() == "ONCESWAP_ENDPOINT_MISMATCH");
        }
    }
    BOOST_TEST(first.connections() + second.connections() > 2U);
    BOOST_TEST(sim.mutations() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
