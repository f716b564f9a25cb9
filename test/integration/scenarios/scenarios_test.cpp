#include "over_http.hpp"
#include "scenarios/files.hpp"
#include "workshop.hpp"

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

using namespace onceswap;
using namespace onceswap::scenarios;

namespace {

/// Programs mostly wait here: for each other and for the cluster's latencies.
constexpr unsigned at_once = 6;

std::vector<std::string> failures_of(const std::filesystem::path& path, const std::string& folder) {
    std::vector<std::string> failures;
    try {
        const sim::ScenarioFile file = load(path);
        std::filesystem::create_directory(folder);
        const auto outcomes = run_over_http(path.string(), file, folder, failures);
        for (std::size_t i = 0; i < outcomes.size(); ++i)
            for (const std::string& difference : differences(file.steps[i], outcomes[i]))
                failures.push_back(
                    "step " + std::to_string(i) + " (" + std::string(text(file.steps[i].run)) +
                    "): " + difference + "\n" + boost::json::serialize(outcomes[i].document)
                );
    } catch (const std::exception& wrong) {
        failures.emplace_back(wrong.what());
    }
    return failures;
}

} // namespace

BOOST_AUTO_TEST_SUITE(scenarios)

/// ONCESWAP_SCENARIO limits it to files whose name contains that.
BOOST_AUTO_TEST_CASE(every_step_ends_as_expected_over_http) {
    const testing::Workshop workshop;
    const char* only = std::getenv("ONCESWAP_SCENARIO");
    std::vector<std::filesystem::path> paths;
    for (const auto& path : scenario_paths())
        if (only == nullptr || path.filename().string().find(only) != std::string::npos)
            paths.push_back(path);
    BOOST_REQUIRE(!paths.empty());
    std::vector<std::vector<std::string>> failures(paths.size());
    std::atomic<std::size_t> next{0};
    {
        std::vector<std::jthread> workers;
        for (unsigned i = 0; i < at_once; ++i)
            workers.emplace_back([&] {
                for (std::size_t mine = next++; mine < paths.size(); mine = next++)
                    failures[mine] = failures_of(paths[mine], workshop.path(paths[mine].stem().string()));
            });
    }
    for (std::size_t i = 0; i < paths.size(); ++i)
        for (const std::string& failure : failures[i])
            BOOST_ERROR(paths[i].filename().string() + ": " + failure);
}

/// With a validator that is not ours.
BOOST_AUTO_TEST_CASE(every_file_fits_the_schema) {
    const std::string source = ONCESWAP_SOURCE_DIR;
    testing::Words words{
        "python3",
        source + "/test/integration/scenarios/validate.py",
        source + "/fixtures/scenarios/scenario.schema.json"
    };
    for (const auto& path : scenario_paths())
        words.push_back(path.string());
    const testing::Ended ended = testing::run("/usr/bin/env", words);
    BOOST_TEST(ended.code == 0, testing::describe(ended));
}

/// sim-clickhouse refuses what the reader refuses, with the place and the reason.
BOOST_AUTO_TEST_CASE(a_wrong_file_is_refused_by_the_program) {
    const testing::Workshop workshop;
    const std::string program = std::string(ONCESWAP_BINARY_DIR) + "/sim-clickhouse";
    const auto refused = [&](const std::string& content) {
        return testing::run(program, {"--scenario", workshop.file("wrong.json", content)});
    };
    const testing::Ended unknown = refused(R"({"tables": [{"name": "t", "rowz": 1}]})");
    BOOST_TEST(unknown.code == 2, testing::describe(unknown));
    BOOST_TEST(unknown.err == "sim-clickhouse: scenario.tables[0].rowz: no such field\n");
    const testing::Ended broken = refused("{\n\n\"tables\": [}");
    BOOST_TEST(broken.code == 2, testing::describe(broken));
    BOOST_TEST((broken.err.find("wrong.json, line 3:") != std::string::npos), testing::describe(broken));
    const testing::Ended unable = refused(R"({"faults": [{"effect": "crash", "on": 5}]})");
    BOOST_TEST(unable.code == 2, testing::describe(unable));
    BOOST_TEST((unable.err.find("there is no member 5") != std::string::npos), testing::describe(unable));
}

BOOST_AUTO_TEST_SUITE_END()
