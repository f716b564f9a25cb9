#include "options.hpp"

#include "acceptance/http_question.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace onceswap::acceptance {

namespace {

const std::vector<std::string>& fixture_names() {
    static const std::vector<std::string> names{"sim", "sim-clickhouse", "engine", "url"};
    return names;
}

void check(const Options& options) {
    if (options.help || options.list)
        return;
    const bool url = std::ranges::find(options.fixtures, "url") != options.fixtures.end();
    if (url && (options.urls.size() < 2 || options.cluster.empty()))
        throw std::invalid_argument(
            "the fixture url needs --url once for each member, at least two, and --cluster"
        );
    if (!url && !options.urls.empty())
        throw std::invalid_argument("--url goes with --fixture url");
    for (const std::string& one : options.urls)
        Origin{one}; // throws where it is none
}

} // namespace

std::string usage() {
    return R"(acceptance: what onceswap promises, as scenarios, on a cluster that really exists or on the simulator.

  --fixture NAME       sim: the simulator in process; sim-clickhouse: the same behind HTTP; engine: ClickHouse's own engine
                       over a real ZooKeeper; url: any cluster. May be repeated (default: sim, sim-clickhouse, engine)
  --scenario NAME      only this one; may be repeated
  --list               the scenarios, what each asks of a fixture, and no run
  --receipt FILE       what came of it as JSON: docs/acceptance-receipt.schema.json; an array with several fixtures
  --evidence DIR       one file a scenario: every report of the client, tables and queue entries at the end
  --commit ID          for the receipt (default: the variable ONCESWAP_COMMIT, else `unknown`)
  --quiet              only the matrix
  --help

The fixture url (each also as variable):
  --url URL            http://HOST:PORT of one member, once for each    ONCESWAP_ACCEPTANCE_URLS, separated by blanks
  --cluster NAME       its name in system.clusters                      ONCESWAP_ACCEPTANCE_CLUSTER
  --user NAME          (default: default)                               ONCESWAP_ACCEPTANCE_USER
  --password-file FILE                                                  ONCESWAP_ACCEPTANCE_PASSWORD_FILE
It makes a database of its own for each scenario, drops it afterwards, and touches no other.

Exit codes: 0 all passed or were skipped by name; 1 the suite itself could not run; 2 wrong usage; 3 a scenario failed;
130, 143 stopped by SIGINT, SIGTERM. Nothing that it started is left running in any of these.

Examples
  acceptance --fixture sim
  acceptance --fixture engine --scenario lost_exchange_response --receipt receipt.json --evidence evidence
  acceptance --fixture url --url http://ch-1:8123 --url http://ch-2:8123 --cluster c1 --receipt receipt.json
)";
}

Options read_options(const std::vector<std::string>& words, const char* (*environment)(const char*)) {
    Options options;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& option = words[i];
        if (option == "--help" || option == "-h")
            options.help = true;
        else if (option == "--list")
            options.list = true;
        else if (option == "--quiet")
            options.quiet = true;
        else if (!option.starts_with("--"))
            throw std::invalid_argument("no such argument: " + option + "; --help lists the options");
        else if (i + 1 == words.size())
            throw std::invalid_argument(
                option + ": no such option, or its value is missing; --help lists them"
            );
        else {
            const std::string& value = words[++i];
            if (option == "--fixture") {
                if (std::ranges::find(fixture_names(), value) == fixture_names().end())
                    throw std::invalid_argument(
                        "--fixture: sim, sim-clickhouse, engine or url, not " + value
                    );
                options.fixtures.push_back(value);
            } else if (option == "--scenario")
                options.scenarios.push_back(value);
            else if (option == "--receipt")
                options.receipt = value;
            else if (option == "--evidence")
                options.evidence = value;
            else if (option == "--commit")
                options.commit = value;
            else if (option == "--url")
                options.urls.push_back(value);
            else if (option == "--cluster")
                options.cluster = value;
            else if (option == "--user")
                options.user = value;
            else if (option == "--password-file")
                options.password_file = value;
            else
                throw std::invalid_argument("unknown option " + option + "; --help lists them");
        }
    }
    const auto or_variable = [&](std::string& value, const char* name) {
        if (const char* text = environment(name); value.empty() && text != nullptr)
            value = text;
    };
    or_variable(options.commit, "ONCESWAP_COMMIT");
    if (options.commit.empty())
        options.commit = "unknown";
    if (std::ranges::find(options.fixtures, "url") != options.fixtures.end()) {
        std::string urls;
        if (options.urls.empty())
            or_variable(urls, "ONCESWAP_ACCEPTANCE_URLS");
        std::istringstream in(urls);
        for (std::string url; in >> url;)
            options.urls.push_back(url);
        or_variable(options.cluster, "ONCESWAP_ACCEPTANCE_CLUSTER");
        or_variable(options.user, "ONCESWAP_ACCEPTANCE_USER");
        or_variable(options.password_file, "ONCESWAP_ACCEPTANCE_PASSWORD_FILE");
    }
    check(options);
    if (options.fixtures.empty())
        options.fixtures = {"sim", "sim-clickhouse", "engine"};
    return options;
}

} // namespace onceswap::acceptance
