#include "workshop.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <string>
#include <vector>

// `refresh-load stage`, and `publish` that goes on from it, against a cluster over HTTP.

using namespace onceswap::testing;

namespace {

using Rows = std::vector<std::int64_t>;

} // namespace

BOOST_AUTO_TEST_SUITE(staging)

BOOST_AUTO_TEST_CASE(stages_records_and_publishes_without_the_file) {
    SimProcess sim({"--rows", "7"});
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 1234);
    const Words stage = Words{"stage"} + sim.where() + Words{"--from", rows, "--invocation-id", "night 1"};
    const Words publish = Words{"publish"} + sim.where() + Words{"--invocation-id", "night 1"};

    const Ended dry = run(refresh_load(), stage);
    BOOST_TEST(dry.code == 0, describe(dry));
    BOOST_TEST(contains(dry.out, "CREATE TABLE `db`.`onceswap_"), dry.out);
    BOOST_TEST(!contains(dry.out, "EXCHANGE"), dry.out);
    BOOST_TEST(contains(dry.err, "nothing was done"), dry.err);
    BOOST_TEST(sim.mutations() == 0);

    const Ended staged = run(refresh_load(), stage + Words{"--execute"});
    BOOST_TEST_CONTEXT(describe(staged)) {
        BOOST_TEST(staged.code == 0);
        BOOST_TEST(contains(staged.out, "\nVerdict:   READY\n"));
        BOOST_TEST(contains(staged.err, "to publish it: refresh-load publish --url "));
        BOOST_TEST(contains(staged.err, " --invocation-id 'night 1' --execute"));
    }
    BOOST_TEST(sim.phase() == "PREPARED");
    BOOST_TEST((sim.rows_of("target") == Rows{7, 7}));
    BOOST_REQUIRE(sim.candidates().size() == 1);
    BOOST_TEST((sim.rows_of(sim.candidates().front()) == Rows{1234, 1234}));
    const auto mutations = sim.mutations();

    const Ended again = run(refresh_load(), stage + Words{"--execute"});
    BOOST_TEST(again.code == 0, describe(again));
    const Ended plan = run(refresh_load(), publish);
    BOOST_TEST(plan.code == 0, describe(plan));
    BOOST_TEST(contains(plan.out, "EXCHANGE TABLES `db`.`target` AND `db`.`" + sim.candidates().front()));
    BOOST_TEST(!contains(plan.out, "CREATE TABLE"), plan.out);
    BOOST_TEST(sim.mutations() == mutations);

    const auto inserts = sim.requests_of("insert_rows");
    const Ended published = run(refresh_load(), publish + Words{"--execute"});
    BOOST_TEST(published.code == 0, describe(published));
    BOOST_TEST(contains(published.out, "\nVerdict:   COMPLETED\n"), published.out);
    BOOST_TEST(sim.requests_of("insert_rows") == inserts);
    BOOST_TEST(sim.requests_of("exchange") == 1);
    BOOST_TEST((sim.rows_of("target") == Rows{1234, 1234}));
    BOOST_TEST(sim.candidates().empty());
    const Ended late = run(refresh_load(), stage + Words{"--execute"});
    BOOST_TEST(late.code == 0, describe(late));
    BOOST_TEST(contains(late.out, "\nVerdict:   COMPLETED\n"), late.out);
}

BOOST_AUTO_TEST_CASE(the_slot_belongs_to_what_is_staged) {
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 30);
    const Words stage = Words{"stage"} + sim.where() + Words{"--from", rows, "--execute"};
    const Ended nothing =
        run(refresh_load(), Words{"publish"} + sim.where() + Words{"--invocation-id", "one"});
    BOOST_TEST(nothing.code == 6, describe(nothing)); // NO_RECORD
    const Ended staged = run(refresh_load(), stage + Words{"--invocation-id", "one"});
    BOOST_TEST(staged.code == 0, describe(staged));
    const auto mutations = sim.mutations();
    for (const Words& other :
         {stage + Words{"--invocation-id", "two"},
          Words{"publish"} + sim.where() + Words{"--invocation-id", "two", "--execute"}}) {
        const Ended refused = run(refresh_load(), other);
        BOOST_TEST(refused.code == 7, describe(refused));
        BOOST_TEST(contains(refused.err, "ONCESWAP_AUTHORITY_CONFLICT"), refused.err);
    }
    BOOST_TEST(sim.mutations() == mutations);
    BOOST_TEST(sim.phase() == "PREPARED");
}

