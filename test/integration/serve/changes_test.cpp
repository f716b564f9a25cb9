// Slots that come and go, members and whole clusters that die and come back, while `serve` runs.
#include "http_client.hpp"
#include "published_schema.hpp"
#include "serving.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>

using namespace onceswap::testing;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(serve_changes)

namespace {

const Words all_of_db{"--all", "--database", "db", "--cluster", "c1"};

Words urls_of(const SimProcess& sim) {
    Words urls;
    for (const std::string& url : sim.urls())
        urls = urls + Words{"--url", url};
    return urls;
}

const char* two_tables = R"({
  "members": 3,
  "tables": [
    {"database": "db", "name": "first", "columns": [{"name": "id", "type": "UInt64"}, {"name": "name", "type": "String"}],
     "engine_full": "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id", "rows": 3},
    {"database": "db", "name": "second", "columns": [{"name": "id", "type": "UInt64"}, {"name": "name", "type": "String"}],
     "engine_full": "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id", "rows": 3}
  ]
})";

std::string metrics_of(const Serving& serving) {
    return ask(serving.port(), "/metrics").body;
}

bool never_read(const json::value& status) {
    return status.at("rounds").as_string() == "0";
}

json::value next_round(Serving& serving, const json::value& status) {
    const std::string before(status.at("rounds").as_string());
    return serving.status_where("another round after " + before, [&](const json::value& now) {
        return now.at("rounds").as_string() != before;
    });
}

} // namespace

BOOST_AUTO_TEST_CASE(slots_come_and_go) {
    const Workshop workshop;
    SimProcess sim({"--scenario", workshop.file("two.json", two_tables)});
    Serving serving(urls_of(sim) + all_of_db);
    const json::value empty =
        serving.status_where("a round", [](const json::value& status) { return !never_read(status); });
    BOOST_TEST(empty.at("slots").as_array().empty());
    BOOST_TEST(contains(metrics_of(serving), "\nonceswap_watch_slots 0\n"));

    const std::string rows = workshop.rows("rows.ndjson", 3);
    const auto publish = [&](const std::string& table) {
        const Words words{
            "--cluster", "c1", "--table", "db." + table, "--from", rows, "--execute", "--invocation-id", "i"
        };
        const Ended ended = run(refresh_load(), Words{"publish"} + urls_of(sim) + words);
        BOOST_REQUIRE_MESSAGE(ended.code == 0, describe(ended));
    };
    publish("first");
    json::value status = serving.status_where("db.first", [](const json::value& now) {
        return word_of(now, "first") == "COMPLETED";
    });
    BOOST_TEST(word_of(status, "second") == "");
    publish("second");
    status = serving.status_where("db.second", [](const json::value& now) {
        return word_of(now, "second") == "COMPLETED";
    });
    BOOST_TEST(word_of(status, "first") == "COMPLETED");
    BOOST_TEST(published_schema_problems("serve.schema.json", json::serialize(status)) == "");
    BOOST_TEST(contains(metrics_of(serving), "\nonceswap_watch_slots 2\n"));

    // Somebody deletes the record of one. Its entries are still in the queue: it is lost, not gone.
    const std::string key(slot_of(status, "second")->at("report").at("operation_id").as_string());
    const json::value truth = sim.truth();
    sim.add_fault(R"({"effect": "edit_authority", "text": ")" + [&] {
        for (const json::value& row : truth.at("authority").as_array())
            if (row.at("operation_id").as_string() == key)
                return std::string(row.at("target_key").as_string());
        throw std::runtime_error("no row: " + json::serialize(truth.at("authority")));
    }() + R"(", "values": {"_delete": "1"}})");
    status = serving.status_where("lost", [](const json::value& now) {
        return word_of(now, "second") == "AUTHORITY_LOST";
    });
    BOOST_TEST(contains(metrics_of(serving), "table=\"second\",verdict=\"AUTHORITY_LOST\"} 1\n"));
    const json::array& happened = slot_of(status, "second")->at("timeline").as_array();
    BOOST_TEST(happened.back().at("change").as_string() != "first", json::serialize(happened));

    // When its last traces have left the queue, there is no such slot any more.
    sim.add_fault(R"({"effect": "remove_entries", "text": "onceswap-v1-)" + key.substr(0, 20) + R"("})");
    status = serving.status_where("gone", [](const json::value& now) {
        return slot_of(now, "second") == nullptr;
    });
    BOOST_TEST(word_of(status, "first") == "COMPLETED");
    const std::string metrics = metrics_of(serving);
    BOOST_TEST(!contains(metrics, "table=\"second\""), metrics);
    BOOST_TEST(contains(metrics, "\nonceswap_watch_slots 1\n"), metrics);

    // And it comes back as a new one, without the history of the other.
    publish("second");
    status = serving.status_where("there again", [](const json::value& now) {
        return word_of(now, "second") == "COMPLETED";
    });
    BOOST_TEST(
        slot_of(status, "second")->at("timeline").as_array().front().at("change").as_string() == "first"
    );
}

