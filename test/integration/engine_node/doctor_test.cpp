#include "live_engine.hpp"

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace onceswap::testing;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(doctor)

namespace {

using Words = std::vector<std::string>;

Ended program(const std::string& name, Words words, const std::string& database) {
    LiveEngine& engine = LiveEngine::get();
    const Words rest{
        "--url",
        engine.url(0),
        "--url",
        engine.url(1),
        "--cluster",
        "c1",
        "--table",
        database + ".target",
        "--json"
    };
    words.insert(words.end(), rest.begin(), rest.end());
    return run(std::string(ONCESWAP_BINARY_DIR) + "/" + name, words);
}

/// `standing seen` of a rule's lines.
std::string line_of(const Ended& ended, std::string_view rule) {
    std::string out;
    const json::value document = json::parse(ended.out);
    for (const json::value& line : document.at("lines").as_array())
        if (line.at("rule").as_string() == rule)
            out += (out.empty() ? "" : "; ") + std::string(line.at("standing").as_string()) + " " +
                   std::string(line.at("seen").as_string());
    return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_engine_is_examined_before_and_after_a_publication) {
    LiveEngine& engine = LiveEngine::get();
    engine.make_target("examined", 10);
    engine.rows(0, "CREATE VIEW examined.seen ON CLUSTER c1 AS SELECT id FROM examined.target");
    const Ended before = program("reconcile-watch", {"doctor"}, "examined");
    BOOST_REQUIRE_MESSAGE(before.code == 0, describe(before));
    BOOST_TEST(
        line_of(before, "followers") == "warn View examined.seen names target; warn View examined.seen "
                                        "names target"
    );
    BOOST_TEST(line_of(before, "exchange-proven").starts_with("not_known "));
    for (const char* rule :
         {"macros",
          "keeper-retries",
          "readonly-user",
          "skip-unavailable-shards",
          "port-equal",
          "grants",
          "settings-accepted",
          "target-equal",
          "entry-format"})
        BOOST_TEST(line_of(before, rule) == "pass ", rule);

    const TemporaryFile rows(new_rows(20));
    const Ended published = program(
        "refresh-load", {"publish", "--from", rows.name(), "--invocation-id", "i", "--execute"}, "examined"
    );
    BOOST_REQUIRE_MESSAGE(published.code == 0, describe(published));
    const Ended after = program("reconcile-watch", {"doctor"}, "examined");
    BOOST_TEST(after.code == 0, describe(after));
    for (const char* rule : {"exchange-proven", "keeper-map-prefix", "slot-free", "authority-table"})
        BOOST_TEST(line_of(after, rule).starts_with("pass"), line_of(after, rule));

    const Ended plan = program("reconcile-watch", {"plan"}, "examined");
    BOOST_TEST(plan.code == 0, describe(plan));
    BOOST_TEST(plan.out.find("EXCHANGE TABLES") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
