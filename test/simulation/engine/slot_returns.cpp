#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/state.hpp"
#include "simulation/bench.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <vector>

// Between the dispatching write and its statement: whatever hinders the statement, the slot is given back,
// with the candidate that is staged already.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::Code;
using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

std::string stop(const std::optional<protocol::Report>& report) {
    return report && report->stopped_by ? std::string(protocol::stable_name(*report->stopped_by)) : "";
}

Fault refused_statement() {
    Fault fault(Point::arrive, Match(StatementKind::exchange), Effect::answer);
    fault.code = 497;
    fault.text = "Code: 497. DB::Exception: default: Not enough privileges. (ACCESS_DENIED)";
    return fault;
}

std::size_t inserts(const Bench& bench) {
    return bench.world.truth().sends_of(sim::StatementClass::insert_rows);
}

boost::asio::awaitable<protocol::Report> cancellable(
    engine::Context& context, engine::PublishRequest request, boost::asio::cancellation_signal& signal
) {
    auto executor = co_await boost::asio::this_coro::executor;
    auto work = engine::publish(context, std::move(request), loader(20));
    auto token = boost::asio::bind_cancellation_slot(signal.slot(), boost::asio::use_awaitable);
    auto report = co_await boost::asio::co_spawn(executor, std::move(work), token);
    co_return report;
}

} // namespace

BOOST_AUTO_TEST_SUITE(slot_returns)

BOOST_AUTO_TEST_CASE(after_a_wrong_grant) {
    auto scenario = sim::simple_scenario(2);
    scenario.faults.push_back(refused_statement());
    Bench bench(scenario, 1);
    const auto first = bench.publish("run-1");
    BOOST_TEST_CONTEXT(describe(first)) {
        BOOST_REQUIRE(first.has_value());
        BOOST_TEST(stop(first) == protocol::stable_name(Code::ddl_rejected));
        BOOST_REQUIRE(first->phase.has_value());
        BOOST_TEST(protocol::text(*first->phase) == "PREPARED");
        BOOST_TEST(first->orphans.empty());
    }
    const auto sent = inserts(bench);
    const auto again = bench.publish("run-1");
    // Two statements left the process, the first was refused before any effect.
    BOOST_TEST_CONTEXT(describe(again) << bench.facts()) {
        BOOST_TEST(word(again) == "COMPLETED");
        BOOST_TEST(inserts(bench) == sent);
        BOOST_TEST(bench.world.truth().entries_with("-publish-") == 1U);
    }
}

/// Something on the way sent the statement twice: one copy is refused, the other one comes later.
BOOST_AUTO_TEST_CASE(a_refusal_of_one_copy_says_nothing_about_another) {
    for (const int seconds : {1, 4, 9, 14}) {
        auto scenario = sim::simple_scenario(2);
        Fault copy(Point::arrive, Match(StatementKind::exchange), Effect::copy);
        copy.text = "exchange";
        scenario.faults.push_back(copy);
        scenario.faults.push_back(refused_statement());
        Fault late(std::chrono::seconds(seconds), Effect::replay);
        late.text = "exchange";
        scenario.faults.push_back(late);
        Bench bench(scenario, 1);
        const auto first = bench.publish("run-1");
        const std::string what = "copied " + std::to_string(seconds) + " s later: " + describe(first);
        check_published(bench, first, what);
        const auto again = bench.publish("run-1");
        BOOST_TEST_CONTEXT(what << "; again: " << describe(again) << bench.facts()) {
            BOOST_TEST(word(again) == "COMPLETED");
            BOOST_TEST(bench.world.truth().entries_with("-publish-") == 1U);
            BOOST_TEST(bench.world.truth().sends_of(sim::StatementClass::exchange) == 1U);
        }
    }
}

/// Out of time while it waits for a second copy: nothing is given back, nothing is sent again.
BOOST_AUTO_TEST_CASE(a_refusal_shortly_before_the_deadline_leaves_the_slot_to_abandon) {
    auto scenario = sim::simple_scenario(2);
    scenario.faults.push_back(refused_statement());
    Bench bench(scenario, 1);
    auto request = bench.request("run-1");
    request.deadline = bench.world.in(std::chrono::seconds(8));
    const auto first = bench.publish(bench.process(), request);
    const auto again = bench.publish("run-1");
    BOOST_TEST_CONTEXT(describe(first) << "; again: " << describe(again)) {
        BOOST_TEST(word(first) == "NOT_DISPATCHED");
        BOOST_TEST(word(again) == "NOT_DISPATCHED");
        BOOST_TEST(bench.world.truth().sends_of(sim::StatementClass::exchange) == 1U);
    }
    BOOST_REQUIRE(again.has_value());
    engine::Pin pin;
    pin.operation_id = again->operation_id;
    pin.version = again->record_version.value();
    auto& process = bench.process();
    const auto abandoned = bench.world.run<protocol::Report>(
        process,
        engine::abandon(bench.context_of(process), bench.target, pin, bench.world.in(std::chrono::minutes(1)))
    );
    BOOST_TEST(word(abandoned) == "ABANDONED");
}

