#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/state.hpp"
#include "simulation/bench.hpp"
#include "simulation/operator_calls.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

// Those who only look: watch, observe and the list of slots. None of them sends a mutation.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::Phase;
using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

/// What a watcher was told, in order.
struct Told {
    std::vector<std::string> words;
    std::vector<protocol::Report> reports;

    std::function<void(const protocol::Report&)> callback() {
        return [this](const protocol::Report& report) {
            words.emplace_back(protocol::text(report.verdict.word));
            reports.push_back(report);
        };
    }
};

sim::Started<protocol::Report>
start_watch(Bench& bench, sim::Publisher& process, Told& told, engine::Duration patience) {
    return bench.world.start<protocol::Report>(
        process,
        engine::watch(bench.context_of(process), bench.target, bench.world.in(patience), told.callback())
    );
}

std::optional<engine::Slots> slots_of(Bench& bench) {
    auto& process = bench.process();
    const auto listed = bench.world.run<protocol::Result<engine::Slots>>(
        process,
        engine::list_targets(bench.context_of(process), "db", bench.world.in(std::chrono::minutes(1)))
    );
    BOOST_TEST(process.transport().sends() == 0U);
    if (!listed || !*listed)
        return std::nullopt;
    return **listed;
}

boost::asio::awaitable<protocol::Report> cancellable_watch(
    engine::Context& context,
    protocol::TargetName target,
    engine::TimePoint deadline,
    std::function<void(const protocol::Report&)> on_change,
    boost::asio::cancellation_signal& signal
) {
    auto executor = co_await boost::asio::this_coro::executor;
    auto work = engine::watch(context, std::move(target), deadline, std::move(on_change));
    auto report = co_await boost::asio::co_spawn(
        executor,
        std::move(work),
        boost::asio::bind_cancellation_slot(signal.slot(), boost::asio::use_awaitable)
    );
    co_return report;
}

void spoil_authority(Bench& bench, std::vector<std::pair<std::string, std::string>> values) {
    Fault spoil(bench.world.now() + std::chrono::milliseconds(1), Effect::edit_authority);
    spoil.values = std::move(values);
    bench.world.add(spoil);
    bench.world.run_until_idle();
}

} // namespace

BOOST_AUTO_TEST_SUITE(watching)

