#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/state.hpp"
#include "protocol/names.hpp"
#include "simulation/operator_calls.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

// What is left of publications that ended early: it is listed with what the records say of it, and only what
// a record lists as an orphan is dropped, by name and uuid.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::NamedTable;
using protocol::Phase;
using protocol::StatementKind;
using protocol::TableStanding;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

NamedTable orphan_of(Bench& bench) {
    const auto seen = bench.observe();
    BOOST_REQUIRE(seen.has_value());
    BOOST_REQUIRE(seen->orphans.size() == 1U);
    return seen->orphans.front();
}

std::string standing_of(Bench& bench, const std::string& name) {
    const auto listing = list(bench);
    BOOST_REQUIRE(listing.has_value());
    const auto table = std::ranges::find_if(listing->tables, [&](const protocol::ListedTable& each) {
        return each.table.name == name;
    });
    return table == listing->tables.end() ? "not listed" : std::string(protocol::text(table->standing));
}

std::string code_of(const std::optional<engine::OrphanDrop>& drop) {
    return drop ? stopped_by(drop->report) : "crashed";
}

bool is_anywhere(Bench& bench, const std::string& name) {
    for (sim::MemberIndex member = 0; member < bench.members(); ++member)
        if (!uuid_of(bench, member, name).empty())
            return true;
    return false;
}

void sql(Bench& bench, sim::MemberIndex member, std::string text) {
    Fault by_hand(bench.world.now() + std::chrono::milliseconds(1), Effect::run_sql);
    by_hand.on = member;
    by_hand.text = std::move(text);
    bench.world.add(by_hand);
    bench.world.run_until_idle();
}

