// Killed with SIGKILL at any request and run again with the same invocation id.
#include "workshop.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <future>
#include <string>
#include <vector>

using namespace onceswap::testing;
namespace json = boost::json;

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

/// What came of one kill and the run after it. Filled on a thread, judged on the test's own.
struct Ending {
    bool killed = false; ///< false: the publication has fewer requests
    bool refused = false;
    std::vector<std::string> problems;
    std::string story;

    void demand(bool holds, const std::string& what) {
        if (!holds)
            problems.push_back(what);
    }
};

struct Sweep {
    std::string match;
    std::string from;  ///< path, or `-`
    std::string input; ///< of standard input
    std::int64_t rows = 0;
};

const char* const fast = R"({"latency":{"network_us":[0,50],"statement_us":[0,50],"keeper_us":[0,50],
    "worker_step_us":[0,200],"replication_us":[0,200]}})";

/// Every table of ours that is left must be named in the report.
void check_leftovers(Ending& ending, const Words& left, const json::value& report) {
    for (const std::string& name : left) {
        const json::array& orphans = report.at("orphans").as_array();
        const bool listed = std::any_of(orphans.begin(), orphans.end(), [&](const json::value& orphan) {
            return orphan.at("name").as_string() == std::string_view(name);
        });
        ending.demand(listed, "the table " + name + " is left and not listed as an orphan");
    }
}

void judge(
    Ending& ending,
    const Sweep& sweep,
    Fate fate,
    SimProcess& sim,
    const std::string& phase,
    const Words& left,
    const Ended& again
) {
    const std::uint64_t exchanges = sim.requests_of("exchange");
    ending.demand(exchanges <= 1, "more than one EXCHANGE was sent");
    ending.demand(!again.out.empty(), "nothing was printed");
    if (again.out.empty())
        return;
    const json::value report = json::parse(again.out);
    if (again.code == 0) {
        ending.demand(sim.phase() == "COMPLETED", "exit code 0 and phase " + sim.phase());
        ending.demand(
            sim.rows_of("target") == Rows{sweep.rows, sweep.rows}, "the target does not hold the rows"
        );
        ending.demand(exchanges == 1, "no EXCHANGE was sent");
        ending.demand(
            sim.executions_of("exchange") == 2, "the EXCHANGE was not executed once on each member"
        );
        check_leftovers(ending, left, report);
        return;
    }
    ending.refused = true;
    ending.demand(lines(again.err) == 1, "not one line on standard error");
    if (sweep.from == "-") {
        ending.demand(again.code == 1, "exit code " + std::to_string(again.code));
        ending.demand(
            again.err.find("ONCESWAP_INPUT_NOT_REPEATABLE") != std::string::npos, "another code: " + again.err
        );
        ending.demand(exchanges == 0, "an EXCHANGE was sent");
        ending.demand(sim.rows_of("target") == Rows{100, 100}, "the target was touched");
        return;
    }
    // The one window in which it may refuse: from the first byte of the dispatching CAS to the last of the
    // DDL. The record then says DISPATCHING: it did when the process was killed, or its late CAS brought it
    // there.
    const bool may =
        phase == "DISPATCHING" || (phase == "PREPARED" && fate == Fate::arrives_after_the_next_run);
    ending.demand(may, "refused outside of the one window");
    ending.demand(again.code == 4, "exit code " + std::to_string(again.code));
    ending.demand(
        report.at("phase").is_string() && report.at("phase").as_string() == "DISPATCHING",
        "does not say DISPATCHING"
    );
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
    const Words words =
        Words{"publish"} + sim.where() +
        Words{"--from", sweep.from, "--execute", "--invocation-id", "run-1", "--json", "--quiet"};
    {
        Process loader(refresh_load(), words);
        if (!sweep.input.empty()) {
            loader.write(sweep.input);
            loader.close_input();
        }
        if (!sim.wait_until_fired(0, loader)) {
            const Ended ended = loader.wait();
            ending.demand(ended.code == 0, "an undisturbed run failed: " + describe(ended));
            return ending;
        }
        ending.killed = true;
        loader.send(SIGKILL);
        ending.demand(loader.wait().signal == SIGKILL, "it ended before it was killed");
    }
    if (fate == Fate::executed)
        sim.release();
    if (fate == Fate::never_arrives)
        sim.release(true);
    const std::string phase = sim.phase();
    const Ended again = run(refresh_load(), words, sweep.input);
    const Words left = sim.candidates(); // a CREATE that comes later still is nobody's to know
    if (fate == Fate::arrives_after_the_next_run || fate == Fate::had_its_effect)
        sim.release();
    ending.story = "request " + std::to_string(nth) + " of " + sweep.match + " " + text(fate) +
                   ", killed in phase `" + phase + "`\n" + describe(again);
    judge(ending, sweep, fate, sim, phase, left, again);
    return ending;
}