BOOST_AUTO_TEST_CASE(a_stage_that_is_killed_goes_on_with_the_same_command) {
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 50);
    const Words stage =
        Words{"stage"} + sim.where() + Words{"--from", rows, "--execute", "--invocation-id", "i"};
    for (const char* where : {"create_candidate", "insert_rows", "authority_insert"}) {
        const auto fired = sim.fired();
        sim.add_fault(
            std::string(R"({"point":"effect","effect":"hold","match":{"class":")") + where + R"("}})"
        );
        Process process(refresh_load(), stage);
        BOOST_REQUIRE(sim.wait_until_fired(fired, process));
        process.send(SIGKILL);
        process.wait();
        sim.release(true);
    }
    const Ended again = run(refresh_load(), stage);
    BOOST_TEST(again.code == 0, describe(again));
    BOOST_TEST(sim.phase() == "PREPARED");
    const Ended published =
        run(refresh_load(), Words{"publish"} + sim.where() + Words{"--invocation-id", "i", "--execute"});
    BOOST_TEST(published.code == 0, describe(published));
    BOOST_TEST((sim.rows_of("target") == Rows{50, 50}));
    BOOST_TEST(sim.requests_of("exchange") == 1);
}

BOOST_AUTO_TEST_CASE(an_existing_table_is_adopted_by_one_rename) {
    const Workshop workshop;
    SimProcess sim(
        {"--scenario", workshop.file("scenario.json", R"({"tables":[
        {"name":"target","columns":[{"name":"id","type":"UInt64"}],"rows":7},
        {"name":"incoming","columns":[{"name":"id","type":"UInt64"}],"rows":40},
        {"name":"wider","columns":[{"name":"id","type":"UInt64"},{"name":"x","type":"String"}],"rows":40}]})")
        }
    );
    const Words stage = Words{"stage"} + sim.where() + Words{"--invocation-id", "i", "--adopt"};

    const Ended dry = run(refresh_load(), stage + Words{"db.incoming"});
    BOOST_TEST(dry.code == 0, describe(dry));
    BOOST_TEST(contains(dry.out, "RENAME TABLE `db`.`incoming` TO `db`.`onceswap_"), dry.out);
    BOOST_TEST(!contains(dry.out, "JSONEachRow"), dry.out);
    const auto renamed_to = dry.out.find("`onceswap_", dry.out.find("RENAME TABLE `db`.`incoming` TO"));
    const std::string planned =
        dry.out.substr(renamed_to, dry.out.find(" ON CLUSTER", renamed_to) - renamed_to);
    const Ended both = run(refresh_load(), stage + Words{"db.incoming", "--from", "x"});
    BOOST_TEST(both.code == 2, describe(both));
    const Ended unknown = run(refresh_load(), stage + Words{"db.nowhere", "--execute"});
    BOOST_TEST(unknown.code == 8, describe(unknown));
    BOOST_TEST(contains(unknown.err, "no member shows nowhere"), unknown.err);
    BOOST_TEST(!contains(dry.out, "EXCHANGE"), dry.out);
    const Ended elsewhere = run(refresh_load(), stage + Words{"other.incoming"});
    BOOST_TEST(elsewhere.code == 2, describe(elsewhere));
    const Ended target = run(refresh_load(), stage + Words{"db.target", "--execute"});
    BOOST_TEST(target.code == 2, describe(target));
    BOOST_TEST(sim.mutations() == 0);
    const Ended wider = run(refresh_load(), stage + Words{"db.wider", "--execute"});
    BOOST_TEST(wider.code == 8, describe(wider));
    BOOST_TEST(contains(wider.err, "ONCESWAP_CANDIDATE_NOT_READY"), wider.err);
    BOOST_TEST(sim.requests_of("rename") == 0);

    const Ended adopted = run(refresh_load(), stage + Words{"db.incoming", "--execute"});
    BOOST_TEST(adopted.code == 0, describe(adopted));
    BOOST_TEST(contains(adopted.out, "\nVerdict:   READY\n"), adopted.out);
    BOOST_TEST(sim.requests_of("rename") == 1);
    BOOST_TEST((sim.rows_of("incoming") == Rows{-1, -1}));
    BOOST_REQUIRE(sim.candidates().size() == 1);
    BOOST_TEST("`" + sim.candidates().front() + "`" == planned, "the dry run shows the RENAME as it is sent");
    BOOST_TEST((sim.rows_of(sim.candidates().front()) == Rows{40, 40}));
    const Ended again = run(refresh_load(), stage + Words{"db.incoming", "--execute"});
    BOOST_TEST(again.code == 0, describe(again));
    BOOST_TEST(sim.requests_of("rename") == 1);

    const Ended published =
        run(refresh_load(), Words{"publish"} + sim.where() + Words{"--invocation-id", "i", "--execute"});
    BOOST_TEST(published.code == 0, describe(published));
    BOOST_TEST((sim.rows_of("target") == Rows{40, 40}));
    BOOST_TEST(sim.requests_of("insert_rows") == 0);
    BOOST_TEST(sim.requests_of("exchange") == 1);
}

BOOST_AUTO_TEST_SUITE_END()
