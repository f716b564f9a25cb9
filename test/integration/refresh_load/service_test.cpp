// resume --watch: a service that keeps what the queue says and ends cleanups, and never publishes.
#include "published_schema.hpp"
#include "workshop.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <sstream>
#include <string>
#include <vector>

using namespace onceswap::testing;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(service)

namespace {

std::vector<json::value> documents(const std::string& text) {
    std::vector<json::value> result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        result.push_back(json::parse(line));
    return result;
}

Ended publish(SimProcess& sim, const Workshop& workshop, const Words& more) {
    return run(
        refresh_load(),
        Words{"publish"} + sim.where() +
            Words{"--from", workshop.rows("rows.ndjson", 10), "--invocation-id", "i", "--execute"} + more
    );
}

Words of_database(SimProcess& sim) {
    Words words{"resume", "--watch", "--all", "--database", "db", "--cluster", "c1", "--interval", "1s"};
    for (const std::string& url : sim.urls())
        words = words + Words{"--url", url};
    return words;
}

} // namespace

BOOST_AUTO_TEST_CASE(ends_what_others_left_and_stops_at_a_signal) {
    SimProcess sim;
    const Workshop workshop;
    const Ended committed = publish(sim, workshop, {"--no-cleanup"});
    BOOST_REQUIRE_MESSAGE(committed.code == 0, describe(committed));
    BOOST_TEST(sim.phase() == "COMMITTED");

    Process process(
        refresh_load(),
        of_database(sim) + Words{"--execute", "--json", "--on-verdict", "echo told $ONCESWAP_VERDICT"}
    );
    BOOST_REQUIRE(process.wait_for_error("told COMPLETED\n"));
    BOOST_TEST(sim.phase() == "COMPLETED");
    process.send(SIGTERM);
    const Ended ended = process.wait(std::chrono::minutes(1));
    BOOST_TEST(ended.code == 143, describe(ended));
    BOOST_TEST(contains(ended.err, "to go on: "), describe(ended));

    const std::vector<json::value> lines = documents(ended.out);
    BOOST_REQUIRE(lines.size() >= 2U);
    BOOST_TEST(lines.front().at("event").as_string() == "change");
    BOOST_TEST(lines.back().at("event").as_string() == "final");
    BOOST_TEST(lines.back().at("final").as_bool());
    BOOST_TEST(lines.back().at("exit_code").as_int64() == 143);
    std::string reports;
    for (const json::value& line : lines)
        reports += json::serialize(line.at("report")) + '\n';
    BOOST_TEST(published_schema_problems("report.schema.json", reports) == "");
    BOOST_TEST(sim.requests_of("exchange") == 1);
    BOOST_TEST(sim.requests_of("drop") == 1);
}

BOOST_AUTO_TEST_CASE(keeps_a_result_before_the_queue_forgets_it) {
    SimProcess sim;
    const Workshop workshop;
    // The loader is killed once its statement is in the queue; nobody but the service is there to keep the
    // result.
    sim.add_fault(R"([{"point":"effect","match":{"class":"exchange"},"effect":"hold"}])");
    const std::uint64_t fired = sim.fired();
    Process loader(
        refresh_load(),
        Words{"publish"} + sim.where() +
            Words{"--from", workshop.rows("rows.ndjson", 10), "--invocation-id", "i", "--execute"}
    );
    BOOST_REQUIRE(sim.wait_until_fired(fired, loader));
    loader.send(SIGKILL);
    loader.wait();
    sim.release();

    Process process(
        refresh_load(), Words{"resume", "--watch", "--interval", "1s", "--execute", "--json"} + sim.where()
    );
    BOOST_REQUIRE(process.wait_for_output("\"COMPLETED\""));
    sim.add_fault(R"([{"point":"at_time","at_us":0,"effect":"remove_entries","text":"onceswap"}])");
    process.send(SIGINT);
    const Ended ended = process.wait(std::chrono::minutes(1));
    BOOST_TEST(ended.code == 130, describe(ended));
    const Ended status = run(reconcile_watch(), Words{"status"} + sim.where());
    BOOST_TEST(status.code == 0, describe(status));
    BOOST_TEST(sim.requests_of("exchange") == 1);
}

BOOST_AUTO_TEST_CASE(a_deadline_ends_it_with_what_the_slots_say) {
    SimProcess sim;
    const Workshop workshop;
    const Ended nothing = run(refresh_load(), of_database(sim) + Words{"--execute", "--timeout", "1500ms"});
    BOOST_TEST(nothing.code == 3, describe(nothing));
    const Ended committed = publish(sim, workshop, {});
    BOOST_REQUIRE_MESSAGE(committed.code == 0, describe(committed));
    const Ended completed = run(refresh_load(), of_database(sim) + Words{"--execute", "--timeout", "1500ms"});
    BOOST_TEST(completed.code == 3, describe(completed)); // whatever the slots say
    BOOST_TEST(contains(completed.err, "ONCESWAP_DEADLINE_REACHED: "), describe(completed));
    BOOST_TEST(contains(completed.err, "db.target: COMPLETED\n"), describe(completed));
    BOOST_TEST(contains(completed.out, " COMPLETED db.target on c1"), describe(completed));
    BOOST_TEST(lines(completed.out) == 1, describe(completed));
}

BOOST_AUTO_TEST_CASE(what_it_cannot_be_told_is_one_line) {
    SimProcess sim;
    for (const Words& words : std::vector<Words>{
             of_database(sim),
             Words{
                 "resume", "--all", "--database", "db", "--url", "http://h:1", "--cluster", "c1", "--execute"
             },
             Words{"resume", "--watch", "--interval", "10ms", "--execute"} + sim.where(),
         }) {
        const Ended ended = run(refresh_load(), words);
        BOOST_TEST(ended.code == 2, describe(ended));
        BOOST_TEST(lines(ended.err) == 1, describe(ended));
    }
    BOOST_TEST(sim.mutations() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
