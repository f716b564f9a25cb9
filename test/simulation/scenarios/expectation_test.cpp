#include "in_process.hpp"
#include "scenarios/files.hpp"

#include <boost/json/array.hpp>
#include <boost/test/unit_test.hpp>

#include <functional>

// An expectation that does not hold is found, whichever it is.

using namespace onceswap;
using namespace onceswap::scenarios;
namespace json = boost::json;

namespace {

struct Lie {
    const char* name;
    std::function<void(sim::ScenarioStep&)> tell;
};

sim::ScenarioFile file_named(const std::string& name) {
    return load(std::string(ONCESWAP_SOURCE_DIR) + "/fixtures/scenarios/" + name + ".json");
}

} // namespace

BOOST_AUTO_TEST_SUITE(scenario_expectations)

BOOST_AUTO_TEST_CASE(every_kind_of_wrong_expectation_is_found) {
    const sim::ScenarioFile file = file_named("c08-no-blind-replay");
    const StepOutcome outcome = run_in_process(file).front();
    BOOST_TEST_REQUIRE(differences(file.steps.front(), outcome).empty());
    const Lie lies[] = {
        {"verdict", [](auto& step) { step.verdict = "COMMITTED"; }},
        {"reason", [](auto& step) { step.reason = "ONCESWAP_READY"; }},
        {"exit", [](auto& step) { step.exit = 3; }},
        {"row", [](auto& step) { step.row = 17; }},
        {"stopped", [](auto& step) { step.stopped = "ONCESWAP_DEADLINE_REACHED"; }},
        {"refused", [](auto& step) { step.refused = {"ONCESWAP_TARGET_ABSENT"}; }},
        {"warned", [](auto& step) { step.warned = {"ONCESWAP_HAZARD_TTL"}; }},
        {"evidence", [](auto& step) { step.evidence = "diverged"; }},
        {"states", [](auto& step) { step.states = {"PENDING", "CLEANED"}; }},
        {"fewer states", [](auto& step) { step.states = {"CLEANED"}; }},
        {"says", [](auto& step) { step.says = {"what nobody says"}; }},
        {"never says", [](auto& step) { step.never_says = {"COMPLETED"}; }},
        {"sent", [](auto& step) { step.sent = {{"exchange", 2}}; }},
        {"sent nothing", [](auto& step) { step.sent = {{"exchange", 0}}; }},
        {"targets", [](auto& step) { step.targets = {"", ""}; }},
        {"dropped", [](auto& step) { step.dropped.emplace(); }},
    };
    for (const Lie& lie : lies) {
        sim::ScenarioStep step = file.steps.front();
        lie.tell(step);
        BOOST_TEST(!differences(step, outcome).empty(), lie.name);
    }
}

BOOST_AUTO_TEST_CASE(every_wrong_expectation_of_a_checklist_is_found) {
    const sim::ScenarioFile file = file_named("doctor-queue");
    const StepOutcome outcome = run_in_process(file).front();
    BOOST_TEST_REQUIRE(differences(file.steps.front(), outcome).empty());
    const Lie lies[] = {
        {"exit", [](auto& step) { step.exit = 8; }},
        {"refused with", [](auto& step) { step.refused_with = "ONCESWAP_TARGET_ABSENT"; }},
        {"refused", [](auto& step) { step.refused = {"ONCESWAP_TARGET_ABSENT"}; }},
        {"warned less", [](auto& step) { step.warned.pop_back(); }},
        {"standing", [](auto& step) { step.lines.front().standing = "refuse"; }},
        {"code", [](auto& step) { step.lines.front().code = "ONCESWAP_HAZARD_TTL"; }},
        {"rule", [](auto& step) { step.lines.front().rule = "ttl"; }},
        {"member", [](auto& step) { step.lines.front().member = "ch-7:9000"; }},
        {"seen", [](auto& step) { step.lines.front().seen = "what nobody saw"; }},
        {"remedy", [](auto& step) { step.lines.front().remedy = "what nobody advises"; }},
        {"sent", [](auto& step) { step.sent = {{"drop", 1}}; }},
    };
    for (const Lie& lie : lies) {
        sim::ScenarioStep step = file.steps.front();
        lie.tell(step);
        BOOST_TEST(!differences(step, outcome).empty(), lie.name);
    }
    StepOutcome mutating = outcome;
    mutating.truth.at("requests").as_object()["drop"] = 1;
    BOOST_TEST(!differences(file.steps.front(), mutating).empty(), "a doctor that drops");
}

BOOST_AUTO_TEST_CASE(every_wrong_expectation_of_a_list_is_found) {
    const sim::ScenarioFile file = file_named("verb-orphans");
    const auto outcomes = run_in_process(file);
    BOOST_TEST_REQUIRE(differences(file.steps.front(), outcomes.front()).empty());
    const Lie lies[] = {
        {"exit", [](auto& step) { step.exit = 4; }},
        {"fewer", [](auto& step) { step.tables.pop_back(); }},
        {"name", [](auto& step) { step.tables.front().name += "x"; }},
        {"state", [](auto& step) { step.tables.front().state = "gone"; }},
        {"uuid", [](auto& step) { step.tables.front().uuid = step.tables.back().uuid; }},
        {"target", [](auto& step) { step.tables.front().target = ""; }},
        {"shown on", [](auto& step) { step.tables.front().shown_on = 1; }},
        {"not on", [](auto& step) { step.tables.front().not_on = 1; }},
    };
    for (const Lie& lie : lies) {
        sim::ScenarioStep step = file.steps.front();
        lie.tell(step);
        BOOST_TEST(!differences(step, outcomes.front()).empty(), lie.name);
    }
    sim::ScenarioStep refused = file.steps.at(1);
    BOOST_TEST_REQUIRE(differences(refused, outcomes.at(1)).empty());
    refused.stopped = "ONCESWAP_CAS_CONFLICT";
    BOOST_TEST(!differences(refused, outcomes.at(1)).empty(), "another refusal");
}

BOOST_AUTO_TEST_CASE(what_holds_for_every_step_is_looked_at) {
    const sim::ScenarioFile file = file_named("c08-no-blind-replay");
    const auto outcomes = run_in_process(file);
    sim::ScenarioStep step = file.steps.back();
    StepOutcome outcome = outcomes.back();
    BOOST_TEST_REQUIRE(differences(step, outcome).empty());

    StepOutcome mutating = outcome;
    mutating.truth.at("requests").as_object()["other"] = 1;
    BOOST_TEST(!differences(step, mutating).empty(), "a status that sends something");

    StepOutcome dropping = outcome;
    json::object drop;
    for (const json::value& table : outcome.truth.at("members").as_array().front().at("tables").as_array())
        if (table.at("name").as_string() == "target")
            drop["uuid"] = table.at("uuid");
    dropping.truth.at("drops").as_array().push_back(drop);
    BOOST_TEST(!differences(step, dropping).empty(), "a drop of the target");

    StepOutcome twice = outcome;
    json::array& entries = twice.truth.at("queue").as_array();
    const json::array copy = entries;
    for (const json::value& entry : copy)
        entries.push_back(entry);
    BOOST_TEST(!differences(step, twice).empty(), "two publishing entries");

    StepOutcome advising = outcome;
    advising.document.at("verdict").as_object()["detail"] = "EXCHANGE TABLES db.target AND db.x";
    BOOST_TEST(!differences(step, advising).empty(), "an advice to swap");
}

BOOST_AUTO_TEST_SUITE_END()
