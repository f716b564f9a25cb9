#include "published_schema.hpp"
#include "workshop.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

using namespace onceswap::testing;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(doctor)

namespace {

constexpr const char* healthy = R"({"members":2,"settings":{"keeper_max_retries":"0"},
"tables":[{"name":"target","rows":3,"columns":[{"name":"id","type":"UInt64"},{"name":"name","type":"String"}]}]})";

/// As much wrong at once as one cluster can have and still be looked at.
constexpr const char* broken = R"x({
"members": [
  {"host": "ch-1"},
  {"host": "ch-2", "clock_offset_ms": -400000, "macros": {"shard": "01"}},
  {"host": "ch-3", "port": 9440, "tcp_port": 9000, "is_local": false}
],
"tables": [
  {"name": "target", "rows": 3, "total_bytes": 60000000000,
   "columns": [{"name": "id", "type": "UInt64"}, {"name": "name", "type": "String"}],
   "dependencies": ["db.counts"], "loading_dependents": ["db.names"],
   "replica": {"absolute_delay": "70", "queue_size": "4"}},
  {"name": "everywhere", "engine_full": "Distributed('c1', 'db', 'target', rand())",
                     "columns" : [ {"name" : "id", "type" : "UInt64"}, {"name" : "name", "type" : "String"} ]
}
],
"row_policies": [{"name": "only_public", "database": "db", "table": "target"}],
"settings": {"skip_unavailable_shards": "1", "distributed_ddl_entry_format_version": "1"},
"users": [{"name": "night", "password": "planted-secret", "grants": [
  "GRANT SELECT ON db.* TO night", "GRANT SHOW TABLES, SHOW COLUMNS ON db.* TO night",
  "GRANT SELECT ON system.clusters TO night", "GRANT SELECT ON system.replicas TO night",
  "GRANT SELECT ON system.distributed_ddl_queue TO night", "GRANT REMOTE ON *.* TO night"]}],
"queue": [
  {"entry": "query-0000000002", "cluster": "c1", "age_s": 4000,
   "query": "ALTER TABLE other.t ON CLUSTER c1 MODIFY COLUMN a UInt64",
   "hosts": [{"member": 0, "status": "Finished", "exception_code": 0, "exception_text": ""},
             {"member": 1, "status": "Active"}, {"member": 2, "status": "Inactive"}]},
  {"entry": "query-0000000001", "cluster": "c1", "age_s": 9000, "query": "DROP TABLE other.old ON CLUSTER c1",
   "hosts": [{"member": 0, "status": "Removing"}, {"member": 1, "status": "Removing"},
             {"member": 2, "status": "Removing"}]}
]
})x";

std::string doctor_problems(const Ended& ended) {
    return published_schema_problems("doctor.schema.json", ended.out);
}

const json::object* line_of(const json::value& document, std::string_view rule, std::string_view standing) {
    for (const json::value& line : document.at("lines").as_array())
        if (line.at("rule").as_string() == rule && line.at("standing").as_string() == standing)
            return &line.as_object();
    return nullptr;
}

/// Ports are drawn by the system, and how long something is unfinished depends on the moment.
std::string without_chance(std::string text, const std::vector<std::string>& urls) {
    for (std::size_t i = 0; i < urls.size(); ++i)
        for (std::size_t at = text.find(urls[i]); at != std::string::npos; at = text.find(urls[i]))
            text.replace(at, urls[i].size(), "http://ch-" + std::to_string(i + 1) + ":8123");
    text = std::regex_replace(text, std::regex("unfinished for 40[0-9]{2} s"), "unfinished for 4000 s");
    return std::regex_replace(text, std::regex("(399|400|401) s behind"), "400 s behind");
}

} // namespace

