#include "world_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

// The cleaners of the DDL queue: by age and by count, whether or not hosts are done.

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using namespace std::chrono_literals;

namespace {

Scenario with_retention(Time lifetime, std::uint64_t tasks, Time delay, std::size_t members = 2) {
    Scenario scenario = simple_scenario(members);
    scenario.cleanup.task_max_lifetime = lifetime;
    scenario.cleanup.max_tasks_in_queue = tasks;
    scenario.cleanup.cleanup_delay_period = delay;
    return scenario;
}

const std::string harmless = "DROP TABLE IF EXISTS db.nothing ON CLUSTER c1";

} // namespace

BOOST_AUTO_TEST_SUITE(queue_cleanup)

/// What may go goes when something happens in the queue, not before, although one host has not run it.
BOOST_AUTO_TEST_CASE(what_may_go) {
    struct Row {
        const char* what;
        Time lifetime;
        std::uint64_t tasks;
        Time delay;
        Time quiet;      ///< after the first entry
        unsigned others; ///< entries after that, a second apart
        bool gone;
    };

    const std::vector<Row> rows{
        {"too old, but nobody wakes the cleaner", 60s, 1000, 0s, 1h, 0, false},
        {"too old", 60s, 1000, 0s, 1h, 1, true},
        {"young enough", 2h, 1000, 0s, 1h, 1, false},
        {"too many others", 168h, 2, 0s, 1s, 5, true},
        {"not too many others", 168h, 8, 0s, 1s, 5, false},
        {"cleaned a moment ago", 168h, 2, 60s, 1s, 5, false},
        {"as configured by default", 168h, 1000, 60s, 1h, 5, false},
    };
    for (const Row& row : rows) {
        World world(with_retention(row.lifetime, row.tasks, row.delay), 4);
        world.cluster().stop_worker(1);
        run_ddl(world, 0, candidate_sql, "first", 1);
        world.run_for(row.quiet);
        for (unsigned i = 0; i < row.others; ++i)
            run_ddl(world, 0, harmless, "later", 1);
        const std::string rows_seen = queue_rows(world, 0, "first");
        BOOST_TEST_CONTEXT(row.what) {
            BOOST_TEST(rows_seen == (row.gone ? "" : "ch-1|Finished|0;ch-2|Inactive|null;"));
            world.cluster().start_worker(1);
            world.run_until_idle();
            BOOST_TEST(uuid_of(world, 1, "cand") == (row.gone ? "absent" : candidate_uuid));
        }
    }
}

/// `active` goes first, then one status after the other, then the entry.
BOOST_AUTO_TEST_CASE(removing_step_by_step) {
    Scenario scenario = with_retention(60s, 1000, 0s, 3);
    scenario.keeper = Latency(1s, 1s);
    World world(scenario, 4);
    world.cluster().stop_worker(2);
    run_ddl(world, 0, candidate_sql, "first", 30);
    world.run_for(2min);
    world.cluster().submit(
        0,
        [] {
            Query query;
            query.sql = harmless;
            query.settings = {{"distributed_ddl_task_timeout", "0"}};
            return query;
        }(),
        {}
    );
    std::vector<std::string> seen;
    for (int i = 0; i < 100; ++i) {
        const std::string rows = queue_rows(world, 1, "first");
        if (seen.empty() || seen.back() != rows)
            seen.push_back(rows);
        world.run_for(50ms);
    }
    std::string all;
    for (const std::string& one : seen)
        all += one + "\n";
    BOOST_TEST_INFO(all);
    const std::vector<std::string> expected{
        "ch-1|Finished|0;ch-2|Finished|0;ch-3|Removing|null;",
        "ch-1|Finished|0;ch-2|Removing|null;ch-3|Removing|null;",
        "ch-1|Removing|null;ch-2|Removing|null;ch-3|Removing|null;",
        "",
    };
    BOOST_TEST(seen == expected, boost::test_tools::per_element());
}

/// A waiting initiator learns that nobody can tell any more.
BOOST_AUTO_TEST_CASE(initiator_is_told) {
    World world(with_retention(168h, 1, 0s), 4);
    world.cluster().stop_worker(1);
    std::vector<int> codes;
    for (int i = 0; i < 4; ++i) {
        Query query;
        query.sql = harmless;
        query.settings = {
            {"distributed_ddl_task_timeout", "600"}, {"distributed_ddl_output_mode", "never_throw"}
        };
        world.cluster().submit(0, query, [&](Reply reply) { codes.push_back(reply.exception_code); });
        world.run_for(5s);
    }
    const std::vector<int> first{341};
    BOOST_TEST(codes == first, boost::test_tools::per_element());
}

/// While a host stands in `active` the entry stays; once its session is gone it does not, and the statement
/// runs after its entry is gone.
BOOST_AUTO_TEST_CASE(a_host_that_is_executing) {
    for (const bool session_lost : {false, true}) {
        Scenario scenario = with_retention(60s, 1000, 0s);
        World world(scenario, 4);
        Match match(StatementClass::create_candidate);
        match.member = 1;
        world.add(Fault(Point::worker_after_active, match, Effect::stop_worker));
        run_ddl(world, 0, candidate_sql, "setup", 1);
        world.cluster().start_worker(1);
        world.run_until_idle();
        Match exchange(StatementClass::exchange);
        exchange.member = 1;
        world.add(Fault(Point::worker_after_active, exchange, Effect::pause));
        run_ddl(world, 0, exchange_sql, "x", 1);
        if (session_lost)
            world.cluster().lose_session(1);
        world.run_for(2min);
        run_ddl(world, 0, harmless, "later", 1);
        const std::string rows = queue_rows(world, 0, "x");
        world.cluster().unpause(1);
        world.run_for(1s);
        if (session_lost)
            world.cluster().restore_session(1);
        world.run_until_idle();
        BOOST_TEST_CONTEXT("session lost: " << session_lost) {
            BOOST_TEST(rows == (session_lost ? "" : "ch-1|Finished|0;ch-2|Active|null;"));
            BOOST_TEST(uuid_of(world, 1, "target") == candidate_uuid);
            BOOST_TEST((queue_rows(world, 0, "x") == "") == session_lost);
        }
    }
}

BOOST_AUTO_TEST_CASE(retention_from_data) {
    Scenario scenario = simple_scenario(2);
    Fault fault(1s, Effect::set_distributed_ddl);
    fault.values = {{"max_tasks_in_queue", "1"}, {"cleanup_delay_period", "0"}};
    scenario.faults.push_back(fault);
    World world(scenario, 4);
    run_ddl(world, 0, candidate_sql, "first");
    world.run_for(2s);
    for (int i = 0; i < 4; ++i)
        run_ddl(world, 0, harmless, "later");
    world.run_until_idle();
    BOOST_TEST(queue_rows(world, 0, "first") == "");
    for (const char* bad : {"max_tasks_in_queue", "nothing"})
        BOOST_CHECK_THROW(scenario.cleanup.set({{bad, "0"}}), std::invalid_argument);
    BOOST_CHECK_THROW(scenario.cleanup.set({{"task_max_lifetime", "a week"}}), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
