#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/state.hpp"
#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

// The records' table was made by hand with a limit of keys, and it is full.

using namespace onceswap;
using namespace onceswap::simulation;

namespace {

sim::Scenario full_table(std::uint64_t limit, std::size_t records) {
    sim::Scenario scenario = sim::simple_scenario(3);
    sim::AuthoritySetup authority;
    authority.keys_limit = limit;
    for (std::size_t i = 0; i < records; ++i) {
        sim::AuthorityRowSetup row;
        row.target_key = std::string(64, static_cast<char>('a' + i));
        authority.rows.push_back(std::move(row));
    }
    scenario.authority = std::move(authority);
    return scenario;
}

/// Candidates that a member shows.
std::size_t staged(Bench& bench, sim::MemberIndex member) {
    const auto& tables = bench.world.cluster().state().members[member].tables;
    return static_cast<std::size_t>(std::ranges::count_if(tables, [](const sim::NamedTable& table) {
        return table.name.starts_with("onceswap_");
    }));
}

sim::Fault limit_of(std::uint64_t limit, sim::Time at) {
    sim::Fault fault(at, sim::Effect::edit_table);
    fault.text = "db.__onceswap_authority";
    const std::string number = std::to_string(limit);
    fault.values = {
        {"keys_limit", number},
        {"engine_full", "KeeperMap('/onceswap/authority/v1', " + number + ") PRIMARY KEY target_key"}
    };
    return fault;
}

template <class Report>
void check_refused(Bench& bench, const Report& report, const std::string& part) {
    BOOST_REQUIRE(report.has_value());
    BOOST_REQUIRE(report->stopped_by.has_value());
    BOOST_TEST((*report->stopped_by == protocol::Code::authority_full));
    BOOST_TEST((report->stopped_detail.find(part) != std::string::npos), report->stopped_detail);
    BOOST_TEST(protocol::exit_code(*report) == 8);
    BOOST_TEST(bench.world.truth().authority_writes.empty());
}

} // namespace

BOOST_AUTO_TEST_SUITE(full_authority)

BOOST_AUTO_TEST_CASE(a_first_record_that_will_find_no_room_is_refused_before_anything_is_staged) {
    Bench bench(full_table(2, 2), 41);
    const std::string before = bench.target_uuid(0);
    const auto report = bench.publish("run-1");
    BOOST_TEST_CONTEXT(describe(report) << bench.facts()) {
        check_refused(bench, report, "has 2 records; the limit in its definition is 2");
        BOOST_TEST(bench.target_uuid(0) == before);
    }
    bench.world.run_until_idle();
    for (sim::MemberIndex member = 0; member < bench.members(); ++member)
        BOOST_TEST(staged(bench, member) == 0U, bench.facts());
    check_invariants(bench, "full");

    // As the page says: a higher limit on every member, and the same command.
    bench.world.add(limit_of(3, bench.world.now()));
    bench.world.run_for(std::chrono::milliseconds(1));
    const auto again = bench.publish("run-1");
    BOOST_TEST(word(again) == "COMPLETED", describe(again));
}

/// The definition stands on each server for itself: one that has the limit may be the one that is written to.
BOOST_AUTO_TEST_CASE(one_member_with_a_limit_is_enough) {
    Bench bench(full_table(0, 2), 43);
    sim::Fault limit = limit_of(2, bench.world.now());
    limit.on = 2;
    bench.world.add(limit);
    bench.world.run_for(std::chrono::milliseconds(1));
    const auto report = bench.publish("run-1");
    BOOST_TEST_CONTEXT(describe(report) << bench.facts()) {
        check_refused(bench, report, "has 2 records; the limit in its definition is 2");
    }
}

/// Another target took the last place after admission had seen it free. A copy of the refused write may still
/// come, and with it a record that names the candidate: so that stays.
BOOST_AUTO_TEST_CASE(a_place_that_is_taken_while_it_stages_is_refused_by_the_server) {
    Bench bench(full_table(0, 2), 41);
    sim::Fault limit = limit_of(2, {});
    limit.point = sim::Point::worker_after_status;
    limit.match = sim::Match(sim::StatementClass::create_candidate);
    limit.times = 3; // each member has its own definition
    bench.world.add(limit);
    const auto report = bench.publish("run-1");
    BOOST_TEST_CONTEXT(describe(report) << bench.facts()) {
        check_refused(bench, report, "Limit is 2");
    }
    bench.world.run_until_idle();
    for (sim::MemberIndex member = 0; member < bench.members(); ++member)
        BOOST_TEST(staged(bench, member) == 1U, bench.facts());
    BOOST_TEST(bench.world.truth().drops.empty());
    check_invariants(bench, "taken");

    bench.world.add(limit_of(3, bench.world.now()));
    bench.world.run_for(std::chrono::milliseconds(1));
    const auto again = bench.publish("run-1");
    BOOST_TEST(word(again) == "COMPLETED", describe(again));
}

BOOST_AUTO_TEST_CASE(who_has_a_record_goes_on_in_a_full_table) {
    Bench bench(full_table(3, 2), 42);
    for (const char* invocation : {"run-1", "run-2", "run-3"}) {
        const auto report = bench.publish(invocation);
        BOOST_TEST(word(report) == "COMPLETED", invocation << ": " << describe(report) << bench.facts());
    }
}

BOOST_AUTO_TEST_SUITE_END()
