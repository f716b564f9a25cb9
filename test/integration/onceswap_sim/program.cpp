#include "process.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

// onceswap-sim as a process: its options, its exit codes, what it prints.

using onceswap::testing::describe;
using onceswap::testing::Ended;
using onceswap::testing::run;
namespace json = boost::json;

namespace {

Ended simulate(std::vector<std::string> arguments, const std::string& input = {}) {
    return run(ONCESWAP_BINARY_DIR "/onceswap-sim", std::move(arguments), input);
}

/// The document without what may differ between two runs on one machine.
json::object stable(const Ended& ended) {
    json::object document = json::parse(ended.out).as_object();
    for (const char* name : {"jobs", "seconds", "publications_per_second"})
        document.erase(name);
    return document;
}

std::string scratch(const std::string& name) {
    return (std::filesystem::temp_directory_path() / ("onceswap_sim_" + std::to_string(::getpid()) + name))
        .string();
}

/// A publication whose one statement is lost before any effect: nothing is violated, nothing can be known.
constexpr const char* lost_statement = R"({"members": 2, "successor": false,
    "processes": [{"client": "p1", "invocation": "run-1", "rows": 2}],
    "faults": [{"point": "arrive", "match": {"class": "exchange"}, "effect": "lose"}]})";

} // namespace

BOOST_AUTO_TEST_SUITE(onceswap_sim)

BOOST_AUTO_TEST_CASE(what_comes_out_does_not_depend_on_the_number_of_threads) {
    const Ended one = simulate({"--seeds", "1-24", "--jobs", "1", "--json", "--coverage", "--recheck", "8"});
    const Ended three =
        simulate({"--seeds", "1-24", "--jobs", "3", "--json", "--coverage", "--recheck", "8"});
    BOOST_TEST_CONTEXT(describe(one) << describe(three)) {
        BOOST_TEST(one.code == 0);
        BOOST_TEST(three.code == 0);
        BOOST_TEST(json::serialize(stable(one)) == json::serialize(stable(three)));
        const json::object document = stable(one);
        BOOST_TEST(document.at("schema").as_string() == "onceswap.sim/1");
        BOOST_TEST(document.at("runs").to_number<int>() == 24);
        BOOST_TEST(document.at("rechecked").to_number<int>() == 3);
        BOOST_TEST(document.at("publications").to_number<int>() > 10);
        BOOST_TEST(document.at("failures").as_array().empty());
        BOOST_TEST(!document.at("coverage").as_object().empty());
    }
}

BOOST_AUTO_TEST_CASE(text_ends_in_one_line_that_says_how_it_went) {
    const Ended ended = simulate({"--seeds", "1-4", "--profile", "26.7", "--jobs", "1"});
    BOOST_TEST_CONTEXT(describe(ended)) {
        BOOST_TEST(ended.code == 0);
        BOOST_TEST(ended.out.ends_with("every invariant held in every run\n"));
        BOOST_TEST(ended.out.find("26.7: 4") != std::string::npos);
        BOOST_TEST(ended.err.empty());
    }
}

BOOST_AUTO_TEST_CASE(a_replay_shows_the_plan_and_a_trace_and_the_plan_runs_the_same) {
    const Ended replay = simulate({"--replay", "5", "--json"});
    BOOST_TEST_REQUIRE(replay.code == 0, describe(replay));
    const json::object seen = json::parse(replay.out).as_object();
    const std::string file = scratch("_plan.json");
    std::ofstream(file) << json::serialize(seen.at("plan"));
    const Ended plan = simulate({"--plan", file, "--json"});
    const Ended piped = simulate({"--plan", "-", "--json"}, json::serialize(seen.at("plan")));
    const Ended traced = simulate({"--plan", file, "--trace"});
    std::filesystem::remove(file);
    BOOST_TEST(plan.out == replay.out);
    BOOST_TEST(piped.out == replay.out);
    BOOST_TEST_CONTEXT(describe(traced).substr(0, 2'000)) {
        BOOST_TEST(traced.code == 0);
        BOOST_TEST(traced.out.find(" us request catalogue at ") != std::string::npos);
        BOOST_TEST(traced.out.find(std::string(seen.at("trace_hash").as_string())) != std::string::npos);
    }
}

/// What the guards ask for is one more reading through the context of a call that was cancelled.
BOOST_AUTO_TEST_CASE(guards_look_again_after_a_cancelled_call_and_change_no_other_run) {
    constexpr const char* cancelled = R"({"members": 2, "successor": false,
        "processes": [{"client": "p1", "invocation": "run-1", "rows": 2, "cancel_at": 60}]})";
    const auto hash = [](const Ended& ended) {
        BOOST_TEST_REQUIRE(ended.code == 0, describe(ended));
        return std::string(json::parse(ended.out).as_object().at("trace_hash").as_string());
    };
    BOOST_TEST(
        hash(simulate({"--plan", "-", "--json", "--guards"}, lost_statement)) ==
        hash(simulate({"--plan", "-", "--json"}, lost_statement))
    );
    BOOST_TEST(
        hash(simulate({"--plan", "-", "--json", "--guards"}, cancelled)) !=
        hash(simulate({"--plan", "-", "--json"}, cancelled))
    );
}

BOOST_AUTO_TEST_CASE(an_unknown_that_nothing_decides_is_no_violation_and_is_shown) {
    const Ended ended = simulate({"--plan", "-"}, lost_statement);
    BOOST_TEST_CONTEXT(describe(ended)) {
        BOOST_TEST(ended.code == 0);
        BOOST_TEST(ended.out.find("p1 publish run-1: OUTCOME_UNKNOWN (row 15)") != std::string::npos);
        BOOST_TEST(ended.out.find("fired: [exchange arrive lose]") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(wrong_usage_is_exit_code_2_and_says_what) {
    struct Row {
        std::vector<std::string> arguments;
        const char* mentions;
        const char* input = "";
    };

    const Row rows[] = {
        {{"--seeds", "9-1"}, "--seeds"},
        {{"--seeds", "0-1"}, "--seeds"},
        {{"--seeds", "1-x"}, "--seeds"},
        {{"--seeds"}, "a value is expected"},
        {{"--profile", "23.3"}, "--profile"},
        {{"--jobs", "0"}, "--jobs"},
        {{"--replay", "1", "--plan", "x"}, "only one"},
        {{"--replay", "1", "--seeds", "1-2"}, "--seeds"},
        {{"--trace"}, "--trace"},
        {{"--frobnicate"}, "--frobnicate"},
        {{"--plan", "/nowhere/plan.json"}, "cannot be read"},
        {{"--plan", "-"}, "plan", "{\"members\": 1}"},
        {{"--plan", "-"}, "-", "not json"},
    };
    for (const Row& row : rows) {
        const Ended ended = simulate(row.arguments, row.input);
        BOOST_TEST_CONTEXT(describe(ended)) {
            BOOST_TEST(ended.code == 2);
            BOOST_TEST(ended.out.empty());
            BOOST_TEST(ended.err.find(row.mentions) != std::string::npos);
        }
    }
}

BOOST_AUTO_TEST_CASE(help_names_every_exit_code_and_gives_examples) {
    const Ended ended = simulate({"--help"});
    BOOST_TEST(ended.code == 0);
    for (const char* part : {"exit codes:", "examples:", "--replay", "--plan", "--jobs", "--profile"})
        BOOST_TEST(ended.out.find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_SUITE_END()
