#include "published_schema.hpp"
#include "workshop.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace onceswap::testing;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(status)

BOOST_AUTO_TEST_CASE(before_and_after_a_publication_and_never_a_mutation) {
    SimProcess sim;
    const Workshop workshop;
    const Ended before = run(reconcile_watch(), Words{"status"} + sim.where());
    BOOST_TEST(before.code == 6, describe(before));
    BOOST_TEST(contains(before.out, "Verdict:   NO_RECORD\n"), before.out);
    BOOST_TEST(sim.mutations() == 0);

    const std::string rows = workshop.rows("rows.ndjson", 10);
    const Ended published =
        run(refresh_load(),
            Words{"publish"} + sim.where() + Words{"--from", rows, "--execute", "--invocation-id", "i"});
    BOOST_REQUIRE_MESSAGE(published.code == 0, describe(published));
    const std::uint64_t mutations = sim.mutations();

    const Ended after = run(reconcile_watch(), Words{"status"} + sim.where());
    BOOST_TEST(after.code == 0, describe(after));
    BOOST_TEST(contains(after.out, "Verdict:   COMPLETED\n"), after.out);
    BOOST_TEST(contains(after.out, ", age "), after.out);
    BOOST_TEST(after.err == "");
    const Ended document = run(reconcile_watch(), Words{"status"} + sim.where() + Words{"--json"});
    BOOST_TEST(document.code == 0);
    const json::value report = json::parse(document.out);
    BOOST_TEST(report.at("verdict").at("word").as_string() == "COMPLETED");
    const std::string operation(report.at("operation_id").as_string());

    const Ended pinned =
        run(reconcile_watch(), Words{"status"} + sim.where() + Words{"--operation", operation});
    BOOST_TEST(pinned.code == 0, describe(pinned));
    const Ended other =
        run(reconcile_watch(), Words{"status"} + sim.where() + Words{"--operation", std::string(64, '0')});
    BOOST_TEST(other.code == 7, describe(other));
    BOOST_TEST(lines(other.err) == 1, describe(other));
    const Ended epoch = run(reconcile_watch(), Words{"status"} + sim.where() + Words{"--epoch", "99"});
    BOOST_TEST(epoch.code == 7, describe(epoch));

    Words all{"status", "--all", "--database", "db", "--cluster", "c1"};
    for (const std::string& url : sim.urls())
        all = all + Words{"--url", url};
    const Ended slots = run(reconcile_watch(), all);
    BOOST_TEST(slots.code == 0, describe(slots));
    BOOST_TEST(contains(slots.out, "target     db.target on cluster c1\n"), slots.out);
    const Ended slots_document = run(reconcile_watch(), all + Words{"--json"});
    const json::value documents = json::parse(slots_document.out);
    BOOST_REQUIRE(documents.at("slots").as_array().size() == 1);
    const std::string slot = json::serialize(documents.at("slots").as_array().front());
    BOOST_TEST(published_schema_problems("report.schema.json", slot) == "");
    BOOST_TEST(published_schema_problems("slots.schema.json", slots_document.out) == "");
    BOOST_TEST(published_schema_problems("report.schema.json", document.out) == "");
    BOOST_TEST(sim.mutations() == mutations);
}

BOOST_AUTO_TEST_CASE(a_user_who_may_not_even_send_settings) {
    const Workshop workshop;
    const std::string scenario =
        workshop.file("scenario.json", R"({"users":[{"name":"default"},{"name":"watcher","readonly":1}]})");
    SimProcess sim({"--scenario", scenario});
    const std::string rows = workshop.rows("rows.ndjson", 10);
    const Ended published =
        run(refresh_load(),
            Words{"publish"} + sim.where() + Words{"--from", rows, "--execute", "--invocation-id", "i"});
    BOOST_REQUIRE_MESSAGE(published.code == 0, describe(published));
    const std::uint64_t mutations = sim.mutations();
    for (const Words& extra : {Words{}, Words{"--readonly-user"}}) {
        const Ended ended =
            run(reconcile_watch(), Words{"status"} + sim.where() + Words{"--user", "watcher"} + extra);
        BOOST_TEST(ended.code == 0, describe(ended));
        BOOST_TEST(contains(ended.out, "Verdict:   COMPLETED\n"), describe(ended));
    }
    BOOST_TEST(sim.mutations() == mutations);
}

