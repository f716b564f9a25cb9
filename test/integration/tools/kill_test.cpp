// Killed with SIGKILL at any request and run again with the same invocation id.
#include "workshop.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <string>
#include <vector>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(killed)

namespace {

using Rows = std::vector<std::int64_t>;

/// What becomes of the request that the killed process had sent.
enum class Fate { executed, never_arrives, arrives_after_the_next_run, had_its_effect };

const char* text(Fate fate) {
    switch (fate) {
    case Fate::executed:
        return "executed after the kill";
    case Fate::never_arrives:
        return "never arrives";
    case Fate::arrives_after_the_next_run:
        return "arrives after the next run";
    case Fate::had_its_effect:
        return "had its effect, the answer was lost";
    }
    return "";
}

struct Ending {
    bool killed = false; ///< false: the publication has fewer requests
    bool refused = false;
};

struct Sweep {
    std::string match;
    std::string from;  ///< path, or `-`
    std::string input; ///< of standard input
    std::int64_t rows = 0;
};

const char* fast = R"({"latency":{"network_us":[0,50],"statement_us":[0,50],"keeper_us":[0,50],
    "worker_step_us":[0,200],"replication_us":[0,200]}})";

Words publish_words(SimProcess& sim, const std::string& from) {
    return Words{"publish"} + sim.where() +
           Words{"--from", from, "--execute", "--invocation-id", "run-1", "--like", "db.target"};
}

/// One publication that is killed at its `nth` matching request, and the next one.
Ending kill_at(const Sweep& sweep, unsigned nth, Fate fate) {
    const Workshop workshop;
    SimProcess sim({"--scenario", workshop.file("scenario.json", fast)});
    const char* point = fate == Fate::had_its_effect ? "effect" : "arrive";
    sim.add_fault(
        std::string(R"({"point":")") + point + R"(","effect":"hold","nth":)" + std::to_string(nth) +
        R"(,"match":)" + sweep.match + "}"
    );
    Ending ending;
    const Words words = publish_words(sim, sweep.from);
    {
        Process loader(refresh_load(), words);
        if (!sweep.input.empty()) {
            loader.write(sweep.input);
            loader.close_input();
        }
        if (!sim.wait_until_fired(0, loader)) {
            const Ended ended = loader.wait();
            BOOST_TEST(ended.code == 0, describe(ended));
            return ending;
        }
        ending.killed = true;
        loader.send(SIGKILL);
        BOOST_TEST(loader.wait().signal == SIGKILL);
    }
    if (fate == Fate::executed)
        sim.release();
    if (fate == Fate::never_arrives)
        sim.release(true);
    const std::string phase = sim.phase();
    const std::uint64_t exchanges = sim.requests_of("exchange");
    const Ended again = run(refresh_load(), words, sweep.input);
    if (fate == Fate::arrives_after_the_next_run || fate == Fate::had_its_effect)
        sim.release();
    BOOST_TEST_CONTEXT(
        "request " << nth << " of " << sweep.match << " " << text(fate) << ", killed in phase `" << phase
                   << "`\n"
                   << describe(again)
    ) {
        BOOST_TEST(sim.requests_of("exchange") <= 1);
        const bool is_stdin = sweep.from == "-";
        if (again.code == 0) {
            BOOST_TEST(sim.phase() == "COMPLETED");
            BOOST_TEST((sim.rows_of("target") == Rows{sweep.rows, sweep.rows}));
            BOOST_TEST(sim.requests_of("exchange") == 1);
            BOOST_TEST(sim.executions_of("exchange") == 2);
        } else if (is_stdin && (phase.empty() || phase == "PREPARED")) {
            ending.refused = true;
            BOOST_TEST(again.code == 1);
            BOOST_TEST(again.err.find("ONCESWAP_INPUT_NOT_REPEATABLE") != std::string::npos);
            BOOST_TEST(sim.requests_of("exchange") == 0);
            BOOST_TEST((sim.rows_of("target") == Rows{100, 100}));
        } else {
            // The one window in which it may refuse: between the first byte of the dispatching CAS and the
            // last of the DDL. Then it must say so, and nothing may have been swapped behind its back.
            ending.refused = true;
            BOOST_TEST(again.code == 4);
            BOOST_TEST(
                (phase == "DISPATCHING" || (phase == "PREPARED" && fate == Fate::arrives_after_the_next_run))
            );
            BOOST_TEST(exchanges <= 1);
            BOOST_TEST(lines(again.err) == 1);
            BOOST_TEST(again.out.find("DISPATCHING") != std::string::npos);
        }
    }
    return ending;
}

/// Kills at every request until the publication has no more.
void sweep_all(const Sweep& sweep, Fate fate, unsigned most_refusals) {
    unsigned refusals = 0;
    unsigned kills = 0;
    for (unsigned nth = 1; nth < 1000; ++nth) {
        const Ending ending = kill_at(sweep, nth, fate);
        if (!ending.killed)
            break;
        ++kills;
        refusals += ending.refused ? 1 : 0;
    }
    BOOST_TEST_MESSAGE(kills << " kills, " << refusals << " refusals: " << sweep.match << ", " << text(fate));
    BOOST_TEST(kills >= 8);
    BOOST_TEST(refusals <= most_refusals);
}

const std::string mutations = R"({"mutations_only":true})";
const std::string everything = "{}";

} // namespace