BOOST_AUTO_TEST_CASE(a_member_dies_and_comes_back) {
    const Workshop workshop;
    SimProcess sim({"--members", "3"});
    const std::string rows = workshop.rows("rows.ndjson", 3);
    const Ended published =
        run(refresh_load(),
            Words{"publish"} + sim.where() +
                Words{"--from", rows, "--execute", "--invocation-id", "i", "--no-cleanup"});
    BOOST_REQUIRE_MESSAGE(published.code == 0, describe(published));
    Serving serving(urls_of(sim) + all_of_db);
    serving.status_with("SET_ASIDE_REQUIRED");
    const std::string slot = R"(cluster="c1",database="db",table="target")";

    for (int member = 2; member >= 0; --member) { // the first is the one that lists the slots
        const std::string on = std::to_string(member);
        const std::string host = "ch-" + std::to_string(member + 1);
        BOOST_TEST_CONTEXT(host) {
            sim.add_fault(R"({"effect": "crash", "on": )" + on + "}");
            json::value status = serving.status_with("OUTCOME_UNKNOWN");
            const json::value& report = status.at("slots").at(0).at("report");
            const json::value& row = report.at("members").at(static_cast<std::size_t>(member));
            BOOST_TEST(row.at("host").as_string() == host);
            BOOST_TEST(row.at("state").as_string() == "UNAVAILABLE");
            BOOST_TEST(!report.at("evidence_gaps").as_array().empty());
            BOOST_TEST(
                status.at("problem").is_null(), "the others list the slots: " << json::serialize(status)
            );
            std::string metrics = metrics_of(serving);
            BOOST_TEST(
                contains(metrics, slot + ",member=\"" + host + ":9000\",state=\"UNAVAILABLE\"} 1\n"), metrics
            );
            BOOST_TEST(contains(metrics, "onceswap_exit_code{" + slot + "} 4\n"), metrics);
            BOOST_TEST(!contains(metrics, "onceswap_member_healthy{" + slot + ",member=\"" + host), metrics);
            BOOST_TEST(ask(serving.port(), "/healthz").status == 200U);
            sim.add_fault(R"({"effect": "restart", "on": )" + on + "}");
            status = serving.status_with("SET_ASIDE_REQUIRED");
            metrics = metrics_of(serving);
            BOOST_TEST(contains(metrics, "onceswap_evidence_gaps{" + slot + "} 0\n"), metrics);
            BOOST_TEST(
                contains(metrics, slot + ",member=\"" + host + ":9000\",state=\"COMMITTED\"} 1\n"), metrics
            );
        }
    }
    const json::value status = serving.status();
    BOOST_TEST(published_schema_problems("serve.schema.json", json::serialize(status)) == "");
    unsigned unavailable = 0;
    for (const json::value& one : status.at("slots").at(0).at("timeline").as_array())
        unavailable += contains(json::serialize(one.at("to")), "UNAVAILABLE") ? 1U : 0U;
    BOOST_TEST(unavailable == 3U, "each is in the timeline: " << json::serialize(status));
}

BOOST_AUTO_TEST_CASE(a_cluster_that_is_killed_is_a_problem_until_it_is_back) {
    const Workshop workshop;
    const Words ports{"--base-port", std::to_string(free_ports(3))};
    auto sim = std::make_unique<SimProcess>(ports);
    const std::string rows = workshop.rows("rows.ndjson", 3);
    const Ended published =
        run(refresh_load(),
            Words{"publish"} + sim->where() + Words{"--from", rows, "--execute", "--invocation-id", "i"});
    BOOST_REQUIRE_MESSAGE(published.code == 0, describe(published));
    Serving serving(urls_of(*sim) + all_of_db + Words{"--read-timeout", "2s"});
    serving.status_with("COMPLETED");

    // It stands still: connections are taken and nothing is answered.
    sim->send(SIGSTOP);
    json::value status = serving.status_with("OUTCOME_UNKNOWN");
    BOOST_TEST(!status.at("slots").at(0).at("report").at("evidence_gaps").as_array().empty());
    BOOST_TEST(ask(serving.port(), "/healthz").status == 200U, "readings end, as gaps");
    status = serving.status_where("not listed", [](const json::value& now) {
        return now.at("problem").is_string();
    });
    BOOST_TEST(word_of(status, "target") == "OUTCOME_UNKNOWN", "what cannot be listed does not disappear");
    BOOST_TEST(contains(metrics_of(serving), "\nonceswap_watch_listing_failed 1\n"));
    sim->send(SIGCONT);
    status = serving.status_where("listed again", [](const json::value& now) {
        return now.at("problem").is_null() && word_of(now, "target") == "COMPLETED";
    });
    BOOST_TEST(contains(metrics_of(serving), "\nonceswap_watch_listing_failed 0\n"));

    // It is killed: connections are refused.
    const Words words = urls_of(*sim);
    sim->send(SIGKILL);
    status = serving.status_where("not listed", [](const json::value& now) {
        return now.at("problem").is_string();
    });
    status = serving.status_with("OUTCOME_UNKNOWN");
    status = next_round(serving, status);
    BOOST_TEST(word_of(status, "target") == "OUTCOME_UNKNOWN");
    BOOST_TEST(ask(serving.port(), "/healthz").status == 200U);
    BOOST_TEST(published_schema_problems("serve.schema.json", json::serialize(status)) == "");

    // Another one takes its place, which has never seen a publication: serve goes on with what is there.
    sim.reset();
    SimProcess again(ports);
    BOOST_REQUIRE(urls_of(again) == words);
    status = serving.status_where("listed again", [](const json::value& now) {
        return now.at("problem").is_null() && now.at("slots").as_array().empty();
    });
    BOOST_TEST(serving.process().running());
}

BOOST_AUTO_TEST_SUITE_END()