// What ~SimProcess looks for in every test is there to be found: each program says who it is.
BOOST_AUTO_TEST_CASE(the_servers_see_which_program_sent_what) {
    SimProcess sim;
    const Workshop workshop;
    const Ended published =
        run(refresh_load(),
            Words{"publish"} + sim.where() +
                Words{"--from", workshop.rows("rows.ndjson", 10), "--execute", "--invocation-id", "i"});
    BOOST_REQUIRE_MESSAGE(published.code == 0, describe(published));
    BOOST_TEST(sim.classes_from("reconcile-watch").empty());
    for (const char* verb : {"status", "watch", "doctor", "plan"})
        run(reconcile_watch(), Words{verb} + sim.where());
    const std::vector<std::string> read = sim.classes_from("reconcile-watch");
    BOOST_TEST(read.size() > 10U);
    BOOST_TEST(std::ranges::count(read, "catalogue") > 1);
    BOOST_TEST(std::ranges::count(read, "exchange") == 0);
    const std::vector<std::string> loaded = sim.classes_from("refresh-load");
    BOOST_TEST(std::ranges::count(loaded, "exchange") == 1);
    BOOST_TEST(std::ranges::count(loaded, "drop") == 1);
}

BOOST_AUTO_TEST_CASE(a_member_that_is_away_has_its_row_and_the_verdict_is_unknown) {
    SimProcess sim({"--members", "3"});
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 10);
    const Ended published =
        run(refresh_load(),
            Words{"publish"} + sim.where() + Words{"--from", rows, "--execute", "--invocation-id", "i"});
    BOOST_REQUIRE_MESSAGE(published.code == 0, describe(published));
    sim.add_fault(R"({"point":"at_time","at_us":0,"effect":"crash","on":2})");
    const Ended ended = run(reconcile_watch(), Words{"status"} + sim.where() + Words{"--read-timeout", "2s"});
    BOOST_TEST(ended.code == 4, describe(ended));
    BOOST_TEST(contains(ended.out, "Verdict:   OUTCOME_UNKNOWN\n"), ended.out);
    BOOST_TEST(contains(ended.out, "ch-3:9000"), ended.out);
    BOOST_TEST(contains(ended.out, "UNAVAILABLE"), ended.out);
    BOOST_TEST(lines(ended.err) == 1, describe(ended));
}

BOOST_AUTO_TEST_CASE(what_is_asked_while_a_publication_waits) {
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 10);
    sim.add_fault(R"({"point":"at_time","at_us":0,"effect":"stop_worker","on":1})");
    Process loader(
        refresh_load(),
        Words{"publish"} + sim.where() +
            Words{"--from", rows, "--execute", "--invocation-id", "i", "--verbose"}
    );
    // The worker of member 1 stands still: already the authority table's creation waits, and nothing is
    // published.
    BOOST_REQUIRE(loader.wait_for_error("step bootstrap"));
    const Ended ended = run(reconcile_watch(), Words{"status"} + sim.where() + Words{"--json"});
    BOOST_TEST(ended.code != 0, describe(ended));
    BOOST_TEST(published_schema_problems("report.schema.json", ended.out) == "");
    sim.add_fault(R"({"point":"at_time","at_us":0,"effect":"start_worker","on":1})");
    const Ended published = loader.wait();
    BOOST_TEST(published.code == 0, describe(published));
    BOOST_TEST(sim.requests_of("exchange") == 1);
}

BOOST_AUTO_TEST_SUITE_END()
