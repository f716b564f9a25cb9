// The program `acceptance` itself: what a script can rely on.
#include "process.hpp"

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdlib.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace onceswap::testing;
namespace fs = std::filesystem;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(program)

namespace {

using Words = std::vector<std::string>;

const std::string acceptance = std::string(ONCESWAP_BINARY_DIR) + "/acceptance";

/// A folder of a test, which is also its TMPDIR: what is left in it was left behind.
struct Folder {
    Folder() {
        std::string name = (fs::temp_directory_path() / "acceptance-test-XXXXXX").string();
        BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
        fs::create_directory(path / "tmp");
    }

    ~Folder() { fs::remove_all(path); }

    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::map<std::string, std::string> environment() const { return {{"TMPDIR", (path / "tmp").string()}}; }

    std::string file(const std::string& name) const { return (path / name).string(); }

    bool left_nothing() const { return fs::is_empty(path / "tmp"); }

    fs::path path;
};

json::value read_json(const std::string& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return json::parse(text.str());
}

std::string validator() {
    return std::string(ONCESWAP_SOURCE_DIR) + "/test/acceptance/suite/validate.py";
}

std::string schema() {
    return std::string(ONCESWAP_SOURCE_DIR) + "/docs/acceptance-receipt.schema.json";
}

/// Processes whose command line has this text in it.
std::set<int> processes_with(const std::string& text) {
    std::set<int> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos)
            continue;
        std::ifstream in(entry.path() / "cmdline", std::ios::binary);
        std::ostringstream line;
        line << in.rdbuf();
        if (line.str().find(text) != std::string::npos)
            found.insert(std::stoi(name));
    }
    return found;
}

std::string text_of(const json::value& object, std::string_view name) {
    return std::string(object.at(name).as_string());
}

} // namespace

