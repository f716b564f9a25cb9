// abandon, retire, close, orphans: what each says without --execute, what it does with it, and that a pin
// that does not fit any more leaves everything as it is.
#include "published_schema.hpp"
#include "workshop.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <string>
#include <vector>

using namespace onceswap::testing;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(pinned)

namespace {

/// A slot in the state that one of the verbs is for, and the loader that left it there gone.
struct Slot {
    const char* name;
    const char* faults; ///< what the loader meets
    bool killed;        ///< the loader, while its request is held
    bool executed;      ///< the held request goes on after that
    int published;      ///< exit code of the loader that is not killed
};

const Slot prepared{
    "prepared", R"([{"point":"arrive","match":{"class":"authority_update"},"effect":"hold"}])", true, false, 0
};
const Slot dispatching{
    "dispatching", R"([{"point":"effect","match":{"class":"exchange"},"effect":"hold"}])", true, true, 0
};
const Slot cleanup_refused{
    "cleanup refused",
    R"([{"point":"worker_after_active","match":{"class":"drop"},"times":0,"effect":"host_error","code":359,"text":"too big"}])",
    false,
    false,
    9
};

struct Row {
    const Slot* slot;
    Words verb;
    int offered;             ///< exit code without --execute: the verdict's
    std::string says;        ///< without --execute
    int done;                ///< exit code with it
    std::string verdict;     ///< then
    std::uint64_t mutations; ///< that it sent
};

const std::vector<Row>& table() {
    static const std::vector<Row> rows = {
        {&prepared, {"abandon"}, 3, "one compare-and-swap of the record; no DDL", 6, "ABANDONED", 1},
        {&dispatching, {"retire"}, 0, "would send RENAME TABLE `db`.`onceswap_", 0, "COMPLETED", 3},
        {&cleanup_refused, {"close", "--keep-predecessor"}, 9, "the old generation stays", 0, "COMPLETED", 1},
    };
    return rows;
}

/// Brings the slot about and returns the report of `status` on it.
json::value bring_about(SimProcess& sim, const Workshop& workshop, const Slot& slot) {
    sim.add_fault(slot.faults);
    const Words publish =
        Words{"publish"} + sim.where() +
        Words{"--from", workshop.rows("rows.ndjson", 10), "--invocation-id", "i", "--execute"};
    if (slot.killed) {
        const std::uint64_t fired = sim.fired();
        Process process(refresh_load(), publish);
        BOOST_REQUIRE(sim.wait_until_fired(fired, process));
        process.send(SIGKILL);
        process.wait();
        sim.release(!slot.executed);
    } else {
        const Ended ended = run(refresh_load(), publish);
        BOOST_REQUIRE_MESSAGE(ended.code == slot.published, describe(ended));
    }
    const Ended status = run(reconcile_watch(), Words{"status"} + sim.where() + Words{"--json"});
    return json::parse(status.out);
}

Words pins(const json::value& report) {
    return {
        "--operation",
        std::string(report.at("operation_id").as_string()),
        "--version",
        std::string(report.at("record_version").as_string())
    };
}

} // namespace

BOOST_AUTO_TEST_CASE(each_says_what_it_would_do_and_does_that) {
    for (const Row& row : table()) {
        BOOST_TEST_CONTEXT(row.verb.front() << " from " << row.slot->name) {
            SimProcess sim;
            const Workshop workshop;
            const json::value report = bring_about(sim, workshop, *row.slot);
            const std::uint64_t before = sim.mutations();
            const Words verb = row.verb + sim.where();

            const Ended offered = run(refresh_load(), verb);
            BOOST_TEST(offered.code == row.offered, describe(offered));
            BOOST_TEST(contains(offered.err, row.says), describe(offered));
            BOOST_TEST(contains(offered.err, "nothing was done; to do it: "), describe(offered));
            for (const std::string& word : row.verb + pins(report) + Words{"--execute"})
                BOOST_TEST(contains(offered.err, word), describe(offered));
            BOOST_TEST(sim.mutations() == before);

            Words stale = pins(report);
            stale.back() = "77";
            const Ended other = run(refresh_load(), verb + stale + Words{"--execute"});
            BOOST_TEST(other.code == 7, describe(other));
            BOOST_TEST(sim.mutations() == before);

            const Ended done = run(refresh_load(), verb + pins(report) + Words{"--execute", "--json"});
            BOOST_TEST(done.code == row.done, describe(done));
            const json::value after = json::parse(done.out);
            BOOST_TEST(published_schema_problems("report.schema.json", done.out) == "");
            BOOST_TEST(after.at("verdict").at("word").as_string() == row.verdict);
            BOOST_TEST(sim.mutations() - before == row.mutations);
            BOOST_TEST(sim.requests_of("exchange") == (row.slot == &prepared ? 0 : 1));
        }
    }
}

BOOST_AUTO_TEST_CASE(what_does_not_apply_is_refused_before_anything_is_sent) {
    const std::vector<Words> verbs = {{"abandon"}, {"retire"}, {"close", "--keep-predecessor"}};
    SimProcess sim;
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 10);
    const Ended published =
        run(refresh_load(),
            Words{"publish"} + sim.where() + Words{"--from", rows, "--invocation-id", "i", "--execute"});
    BOOST_REQUIRE_MESSAGE(published.code == 0, describe(published));
    const Ended status = run(reconcile_watch(), Words{"status"} + sim.where() + Words{"--json"});
    const Words there = pins(json::parse(status.out));
    const std::uint64_t before = sim.mutations();
    for (const Words& verb : verbs) {
        const Ended refused = run(refresh_load(), verb + sim.where() + there + Words{"--execute"});
        BOOST_TEST(refused.code == 8, describe(refused));
        BOOST_TEST(contains(refused.err, "ONCESWAP_TRANSITION_REFUSED"), describe(refused));
        const Ended without_pins = run(refresh_load(), verb + sim.where() + Words{"--execute"});
        BOOST_TEST(without_pins.code == 2, describe(without_pins));
        BOOST_TEST(lines(without_pins.err) == 1, describe(without_pins));
    }
    BOOST_TEST(sim.mutations() == before);
}