BOOST_AUTO_TEST_CASE(after_a_wrong_grant_and_ctrl_c_at_once) {
    for (int after = 0; after < 40; ++after) {
        auto scenario = sim::simple_scenario(2);
        scenario.faults.push_back(refused_statement());
        Bench bench(scenario, 1);
        boost::asio::cancellation_signal signal;
        auto& process = bench.process();
        auto started = bench.world.start<protocol::Report>(
            process, cancellable(bench.context_of(process), bench.request("run-1"), signal)
        );
        int since_permit = -1;
        while (!started.done() && bench.world.step()) {
            if (since_permit < 0 && !bench.recorder.events.empty() &&
                bench.recorder.events.back().kind == engine::EventKind::permit) {
                since_permit = 0;
            }
            if (since_permit >= 0 && since_permit++ == after) {
                signal.emit(boost::asio::cancellation_type::terminal);
            }
        }
        const auto first = started.result();
        bench.world.run_until_idle();
        BOOST_TEST_CONTEXT("cancelled " << after << " steps after the permit: " << describe(first)) {
            BOOST_TEST(since_permit >= 0);
            BOOST_REQUIRE(first.has_value());
            const auto seen = bench.observe();
            BOOST_TEST(word(seen) == "READY");
            const auto again = bench.publish("run-1");
            BOOST_TEST(word(again) == "COMPLETED");
            BOOST_TEST(bench.world.truth().entries_with("-publish-") == 1U);
        }
    }
}

BOOST_AUTO_TEST_CASE(abandon_frees_a_prepared_slot_and_its_operation_stays_abandoned) {
    auto scenario = sim::simple_scenario(2);
    scenario.faults.push_back(refused_statement());
    Bench bench(scenario, 2);
    const auto first = bench.publish("run-1");
    BOOST_REQUIRE(first.has_value());
    BOOST_REQUIRE(first->record_version.has_value());
    engine::Pin pin;
    pin.operation_id = first->operation_id;
    pin.version = *first->record_version + 1;
    auto& process = bench.process();
    const auto wrong = bench.world.run<protocol::Report>(
        process,
        engine::abandon(bench.context_of(process), bench.target, pin, bench.world.in(std::chrono::minutes(1)))
    );
    BOOST_TEST(stop(wrong) == protocol::stable_name(Code::cas_conflict));
    pin.version = *first->record_version;
    const auto abandoned = bench.world.run<protocol::Report>(
        process,
        engine::abandon(bench.context_of(process), bench.target, pin, bench.world.in(std::chrono::minutes(1)))
    );
    BOOST_TEST_CONTEXT(describe(abandoned)) {
        BOOST_TEST(word(abandoned) == "ABANDONED");
        BOOST_REQUIRE(abandoned.has_value());
        BOOST_TEST(abandoned->orphans.size() == 1U);
    }
    const auto again = bench.publish("run-1");
    BOOST_TEST(stop(again) == protocol::stable_name(Code::operation_abandoned));
    const auto next = bench.publish("run-2");
    BOOST_TEST_CONTEXT(describe(next)) {
        BOOST_TEST(word(next) == "COMPLETED");
    }
}

BOOST_AUTO_TEST_CASE(a_host_that_refuses_the_drop_is_reported_not_overridden) {
    auto scenario = sim::simple_scenario(2);
    Fault fault(Point::worker_after_active, Match(StatementKind::drop_aside), Effect::host_error);
    fault.match.member = 1;
    fault.code = 359;
    fault.text = "Code: 359. DB::Exception: Table size exceeds max. (TABLE_SIZE_EXCEEDS_MAX_DROP_SIZE_LIMIT)";
    scenario.faults.push_back(fault);
    Bench bench(scenario, 3);
    const auto report = bench.publish("run-1");
    check_invariants(bench, "refused drop");
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_TEST(word(report) == "CLEANUP_INCOMPLETE");
        BOOST_TEST(bench.world.truth().sends_of(sim::StatementClass::drop) == 1U);
        BOOST_REQUIRE(report.has_value());
        BOOST_TEST(report->members.at(1).queue_code == 359);
    }
}

BOOST_AUTO_TEST_CASE(a_host_that_fails_the_drop_once_is_asked_again) {
    auto scenario = sim::simple_scenario(2);
    Fault fault(Point::worker_after_active, Match(StatementKind::drop_aside), Effect::host_error);
    fault.match.member = 1;
    fault.code = 241;
    fault.text = "Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)";
    scenario.faults.push_back(fault);
    Bench bench(scenario, 4);
    const auto report = bench.publish("run-1");
    check_published(bench, report, "drop again");
    BOOST_TEST(bench.world.truth().sends_of(sim::StatementClass::drop) == 2U);
}