BOOST_AUTO_TEST_CASE(wrong_usage_is_2_and_help_has_examples) {
    for (const Words& wrong :
         {Words{"--fixture", "none"},
          Words{"--fixture"},
          Words{"--scenario", "no_such_scenario", "--fixture", "sim"},
          Words{"sim"},
          Words{"--colour", "red"},
          Words{"--fixture", "url"},
          Words{"--fixture", "url", "--cluster", "c1", "--url", "http://127.0.0.1:1"},
          Words{"--fixture", "url", "--cluster", "c1", "--url", "https://a:1", "--url", "http://b:1"},
          Words{"--url", "http://127.0.0.1:1"}}) {
        const Ended ended = run(acceptance, wrong);
        BOOST_TEST(ended.code == 2, describe(ended));
        BOOST_TEST(ended.out.empty());
        BOOST_TEST(std::ranges::count(ended.err, '\n') == 1, ended.err);
    }
    const Ended help = run(acceptance, {"--help"});
    BOOST_TEST(help.code == 0);
    BOOST_TEST(help.out.find("Examples") != std::string::npos);
    const Ended list = run(acceptance, {"--list"});
    BOOST_TEST(list.code == 0);
    BOOST_TEST(list.out.find("lost_exchange_response: ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_cluster_that_is_not_there_is_1) {
    const Ended ended = run(
        acceptance,
        {"--fixture", "url", "--cluster", "c1", "--url", "http://127.0.0.1:1", "--url", "http://127.0.0.1:1"}
    );
    BOOST_TEST(ended.code == 1, describe(ended));
    BOOST_TEST(ended.err.find("127.0.0.1:1") != std::string::npos, ended.err);
}

BOOST_AUTO_TEST_CASE(the_receipt_is_what_its_schema_says_and_names_its_evidence) {
    const Folder folder;
    const std::string receipt = folder.file("receipt.json");
    const std::string evidence = folder.file("evidence");
    const Ended ended =
        run(acceptance,
            {"--fixture", "sim", "--receipt", receipt, "--evidence", evidence, "--commit", "abc", "--quiet"},
            {},
            folder.environment());
    BOOST_TEST(ended.code == 0, describe(ended));
    BOOST_TEST(ended.err.empty(), ended.err);
    const json::value read = read_json(receipt);
    BOOST_TEST(text_of(read, "commit") == "abc");
    BOOST_TEST(read.at("whole").as_bool());
    std::size_t with_executions = 0;
    for (const json::value& row : read.at("scenarios").as_array()) {
        for (const json::value& name : row.at("evidence").as_array())
            BOOST_TEST(fs::exists(fs::path(evidence) / std::string(name.as_string())));
        if (text_of(row, "result") == "skipped")
            BOOST_TEST(row.at("evidence").as_array().empty());
        else
            BOOST_TEST(row.at("evidence").as_array().size() == 1U);
        with_executions += row.at("executed").is_array() ? 1U : 0U;
        // Each of them stands in the matrix, and what was skipped with its reason.
        BOOST_TEST(ended.out.find("\n" + text_of(row, "scenario") + " ") != std::string::npos);
        if (row.at("reason").is_string())
            BOOST_TEST(ended.out.find(text_of(row, "reason")) != std::string::npos);
    }
    BOOST_TEST(with_executions > 50U);
    const Ended valid = run("/usr/bin/python3", {validator(), schema(), receipt});
    BOOST_TEST(valid.code == 0, describe(valid));
    BOOST_TEST(folder.left_nothing());
}

BOOST_AUTO_TEST_CASE(several_fixtures_are_columns_of_one_matrix_and_an_array_of_receipts) {
    const Folder folder;
    const std::string receipt = folder.file("receipt.json");
    const Ended ended =
        run(acceptance,
            {"--fixture",
             "sim",
             "--fixture",
             "sim-clickhouse",
             "--scenario",
             "lost_exchange_response",
             "--scenario",
             "refused_between_cas_and_ddl",
             "--receipt",
             receipt},
            {},
            folder.environment());
    BOOST_TEST(ended.code == 0, describe(ended));
    const json::value read = read_json(receipt);
    BOOST_REQUIRE(read.as_array().size() == 2U);
    for (const json::value& one : read.as_array()) {
        const json::value& row = one.at("scenarios").as_array().at(0);
        BOOST_TEST(text_of(row, "scenario") == "lost_exchange_response");
        BOOST_TEST((row.at("executed").as_array() == json::array{1, 1}));
    }
    const json::value& skipped = read.as_array().at(1).at("scenarios").as_array().at(1);
    BOOST_TEST(text_of(skipped, "result") == "skipped");
    BOOST_TEST(text_of(skipped, "reason").find("over HTTP") != std::string::npos);
    const Ended valid = run("/usr/bin/python3", {validator(), schema(), receipt});
    BOOST_TEST(valid.code == 0, describe(valid));
    BOOST_TEST(folder.left_nothing());
}

/// In the middle of a scenario, with a cluster and a client of it running.
BOOST_AUTO_TEST_CASE(nothing_outlives_an_interruption) {
    for (const int signal : {SIGINT, SIGTERM}) {
        const Folder folder;
        const std::string receipt = folder.file("receipt.json");
        {
            Process suite(
                acceptance,
                {"--fixture",
                 "sim-clickhouse",
                 "--scenario",
                 "existing_target",
                 "--scenario",
                 "worker_stopped",
                 "--receipt",
                 receipt},
                folder.environment()
            );
            BOOST_REQUIRE(suite.wait_for_error("existing_target: passed"));
            // The next scenario holds a worker; its client waits for it.
            while (suite.running() && processes_with(folder.file("tmp")).size() < 2)
                suite.wait_for_error("never", std::chrono::milliseconds(5));
            BOOST_TEST(processes_with(folder.file("tmp")).size() >= 2U);
            suite.send(signal);
            const Ended ended = suite.wait();
            BOOST_TEST(ended.code == 128 + signal, describe(ended));
            BOOST_TEST(ended.err.find("interrupted") != std::string::npos, ended.err);
        }
        BOOST_TEST(processes_with(folder.file("tmp")).empty());
        BOOST_TEST(folder.left_nothing());
        const json::value read = read_json(receipt);
        BOOST_TEST(!read.at("whole").as_bool());
        BOOST_TEST(read.at("scenarios").as_array().size() == 1U);
    }
}

BOOST_AUTO_TEST_SUITE_END()
