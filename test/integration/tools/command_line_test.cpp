#include "process.hpp"
#include "published_schema.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(command_line)

namespace {

const std::string loader = std::string(ONCESWAP_BINARY_DIR) + "/refresh-load";
const std::string watcher = std::string(ONCESWAP_BINARY_DIR) + "/reconcile-watch";

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : line + " ") {
        if (c != ' ')
            word += c;
        else if (!word.empty())
            words.push_back(std::exchange(word, {}));
    }
    return words;
}

} // namespace

// What ends before anything is sent: one line on standard error, nothing on standard output, exit code 2.
BOOST_AUTO_TEST_CASE(usage_errors) {
    const auto open_file = std::filesystem::temp_directory_path() / "onceswap_open_password";
    std::ofstream(open_file) << "s3cret\n";
    std::filesystem::permissions(open_file, std::filesystem::perms(0644));
    const std::string there = "--url http://127.0.0.1:1 --cluster c1 --table db.t ";

    const struct {
        std::string program;
        std::string line;
        std::string expected;
    } rows[] = {
        {loader, "", "refresh-load: say what to do; see --help\n"},
        {loader,
         "publish " + there + "--from x --frobnicate",
         "refresh-load: unknown option --frobnicate; see publish --help\n"},
        {watcher, "status --cluster c1 --table db.t --url http://me:s3cret@127.0.0.1", ""},
        {watcher, "status " + there + "--password-file /nowhere/password", ""},
        {watcher, "status " + there + "--password-file " + open_file.string(), ""},
        {watcher, "status --url https://127.0.0.1:1 --cluster c1 --table db.t --ca /nowhere/ca.pem", ""},
        {loader,
         "publish " + there + "--from x --config /nowhere/config.json",
         "refresh-load: --config: /nowhere/config.json: cannot be read\n"},
    };

    for (const auto& row : rows) {
        const Ended ended = run(row.program, split(row.line));
        BOOST_TEST_CONTEXT(row.line << "\n" << describe(ended)) {
            BOOST_TEST(ended.code == 2);
            BOOST_TEST(ended.out == "");
            BOOST_TEST(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
            BOOST_TEST(ended.err.find("s3cret") == std::string::npos);
            if (!row.expected.empty())
                BOOST_TEST(ended.err == row.expected);
        }
    }
    std::filesystem::remove(open_file);
}

// Needs no cluster, no option and no file.
BOOST_AUTO_TEST_CASE(explain_answers_offline) {
    const Ended page = run(watcher, {"explain", "partial_terminal"});
    BOOST_TEST(page.code == 0, describe(page));
    BOOST_TEST(page.out.starts_with("ONCESWAP_PARTIAL_TERMINAL\n"), page.out);
    BOOST_TEST(page.out.find("\nWhat not to do\n") != std::string::npos, page.out);
    const Ended document = run(watcher, {"explain", "--json", "COMMITTED"});
    BOOST_TEST(document.out.find(R"("kind":"verdict","exit_code":0)") != std::string::npos, document.out);
    BOOST_TEST(published_schema_problems("explain.schema.json", document.out) == "");
    for (const char* word : {"PARTIAL_TERMINAL", "ONCESWAP_DEADLINE_REACHED", "CLEANED", "4"}) {
        const Ended each = run(watcher, {"explain", "--json", word});
        BOOST_TEST(published_schema_problems("explain.schema.json", each.out) == "", describe(each));
    }
    const Ended all = run(watcher, {"explain", "--json"});
    BOOST_TEST(published_schema_problems("explain.schema.json", all.out) == "");
    const Ended list = run(watcher, {"explain"});
    BOOST_TEST(list.code == 0);
    BOOST_TEST(list.out.find("\nONCESWAP_DEADLINE_REACHED ") != std::string::npos, list.out);
    for (const char* word : {"nonsense", "ONCESWAP_", "10"}) {
        const Ended unknown = run(watcher, {"explain", word});
        BOOST_TEST(unknown.code == 2, describe(unknown));
        BOOST_TEST(unknown.out == "");
        BOOST_TEST(std::count(unknown.err.begin(), unknown.err.end(), '\n') == 1, unknown.err);
        BOOST_TEST(unknown.err.find("`" + std::string(word) + "`") != std::string::npos, unknown.err);
    }
}

BOOST_AUTO_TEST_CASE(help_and_version_are_results) {
    for (const std::string& program : {loader, watcher}) {
        const Ended help = run(program, {"--help"});
        BOOST_TEST(help.code == 0);
        BOOST_TEST(help.err == "");
        BOOST_TEST(help.out.find("Usage:") != std::string::npos);
        const Ended version = run(program, {"--version"});
        BOOST_TEST(version.code == 0);
        BOOST_TEST(version.out.find(" 0.1.0\n") != std::string::npos);
    }
}

BOOST_AUTO_TEST_SUITE_END()
