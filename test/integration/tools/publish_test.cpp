#include "published_schema.hpp"
#include "workshop.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <vector>

using namespace onceswap::testing;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(publishing)

namespace {

using Rows = std::vector<std::int64_t>;

void check_schema(const std::string& text) {
    BOOST_TEST(published_schema_problems("report.schema.json", text) == "");
}

} // namespace

BOOST_AUTO_TEST_CASE(rows_of_a_file_become_the_new_generation_on_every_member) {
    SimProcess sim({"--rows", "100"});
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 1234);
    const Ended ended =
        run(refresh_load(),
            Words{"publish"} + sim.where() + Words{"--from", rows, "--invocation-id", "i", "--execute"});
    BOOST_TEST_CONTEXT(describe(ended)) {
        BOOST_TEST(ended.code == 0);
        BOOST_TEST(contains(ended.out, "\nVerdict:   COMPLETED\n"));
        BOOST_TEST(contains(ended.out, "ch-1:9000"));
        BOOST_TEST(contains(ended.out, "ch-2:9000"));
        BOOST_TEST(!contains(ended.out, "\x1b"));
        BOOST_TEST(ended.err == "");
        BOOST_TEST((sim.rows_of("target") == Rows{1234, 1234}));
        BOOST_TEST(sim.requests_of("exchange") == 1);
        BOOST_TEST(sim.executions_of("exchange") == 2);
        BOOST_TEST(sim.requests_of("drop") == 1);
        BOOST_TEST(sim.phase() == "COMPLETED");
        BOOST_TEST(sim.candidates().empty());
    }
}

BOOST_AUTO_TEST_CASE(without_execute_nothing_changes_and_the_statements_are_shown) {
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 5);
    for (const char* verb : {"publish", "plan"}) {
        const Ended ended = run(refresh_load(), Words{verb} + sim.where() + Words{"--from", rows});
        BOOST_TEST_CONTEXT(describe(ended)) {
            BOOST_TEST(ended.code == 0);
            BOOST_TEST(contains(ended.out, "EXCHANGE TABLES `db`.`target` AND `db`.`onceswap_"));
            BOOST_TEST(contains(ended.out, "every member: ch-1:9000, ch-2:9000"));
            BOOST_TEST(contains(ended.err, "nothing was done") == (std::string(verb) == "publish"));
        }
    }
    const Ended document = run(refresh_load(), Words{"plan"} + sim.where() + Words{"--json"});
    BOOST_TEST(document.code == 0, describe(document));
    check_schema(document.out);
    BOOST_TEST(json::parse(document.out).at("steps").as_array().size() > 5);
    BOOST_TEST(sim.mutations() == 0);
    const Ended again = run(refresh_load(), Words{"resume"} + sim.where());
    BOOST_TEST(again.code == 6, describe(again)); // NO_RECORD
    const Ended abandon = run(refresh_load(), Words{"abandon"} + sim.where());
    BOOST_TEST(abandon.code == 6, describe(abandon));
    BOOST_TEST(sim.mutations() == 0);
}

BOOST_AUTO_TEST_CASE(the_document_follows_the_schema_and_the_evidence_file_is_private) {
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 10);
    const std::string evidence = workshop.path("evidence.json");
    const Ended ended = run(
        refresh_load(),
        Words{"publish"} + sim.where() +
            Words{"--from", rows, "--execute", "--json", "--evidence", evidence, "--invocation-id", "run-7"}
    );
    BOOST_REQUIRE_MESSAGE(ended.code == 0, describe(ended));
    check_schema(ended.out);
    const json::value document = json::parse(ended.out);
    BOOST_TEST(document.at("invocation_id").as_string() == "run-7");
    BOOST_TEST(document.at("exit_code").as_int64() == 0);
    BOOST_TEST(document.at("verdict").at("word").as_string() == "COMPLETED");
    BOOST_TEST(document.at("members").as_array().size() == 2);
    BOOST_TEST(lines(ended.out) == 1);
    BOOST_TEST(content_of(evidence) == ended.out);
    struct stat status{};
    BOOST_REQUIRE(::stat(evidence.c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 07777) == 0600U);
}

