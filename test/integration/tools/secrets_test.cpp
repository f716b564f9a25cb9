// A password and a private key are planted; nothing that is printed, written, counted or shown by the system
// holds them.
#include "workshop.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(secrets)

namespace {

const std::string secret = "pl4nted-s3cret-w0rd";

void is_clean(const std::string& what, const std::string& text) {
    BOOST_TEST(text.find(secret) == std::string::npos, what << ": " << text);
    BOOST_TEST(text.find("cGw0bnRlZ") == std::string::npos, what << ": " << text); // its base64 begins so
}

std::string of_process(const Process& process, const std::string& name) {
    return content_of("/proc/" + std::to_string(process.pid()) + "/" + name);
}

} // namespace

BOOST_AUTO_TEST_CASE(none_of_them_is_seen_anywhere) {
    const Workshop workshop;
    const std::string scenario =
        workshop.file("scenario.json", R"({"users":[{"name":"default","password":")" + secret + R"("}]})");
    const std::string password = workshop.file("password", secret + "\n");
    std::filesystem::permissions(password, std::filesystem::perms(0600));
    const std::string rows = workshop.rows("rows", 5);
    SimProcess sim({"--scenario", scenario});
    const std::string evidence = workshop.path("evidence");
    const std::string metrics = workshop.path("metrics");

    const std::vector<std::pair<Words, std::map<std::string, std::string>>> ways = {
        {Words{"--password-file", password}, {}}, {Words{}, {{"ONCESWAP_PASSWORD", secret}}}
    };
    for (const auto& [words, variables] : ways) {
        sim.add_fault(R"({"point":"arrive","effect":"hold","match":{"class":"exchange"}})");
        const std::uint64_t fired = sim.fired();
        Process loader(
            refresh_load(),
            Words{"publish"} + sim.where() + words +
                Words{"--from", rows, "--execute", "--verbose", "--json", "--evidence", evidence},
            variables
        );
        BOOST_REQUIRE(sim.wait_until_fired(fired, loader));
        Process watcher(
            reconcile_watch(),
            Words{"watch"} + sim.where() + words +
                Words{"--verbose", "--json", "--interval", "1s", "--evidence", evidence + "2"} +
                Words{"--metrics-file", metrics},
            variables
        );
        BOOST_REQUIRE(watcher.wait_for_output("\n"));
        for (const Process* process : {&loader, &watcher}) {
            is_clean("cmdline", of_process(*process, "cmdline"));
            is_clean("environ", of_process(*process, "environ"));
        }
        sim.release();
        const Ended watched = watcher.wait();
        const Ended loaded = loader.wait();
        BOOST_TEST(watched.code == 0, describe(watched));
        BOOST_TEST(loaded.code == 0, describe(loaded));
        for (const Ended* ended : {&watched, &loaded}) {
            is_clean("output", ended->out);
            is_clean("log", ended->err);
        }
        for (const std::string& file : {evidence, evidence + "2", metrics}) {
            BOOST_TEST(!content_of(file).empty(), file);
            is_clean(file, content_of(file));
        }
    }
}

// Every verb that asks a cluster, each with all that it can write.
BOOST_AUTO_TEST_CASE(no_verb_shows_it) {
    const Workshop workshop;
    const std::string scenario =
        workshop.file("scenario.json", R"({"users":[{"name":"default","password":")" + secret + R"("}]})");
    const std::string password = workshop.file("password", secret + "\n");
    std::filesystem::permissions(password, std::filesystem::perms(0600));
    SimProcess sim({"--scenario", scenario});
    const Words load{"--from", workshop.rows("rows", 5), "--invocation-id", "i"};
    const Words where = sim.where() + Words{"--password-file", password, "--verbose"};
    const std::string events = workshop.path("events");

    const struct {
        std::string program;
        Words words;
    } table[] = {
        {refresh_load(), Words{"plan"} + load},
        {refresh_load(), Words{"stage"} + load},
        {refresh_load(), Words{"stage", "--execute"} + load},
        {refresh_load(), Words{"publish", "--invocation-id", "i"}},
        {refresh_load(), Words{"publish", "--invocation-id", "i", "--execute"}},
        {refresh_load(), {"resume"}},
        {refresh_load(), {"resume", "--execute"}},
        {refresh_load(), {"abandon"}},
        {refresh_load(), {"retire"}},
        {refresh_load(), {"close", "--keep-predecessor"}},
        {refresh_load(), {"orphans", "list"}},
        {refresh_load(), {"orphans", "drop", "--name", "onceswap_none"}},
        {reconcile_watch(), {"status"}},
        {reconcile_watch(), {"watch"}},
        {reconcile_watch(), {"doctor"}},
    };

    for (const auto& row : table)
        for (const bool json : {false, true}) {
            Words words = row.words + where + Words{"--event-log", events};
            if (json)
                words.emplace_back("--json");
            const Ended ended = run(row.program, words);
            BOOST_TEST(!(ended.out + ended.err).empty(), describe(ended));
            BOOST_TEST(!contains(ended.err, "ONCESWAP_CONNECTION_FAILED"), describe(ended));
            BOOST_TEST(!contains(ended.err, "ACCESS_INSUFFICIENT"), describe(ended));
            is_clean("output of " + row.words.front(), ended.out);
            is_clean("log of " + row.words.front(), ended.err);
        }
    Process serving(
        reconcile_watch(), Words{"serve", "--listen", "127.0.0.1:0"} + where + Words{"--event-log", events}
    );
    BOOST_REQUIRE(serving.wait_for_error("http://"));
    const std::string address = serving.err().substr(serving.err().rfind("http://127.0.0.1:"));
    const std::string base = address.substr(0, address.find_first_of("/ \n", 17));
    for (const char* path : {"/", "/metrics", "/api/status", "/healthz"}) {
        const Ended got = run("/usr/bin/curl", {"-s", "-S", "-i", base + path});
        BOOST_TEST(contains(got.out, "HTTP/1.1 "), describe(got));
        is_clean(path, got.out);
    }
    serving.send(SIGTERM);
    is_clean("log of serve", serving.wait().err);
    BOOST_TEST(contains(content_of(events), "mutation"));
    is_clean("event log", content_of(events));
}

// One that the server refuses.
BOOST_AUTO_TEST_CASE(a_wrong_one_is_not_seen_either) {
    const Workshop workshop;
    const std::string scenario =
        workshop.file("scenario.json", R"({"users":[{"name":"default","password":"another"}]})");
    SimProcess sim({"--scenario", scenario});
    for (const char* verb : {"status", "watch"}) {
        const Ended ended =
            run(reconcile_watch(),
                Words{verb} + sim.where() + Words{"--timeout", "2s", "--verbose"},
                {},
                {{"ONCESWAP_PASSWORD", secret}});
        BOOST_TEST(ended.code != 0, describe(ended));
        is_clean("output", ended.out);
        is_clean("log", ended.err);
    }
}

BOOST_AUTO_TEST_SUITE_END()