BOOST_AUTO_TEST_CASE(a_healthy_cluster_exits_with_0_and_says_what_cannot_be_known) {
    const Workshop workshop;
    SimProcess sim({"--scenario", workshop.file("scenario.json", healthy)});
    const Ended first = run(reconcile_watch(), Words{"doctor"} + sim.where());
    BOOST_TEST(first.code == 0, describe(first));
    BOOST_TEST(first.err == "", describe(first));
    BOOST_TEST(first.out.find("0 refuse") != std::string::npos, first.out);
    BOOST_TEST(first.out.find("keeper-map-prefix") != std::string::npos, first.out);
    BOOST_TEST(sim.mutations() == 0);

    // After a publication what could not be known is proven.
    const std::string rows = workshop.rows("rows.ndjson", 10);
    const Ended published =
        run(refresh_load(),
            Words{"publish"} + sim.where() + Words{"--from", rows, "--execute", "--invocation-id", "i"});
    BOOST_REQUIRE_MESSAGE(published.code == 0, describe(published));
    const std::uint64_t mutations = sim.mutations();
    const Ended document = run(reconcile_watch(), Words{"doctor"} + sim.where() + Words{"--json"});
    BOOST_TEST(document.code == 0, describe(document));
    BOOST_TEST(doctor_problems(document) == "");
    const json::value after = json::parse(document.out);
    BOOST_TEST(after.at("outcome").as_string() == "pass");
    BOOST_TEST(after.at("counts").at("not_known").as_int64() == 0, document.out);
    BOOST_TEST(after.at("counts").at("warn").as_int64() == 0, document.out);
    BOOST_TEST(sim.mutations() == mutations);
}

/// docs/cli/doctor-output.txt is what it prints. With ONCESWAP_WRITE_OUTPUTS set the file is written instead.
BOOST_AUTO_TEST_CASE(everything_wrong_at_once_is_told_at_once) {
    const Workshop workshop;
    SimProcess sim({"--scenario", workshop.file("scenario.json", broken)});
    const std::string password = workshop.file("password", "planted-secret\n");
    std::filesystem::permissions(
        password, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write
    );
    const Words words = Words{"doctor"} + sim.where() + Words{"--user", "night", "--password-file", password};
    const Ended ended = run(reconcile_watch(), words);
    BOOST_TEST(ended.code == 8, describe(ended));
    BOOST_TEST(lines(ended.err) == 1, describe(ended));
    BOOST_TEST(
        ended.err.starts_with("reconcile-watch: ONCESWAP_ACCESS_INSUFFICIENT: ch-1:9000: missing: "),
        ended.err
    );
    const std::string printed = without_chance(ended.out, sim.urls());
    const std::string page = std::string(ONCESWAP_SOURCE_DIR) + "/docs/cli/doctor-output.txt";
    if (std::getenv("ONCESWAP_WRITE_OUTPUTS") != nullptr)
        std::ofstream(page, std::ios::binary) << printed;
    BOOST_TEST(printed == content_of(page));

    const Ended document = run(reconcile_watch(), words + Words{"--json"});
    BOOST_TEST(document.code == 8, describe(document));
    BOOST_TEST(doctor_problems(document) == "");
    const json::value report = json::parse(document.out);
    BOOST_TEST(report.at("refused_with").as_string() == "ONCESWAP_ACCESS_INSUFFICIENT");
    for (const char* rule : {"grants", "entry-format", "views"})
        BOOST_TEST((line_of(report, rule, "refuse") != nullptr), rule);
    for (const char* rule :
         {"own-row",
          "port-equal",
          "clocks",
          "skip-unavailable-shards",
          "keeper-retries",
          "target-lag",
          "macros",
          "dictionaries",
          "followers",
          "policies-answer",
          "drop-limit",
          "removing-leftovers",
          "queue-stuck"})
        BOOST_TEST((line_of(report, rule, "warn") != nullptr), rule);
    for (const char* rule : {"keeper-map-prefix", "exchange-proven"})
        BOOST_TEST((line_of(report, rule, "not_known") != nullptr), rule);
    BOOST_TEST(ended.out.find("planted-secret") == std::string::npos);
    BOOST_TEST(document.out.find("planted-secret") == std::string::npos);
    BOOST_TEST(sim.mutations() == 0);
}

BOOST_AUTO_TEST_CASE(a_user_who_may_not_send_settings_is_refused_and_told_what_it_may) {
    const Workshop workshop;
    const std::string scenario =
        workshop.file("scenario.json", R"({"users":[{"name":"default"},{"name":"watcher","readonly":1}]})");
    SimProcess sim({"--scenario", scenario});
    for (const char* verb : {"doctor", "plan"}) {
        const Ended ended =
            run(reconcile_watch(), Words{verb} + sim.where() + Words{"--user", "watcher", "--json"});
        BOOST_TEST(ended.code == 8, describe(ended));
        const json::value report = json::parse(ended.out);
        if (verb != std::string("doctor"))
            continue;
        BOOST_TEST(doctor_problems(ended) == "");
        BOOST_TEST((line_of(report, "readonly-user", "warn") != nullptr), ended.out);
        BOOST_TEST((line_of(report, "settings-changeable", "refuse") != nullptr), ended.out);
        BOOST_TEST((line_of(report, "settings-accepted", "not_known") != nullptr), ended.out);
        BOOST_TEST((line_of(report, "target-equal", "pass") != nullptr), ended.out);
    }
    BOOST_TEST(sim.mutations() == 0);
}

