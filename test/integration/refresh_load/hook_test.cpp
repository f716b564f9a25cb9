// --on-verdict: told what the verb printed, bounded, and without any say in the exit code.
#include "workshop.hpp"

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

using namespace onceswap::testing;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(hook)

namespace {

Words publish(SimProcess& sim, const Workshop& workshop, const std::string& command) {
    return Words{"publish"} + sim.where() +
           Words{
               "--from",
               workshop.rows("rows.ndjson", 10),
               "--invocation-id",
               "i",
               "--execute",
               "--json",
               "--on-verdict",
               command
           };
}

} // namespace

BOOST_AUTO_TEST_CASE(gets_the_document_and_no_secret) {
    SimProcess sim;
    const Workshop workshop;
    const std::string seen = workshop.path("seen");
    const std::string variables = workshop.path("variables");
    const Ended ended =
        run(refresh_load(),
            publish(sim, workshop, "cat > " + seen + "; env > " + variables + "; echo told"),
            {},
            {{"ONCESWAP_PASSWORD", ""}, {"KEPT", "kept"}});
    BOOST_TEST(ended.code == 0, describe(ended));
    BOOST_TEST(content_of(seen) == ended.out);
    BOOST_TEST(!contains(ended.out, "told\n"), "the hook's output is not among the data");
    BOOST_TEST(contains(ended.err, "told\n"), describe(ended));
    const std::string there = content_of(variables);
    BOOST_TEST(contains(there, "ONCESWAP_VERDICT=COMPLETED\n"), there);
    BOOST_TEST(contains(there, "ONCESWAP_EXIT_CODE=0\n"), there);
    BOOST_TEST(contains(there, "KEPT=kept\n"), there);
    BOOST_TEST(!contains(there, "ONCESWAP_PASSWORD"), there);
}

BOOST_AUTO_TEST_CASE(what_it_does_changes_nothing) {
    struct Row {
        const char* command;
        const char* says;
    };

    for (const Row& row : {
             Row{"exit 7", "--on-verdict: the command ended with exit code 7"},
             Row{"kill -9 $$", "--on-verdict: the command was ended by signal 9"},
             Row{"no-such-command-anywhere", "--on-verdict: the command ended with exit code 127"},
             Row{"exec <&- >&- 2>&-; exit 0", ""},
         }) {
        BOOST_TEST_CONTEXT(row.command) {
            SimProcess sim;
            const Workshop workshop;
            const Ended ended = run(refresh_load(), publish(sim, workshop, row.command));
            BOOST_TEST(ended.code == 0, describe(ended));
            BOOST_TEST(contains(ended.err, row.says), describe(ended));
            BOOST_TEST(
                contains(ended.err, "--on-verdict") == !std::string(row.says).empty(), describe(ended)
            );
            BOOST_TEST(json::parse(ended.out).at("exit_code").as_int64() == 0);
        }
    }
}

BOOST_AUTO_TEST_CASE(one_that_hangs_is_ended_with_its_children) {
    SimProcess sim;
    const Workshop workshop;
    // The child keeps the pipe of standard error open: this program ends only when the child is gone, too.
    const Ended ended =
        run(refresh_load(),
            publish(sim, workshop, "trap '' TERM; sleep 1000 & wait; sleep 1000") +
                Words{"--on-verdict-timeout", "200ms"});
    BOOST_TEST(ended.code == 0, describe(ended));
    BOOST_TEST(
        contains(ended.err, "--on-verdict: the command took longer than 200 ms and was ended"),
        describe(ended)
    );
}

BOOST_AUTO_TEST_CASE(a_signal_ends_it_at_once) {
    SimProcess sim;
    const Workshop workshop;
    Process process(refresh_load(), publish(sim, workshop, "echo begun >&2; sleep 1000"));
    BOOST_REQUIRE(process.wait_for_error("begun\n"));
    process.send(SIGINT);
    const Ended ended = process.wait(std::chrono::minutes(1));
    BOOST_TEST(ended.code == 130, describe(ended));
    BOOST_TEST(
        contains(ended.err, "the command was killed, since this program was stopped"), describe(ended)
    );
}

BOOST_AUTO_TEST_SUITE_END()
