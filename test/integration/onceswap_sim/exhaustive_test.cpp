#include "process.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

// onceswap-sim --exhaustive as a process: its options, its exit codes, what it prints.

using onceswap::testing::describe;
using onceswap::testing::Ended;
using onceswap::testing::run;
namespace json = boost::json;

namespace {

Ended enumerate(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "--exhaustive");
    return run(ONCESWAP_BINARY_DIR "/onceswap-sim", std::move(arguments), {});
}

} // namespace

BOOST_AUTO_TEST_SUITE(exhaustive_program)

BOOST_AUTO_TEST_CASE(the_undisturbed_run_of_each_world_is_complete_at_once) {
    const Ended ended = enumerate({"--deviations", "0", "--json"});
    BOOST_TEST_CONTEXT(describe(ended)) {
        BOOST_TEST_REQUIRE(ended.code == 0);
        const json::object document = json::parse(ended.out).as_object();
        BOOST_TEST(document.at("schema").as_string() == "onceswap.sim.exhaustive/1");
        const json::array& worlds = document.at("worlds").as_array();
        BOOST_TEST_REQUIRE(worlds.size() == 3U);
        for (const json::value& world : worlds) {
            BOOST_TEST(world.at("complete").as_bool());
            BOOST_TEST(world.at("runs").to_number<int>() == 1);
            BOOST_TEST(world.at("publications").to_number<int>() == 2);
            BOOST_TEST(world.at("states").to_number<int>() > 150);
            BOOST_TEST(world.at("violations").to_number<int>() == 0);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_bound_that_came_first_is_exit_code_3_and_is_said) {
    const Ended ended = enumerate({"--world", "race", "--most-runs", "5", "--jobs", "2"});
    BOOST_TEST_CONTEXT(describe(ended)) {
        BOOST_TEST(ended.code == 3);
        BOOST_TEST(ended.out.find("NOT COMPLETE") != std::string::npos);
        BOOST_TEST(ended.out.find("4 runs with 1 deviations") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(wrong_usage_is_exit_code_2_and_help_is_0) {
    const std::vector<std::vector<std::string>> rows{
        {"--deviations", "9"},
        {"--deviations"},
        {"--world", "none"},
        {"--jobs", "0"},
        {"--seeds", "1-2"},
    };
    for (const auto& arguments : rows) {
        const Ended ended = enumerate(arguments);
        BOOST_TEST_CONTEXT(describe(ended)) {
            BOOST_TEST(ended.code == 2);
            BOOST_TEST(ended.err.find(arguments.front()) != std::string::npos);
            BOOST_TEST(ended.out.empty());
        }
    }
    const Ended help = enumerate({"--help"});
    BOOST_TEST(help.code == 0);
    BOOST_TEST(help.out.find("--deviations N") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