// What can be seen to be wrong is refused before anything is sent; what goes wrong later changes nothing.
BOOST_AUTO_TEST_CASE(an_evidence_file_that_cannot_be_written) {
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 10);
    const std::string folder = workshop.path("folder");
    const std::string evidence = folder + "/e.json";
    const Words publish = Words{"publish"} + sim.where() +
                          Words{"--from", rows, "--execute", "--evidence", evidence, "--invocation-id", "i"};
    const std::string said =
        "refresh-load: --evidence: " + evidence + ": cannot be written: No such file or directory\n";
    const Ended refused = run(refresh_load(), publish);
    BOOST_TEST(refused.code == 2, describe(refused));
    BOOST_TEST(refused.err == said);
    BOOST_TEST(sim.phase() == "");
    BOOST_TEST(sim.mutations() == 0);

    std::filesystem::create_directory(folder);
    sim.add_fault(R"({"point":"arrive","effect":"hold","match":{"class":"exchange"}})");
    Process loader(refresh_load(), publish);
    BOOST_REQUIRE(sim.wait_until_fired(0, loader));
    std::filesystem::remove(folder);
    sim.release();
    const Ended ended = loader.wait();
    BOOST_TEST(ended.code == 1, describe(ended));
    BOOST_TEST(ended.err == said);
    BOOST_TEST(sim.phase() == "COMPLETED");
}

BOOST_AUTO_TEST_CASE(gzip_and_standard_input) {
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 300);
    const std::string packed = workshop.path("packed");
    BOOST_REQUIRE(run("/bin/sh", {"-c", "gzip -c " + rows + " > " + packed}).code == 0);
    const Words publish = Words{"publish"} + sim.where() + Words{"--execute", "--invocation-id"};
    const Ended from_gzip = run(refresh_load(), publish + Words{"one", "--from", packed});
    BOOST_TEST(from_gzip.code == 0, describe(from_gzip));
    BOOST_TEST((sim.rows_of("target") == Rows{300, 300}));
    const Ended from_pipe =
        run(refresh_load(), publish + Words{"two", "--from", "-"}, "{\"id\":1}\n{\"id\":2}");
    BOOST_TEST(from_pipe.code == 0, describe(from_pipe));
    BOOST_TEST((sim.rows_of("target") == Rows{2, 2}));
    BOOST_TEST(sim.requests_of("exchange") == 2);
}

BOOST_AUTO_TEST_CASE(an_absent_target_gets_its_name) {
    SimProcess sim({"--absent", "--members", "3"});
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 20);
    const Words publish =
        Words{"publish"} + sim.where() + Words{"--from", rows, "--execute", "--invocation-id", "i"};
    const Ended without = run(refresh_load(), publish);
    BOOST_TEST(without.code == 8, describe(without));
    BOOST_TEST(lines(without.err) == 1);
    BOOST_TEST(without.err.starts_with("refresh-load: ONCESWAP_TARGET_ABSENT: "), without.err);
    const Ended ended = run(refresh_load(), publish + Words{"--like", "db.pattern"});
    BOOST_TEST(ended.code == 0, describe(ended));
    BOOST_TEST((sim.rows_of("target") == Rows{20, 20, 20}));
    BOOST_TEST(sim.requests_of("exchange") == 0);
    BOOST_TEST(sim.requests_of("rename") == 1);
}

BOOST_AUTO_TEST_CASE(the_same_invocation_is_answered_and_never_published_twice) {
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 30);
    const std::string newer = workshop.rows("newer.ndjson", 40);
    const Words publish = Words{"publish"} + sim.where() + Words{"--execute", "--invocation-id"};
    BOOST_TEST(run(refresh_load(), publish + Words{"first", "--from", rows}).code == 0);
    const Ended again = run(refresh_load(), publish + Words{"first", "--from", rows});
    BOOST_TEST(again.code == 0, describe(again));
    BOOST_TEST(sim.requests_of("exchange") == 1);
    BOOST_TEST(run(refresh_load(), publish + Words{"second", "--from", newer}).code == 0);
    const Ended late = run(refresh_load(), publish + Words{"first", "--from", rows}); // the old run's retry
    BOOST_TEST(late.code == 0, describe(late));
    BOOST_TEST(sim.requests_of("exchange") == 2);
    BOOST_TEST((sim.rows_of("target") == Rows{40, 40}));
}