BOOST_AUTO_TEST_CASE(a_watcher_follows_a_publication_to_its_end) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Told told;
        Bench bench(sim::simple_scenario(2), seed);
        bench.publish("run-0");
        auto publisher = bench.start_publish(bench.process(), bench.request("run-1"));
        while (bench.world.truth().entries_with("-publish-") < 2U && bench.world.step()) {
        }
        auto& process = bench.process();
        auto watcher = start_watch(bench, process, told, std::chrono::minutes(5));
        bench.world.run();
        BOOST_TEST_CONTEXT("seed " << seed << ": " << describe(watcher.result())) {
            BOOST_TEST(process.transport().sends() == 0U);
            BOOST_REQUIRE(!told.reports.empty());
            // It ends where nothing more is expected; what it returns is what it said last.
            BOOST_REQUIRE(watcher.result().has_value());
            BOOST_TEST(protocol::ends_watch(watcher.result()->verdict.word));
            BOOST_TEST(word(watcher.result()) == told.words.back());
            BOOST_TEST(!watcher.result()->stopped_by.has_value());
            // Each report differs from the one before, and versions only rise.
            std::int32_t version = 0;
            for (std::size_t i = 0; i < told.reports.size(); ++i) {
                auto now = told.reports[i];
                if (now.record_version) {
                    BOOST_TEST(*now.record_version >= version);
                    version = *now.record_version;
                }
                if (i > 0) {
                    auto before = told.reports[i - 1];
                    before.observed_at = now.observed_at = 0;
                    BOOST_TEST((protocol::to_json(before) != protocol::to_json(now)));
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_watcher_waits_for_a_cluster_that_comes_back_and_stops_at_its_deadline) {
    auto bench = bench_in(Phase::completed, sim::simple_scenario(2), 2);
    Fault gone(bench->world.now() + std::chrono::milliseconds(1), Effect::crash);
    gone.on = 1;
    gone.lasts = std::chrono::seconds(30);
    bench->world.add(gone);
    bench->world.run_until_idle();
    gone.at = bench->world.now() + std::chrono::milliseconds(1);
    gone.lasts = std::chrono::minutes(30);
    bench->world.add(gone);
    Told told;
    auto never = start_watch(*bench, bench->process(), told, std::chrono::minutes(1));
    bench->world.run();
    BOOST_TEST(word(never.result()) == "OUTCOME_UNKNOWN");
    BOOST_TEST(stopped_by(never.result()) == "ONCESWAP_DEADLINE_REACHED");
    Told later;
    auto comes_back = start_watch(*bench, bench->process(), later, std::chrono::hours(1));
    bench->world.run();
    BOOST_TEST_CONTEXT(describe(comes_back.result())) {
        BOOST_TEST(word(comes_back.result()) == "COMPLETED");
        BOOST_TEST(later.words.front() == "OUTCOME_UNKNOWN");
    }
}

BOOST_AUTO_TEST_CASE(a_watcher_that_is_cancelled_leaves_nothing_and_says_what_it_saw) {
    for (std::uint64_t at = 0; at < 120; ++at) {
        Told told;
        boost::asio::cancellation_signal signal;
        auto bench = bench_in(Phase::prepared, sim::simple_scenario(2), 3);
        auto& process = bench->process();
        auto watcher = bench->world.start<protocol::Report>(
            process,
            cancellable_watch(
                bench->context_of(process),
                bench->target,
                bench->world.in(std::chrono::minutes(5)),
                told.callback(),
                signal
            )
        );
        std::uint64_t steps = 0;
        // A signal must not reach a coroutine that has not suspended yet: Asio 1.26 lets the exception
        // escape.
        while (!watcher.done() && bench->world.step())
            if (process.requests() != 0 && steps++ == at)
                signal.emit(boost::asio::cancellation_type::terminal);
        auto left = bench->world.leftovers();
        std::erase_if(left, [](const std::string& line) { return line.ends_with("ready handlers"); });
        BOOST_TEST_CONTEXT("step " << at << ": " << describe(watcher.result())) {
            BOOST_TEST(left == std::vector<std::string>(), boost::test_tools::per_element());
            BOOST_TEST(stopped_by(watcher.result()) == "ONCESWAP_CANCELLED");
            BOOST_TEST(watcher.result()->target.table == "target");
            if (!told.words.empty())
                BOOST_TEST(word(watcher.result()) == told.words.back());
        }
    }
}

BOOST_AUTO_TEST_CASE(a_lost_record_is_found_by_its_traces) {
    // Keeper came back without the rows: what is left elsewhere decides.
    const auto lose_record = [](Bench& bench) {
        for (const auto& map : bench.world.cluster().state().keeper.maps)
            map->rows.clear();
    };

    struct Row {
        Phase phase;
        bool queue_forgets;
        const char* word;
        bool warned;
    };

    for (const Row& row :
         {Row{Phase::prepared, false, "NO_RECORD", true}, // its entries are those of a staging
          Row{Phase::committed, false, "AUTHORITY_LOST", true},
          Row{Phase::committed, true, "NO_RECORD", true}, // nothing tells it from a killed staging any more
          Row{Phase::cleanup_dispatching, false, "AUTHORITY_LOST", true},
          Row{Phase::cleanup_dispatching, true, "AUTHORITY_LOST", false},
          Row{Phase::completed, false, "AUTHORITY_LOST", true},
          Row{Phase::completed, true, "NO_RECORD", false}}) {
        auto bench = bench_in(row.phase, sim::simple_scenario(2), 4);
        if (row.queue_forgets) {
            bench->world.add(Fault(bench->world.now() + std::chrono::milliseconds(1), Effect::remove_entries)
            );
            bench->world.run_until_idle();
        }
        lose_record(*bench);
        const auto seen = bench->observe();
        BOOST_TEST_CONTEXT(
            protocol::text(row.phase)
            << (row.queue_forgets ? " and the queue forgot" : "") << ": " << describe(seen)
        ) {
            BOOST_TEST(word(seen) == row.word);
            BOOST_TEST(!seen->warnings.empty() == (row.warned));
            Told told;
            auto watched = start_watch(*bench, bench->process(), told, std::chrono::minutes(1));
            bench->world.run();
            BOOST_TEST(word(watched.result()) == row.word);
            BOOST_TEST(stopped_by(watched.result()) == "");
        }
    }
}

BOOST_AUTO_TEST_CASE(a_first_publication_that_is_staging_is_not_a_lost_record) {
    Bench bench(sim::simple_scenario(2), 5);
    auto publisher = bench.start_publish(bench.process(), bench.request("run-1"));
    std::size_t looks = 0;
    while (bench.world.truth().authority_writes.empty() && bench.world.step()) {
        if (bench.world.truth().sends_of(sim::StatementClass::create_candidate) == 0U || ++looks % 40 != 0)
            continue;
        auto& process = bench.process();
        auto look = bench.world.start<protocol::Report>(
            process,
            engine::observe(bench.context_of(process), bench.target, bench.world.in(std::chrono::minutes(1)))
        );
        while (!look.done() && bench.world.step()) {
        }
        BOOST_TEST(word(look.result()) != "AUTHORITY_LOST", describe(look.result()));
    }
    bench.world.run();
    BOOST_TEST(looks >= 40U);
    check_published(bench, publisher.result(), "watched from the beginning");
}

BOOST_AUTO_TEST_CASE(every_slot_is_listed_and_none_is_left_out) {
    {
        Bench bench(sim::simple_scenario(2), 6);
        const auto none = slots_of(bench); // not even the authority table is there
        BOOST_REQUIRE(none.has_value());
        BOOST_TEST(none->targets.empty());
        BOOST_TEST(none->unreadable.empty());
    }
    auto scenario = sim::simple_scenario(2);
    auto other = scenario.tables.front();
    other.name = "another";
    other.uuid.clear();
    scenario.tables.push_back(other);
    Bench bench(scenario, 7);
    bench.publish("run-1");
    auto request = bench.request("run-2");
    request.target.table = "another";
    bench.publish(bench.process(), request);
    const auto both = slots_of(bench);
    BOOST_REQUIRE(both.has_value());
    BOOST_REQUIRE(both->targets.size() == 2U);
    BOOST_TEST(both->targets.front().table == "another");
    BOOST_TEST(both->unreadable.empty());

    // The first endpoint does not answer: the next one does.
    Fault gone(bench.world.now() + std::chrono::milliseconds(1), Effect::crash);
    gone.on = 0;
    gone.lasts = std::chrono::seconds(20);
    bench.world.add(gone);
    bench.world.run_until_idle();
    const auto again = slots_of(bench);
    BOOST_REQUIRE(again.has_value());
    BOOST_TEST(again->targets.size() == 2U);

    spoil_authority(bench, {{"payload_sha256", std::string(64, '0')}});
    const auto spoilt = slots_of(bench);
    BOOST_REQUIRE(spoilt.has_value());
    BOOST_TEST(spoilt->targets.empty());
    BOOST_REQUIRE(spoilt->unreadable.size() == 2U);
    for (const protocol::Report& report : spoilt->unreadable) {
        BOOST_TEST(word(report) == "AUTHORITY_INVALID");
        BOOST_TEST(protocol::exit_code(report) == 4);
        BOOST_TEST(report.verdict.detail.starts_with("slot "));
        BOOST_TEST(report.target.table == "");
    }
}

BOOST_AUTO_TEST_CASE(what_the_queue_said_is_told_after_the_end_too) {
    for (const Phase phase : {Phase::committed, Phase::completed}) {
        auto bench = bench_in(phase, sim::simple_scenario(2), 8);
        bench->world.add(Fault(bench->world.now() + std::chrono::milliseconds(1), Effect::remove_entries));
        bench->world.run_until_idle();
        const auto seen = bench->observe();
        BOOST_TEST_CONTEXT(protocol::text(phase) << ": " << describe(seen)) {
            BOOST_REQUIRE(seen->members.size() == 2U);
            for (const auto& row : seen->members) {
                BOOST_TEST(row.queue_status == "Finished");
                BOOST_TEST(row.queue_code == 0);
            }
            const auto& entries = bench->world.truth().entries;
            const auto published = std::ranges::find_if(entries, [](const auto& entry) {
                return entry.token.find("-publish-") != std::string::npos;
            });
            BOOST_TEST(seen->entry == published->name);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