/// What was dropped is what was asked for, everywhere.
void check_drops(Bench& bench, const NamedTable& orphan) {
    for (const auto& drop : bench.world.truth().drops) {
        BOOST_TEST(drop.table == orphan.name);
        BOOST_TEST(drop.uuid == orphan.uuid.text());
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(orphans)

BOOST_AUTO_TEST_CASE(an_orphan_is_listed_dropped_and_gone) {
    auto bench = bench_in(Phase::abandoned, sim::simple_scenario(3), 41);
    const NamedTable orphan = orphan_of(*bench);
    BOOST_TEST(standing_of(*bench, orphan.name) == "orphan");
    const auto dropped = drop(*bench, pin_of(*bench), orphan);
    BOOST_REQUIRE(dropped.has_value());
    BOOST_TEST_CONTEXT(describe(dropped->report) << bench->facts()) {
        BOOST_TEST(code_of(dropped) == "");
        BOOST_TEST(dropped->gone);
        BOOST_TEST((dropped->outcome == protocol::Outcome::acknowledged));
        BOOST_TEST(bench->world.truth().drops.size() == 3U);
        check_drops(*bench, orphan);
    }
    BOOST_TEST(standing_of(*bench, orphan.name) == "gone");
    BOOST_TEST(code_of(drop(*bench, pin_of(*bench), orphan)) == "ONCESWAP_TRANSITION_REFUSED");
    const auto next = bench->publish("run-2");
    BOOST_TEST(word(next) == "COMPLETED");
}

BOOST_AUTO_TEST_CASE(nothing_but_a_recorded_orphan_is_dropped) {
    auto bench = bench_in(Phase::abandoned, sim::simple_scenario(2), 42);
    const NamedTable orphan = orphan_of(*bench);
    const engine::Pin pin = pin_of(*bench);
    const std::string target = bench->target_uuid(0);
    const auto uuid_of_target = *protocol::Uuid::parse(target);
    const auto refused = [&](const engine::Pin& by, const NamedTable& table, const char* code) {
        BOOST_TEST_CONTEXT(table.name << ' ' << table.uuid.text()) {
            BOOST_TEST(code_of(drop(*bench, by, table)) == code);
            BOOST_TEST(bench->world.truth().drops.empty());
            BOOST_TEST(bench->world.truth().entries_with("-cleanup-") == 0U);
        }
    };
    refused(pin, NamedTable(orphan.name, uuid_of_target), "ONCESWAP_TRANSITION_REFUSED");
    refused(pin, NamedTable("target", uuid_of_target), "ONCESWAP_TRANSITION_REFUSED");
    refused(pin, NamedTable("target", orphan.uuid), "ONCESWAP_TRANSITION_REFUSED");
    refused(engine::Pin(pin.operation_id, pin.version + 1), orphan, "ONCESWAP_CAS_CONFLICT");

    // Somebody put another table under the name on one member: then it is dropped on none.
    sql(*bench, 1, "RENAME TABLE `db`.`" + orphan.name + "` TO `db`.`moved`");
    sql(*bench, 1, "RENAME TABLE `db`.`target` TO `db`.`" + orphan.name + "`");
    BOOST_REQUIRE(uuid_of(*bench, 1, orphan.name) == target);
    BOOST_TEST(standing_of(*bench, orphan.name) == "diverged");
    refused(pin, orphan, "ONCESWAP_TRANSITION_REFUSED");
}

BOOST_AUTO_TEST_CASE(a_silent_member_keeps_the_orphan) {
    auto bench = bench_in(Phase::abandoned, sim::simple_scenario(3), 43);
    const NamedTable orphan = orphan_of(*bench);
    const engine::Pin pin = pin_of(*bench);
    Fault gone(bench->world.now() + std::chrono::milliseconds(1), Effect::crash);
    gone.on = 2;
    gone.lasts = std::chrono::minutes(30);
    bench->world.add(gone);
    const auto dropped = drop(*bench, pin, orphan);
    BOOST_TEST(code_of(dropped) == "ONCESWAP_OUTCOME_UNKNOWN");
    BOOST_TEST(bench->world.truth().drops.empty());
    const auto listing = list(*bench);
    BOOST_REQUIRE(listing.has_value());
    BOOST_TEST(listing->gaps.size() == 1U, "the member is named, once");
}

BOOST_AUTO_TEST_CASE(what_is_kept_or_in_use_is_listed_and_never_dropped) {
    struct Row {
        Phase phase;
        Command command;
        const char* standing;
    };

    for (const Row& row :
         {Row{Phase::dispatching, Command::resume, "in use"},
          Row{Phase::committed, Command::close, "retained"},
          Row{Phase::dispatching, Command::retire, "retained"}}) {
        auto bench = bench_in(row.phase, sim::simple_scenario(2), 44);
        const auto report = run(*bench, row.command);
        const auto listing = list(*bench);
        BOOST_REQUIRE(listing.has_value());
        BOOST_TEST_CONTEXT(text(row.command) << ": " << describe(report)) {
            BOOST_REQUIRE(listing->tables.size() == 1U);
            const auto& table = listing->tables.front();
            BOOST_TEST(protocol::text(table.standing) == row.standing);
            BOOST_TEST(code_of(drop(*bench, pin_of(*bench), table.table)) == "ONCESWAP_TRANSITION_REFUSED");
            BOOST_TEST(bench->world.truth().drops.empty());
        }
    }
}

BOOST_AUTO_TEST_CASE(a_table_that_no_record_names_is_listed_and_never_dropped) {
    // The first staging ever was killed before its record.
    auto scenario = sim::simple_scenario(2);
    Fault death(Point::send, Match(StatementKind::authority_insert), Effect::crash_client);
    scenario.faults.push_back(death);
    Bench bench(scenario, 45);
    bench.publish("run-1");
    const auto listing = list(bench);
    BOOST_REQUIRE(listing.has_value());
    BOOST_REQUIRE(listing->tables.size() == 1U);
    const auto left = listing->tables.front();
    BOOST_TEST((left.standing == TableStanding::unrecorded));
    BOOST_TEST(left.shown_on.size() == 2U);
    const auto nothing = drop(bench, engine::Pin(std::string(64, '0'), 0), left.table);
    BOOST_REQUIRE(nothing.has_value());
    BOOST_TEST((nothing->outcome == protocol::Outcome::not_sent));
    BOOST_TEST(!nothing->gone);
    BOOST_TEST(is_anywhere(bench, left.table.name));

    // Another run's record does not name it either, and does not come to name it.
    const auto other = bench.publish("run-2");
    BOOST_TEST_CONTEXT(describe(other)) {
        BOOST_TEST(stopped_by(other) == "ONCESWAP_AUTHORITY_LOST");
    }
    // The same run's next try takes it up as its orphan.
    const auto again = bench.publish("run-1");
    BOOST_TEST(word(again) == "COMPLETED");
    BOOST_TEST(standing_of(bench, left.table.name) == "orphan");
    BOOST_TEST(drop(bench, pin_of(bench), left.table)->gone);
}

BOOST_AUTO_TEST_CASE(a_record_that_cannot_be_read_leaves_it_open) {
    auto bench = bench_in(Phase::abandoned, sim::simple_scenario(2), 46);
    const NamedTable orphan = orphan_of(*bench);
    const engine::Pin pin = pin_of(*bench);
    Fault spoil(bench->world.now() + std::chrono::milliseconds(1), Effect::edit_authority);
    spoil.values = {{"payload", "{}"}};
    bench->world.add(spoil);
    bench->world.run_until_idle();
    BOOST_TEST(standing_of(*bench, orphan.name) == "unknown");
    const auto listing = list(*bench);
    BOOST_TEST(listing->unreadable.size() == 1U);
    const auto dropped = drop(*bench, pin, orphan);
    BOOST_TEST((dropped->outcome == protocol::Outcome::not_sent));
    BOOST_TEST(bench->world.truth().drops.empty());
}

BOOST_AUTO_TEST_CASE(a_lost_answer_is_settled_by_looking) {
    for (const Point point : {Point::arrive, Point::enqueued, Point::reply}) {
        auto bench = bench_in(Phase::abandoned, sim::simple_scenario(2), 47);
        const NamedTable orphan = orphan_of(*bench);
        Fault loss(point, Match(StatementKind::drop_orphan), Effect::lose);
        bench->world.add(loss);
        const auto dropped = drop(*bench, pin_of(*bench), orphan);
        BOOST_TEST_CONTEXT(sim::text(point) << ": " << describe(dropped->report) << bench->facts()) {
            const bool arrived = point != Point::arrive;
            BOOST_TEST(dropped->gone == arrived);
            BOOST_TEST(code_of(dropped) == (arrived ? "" : "ONCESWAP_OUTCOME_UNKNOWN"));
            BOOST_TEST((dropped->outcome == protocol::Outcome::outcome_unknown));
            check_drops(*bench, orphan);
        }
        if (!dropped->gone) {
            BOOST_TEST(drop(*bench, pin_of(*bench), orphan)->gone);
            check_drops(*bench, orphan);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_host_that_refused_can_be_asked_again) {
    auto bench = bench_in(Phase::abandoned, sim::simple_scenario(2), 48);
    const NamedTable orphan = orphan_of(*bench);
    Fault failure(Point::worker_after_active, Match(StatementKind::drop_orphan), Effect::host_error);
    failure.match.member = 1;
    failure.code = 359;
    failure.text = "Table or Partition was not dropped";
    bench->world.add(failure);
    const auto partly = drop(*bench, pin_of(*bench), orphan);
    BOOST_TEST(!partly->gone);
    BOOST_TEST((partly->outcome == protocol::Outcome::host_failed));
    BOOST_TEST(uuid_of(*bench, 0, orphan.name) == "");
    BOOST_TEST(uuid_of(*bench, 1, orphan.name) == orphan.uuid.text());
    const auto rest = drop(*bench, pin_of(*bench), orphan);
    BOOST_TEST_CONTEXT(describe(rest->report)) {
        BOOST_TEST(rest->gone);
    }
    check_drops(*bench, orphan);
}

BOOST_AUTO_TEST_CASE(killed_at_every_request) {
    for (const Point point : {Point::send, Point::effect}) {
        std::uint64_t requests = 0;
        for (std::uint64_t nth = 1;; ++nth) {
            auto bench = bench_in(Phase::abandoned, sim::simple_scenario(2), 49);
            const NamedTable orphan = orphan_of(*bench);
            const engine::Pin pin = pin_of(*bench);
            // The next process that the bench makes.
            auto& process = bench->process();
            Fault death(point, Match(), Effect::crash_client);
            death.match.client = process.name();
            death.nth = static_cast<unsigned>(nth);
            bench->world.add(death);
            bench->world.run<engine::OrphanDrop>(
                process,
                engine::drop_orphan(
                    bench->context_of(process),
                    bench->target,
                    pin,
                    orphan,
                    bench->world.in(std::chrono::minutes(10))
                )
            );
            if (!process.crashed()) {
                requests = nth - 1;
                break;
            }
            bench->world.run_until_idle();
            const auto again = drop(*bench, pin, orphan);
            BOOST_TEST_CONTEXT(sim::text(point) << " of request " << nth << ": " << describe(again->report)) {
                const bool gone = !is_anywhere(*bench, orphan.name);
                BOOST_TEST(gone);
                BOOST_TEST((again->gone || code_of(again) == "ONCESWAP_TRANSITION_REFUSED"));
                check_drops(*bench, orphan);
            }
        }
        BOOST_TEST(requests > 5U);
    }
}

namespace {

boost::asio::awaitable<engine::OrphanDrop> cancellable(
    engine::Context& context,
    protocol::TargetName target,
    engine::Pin pin,
    NamedTable orphan,
    engine::TimePoint deadline,
    boost::asio::cancellation_signal& signal
) {
    auto executor = co_await boost::asio::this_coro::executor;
    auto work = engine::drop_orphan(context, std::move(target), std::move(pin), std::move(orphan), deadline);
    auto done = co_await boost::asio::co_spawn(
        executor,
        std::move(work),
        boost::asio::bind_cancellation_slot(signal.slot(), boost::asio::use_awaitable)
    );
    co_return done;
}

} // namespace

BOOST_AUTO_TEST_CASE(cancelled_at_every_step) {
    std::size_t cancelled = 0;
    for (std::uint64_t at = 2;; ++at) { // before that the call has not begun
        boost::asio::cancellation_signal signal;
        auto bench = bench_in(Phase::abandoned, sim::simple_scenario(2), 50);
        const NamedTable orphan = orphan_of(*bench);
        const engine::Pin pin = pin_of(*bench);
        auto& process = bench->process();
        auto started = bench->world.start<engine::OrphanDrop>(
            process,
            cancellable(
                bench->context_of(process),
                bench->target,
                pin,
                orphan,
                bench->world.in(std::chrono::minutes(10)),
                signal
            )
        );
        std::uint64_t steps = 0;
        while (!started.done() && bench->world.step())
            if (steps++ == at)
                signal.emit(boost::asio::cancellation_type::terminal);
        auto left = bench->world.leftovers();
        std::erase_if(left, [](const std::string& line) { return line.ends_with("ready handlers"); });
        const auto done = started.result();
        BOOST_TEST_CONTEXT("cancelled at step " << at) {
            BOOST_REQUIRE(done.has_value());
            BOOST_TEST(left == std::vector<std::string>(), boost::test_tools::per_element());
            const bool sent = bench->world.truth().sends_of(sim::StatementClass::drop) > 0U;
            BOOST_TEST((sent || done->outcome == protocol::Outcome::not_sent));
            check_drops(*bench, orphan);
        }
        cancelled += done->report.stopped_by == protocol::Code::cancelled ? 1U : 0U;
        bench->world.run_until_idle();
        if (steps <= at)
            break;
    }
    BOOST_TEST(cancelled > 20U);
}

BOOST_AUTO_TEST_SUITE_END()
