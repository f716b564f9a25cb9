#include "acceptance/engine_cluster.hpp"
#include "acceptance/interruption.hpp"
#include "acceptance/run_suite.hpp"
#include "acceptance/served_cluster.hpp"
#include "acceptance/simulated_cluster.hpp"
#include "acceptance/url_cluster.hpp"
#include "options.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace onceswap::acceptance;

enum Exit { passed = 0, broken = 1, usage_error = 2, scenario_failed = 3, by_signal = 128 };

const char* variable(const char* name) {
    return std::getenv(name);
}

std::unique_ptr<ClusterUnderTest> make_fixture(const std::string& name, const Options& options) {
    if (name == "sim")
        return simulated_cluster();
    if (name == "sim-clickhouse")
        return served_cluster();
    if (name == "engine")
        return engine_cluster();
    UrlSetup setup;
    setup.urls = options.urls;
    setup.cluster = options.cluster;
    setup.user = options.user;
    setup.password_file = options.password_file;
    return url_cluster(setup);
}

std::vector<Scenario> chosen(const std::vector<std::string>& names) {
    std::vector<Scenario> all = all_scenarios();
    if (names.empty())
        return all;
    for (const std::string& name : names)
        if (std::ranges::find(all, name, &Scenario::name) == all.end())
            throw std::invalid_argument("--scenario: there is none called " + name + "; --list has them");
    std::erase_if(all, [&](const Scenario& one) {
        return std::ranges::find(names, one.name) == names.end();
    });
    return all;
}

void list(const std::vector<Scenario>& scenarios) {
    for (const Scenario& scenario : scenarios) {
        std::cout << scenario.name << ": " << scenario.about;
        for (const Need need : scenario.needs)
            std::cout << " [" << text(need) << "]";
        std::cout << "\n";
    }
}

void write_receipt(const std::string& file, const std::vector<Receipt>& receipts) {
    if (file.empty())
        return;
    boost::json::array all;
    for (const Receipt& receipt : receipts)
        all.push_back(receipt.to_json());
    write_file(
        file, (all.size() == 1 ? boost::json::serialize(all.front()) : boost::json::serialize(all)) + "\n"
    );
}

int run(const Options& options) {
    const std::vector<Scenario> scenarios = chosen(options.scenarios);
    if (options.list) {
        list(scenarios);
        return passed;
    }
    if (!options.evidence.empty())
        std::filesystem::create_directories(options.evidence);
    const auto said = [&](const std::string& line) {
        if (!options.quiet)
            std::cerr << line << std::endl;
    };
    std::vector<Receipt> receipts;
    std::string broken_by;
    for (const std::string& name : options.fixtures) {
        try {
            const auto cluster = make_fixture(name, options);
            Receipt receipt = run_suite(*cluster, scenarios, options.evidence, said);
            receipt.commit = options.commit;
            receipts.push_back(std::move(receipt));
        } catch (const Interrupted&) {
            said(name + ": interrupted");
        } catch (const std::exception& failed) {
            broken_by = name + ": " + failed.what();
        }
        if (interrupted() != 0 || !broken_by.empty())
            break;
    }
    write_receipt(options.receipt, receipts);
    std::cout << matrix(receipts) << std::flush;
    if (interrupted() != 0)
        return by_signal + interrupted();
    if (!broken_by.empty()) {
        std::cerr << "acceptance: " << broken_by << "\n";
        return broken;
    }
    const bool failed = std::ranges::any_of(receipts, [](const Receipt& receipt) {
        return receipt.count(Result::failed) != 0;
    });
    return failed ? scenario_failed : passed;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const Options options = read_options(std::vector<std::string>(argv + 1, argv + argc), &variable);
        if (options.help) {
            std::cout << usage();
            return passed;
        }
        notice_interruptions();
        return run(options);
    } catch (const std::invalid_argument& wrong) {
        std::cerr << "acceptance: " << wrong.what() << "\n";
        return usage_error;
    } catch (const std::exception& failed) {
        std::cerr << "acceptance: " << failed.what() << "\n";
        return broken;
    }
}