/// A server that accepts and never answers is a named gap within its time, and the others are looked at.
BOOST_AUTO_TEST_CASE(a_silent_member_is_named_and_nothing_waits_for_it) {
    const Workshop workshop;
    SimProcess sim({"--scenario", workshop.file("scenario.json", healthy)});
    sim.add_fault(R"({"point":"at_time","at_us":0,"effect":"pause","on":1})");
    const Ended ended =
        run(reconcile_watch(), Words{"doctor"} + sim.where() + Words{"--json", "--read-timeout", "1s"});
    BOOST_TEST(ended.code == 8, describe(ended));
    BOOST_TEST(doctor_problems(ended) == "");
    const json::value report = json::parse(ended.out);
    BOOST_TEST(report.at("refused_with").as_string() == "ONCESWAP_INVENTORY_INCOMPLETE");
    const json::object* silent = line_of(report, "endpoint-answers", "refuse");
    BOOST_REQUIRE((silent != nullptr));
    BOOST_TEST((silent->at("member").as_string() == sim.urls().at(1)), ended.out);
    BOOST_TEST((line_of(report, "drop-limit", "not_known") != nullptr), ended.out);
    BOOST_TEST((line_of(report, "cluster-shape", "not_known") != nullptr), ended.out);
    BOOST_TEST(sim.mutations() == 0);
}

BOOST_AUTO_TEST_CASE(nobody_answers) {
    const Ended ended =
        run(reconcile_watch(),
            Words{
                "doctor",
                "--url",
                "http://127.0.0.1:1",
                "--cluster",
                "c1",
                "--table",
                "db.target",
                "--json",
                "--readonly-user"
            });
    BOOST_TEST(ended.code == 1, describe(ended));
    BOOST_TEST(doctor_problems(ended) == "");
    const json::value report = json::parse(ended.out);
    BOOST_TEST(report.at("refused_with").as_string() == "ONCESWAP_CONNECTION_FAILED");
}

/// The statements are those that a publication then sends, in their order, in both programs.
BOOST_AUTO_TEST_CASE(plan_lists_what_a_publication_sends_and_sends_none_of_it) {
    const Workshop workshop;
    SimProcess sim({"--scenario", workshop.file("scenario.json", healthy)});
    const Ended ended = run(reconcile_watch(), Words{"plan"} + sim.where() + Words{"--json"});
    BOOST_TEST(ended.code == 0, describe(ended));
    BOOST_TEST(sim.mutations() == 0);
    const json::value watched = json::parse(ended.out);
    const Ended loaded = run(refresh_load(), Words{"plan"} + sim.where() + Words{"--json"});
    BOOST_TEST(loaded.code == 0, describe(loaded));
    const json::array& steps = watched.at("steps").as_array();
    const json::value document = json::parse(loaded.out);
    const json::array& same = document.at("steps").as_array();
    BOOST_REQUIRE(steps.size() == same.size());
    const std::vector<std::string> verbs{
        "/* onceswap canary */ CREATE",
        "CREATE TABLE",
        "INSERT INTO",
        "INSERT INTO",
        "ALTER TABLE",
        "EXCHANGE TABLES",
        "ALTER TABLE",
        "ALTER TABLE",
        "RENAME TABLE",
        "ALTER TABLE",
        "DROP TABLE",
        "ALTER TABLE"
    };
    BOOST_REQUIRE(steps.size() == verbs.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string statement(steps[i].at("statement").as_string());
        BOOST_TEST(statement.starts_with(verbs[i]), statement);
        const bool everywhere = statement.find("ON CLUSTER") != std::string::npos;
        BOOST_TEST(steps[i].at("scope").as_string() == (everywhere ? "every member" : "one member"));
        BOOST_TEST(steps[i].at("hosts").as_array().size() == (everywhere ? 2U : 1U));
    }
    const Ended text = run(reconcile_watch(), Words{"plan"} + sim.where());
    BOOST_TEST(text.out.find("every member: ch-1:9000, ch-2:9000") != std::string::npos, text.out);
}

BOOST_AUTO_TEST_SUITE_END()
