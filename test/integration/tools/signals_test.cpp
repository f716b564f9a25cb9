#include "workshop.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(signals)

namespace {

using Rows = std::vector<std::int64_t>;

/// The command that a stopped run printed.
std::string command_to_go_on(const std::string& err) {
    const std::string mark = "to go on: ";
    const std::size_t begin = err.find(mark);
    if (begin == std::string::npos)
        return {};
    return err.substr(begin + mark.size(), err.find('\n', begin) - begin - mark.size());
}

Ended run_in_shell(const std::string& command) {
    return run("/bin/sh", {"-c", "PATH=" + std::string(ONCESWAP_BINARY_DIR) + ":$PATH; " + command});
}

struct Held {
    Held(const std::string& class_of_statement, Words more) {
        sim.add_fault(
            R"({"point":"arrive","effect":"hold","match":{"class":")" + class_of_statement + R"("}})"
        );
        loader.emplace(
            refresh_load(),
            Words{"publish"} + sim.where() + Words{"--from", workshop.rows("rows it's", 25), "--execute"} +
                more
        );
        BOOST_REQUIRE(sim.wait_until_fired(0, *loader));
    }

    SimProcess sim;
    Workshop workshop;
    std::optional<Process> loader;
};

} // namespace

// Stopped while the record is written: what was printed goes on to the end, with one EXCHANGE.
BOOST_AUTO_TEST_CASE(stopped_once_it_ends_cleanly_and_the_printed_command_goes_on) {
    const struct {
        int signal;
        int code;
    } rows[] = {{SIGINT, 130}, {SIGTERM, 143}};

    for (const auto& row : rows) {
        Held held("authority_insert", {});
        held.loader->send(row.signal);
        const Ended ended = held.loader->wait();
        BOOST_TEST_CONTEXT(describe(ended)) {
            BOOST_TEST(ended.code == row.code);
            BOOST_TEST(ended.signal == 0); // it ended by itself
            BOOST_TEST(contains(ended.err, "stopped by signal; "));
        }
        held.sim.release();
        const std::string command = command_to_go_on(ended.err);
        BOOST_REQUIRE_MESSAGE(contains(command, "--invocation-id"), describe(ended));
        const Ended again = run_in_shell(command);
        BOOST_TEST(again.code == 0, describe(again));
        BOOST_TEST(held.sim.requests_of("exchange") == 1);
        BOOST_TEST(held.sim.phase() == "COMPLETED");
        BOOST_TEST((held.sim.rows_of("target") == Rows{25, 25}));
    }
}

BOOST_AUTO_TEST_CASE(stopped_while_rows_are_staged_the_target_is_untouched) {
    Held held("insert_rows", {"--invocation-id", "i"});
    held.loader->send(SIGINT);
    const Ended ended = held.loader->wait();
    BOOST_TEST(ended.code == 130, describe(ended));
    BOOST_TEST((held.sim.rows_of("target") == Rows{100, 100}));
    held.sim.release();
    const Ended again = run_in_shell(command_to_go_on(ended.err));
    BOOST_TEST(again.code == 0, describe(again));
    BOOST_TEST(held.sim.requests_of("exchange") == 1);
    BOOST_TEST((held.sim.rows_of("target") == Rows{25, 25}));
}

BOOST_AUTO_TEST_CASE(standard_input_that_gives_nothing_can_be_stopped) {
    SimProcess sim;
    Process loader(
        refresh_load(),
        Words{"publish"} + sim.where() +
            Words{"--from", "-", "--execute", "--invocation-id", "i", "--verbose"}
    );
    BOOST_REQUIRE(loader.wait_for_error("mutation create_candidate"));
    loader.send(SIGINT);
    // Its input stays open: only the signal can end it.
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    while (loader.running() && std::chrono::steady_clock::now() < until)
        loader.wait_for_error("cannot be read twice", std::chrono::milliseconds(200));
    BOOST_TEST(!loader.running());
    const Ended ended = loader.wait();
    BOOST_TEST(ended.code == 130, describe(ended));
    BOOST_TEST(contains(ended.err, "standard input cannot be read twice"), describe(ended));
    BOOST_TEST(sim.phase() == "");
}

// The EXCHANGE is on its way: the stop is deferred, the second one ends the process at once. The statement
// runs.
BOOST_AUTO_TEST_CASE(twice_ends_at_once) {
    Held held("authority_update", {"--invocation-id", "i"});
    held.loader->send(SIGINT);
    held.loader->send(SIGUSR1); // handled after it: its line shows that the first was taken and nothing ended
    BOOST_REQUIRE(held.loader->wait_for_error("dispatch"));
    BOOST_TEST(held.loader->running());
    held.loader->send(SIGINT);
    const Ended ended = held.loader->wait();
    BOOST_TEST(ended.code == 130, describe(ended));
    BOOST_TEST(ended.out == "");
    held.sim.release(true);
    const Ended again =
        run(refresh_load(),
            Words{"publish"} + held.sim.where() +
                Words{"--from", held.workshop.path("rows it's"), "--execute", "--invocation-id", "i"});
    BOOST_TEST(again.code == 0, describe(again));
    BOOST_TEST(held.sim.requests_of("exchange") == 1);
    BOOST_TEST((held.sim.rows_of("target") == Rows{25, 25}));
}

// The EXCHANGE has left: only the waiting stops, and what is printed says so and is the state now, not an
// earlier one.
BOOST_AUTO_TEST_CASE(stopped_after_the_statement_left) {
    Held held("exchange", {"--invocation-id", "i"});
    held.loader->send(SIGTERM);
    const Ended ended = held.loader->wait();
    BOOST_TEST_CONTEXT(describe(ended)) {
        BOOST_TEST(ended.code == 143);
        BOOST_TEST(contains(ended.out, "phase DISPATCHING"));
        BOOST_TEST(contains(ended.out, "Stopped:   ONCESWAP_CANCELLED"));
        BOOST_TEST(contains(ended.err, "only the waiting was stopped"));
        BOOST_TEST(!contains(ended.err, "nothing was dispatched"));
    }
    held.sim.release();
    const Ended again = run_in_shell(command_to_go_on(ended.err));
    BOOST_TEST(again.code == 0, describe(again));
    BOOST_TEST(held.sim.requests_of("exchange") == 1);
    BOOST_TEST((held.sim.rows_of("target") == Rows{25, 25}));
}

BOOST_AUTO_TEST_CASE(usr1_says_what_is_being_done) {
    Held held("insert_rows", {"--invocation-id", "i"});
    held.loader->send(SIGUSR1);
    BOOST_TEST(held.loader->wait_for_error("refresh-load: loading 0% 0 B, 0 rows\n"), held.loader->err());
    BOOST_TEST(held.loader->running());
    held.sim.release();
    const Ended ended = held.loader->wait();
    BOOST_TEST(ended.code == 0, describe(ended));
}

BOOST_AUTO_TEST_CASE(a_reader_that_went_away_changes_nothing) {
    Held held("authority_insert", {"--invocation-id", "i"});
    held.loader->close_output();
    held.sim.release();
    const Ended ended = held.loader->wait();
    BOOST_TEST(ended.code == 0, describe(ended));
    BOOST_TEST(ended.err == "");
    BOOST_TEST(held.sim.phase() == "COMPLETED");
}

BOOST_AUTO_TEST_SUITE_END()
