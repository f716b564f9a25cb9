#include "in_process.hpp"
#include "scenarios/files.hpp"

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

using namespace onceswap;
using namespace onceswap::scenarios;

BOOST_AUTO_TEST_SUITE(scenarios)

/// The records' bytes say what their descriptions say, and the files look as they are always written. With
/// ONCESWAP_WRITE_SCENARIOS set the files are written so instead.
BOOST_AUTO_TEST_CASE(every_record_has_the_bytes_that_the_engine_writes) {
    const bool write = std::getenv("ONCESWAP_WRITE_SCENARIOS") != nullptr;
    for (const auto& path : scenario_paths()) {
        BOOST_TEST_CONTEXT(path.filename().string()) {
            try {
                const std::string wanted = pretty(with_encoded_records(document_of(path)));
                if (write)
                    std::ofstream(path, std::ios::binary) << wanted;
                BOOST_TEST(
                    (content_of(path) == wanted),
                    "not as it is written: ONCESWAP_WRITE_SCENARIOS=1 build/release/bin/simulation_scenarios"
                );
            } catch (const std::exception& wrong) {
                BOOST_ERROR(wrong.what());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(every_file_has_its_case_and_its_expectations) {
    for (const auto& path : scenario_paths()) {
        const std::string name = path.filename().string();
        BOOST_TEST_CONTEXT(name) {
            const sim::ScenarioFile file = load(path);
            BOOST_TEST(!file.steps.empty(), "a scenario without a step expects nothing");
            if (file.about.number.empty()) {
                BOOST_TEST(
                    (name.starts_with("verb-") || name.starts_with("doctor-")), "neither a case nor a verb's"
                );
                continue;
            }
            BOOST_TEST(!file.about.sources.empty(), "no source");
            std::string prefix;
            for (const char c : file.about.number)
                prefix += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            BOOST_TEST(name.starts_with(prefix + "-"), "the name does not begin with the case");
        }
    }
}

/// docs/scenarios.md lists exactly the files that are there, and says why a case has none.
BOOST_AUTO_TEST_CASE(every_case_is_listed) {
    std::set<std::string> listed;
    std::set<std::string> others; // beside the public cases: a line begins with the file's name
    std::set<std::string> cases;
    std::istringstream lines(content_of(std::string(ONCESWAP_SOURCE_DIR) + "/docs/scenarios.md"));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("| `verb-") || line.starts_with("| `doctor-"))
            BOOST_TEST(others.insert(line.substr(3, line.find('`', 3) - 3) + ".json").second, line);
        if (!line.starts_with("| C"))
            continue;
        const std::size_t bar = line.find(" | ");
        const std::string number = line.substr(2, bar - 2);
        BOOST_TEST(cases.insert(number).second, number << " twice");
        const std::string rest = line.substr(bar + 3);
        if (rest.starts_with("none: "))
            continue;
        for (std::size_t at = rest.find('`'); at != std::string::npos; at = rest.find('`', at)) {
            const std::size_t end = rest.find('`', at + 1);
            listed.insert("c" + number.substr(1) + "-" + rest.substr(at + 1, end - at - 1) + ".json");
            at = end + 1;
        }
    }
    std::set<std::string> files;
    for (const auto& path : scenario_paths())
        files.insert(path.filename().string());
    listed.insert(others.begin(), others.end());
    BOOST_TEST(listed == files, boost::test_tools::per_element());
    constexpr std::size_t public_cases = 88;
    BOOST_TEST(cases.size() == public_cases);
}

BOOST_AUTO_TEST_CASE(every_step_ends_as_expected_in_process) {
    for (const auto& path : scenario_paths()) {
        const std::string name = path.filename().string();
        BOOST_TEST_CONTEXT(name) {
            try {
                const sim::ScenarioFile file = load(path);
                const auto outcomes = run_in_process(file);
                for (std::size_t i = 0; i < outcomes.size(); ++i)
                    for (const std::string& difference : differences(file.steps[i], outcomes[i]))
                        BOOST_ERROR(
                            "step " << i << " (" << text(file.steps[i].run) << "): " << difference << "\n"
                                    << boost::json::serialize(outcomes[i].document)
                        );
            } catch (const std::exception& wrong) {
                BOOST_ERROR(wrong.what());
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
