// Two servers behind one address: each new connection reaches the next one.
#include "balancer.hpp"
#include "workshop.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <optional>
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
        // Which connection a question takes is a matter of time: where all of one URL take the same, they
        // have one server behind them and nothing is wrong. So it is asked until one try has met both.
        std::optional<Ended> published;
        std::optional<Ended> examined;
        for (int i = 0; i < 20 && !(published && examined); ++i) {
            const Ended load = run(refresh_load(), Words{"publish"} + where + Words{"--from", rows});
            BOOST_TEST((load.code == 0 || load.code == 8), describe(load));
            if (load.code == 8)
                published = load;
            const Ended look = run(reconcile_watch(), Words{"doctor", "--json"} + where);
            BOOST_TEST((look.code == 0 || look.code == 8), describe(look));
            if (look.code == 8)
                examined = look;
        }
        BOOST_REQUIRE(published);
        BOOST_REQUIRE(examined);
        BOOST_TEST(contains(published->err, "ONCESWAP_ENDPOINT_MISMATCH"), describe(*published));
        BOOST_TEST(contains(published->err, "is there a balancer behind this URL?"), describe(*published));
        const json::value document = json::parse(examined->out);
        BOOST_TEST(document.at("refused_with").as_string() == "ONCESWAP_ENDPOINT_MISMATCH");
    }
    BOOST_TEST(first.connections() + second.connections() > 2U);
    BOOST_TEST(sim.mutations() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