BOOST_AUTO_TEST_CASE(no_cleanup_stops_at_committed_and_resume_goes_on) {
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 30);
    const Ended ended =
        run(refresh_load(),
            Words{"publish"} + sim.where() +
                Words{"--from", rows, "--execute", "--no-cleanup", "--invocation-id", "i"});
    BOOST_TEST(sim.phase() == "COMMITTED", describe(ended));
    BOOST_TEST((sim.rows_of("target") == Rows{30, 30}));
    BOOST_TEST(sim.candidates().size() == 1); // the old generation
    const Ended dry = run(refresh_load(), Words{"resume"} + sim.where());
    BOOST_TEST(contains(dry.err, "next step: "), describe(dry));
    BOOST_TEST(sim.phase() == "COMMITTED");
    const Ended resumed = run(refresh_load(), Words{"resume"} + sim.where() + Words{"--execute"});
    BOOST_TEST(resumed.code == 0, describe(resumed));
    BOOST_TEST(sim.phase() == "COMPLETED");
    BOOST_TEST(sim.candidates().empty());
}

BOOST_AUTO_TEST_CASE(a_lost_answer_to_the_exchange_ends_well_without_a_second_one) {
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 30);
    for (const char* class_of_statement : {"exchange", "rename", "drop", "insert_rows", "create_candidate"})
        sim.add_fault(
            std::string(R"({"point":"effect","effect":"lose","match":{"class":")") + class_of_statement +
            R"("}})"
        );
    const Ended ended =
        run(refresh_load(),
            Words{"publish"} + sim.where() + Words{"--from", rows, "--execute", "--invocation-id", "i"});
    BOOST_TEST(ended.code == 0, describe(ended));
    BOOST_TEST(sim.requests_of("exchange") == 1);
    BOOST_TEST(sim.phase() == "COMPLETED");
    BOOST_TEST((sim.rows_of("target") == Rows{30, 30}));
    BOOST_TEST(sim.fired() == 5U);
}

BOOST_AUTO_TEST_CASE(abandon_gives_up_what_was_never_dispatched) {
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 30);
    sim.add_fault(R"({"point":"arrive","effect":"hold","match":{"class":"authority_update"}})");
    const Words publish =
        Words{"publish"} + sim.where() + Words{"--from", rows, "--execute", "--invocation-id", "i"};
    {
        Process loader(refresh_load(), publish);
        BOOST_REQUIRE(sim.wait_until_fired(0, loader));
        loader.send(SIGKILL);
        loader.wait();
        sim.release(true);
    }
    BOOST_TEST(sim.phase() == "PREPARED");
    const Ended dry = run(refresh_load(), Words{"abandon"} + sim.where() + Words{"--json"});
    const json::value document = json::parse(dry.out);
    const std::string operation(document.at("operation_id").as_string());
    const std::string version(document.at("record_version").as_string());
    BOOST_TEST(
        contains(dry.err, " --operation " + operation + " --version " + version + " --execute"), describe(dry)
    );
    BOOST_TEST(sim.phase() == "PREPARED");
    const Words abandon = Words{"abandon"} + sim.where() + Words{"--execute", "--operation"};
    const Ended other = run(refresh_load(), abandon + Words{std::string(64, '0'), "--version", version});
    BOOST_TEST(other.code == 7, describe(other));
    const Ended stale = run(refresh_load(), abandon + Words{operation, "--version", "99"});
    BOOST_TEST(stale.code == 7, describe(stale));
    const Ended epoch = run(refresh_load(), abandon + Words{operation, "--version", version, "--epoch", "9"});
    BOOST_TEST(epoch.code == 7, describe(epoch));
    BOOST_TEST(sim.phase() == "PREPARED");
    const Ended done = run(refresh_load(), abandon + Words{operation, "--version", version});
    BOOST_TEST(done.code == 6, describe(done));
    BOOST_TEST(sim.phase() == "ABANDONED");
    const Ended again = run(refresh_load(), publish);
    BOOST_TEST(again.code == 6, describe(again));
    BOOST_TEST(again.err.starts_with("refresh-load: ONCESWAP_OPERATION_ABANDONED: "), again.err);
    BOOST_TEST(sim.requests_of("exchange") == 0);
    BOOST_TEST((sim.rows_of("target") == Rows{100, 100}));
}

BOOST_AUTO_TEST_SUITE_END()