BOOST_AUTO_TEST_CASE(orphans_are_listed_and_dropped_by_what_the_record_lists) {
    SimProcess sim;
    const Workshop workshop;
    const json::value report = bring_about(sim, workshop, prepared);
    const Words where = sim.where();
    const Ended in_use = run(refresh_load(), Words{"orphans", "list"} + where);
    BOOST_TEST(in_use.code == 0, describe(in_use));
    BOOST_TEST(contains(in_use.out, "in use"), in_use.out);

    const Ended abandoned =
        run(refresh_load(), Words{"abandon"} + where + pins(report) + Words{"--execute", "--json"});
    BOOST_REQUIRE_MESSAGE(abandoned.code == 6, describe(abandoned));
    const json::value now = json::parse(abandoned.out);
    const std::string name(now.at("orphans").as_array().front().at("name").as_string());

    const Ended listed = run(refresh_load(), Words{"orphans", "list"} + where + Words{"--json"});
    BOOST_TEST(listed.code == 0, describe(listed));
    BOOST_TEST(published_schema_problems("orphans.schema.json", listed.out) == "");
    const json::value document = json::parse(listed.out);
    BOOST_TEST(document.at("schema_version").as_int64() == 1);
    const json::value& row = document.at("tables").as_array().front();
    BOOST_TEST(row.at("name").as_string() == std::string_view(name));
    BOOST_TEST(row.at("state").as_string() == "orphan");
    BOOST_TEST(row.at("shown_on").as_array().size() == 2U);

    const std::uint64_t before = sim.mutations();
    const Words drop = Words{"orphans", "drop"} + where + Words{"--name", name};
    const Ended offered = run(refresh_load(), drop);
    BOOST_TEST(
        contains(offered.err, "would send DROP TABLE IF EXISTS `db`.`" + name + "`"), describe(offered)
    );
    const Ended unknown = run(refresh_load(), Words{"orphans", "drop"} + where + Words{"--name", "target"});
    BOOST_TEST(unknown.code == 8, describe(unknown));
    BOOST_TEST(contains(unknown.err, "ONCESWAP_TRANSITION_REFUSED"), describe(unknown));
    BOOST_TEST(sim.mutations() == before);

    const Ended shown = run(refresh_load(), drop + Words{"--json"});
    BOOST_TEST(published_schema_problems("orphans-drop.schema.json", shown.out) == "", describe(shown));
    const json::value not_done = json::parse(shown.out);
    BOOST_TEST(!not_done.at("executed").as_bool());
    BOOST_TEST(not_done.at("table").at("shown_on").as_array().size() == 2U);
    BOOST_TEST(not_done.at("exit_code").as_int64() == shown.code);

    // Another version than the record has: nothing is sent, and the document says so.
    const Words stale{"--operation", std::string(now.at("operation_id").as_string()), "--version", "0"};
    const Ended refused = run(refresh_load(), drop + stale + Words{"--execute", "--json"});
    BOOST_TEST(published_schema_problems("orphans-drop.schema.json", refused.out) == "", describe(refused));
    BOOST_TEST(json::parse(refused.out).at("outcome").as_string() == "NotSent");
    BOOST_TEST(!json::parse(refused.out).at("gone").as_bool());
    BOOST_TEST(json::parse(refused.out).at("free_on").as_array().empty());
    BOOST_TEST(refused.code == 7, describe(refused));
    BOOST_TEST(sim.mutations() == before);

    const std::string evidence = workshop.path("drop.json");
    const Ended dropped = run(refresh_load(), drop + pins(now) + Words{"--execute", "--evidence", evidence});
    BOOST_TEST(dropped.code == 0, describe(dropped));
    const json::value done = json::parse(content_of(evidence));
    BOOST_TEST(published_schema_problems("orphans-drop.schema.json", json::serialize(done)) == "");
    BOOST_TEST(done.at("gone").as_bool());
    BOOST_TEST(done.at("outcome").as_string() == "Acknowledged");
    BOOST_TEST(done.at("exit_code").as_int64() == 0);
    const json::array& free_on = done.at("free_on").as_array();
    BOOST_REQUIRE(free_on.size() == 2U);
    std::string members;
    for (const json::value& member : free_on)
        members += " " + std::string(member.as_string());
    const std::string uuid(done.at("table").at("uuid").as_string());
    BOOST_TEST(
        contains(dropped.out, "\nDropped:   " + name + " " + uuid + "; the name is free on" + members + "\n"),
        describe(dropped)
    );
    BOOST_TEST(sim.mutations() - before == 1U);
    BOOST_TEST(sim.candidates().empty());
    const Ended again = run(refresh_load(), drop + pins(now) + Words{"--execute"});
    BOOST_TEST(again.code == 8, describe(again));
    BOOST_TEST(contains(again.err, "is no orphan: gone"), describe(again));
    BOOST_TEST(sim.mutations() - before == 1U);
}

BOOST_AUTO_TEST_CASE(a_list_that_is_not_complete_is_unknown) {
    SimProcess sim;
    sim.add_fault(R"([{"point":"connect","match":{"member":1},"times":0,"effect":"refuse"}])");
    const Ended listed = run(refresh_load(), Words{"orphans", "list"} + sim.where());
    BOOST_TEST(listed.code == 4, describe(listed));
    BOOST_TEST(contains(listed.out, "gap: "), listed.out);
}

BOOST_AUTO_TEST_SUITE_END()