BOOST_AUTO_TEST_CASE(grace_is_kept_between_set_aside_and_drop) {
    Bench bench(sim::simple_scenario(2), 5);
    bench.limits.grace = std::chrono::minutes(2);
    const auto report = bench.publish("run-1");
    check_published(bench, report, "grace");
    sim::Time aside{};
    sim::Time drop{};
    for (const auto& send : bench.world.truth().sends) {
        if (send.token.find("-aside-") != std::string::npos) {
            aside = send.at;
        }
        if (send.token.find("-cleanup-") != std::string::npos) {
            drop = send.at;
        }
    }
    BOOST_TEST((drop - aside >= std::chrono::seconds(119)));
}

/// A power loss took back the CREATE of the authority table on one member: the others show the record, that
/// member's health is known all the same, and the next publication makes the table again.
BOOST_AUTO_TEST_CASE(a_member_without_the_authority_table_does_not_hold_up_the_cleanup) {
    Bench bench(sim::simple_scenario(3), 6);
    auto request = bench.request("run-1");
    request.cleanup = false;
    const auto report = bench.publish(bench.process(), request);
    BOOST_TEST(word(report) == "COMMITTED");
    auto& tables = bench.world.cluster().state().members[1].tables;
    const auto gone =
        std::erase_if(tables, [](const auto& table) { return table.name == protocol::authority_table; });
    BOOST_TEST(gone == 1U);
    const auto before = bench.world.now();
    const auto resumed = bench.resume();
    BOOST_TEST_CONTEXT(describe(resumed) << bench.facts()) {
        BOOST_TEST(word(resumed) == "COMPLETED");
        BOOST_TEST((bench.world.now() - before < std::chrono::minutes(1)));
    }
    const auto next = bench.publish("run-2");
    BOOST_TEST(word(next) == "COMPLETED");
    BOOST_TEST(std::ranges::any_of(tables, [](const auto& table) {
        return table.name == protocol::authority_table;
    }));
}

BOOST_AUTO_TEST_CASE(the_receipt_outlives_the_queue) {
    Bench bench(sim::simple_scenario(2), 6);
    auto request = bench.request("run-1");
    request.cleanup = false;
    const auto report = bench.publish(bench.process(), request);
    BOOST_TEST(word(report) == "COMMITTED");
    bench.world.add([&] {
        Fault fault(bench.world.now(), Effect::remove_entries);
        return fault;
    }());
    const auto resumed = bench.resume();
    check_published(bench, resumed, "after the queue forgot");
}

BOOST_AUTO_TEST_CASE(plan_sends_nothing_and_shows_the_statements) {
    Bench bench(sim::simple_scenario(2), 7);
    auto& process = bench.process();
    const auto plan = bench.world.run<engine::Plan>(
        process, engine::plan(bench.context_of(process), bench.request("run-1"))
    );
    BOOST_REQUIRE(plan.has_value());
    BOOST_TEST(process.transport().sends() == 0U);
    BOOST_TEST(stop(plan->report).empty());
    std::string all;
    for (const auto& step : plan->steps) {
        all += step.statement + "\n";
        BOOST_TEST(step.hosts.size() == (step.scope == "every member" ? 2U : 1U));
    }
    BOOST_TEST_CONTEXT(all) {
        for (const char* part :
             {"CREATE TABLE IF NOT EXISTS",
              "INSERT INTO",
              "EXCHANGE TABLES `db`.`target`",
              "RENAME TABLE",
              "DROP TABLE IF EXISTS"}) {
            BOOST_TEST(all.find(part) != std::string::npos);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_missing_target_is_one_clear_refusal) {
    Bench bench(sim::simple_scenario(2), 8);
    bench.target.table = "nowhere";
    const auto report = bench.publish("run-1");
    BOOST_TEST(stop(report) == protocol::stable_name(Code::target_absent));
    BOOST_TEST(bench.world.truth().sends_of(sim::StatementClass::create_candidate) == 0U);
}

BOOST_AUTO_TEST_CASE(a_user_without_rights_is_refused_before_anything_is_sent) {
    auto scenario = sim::simple_scenario(2);
    sim::UserSetup reader;
    reader.name = "reader";
    reader.grants = {"GRANT SELECT ON *.* TO reader", "GRANT REMOTE ON *.* TO reader"};
    scenario.users.push_back(sim::UserSetup());
    scenario.users.push_back(reader);
    Bench bench(scenario, 9);
    auto& process = bench.world.publisher("reader", reader);
    const auto report = bench.publish(process, bench.request("run-1"));
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_TEST(stop(report) == protocol::stable_name(Code::access_insufficient));
        BOOST_TEST(process.transport().sends() == 0U);
    }
}

BOOST_AUTO_TEST_SUITE_END()
