// Every exit code of docs/cli/exit-codes.md, each reached by a cluster that is brought there, and by no
// unknown the 0. The watcher says the same code as the status.
#include "workshop.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <vector>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(exit_codes)

namespace {

/// A publication that ends with `published` under these faults, and what both verbs say then.
struct Row {
    int published;
    int seen;
    std::vector<std::string> faults;
    Words simulator;
    Words more;
    std::string word;
};

std::string server_with_drop_limit(const Workshop& workshop) {
    return workshop.file("scenario.json", R"({"max_table_size_to_drop":50000,"tables":[
        {"database":"db","name":"target","rows":100,"total_bytes":64000,
         "columns":[{"name":"id","type":"UInt64"},{"name":"name","type":"String"}]}]})");
}

} // namespace

BOOST_AUTO_TEST_CASE(each_is_reached) {
    const Workshop workshop;
    const std::string rows_file = workshop.rows("rows", 5);
    const std::string error_on_one =
        R"({"point":"worker_after_active","match":{"class":"exchange","member":1},"effect":"host_error","code":1,)"
        R"("text":"renameat2 is not supported"})";
    const std::string stopped_worker =
        R"({"point":"enqueued","match":{"class":"exchange"},"effect":"stop_worker","on":1})";
    const Row rows[] = {
        {0, 0, {}, {}, {}, "COMPLETED"},
        {3, 3, {stopped_worker}, {}, {"--timeout", "5s"}, "PARTIAL_IN_PROGRESS"},
        {5, 5, {error_on_one}, {}, {}, "PARTIAL_TERMINAL"},
        {9, 9, {}, {"--scenario", server_with_drop_limit(workshop)}, {}, "CLEANUP_INCOMPLETE"},
    };
    std::set<int> reached;
    for (const Row& row : rows) {
        SimProcess sim(row.simulator);
        for (const std::string& fault : row.faults)
            sim.add_fault(fault);
        const Ended published =
            run(refresh_load(),
                Words{"publish"} + sim.where() +
                    Words{"--from", rows_file, "--execute", "--invocation-id", "i", "--quiet"} + row.more);
        BOOST_TEST(published.code == row.published, describe(published));
        const std::uint64_t mutations = sim.mutations();
        for (const char* verb : {"status", "watch"}) {
            const Ended seen = run(reconcile_watch(), Words{verb} + sim.where() + Words{"--timeout", "3s"});
            BOOST_TEST(seen.code == row.seen, describe(seen));
            BOOST_TEST(seen.out.find("Verdict:   " + row.word + "\n") != std::string::npos, describe(seen));
            reached.insert(seen.code);
        }
        BOOST_TEST(sim.mutations() == mutations); // whatever the verdict: it only read
    }

    SimProcess empty;
    SimProcess whole;
    const Ended published =
        run(refresh_load(),
            Words{"publish"} + whole.where() + Words{"--from", rows_file, "--execute", "--invocation-id", "i"}
        );
    BOOST_TEST(published.code == 0, describe(published));
    const Words pin{"--operation", std::string(64, '0')};
    const Words nowhere{
        "--url", "http://127.0.0.1:1", "--cluster", "c1", "--table", "db.t", "--timeout", "2s"
    };

    const struct {
        int code;
        std::string program;
        Words words;
    } others[] = {
        {1, reconcile_watch(), Words{"status"} + nowhere},
        {3, reconcile_watch(), Words{"watch"} + nowhere},
        {2, reconcile_watch(), Words{"status", "--url", "nonsense"}},
        {6, reconcile_watch(), Words{"status"} + empty.where()},
        {6, reconcile_watch(), Words{"watch"} + empty.where()},
        {7, reconcile_watch(), Words{"status"} + whole.where() + pin},
        {7, reconcile_watch(), Words{"watch"} + whole.where() + pin},
        {8,
         refresh_load(),
         Words{
             "publish", "--url", whole.urls().front(), "--cluster", "c1", "--table", "db.target", "--from"
         } + Words{rows_file, "--execute", "--invocation-id", "j"}},
    };

    for (const auto& other : others) {
        const Ended ended = run(other.program, other.words);
        BOOST_TEST(ended.code == other.code, describe(ended));
        reached.insert(ended.code);
    }
    SimProcess silent;
    silent.add_fault(R"({"point":"arrive","times":0,"effect":"hold"})");
    whole.add_fault(R"({"point":"at_time","at_us":0,"effect":"crash","on":1})");
    for (const char* verb : {"status", "watch"}) {
        const Ended ended =
            run(reconcile_watch(),
                Words{verb} + whole.where() + Words{"--timeout", "3s", "--read-timeout", "1s"});
        // The reading ends by itself, the watch by its deadline.
        BOOST_TEST(ended.code == (verb == std::string("status") ? 4 : 3), describe(ended));
        BOOST_TEST(contains(ended.out, "Verdict:   OUTCOME_UNKNOWN\n"), describe(ended));
        reached.insert(ended.code);
    }
    for (const char* verb : {"status", "doctor", "plan", "watch"}) { // a server that answers nothing in time
        const Ended ended = run(reconcile_watch(), Words{verb} + silent.where() + Words{"--timeout", "1s"});
        BOOST_TEST(ended.code == 3, describe(ended));
        BOOST_TEST(contains(ended.err, "ONCESWAP_DEADLINE_REACHED: "), describe(ended));
    }
    const std::set<int> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; // 130 and 143: watch_test and signals_test
    BOOST_TEST((reached == all));
}

BOOST_AUTO_TEST_SUITE_END()