BOOST_AUTO_TEST_CASE(the_request_is_executed_all_the_same) {
    const Workshop workshop;
    sweep_all(
        {mutations, workshop.rows("rows", 50), "", 50}, Fate::executed, 1
    ); // the CAS: DISPATCHING without a DDL
}

BOOST_AUTO_TEST_CASE(the_request_never_arrives) {
    const Workshop workshop;
    sweep_all({mutations, workshop.rows("rows", 50), "", 50}, Fate::never_arrives, 1); // the EXCHANGE itself
}

BOOST_AUTO_TEST_CASE(the_answer_is_lost) {
    const Workshop workshop;
    sweep_all({mutations, workshop.rows("rows", 50), "", 50}, Fate::had_its_effect, 1);
}

BOOST_AUTO_TEST_CASE(the_request_arrives_when_all_is_over) {
    const Workshop workshop;
    sweep_all({mutations, workshop.rows("rows", 50), "", 50}, Fate::arrives_after_the_next_run, 2);
}

BOOST_AUTO_TEST_CASE(standard_input_is_refused_while_it_would_be_needed_again) {
    std::string input;
    for (int row = 0; row < 50; ++row)
        input += "{\"id\":" + std::to_string(row) + "}\n";
    // From the first row on until the record holds the staged table.
    for (unsigned nth = 1; nth <= 1; ++nth) {
        for (const Fate fate : {Fate::executed, Fate::never_arrives, Fate::had_its_effect}) {
            const Ending ending = kill_at({R"({"class":"insert_rows"})", "-", input, 50}, nth, fate);
            BOOST_TEST(ending.killed);
            BOOST_TEST(ending.refused);
        }
    }
    // Once it is recorded and complete, the input is not needed any more.
    for (const Fate fate : {Fate::never_arrives, Fate::had_its_effect}) {
        const Ending ending = kill_at({R"({"class":"rename"})", "-", input, 50}, 1, fate);
        BOOST_TEST(ending.killed);
        BOOST_TEST(!ending.refused);
    }
}

// Reads change nothing, so a kill there is a kill after the mutation before it; all of them only on request.
BOOST_AUTO_TEST_CASE(every_request_reads_included) {
    if (!whole_tests()) {
        BOOST_TEST_MESSAGE("skipped without ONCESWAP_TEST_ALL");
        return;
    }
    const Workshop workshop;
    sweep_all({everything, workshop.rows("rows", 50), "", 50}, Fate::had_its_effect, 20);
}

BOOST_AUTO_TEST_SUITE_END()
