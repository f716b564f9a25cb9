#include "engine/authority.hpp"
#include "engine/catalog.hpp"
#include "engine/discovery.hpp"
#include "engine/lost_record.hpp"
#include "engine/orphans.hpp"
#include "simulation/operator_calls.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <functional>

// Every port that reads, cancelled at every step of the loop: it throws operation_aborted after all of its
// reads are joined, and leaves neither a call nor a timer.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::Phase;

namespace asio = boost::asio;

namespace {

/// A prepared slot with its members, and the read under test.
struct Reading {
    explicit Reading(std::unique_ptr<Bench> bench_) : bench(std::move(bench_)) {
        auto& process = bench->process();
        context = &bench->context_of(process);
        publisher = &process;
        deadline = bench->world.in(std::chrono::minutes(1));
        auto found =
            bench->world.run<engine::Discovery>(process, engine::discover(*context, bench->target, deadline));
        BOOST_REQUIRE(found.has_value());
        discovery = std::move(*found);
        BOOST_REQUIRE(discovery.authority.current.has_value());
        record = discovery.authority.current->record;
        members = engine::bind_members(discovery, record);
        BOOST_REQUIRE(members.size() == bench->members());
    }

    std::unique_ptr<Bench> bench;
    sim::Publisher* publisher = nullptr;
    engine::Context* context = nullptr;
    engine::TimePoint deadline;
    engine::Discovery discovery;
    protocol::AuthorityRecord record;
    std::vector<engine::BoundMember> members;
};

using Start = std::function<asio::awaitable<void>(Reading&)>;

asio::awaitable<void> read_admission(Reading& reading) {
    engine::AdmissionQuestion question;
    question.cluster = reading.discovery.cluster;
    question.target = reading.record.target;
    question.target_key = reading.discovery.target_key;
    question.count_target = true;
    engine::Catalog catalog(*reading.context);
    auto endpoints = reading.context->cluster.endpoints;
    auto facts = co_await catalog.read_admission(std::move(endpoints), std::move(question), reading.deadline);
    BOOST_TEST(facts.endpoints.size() == reading.members.size());
}

asio::awaitable<void> read_candidate(Reading& reading) {
    engine::CandidateQuestion question;
    question.database = reading.record.target.database;
    question.name = reading.record.candidate;
    question.uuid = reading.record.desired.uuid;
    question.staged_rows = reading.record.staged_rows;
    question.more_tables.push_back(reading.record.target.table);
    engine::Catalog catalog(*reading.context);
    auto members = reading.members;
    auto facts = co_await catalog.read_candidate(std::move(members), std::move(question), reading.deadline);
    for (const auto& member : facts.members)
        BOOST_TEST(member.rows.value_or(0) == reading.record.staged_rows);
}

asio::awaitable<void> read_versioned(Reading& reading) {
    engine::Authority authority(
        *reading.context, reading.record.target.database, reading.discovery.target_key
    );
    auto members = reading.members;
    auto seen = co_await authority.read_versioned(std::move(members), reading.deadline);
    BOOST_TEST(seen.agreed());
}

asio::awaitable<void> read_all(Reading& reading) {
    std::vector<std::string> tables{reading.record.target.table};
    engine::CatalogQuestion question(
        reading.record.target.database, std::move(tables), reading.record.target_key
    );
    engine::Catalog catalog(*reading.context);
    auto members = reading.members;
    auto evidence = co_await catalog.read_all(std::move(members), std::move(question), reading.deadline);
    BOOST_TEST(evidence.size() == reading.members.size());
}

asio::awaitable<void> count_all(Reading& reading) {
    engine::Catalog catalog(*reading.context);
    auto members = reading.members;
    auto counts =
        co_await catalog.count_all(std::move(members), reading.record.target, false, reading.deadline);
    for (const auto& count : counts)
        BOOST_TEST(count.rows.value_or(0) == 100U);
}

asio::awaitable<void> find_traces(Reading& reading) {
    auto traces = co_await engine::find_traces(
        *reading.context, reading.discovery, reading.record.target, reading.deadline
    );
    BOOST_TEST(traces.leftovers.size() == 1U);
}

asio::awaitable<void> list_orphans(Reading& reading) {
    auto listing =
        co_await engine::list_orphans(*reading.context, reading.record.target.database, reading.deadline);
    BOOST_TEST(listing->tables.size() == 1U);
}

asio::awaitable<void> list_targets(Reading& reading) {
    auto slots =
        co_await engine::list_targets(*reading.context, reading.record.target.database, reading.deadline);
    BOOST_TEST(slots->targets.size() == 1U);
}

enum class End { finished, aborted, other };

asio::awaitable<End> cancellable(const Start& start, Reading& reading, asio::cancellation_signal& signal) {
    auto executor = co_await asio::this_coro::executor;
    auto work = start(reading);
    End end = End::finished;
    try {
        co_await asio::co_spawn(
            executor, std::move(work), asio::bind_cancellation_slot(signal.slot(), asio::use_awaitable)
        );
    } catch (const boost::system::system_error& error) {
        end = error.code() == asio::error::operation_aborted ? End::aborted : End::other;
    }
    co_return end;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cancelled_reads)

BOOST_AUTO_TEST_CASE(each_port_at_each_step) {
    const std::pair<const char*, Start> ports[] = {
        {"read_admission", read_admission},
        {"read_candidate", read_candidate},
        {"read_versioned", read_versioned},
        {"read_all", read_all},
        {"count_all", count_all},
        {"find_traces", find_traces},
        {"list_orphans", list_orphans},
        {"list_targets", list_targets},
    };
    for (const auto& [name, start] : ports) {
        std::size_t aborted = 0;
        // Not before the read has begun: Asio 1.26 lets that cancellation out of the loop itself (co_spawn's
        // entry point posts after the exception, and that post is cancelled again), whatever the coroutine
        // is.
        for (std::uint64_t at = 1;; ++at) {
            asio::cancellation_signal signal;
            Reading reading(bench_in(Phase::prepared, sim::simple_scenario(3), 3));
            auto started =
                reading.bench->world.start<End>(*reading.publisher, cancellable(start, reading, signal));
            std::uint64_t steps = 0;
            while (!started.done() && reading.bench->world.step())
                if (steps++ == at)
                    signal.emit(asio::cancellation_type::terminal);
            auto left = reading.bench->world.leftovers();
            std::erase_if(left, [](const std::string& line) { return line.ends_with("ready handlers"); });
            BOOST_TEST_CONTEXT(name << " cancelled at step " << at) {
                BOOST_TEST(left == std::vector<std::string>(), boost::test_tools::per_element());
                BOOST_REQUIRE(started.result().has_value());
                BOOST_TEST((*started.result() != End::other));
            }
            aborted += *started.result() == End::aborted ? 1U : 0U;
            reading.bench->world.run_until_idle();
            if (steps <= at)
                break;
        }
        BOOST_TEST_MESSAGE(name << ": aborted at " << aborted << " steps");
        BOOST_TEST(aborted > 2U, name);
    }
}

BOOST_AUTO_TEST_SUITE_END()