void report(const Ending& ending) {
    for (const std::string& problem : ending.problems)
        BOOST_ERROR(problem + "\n" + ending.story);
}

/// Kills at every request until the publication has no more; several at a time, since most of it is waiting.
void sweep_all(const Sweep& sweep, Fate fate, unsigned most_refusals) {
    constexpr unsigned at_once = 7;
    unsigned refusals = 0;
    unsigned kills = 0;
    bool more = true;
    for (unsigned first = 1; more && first < 1000; first += at_once) {
        std::vector<std::future<Ending>> running;
        for (unsigned nth = first; nth < first + at_once; ++nth)
            running.push_back(std::async(std::launch::async, [&sweep, nth, fate] {
                return kill_at(sweep, nth, fate);
            }));
        for (std::future<Ending>& each : running) {
            const Ending ending = each.get();
            report(ending);
            more = more && ending.killed;
            kills += ending.killed ? 1 : 0;
            refusals += ending.refused ? 1 : 0;
        }
    }
    BOOST_TEST_MESSAGE(kills << " kills, " << refusals << " refusals: " << sweep.match << ", " << text(fate));
    BOOST_TEST(kills >= 12);
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

    const struct {
        const char* match;
        Fate fate;
        bool refused; ///< once the staged table is recorded and complete, the input is not needed any more
    } rows[] = {
        {R"({"class":"insert_rows"})", Fate::executed, true},
        {R"({"class":"insert_rows"})", Fate::never_arrives, true},
        {R"({"class":"insert_rows"})", Fate::had_its_effect, true},
        {R"({"class":"authority_insert"})", Fate::never_arrives, true},
        {R"({"class":"authority_insert"})", Fate::had_its_effect, false},
        {R"({"class":"authority_update"})", Fate::never_arrives, false},
        {R"({"class":"rename"})", Fate::had_its_effect, false},
    };

    std::vector<std::future<Ending>> running;
    for (const auto& row : rows) {
        const Sweep sweep{row.match, "-", input, 50};
        const Fate fate = row.fate;
        running.push_back(std::async(std::launch::async, [sweep, fate] { return kill_at(sweep, 1, fate); }));
    }
    for (std::size_t at = 0; at < running.size(); ++at) {
        const Ending ending = running[at].get();
        report(ending);
        BOOST_TEST(ending.killed, rows[at].match);
        BOOST_TEST(ending.refused == rows[at].refused, ending.story);
    }
}

// Reads change nothing, so a kill there is a kill after the mutation before it; all of them only on request.
BOOST_AUTO_TEST_CASE(every_request_reads_included) {
    if (!whole_tests()) {
        BOOST_TEST(true, "skipped without ONCESWAP_TEST_ALL");
        return;
    }
    const Workshop workshop;
    sweep_all({everything, workshop.rows("rows", 50), "", 50}, Fate::had_its_effect, 20);
}

BOOST_AUTO_TEST_SUITE_END()
