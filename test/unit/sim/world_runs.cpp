#include "engine/task_group.hpp"
#include "world_setup.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <set>

// The world itself: repeatable, explores orders, crashes clients, finds what is left.

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using namespace std::chrono_literals;
using boost::asio::awaitable;

namespace {

awaitable<void> several(World& world, Publisher& publisher, unsigned calls) {
    for (unsigned i = 0; i < calls; ++i) {
        Sent sent = co_await send(world, publisher, i % 2, sql("SELECT 1 AS one"), "", 5s);
        const engine::TimePoint later = world.in(std::chrono::milliseconds(publisher.entropy().below(20)));
        boost::system::error_code waited = co_await world.clock().wait_until(later);
        if (waited)
            co_return;
    }
}

std::uint64_t hash_of(std::uint64_t seed, std::string* trace = nullptr) {
    World world(simple_scenario(3), seed);
    world.keep_trace();
    run_ddl(world, 0, candidate_sql);
    Publisher& a = world.publisher("a");
    Publisher& b = world.publisher("b");
    world.start(a, several(world, a, 5));
    world.start(b, several(world, b, 5));
    world.run();
    run_ddl(world, 1, exchange_sql);
    world.run_until_idle();
    if (trace != nullptr)
        *trace = world.trace();
    return world.trace_hash();
}

awaitable<void> for_ever(World& world, Publisher& publisher, unsigned& turns) {
    for (;;) {
        ++turns;
        Sent sent = co_await send(world, publisher, 0, sql("SELECT 1 AS one"), "", 5s);
    }
}

/// Waits for a time that never comes.
awaitable<void> stuck(World& world) {
    boost::system::error_code ignored = co_await world.clock().wait_until(engine::TimePoint::max());
    static_cast<void>(ignored);
}

awaitable<void> crowd(World& world, Publisher& publisher, unsigned& done) {
    engine::TaskGroup group(world.executor());
    for (MemberIndex member = 0; member < 2; ++member)
        group.spawn(several(world, publisher, 3));
    co_await group.join();
    ++done;
}

} // namespace

BOOST_AUTO_TEST_SUITE(world_runs)

BOOST_AUTO_TEST_CASE(same_seed_same_trace) {
    std::set<std::uint64_t> hashes;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        std::string first;
        std::string second;
        const std::uint64_t a = hash_of(seed, &first);
        const std::uint64_t b = hash_of(seed, &second);
        BOOST_TEST_CONTEXT("seed " << seed) {
            BOOST_TEST(a == b);
            BOOST_TEST(first == second);
        }
        hashes.insert(a);
    }
    BOOST_TEST(hashes.size() == 25U); // and another seed is another run
}

BOOST_AUTO_TEST_CASE(virtual_time_costs_nothing) {
    World world;
    const auto before = world.clock().wall_seconds();
    world.run_for(24h);
    BOOST_TEST(world.clock().wall_seconds() - before == 86'400);
    BOOST_TEST(world.now() == Time(24h));
}

/// Before the bytes leave, after they left, after the effect, after the reply: the client is gone in each,
/// and only in the first did nothing happen.
BOOST_AUTO_TEST_CASE(client_crashes_at_every_step) {
    for (const Point point : {Point::connect, Point::send, Point::arrive, Point::effect, Point::reply}) {
        World world(simple_scenario(2), 9);
        run_ddl(world, 0, candidate_sql);
        Publisher& publisher = world.publisher("victim");
        Match match;
        match.client = "victim";
        world.add(Fault(point, match, Effect::crash_client));
        auto started = world.start(
            publisher,
            send(
                world,
                publisher,
                0,
                sql(exchange_sql, protocol::StatementKind::exchange, ddl_settings("x")),
                "",
                60s
            )
        );
        world.run();
        BOOST_TEST_CONTEXT(text(point) << "\n" << world.trace()) {
            BOOST_TEST(publisher.crashed());
            BOOST_TEST(started.done());
            BOOST_TEST(!started.result().has_value());
            BOOST_TEST(world.leftovers().empty());
            world.run_until_idle();
            const bool left = point != Point::connect && point != Point::send;
            BOOST_TEST(world.truth().executed(StatementClass::exchange, 0) == (left ? 1U : 0U));
            BOOST_TEST(publisher.transport().sends() == (left ? 1U : 0U));
        }
    }
}

BOOST_AUTO_TEST_CASE(crash_ends_a_loop_and_its_children) {
    unsigned turns = 0; // both outlive the world, whose destructor lets coroutines unwind
    unsigned done = 0;
    World world(simple_scenario(2), 3);
    Publisher& endless = world.publisher("endless");
    Publisher& group = world.publisher("group");
    world.start(endless, for_ever(world, endless, turns));
    world.start(group, crowd(world, group, done));
    while (turns < 10)
        BOOST_REQUIRE(world.step());
    endless.crash();
    group.crash();
    const std::uint64_t requests = endless.requests() + group.requests();
    world.run();
    BOOST_TEST(done == 0U);
    BOOST_TEST(endless.requests() + group.requests() == requests); // whatever they tried, nothing left them
    BOOST_TEST(world.leftovers().empty());
}

BOOST_AUTO_TEST_CASE(what_waits_for_nothing_is_found) {
    World world;
    Publisher& publisher = world.publisher();
    world.start(publisher, stuck(world));
    BOOST_CHECK_EXCEPTION(world.run(), std::runtime_error, [](const std::runtime_error& error) {
        return std::string(error.what()).find("seed 1: a coroutine waits for something that cannot happen") !=
               std::string::npos;
    });
    const auto left = world.leftovers();
    BOOST_TEST(left.size() == 2U); // the coroutine and its wait; the destructor lets it unwind
}

BOOST_AUTO_TEST_CASE(endless_runs_are_cut) {
    unsigned turns = 0; // outlives the world, whose destructor lets the loop unwind
    World world;
    world.max_steps = 1'000;
    world.start(world.publisher(), for_ever(world, world.publisher(), turns));
    BOOST_CHECK_THROW(world.run(), std::runtime_error);
    BOOST_TEST(turns > 10U);
}

BOOST_AUTO_TEST_CASE(unknown_endpoint_and_passed_deadline) {
    World world;
    Publisher& publisher = world.publisher();
    const Sent late = ask(world, 0, sql(exchange_sql, protocol::StatementKind::exchange), {}, 0s);
    BOOST_TEST(late.evidence.bytes_handed_over == 0U);
    BOOST_TEST(late.status == 0U);
    BOOST_TEST(publisher.transport().sends() == 0U);
}

BOOST_AUTO_TEST_CASE(sixty_four_members) {
    World world(simple_scenario(64), 1);
    BOOST_TEST(run_ddl(world, 63, candidate_sql, "x").status == 200U);
    BOOST_TEST(run_ddl(world, 0, exchange_sql, "y").status == 200U);
    for (MemberIndex member = 0; member < 64; ++member)
        BOOST_TEST(uuid_of(world, member, "target") == candidate_uuid);
    BOOST_CHECK_THROW(World(simple_scenario(65)), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
