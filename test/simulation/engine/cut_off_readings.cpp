#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

// A call waits until its deadline, and a member falls silent before that. Where the deadline ends a reading
// before that member has answered, the whole reading before it says more; where a whole reading was without
// it, the report says so.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

using namespace std::chrono_literals;

constexpr auto deadline = 60s;

/// The third member's worker never takes the publication, so that its entry is waited for; the second one is
/// silent from then on.
sim::Scenario waited_for(sim::Time silent_from) {
    auto scenario = sim::simple_scenario(3);
    Fault stuck(Point::enqueued, Match(StatementKind::exchange), Effect::stop_worker);
    stuck.on = 2;
    stuck.lasts = 2h;
    scenario.faults.push_back(stuck);
    Fault silent(silent_from, Effect::pause);
    silent.on = 1;
    scenario.faults.push_back(silent);
    return scenario;
}

protocol::Report published(sim::Time silent_from, std::uint64_t seed) {
    Bench bench(waited_for(silent_from), seed);
    auto request = bench.request("run-1");
    request.deadline = bench.world.in(deadline);
    const auto report = bench.publish(bench.process(), request);
    check_invariants(bench, describe(report));
    BOOST_REQUIRE(report.has_value());
    BOOST_REQUIRE(report->stopped_by.has_value());
    BOOST_TEST(protocol::stable_name(*report->stopped_by) == "ONCESWAP_DEADLINE_REACHED");
    return *report;
}

std::ptrdiff_t unavailable(const protocol::Report& report) {
    return std::ranges::count_if(report.members, [](const auto& row) {
        return row.state.state == protocol::State::unavailable;
    });
}

bool tells_of_the_cut(const protocol::Report& report) {
    return std::ranges::find(report.evidence_gaps, "the deadline ended the reading after this one") !=
           report.evidence_gaps.end();
}

} // namespace

BOOST_AUTO_TEST_SUITE(cut_off_readings)

/// The longest wait between two readings is five seconds.
BOOST_AUTO_TEST_CASE(the_whole_reading_before_counts) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const sim::Time silent_from = 54500ms;
        const auto report = published(silent_from, seed);
        const std::int64_t began = report.observed_at - sim::simple_scenario(3).wall_start;
        BOOST_TEST_CONTEXT("seed " << seed << ": " << describe(report)) {
            BOOST_TEST(protocol::text(report.verdict.word) == "PARTIAL_IN_PROGRESS");
            BOOST_TEST(report.members.size() == 3U);
            BOOST_TEST(unavailable(report) == 0);
            BOOST_TEST(tells_of_the_cut(report));
            BOOST_TEST((std::chrono::seconds(began) <= silent_from));
        }
    }
}

/// A read is given up after ten seconds.
BOOST_AUTO_TEST_CASE(a_member_that_a_whole_reading_was_without_is_unavailable) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const auto report = published(30s, seed);
        BOOST_TEST_CONTEXT("seed " << seed << ": " << describe(report)) {
            BOOST_TEST(report.members.size() == 3U);
            BOOST_TEST(unavailable(report) == 1);
        }
    }
}

/// Each of the publication's statements is under way when all servers become others, so that no member can be
/// read any more: what the queue showed of the statement before is not taken for this one's.
BOOST_AUTO_TEST_CASE(what_was_read_of_the_statement_before_is_not_written_of_this_one) {
    const StatementKind kinds[] = {
        StatementKind::exchange, StatementKind::rename_aside, StatementKind::drop_aside
    };
    for (const StatementKind kind : kinds) {
        auto scenario = sim::simple_scenario(2);
        for (sim::MemberIndex member = 0; member < 2; ++member) {
            Fault another(Point::enqueued, Match(kind), Effect::edit_member);
            another.on = member;
            another.values = {{"server_uuid", "99999999-9999-4999-8999-99999999999" + std::to_string(member)}
            };
            scenario.faults.push_back(another);
        }
        Bench bench(scenario, 6);
        auto request = bench.request("run-1");
        request.deadline = bench.world.in(deadline);
        const auto report = bench.publish(bench.process(), request);
        const auto& writes = bench.world.truth().authority_writes;
        const auto& entries = bench.world.truth().entries;
        BOOST_TEST_CONTEXT(protocol::text(kind) << ": " << describe(report)) {
            BOOST_REQUIRE(!writes.empty());
            BOOST_REQUIRE(!entries.empty());
            BOOST_TEST((writes.back().at <= entries.back().at));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
