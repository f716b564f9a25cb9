#include "engine/cancellation.hpp"
#include "engine/task_group.hpp"
#include "loop.hpp"
#include "seeded_entropy.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <stdexcept>
#include <string>

using namespace onceswap;
using engine::TaskGroup;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

/// Counts frames that are alive: what is left after the end was leaked or abandoned.
struct Alive {
    explicit Alive(int& count_) : count(count_) { ++count; }

    ~Alive() { --count; }

    Alive(const Alive&) = delete;
    Alive& operator=(const Alive&) = delete;
    int& count;
};

asio::awaitable<void> throw_if_stopped(engine::Clock& clock, engine::Duration duration) {
    const auto error = co_await clock.wait_until(clock.now() + duration);
    if (error)
        engine::throw_cancelled();
}

asio::awaitable<void> work(engine::Clock& clock, engine::Duration duration, int& alive, int& finished) {
    const Alive here(alive);
    co_await throw_if_stopped(clock, duration);
    ++finished;
}

asio::awaitable<void> fail(engine::Clock& clock, engine::Duration duration, int& alive, std::string with) {
    const Alive here(alive);
    co_await throw_if_stopped(clock, duration);
    throw std::runtime_error(with);
}

/// Does not stop when it is told to, only a while later.
asio::awaitable<void> lingering(engine::Clock& clock, int& alive, int& finished) {
    const Alive here(alive);
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await clock.wait_until(clock.now() + 10s);
    co_await clock.wait_until(clock.now() + 1s);
    ++finished;
}

struct Counts {
    int alive = 0;
    int finished = 0;
    int alive_after_join = -1;
};

} // namespace

BOOST_AUTO_TEST_SUITE(task_group)

namespace {

asio::awaitable<void> join_three(engine::Clock& clock, Counts& counts) {
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    group.spawn(work(clock, 3s, counts.alive, counts.finished));
    group.spawn(work(clock, 1s, counts.alive, counts.finished));
    group.spawn(work(clock, 2s, counts.alive, counts.finished));
    BOOST_TEST(group.running() == 3U);
    co_await group.join();
    counts.alive_after_join = counts.alive;
    BOOST_TEST(group.running() == 0U);
}

asio::awaitable<void> join_none() {
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    co_await group.join();
}

asio::awaitable<void> fail_beside_work(engine::Clock& clock, Counts& counts) {
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    group.spawn(work(clock, 3s, counts.alive, counts.finished));
    group.spawn(fail(clock, 1s, counts.alive, "first"));
    group.spawn(fail(clock, 2s, counts.alive, "second"));
    std::exception_ptr error;
    try {
        co_await group.join();
    } catch (...) {
        error = std::current_exception();
    }
    counts.alive_after_join = counts.alive;
    std::rethrow_exception(error);
}

asio::awaitable<void> join_lingering(engine::Clock& clock, Counts& counts) {
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    group.spawn(lingering(clock, counts.alive, counts.finished));
    std::exception_ptr error;
    try {
        co_await group.join();
    } catch (...) {
        error = std::current_exception();
    }
    counts.alive_after_join = counts.alive;
    if (error)
        std::rethrow_exception(error);
}

/// Throws between spawn and join, as a caller that is cancelled meanwhile does.
asio::awaitable<void> never_join(engine::Clock& clock, Counts& counts) {
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    group.spawn(work(clock, 1s, counts.alive, counts.finished));
    throw std::runtime_error("before join");
}

asio::awaitable<void> cancel_then_join(engine::Clock& clock, Counts& counts) {
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    group.spawn(work(clock, 1s, counts.alive, counts.finished));
    group.cancel();
    group.spawn(work(clock, 1s, counts.alive, counts.finished));
    co_await group.join();
}

asio::awaitable<void> cancel_own_group(TaskGroup& group, int& alive) {
    const Alive here(alive);
    group.cancel();
    co_return;
}

asio::awaitable<void> child_cancels_its_group(engine::Clock& clock, Counts& counts) {
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    group.spawn(work(clock, 1s, counts.alive, counts.finished));
    group.spawn(cancel_own_group(group, counts.alive));
    co_await group.join();
}

asio::awaitable<void> spawn_more(TaskGroup& group, engine::Clock& clock, Counts& counts) {
    const Alive here(counts.alive);
    co_await throw_if_stopped(clock, 1s);
    group.spawn(work(clock, 5s, counts.alive, counts.finished));
}

asio::awaitable<void> child_spawns(engine::Clock& clock, Counts& counts) {
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    group.spawn(spawn_more(group, clock, counts));
    co_await group.join();
    counts.alive_after_join = counts.alive;
}

asio::awaitable<void> join_deferring(engine::Clock& clock, Counts& counts, engine::DeferralEnd& end) {
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    group.spawn(work(clock, 5s, counts.alive, counts.finished));
    co_await group.join_deferring(end);
    counts.alive_after_join = counts.alive;
    co_await asio::post(asio::use_awaitable); // where a remembered cancellation shows
}

} // namespace

BOOST_AUTO_TEST_CASE(join_waits_for_every_child) {
    testing::Loop loop;
    Counts counts;
    const auto begin = loop.clock.now();
    const auto ending = loop.run(join_three(loop.clock, counts));
    BOOST_TEST(ending.what() == "");
    BOOST_TEST(counts.finished == 3);
    BOOST_TEST(counts.alive_after_join == 0);
    BOOST_TEST((loop.clock.now() - begin == 3s), "children ran one after the other");
}

BOOST_AUTO_TEST_CASE(an_empty_group_joins_at_once) {
    testing::Loop loop;
    BOOST_TEST(loop.run(join_none()).what() == "");
}

BOOST_AUTO_TEST_CASE(the_first_error_cancels_the_siblings_and_is_rethrown) {
    testing::Loop loop;
    Counts counts;
    const auto begin = loop.clock.now();
    const auto ending = loop.run(fail_beside_work(loop.clock, counts));
    BOOST_TEST(ending.what() == "first");
    BOOST_TEST(counts.finished == 0);
    BOOST_TEST(counts.alive_after_join == 0);
    BOOST_TEST((loop.clock.now() - begin == 1s));
    BOOST_TEST(ending.leftovers == 0U);
}

BOOST_AUTO_TEST_CASE(a_cancelled_join_keeps_waiting_for_a_child_that_lingers) {
    const unsigned cancelled = testing::sweep_cancellation([](unsigned cancel_at) {
        testing::Loop loop;
        Counts counts;
        const auto ending = loop.run(join_lingering(loop.clock, counts), cancel_at);
        BOOST_TEST_CONTEXT("cancelled at step " << cancel_at) {
            BOOST_TEST(counts.alive == 0);
            BOOST_TEST(counts.alive_after_join <= 0);
            BOOST_TEST(ending.leftovers == 0U);
            BOOST_TEST((ending.cancelled() || ending.what().empty()));
            if (!ending.signalled)
                BOOST_TEST(counts.finished == 1);
        }
        return ending;
    });
    BOOST_TEST(cancelled >= 4U);
}

BOOST_AUTO_TEST_CASE(an_owner_that_throws_before_join_leaves_no_running_child) {
    testing::Loop loop;
    Counts counts;
    const auto ending = loop.run(never_join(loop.clock, counts));
    BOOST_TEST(ending.what() == "before join");
    BOOST_TEST(counts.alive == 0);
    BOOST_TEST(counts.finished == 0);
    BOOST_TEST(ending.leftovers == 0U);
}

BOOST_AUTO_TEST_CASE(a_child_of_a_cancelled_group_does_not_run) {
    testing::Loop loop;
    Counts counts;
    const auto ending = loop.run(cancel_then_join(loop.clock, counts));
    BOOST_TEST(ending.what() == "");
    BOOST_TEST(counts.finished == 0);
    BOOST_TEST(counts.alive == 0);
}

BOOST_AUTO_TEST_CASE(a_child_may_cancel_its_own_group_and_return) {
    testing::Loop loop;
    Counts counts;
    BOOST_TEST(loop.run(child_cancels_its_group(loop.clock, counts)).what() == "");
    BOOST_TEST(counts.finished == 0);
    BOOST_TEST(counts.alive == 0);
}

BOOST_AUTO_TEST_CASE(a_child_that_a_child_spawns_is_joined_too) {
    testing::Loop loop;
    Counts counts;
    BOOST_TEST(loop.run(child_spawns(loop.clock, counts)).what() == "");
    BOOST_TEST(counts.finished == 1);
    BOOST_TEST(counts.alive_after_join == 0);
}

BOOST_AUTO_TEST_CASE(a_deferred_cancellation_lets_the_children_finish_and_is_remembered) {
    const unsigned cancelled = testing::sweep_cancellation([](unsigned cancel_at) {
        testing::Loop loop;
        Counts counts;
        engine::DeferralEnd end;
        const auto ending = loop.run(join_deferring(loop.clock, counts, end), cancel_at);
        BOOST_TEST_CONTEXT("cancelled at step " << cancel_at) {
            BOOST_TEST(counts.alive == 0);
            if (counts.alive_after_join == 0) // it began
                BOOST_TEST(counts.finished == 1);
            BOOST_TEST((ending.cancelled() || !ending.signalled || cancel_at + 1 >= ending.steps));
        }
        return ending;
    });
    BOOST_TEST(cancelled >= 4U);
}

BOOST_AUTO_TEST_CASE(a_lifted_deferral_forwards_what_it_remembered) {
    int stopped = 0;
    testing::sweep_cancellation([&stopped](unsigned cancel_at) {
        testing::Loop loop;
        Counts counts;
        engine::DeferralEnd end;
        end.lift();
        const auto ending = loop.run(join_deferring(loop.clock, counts, end), cancel_at);
        BOOST_TEST(counts.alive == 0);
        if (counts.alive_after_join == 0 && counts.finished == 0)
            ++stopped;
        return ending;
    });
    BOOST_TEST(stopped >= 1);
}

namespace {

/// A random tree of groups: nested groups, errors, groups that cancel themselves, children that spawn
/// siblings.
struct Tree {
    explicit Tree(std::uint64_t seed, engine::Clock& clock_) : random(seed), clock(clock_) {}

    testing::SeededEntropy random;
    engine::Clock& clock;
    int alive = 0;
    int joined_with_live_children = 0;
    int groups = 0;
};

asio::awaitable<void> leaf(Tree& tree, int& in_group) {
    const Alive here(tree.alive);
    const Alive counted(in_group);
    co_await throw_if_stopped(tree.clock, std::chrono::milliseconds(tree.random.below(5) * 40));
    if (tree.random.below(6) == 0)
        throw std::runtime_error("leaf");
}

asio::awaitable<void> branch(Tree& tree, int depth, int& in_group);

asio::awaitable<void> gardener(Tree& tree, TaskGroup& group, int depth, int& in_group) {
    const Alive here(tree.alive);
    const Alive counted(in_group);
    for (int i = 0; i < 3; ++i) {
        if (depth > 0 && tree.random.below(2) == 0)
            group.spawn(branch(tree, depth - 1, in_group));
        else
            group.spawn(leaf(tree, in_group));
        if (tree.random.below(3) == 0) {
            co_await asio::post(asio::use_awaitable);
        }
    }
    if (tree.random.below(9) == 0)
        group.cancel();
}

asio::awaitable<void> branch(Tree& tree, int depth, int& in_group) {
    const Alive here(tree.alive);
    const Alive counted(in_group);
    auto executor = co_await asio::this_coro::executor;
    int children = 0;
    ++tree.groups;
    TaskGroup group(executor);
    group.spawn(gardener(tree, group, depth, children));
    std::exception_ptr error;
    try {
        co_await group.join();
    } catch (...) {
        error = std::current_exception();
    }
    if (children != 0)
        ++tree.joined_with_live_children;
    if (error)
        std::rethrow_exception(error);
}

} // namespace

BOOST_AUTO_TEST_CASE(random_trees_join_everything_whatever_fails_or_is_cancelled) {
    int ended = 0;
    int failed = 0;
    int cancelled = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        testing::Loop loop;
        Tree tree(seed, loop.clock);
        int children = 0;
        std::optional<unsigned> cancel_at;
        if (tree.random.below(2) == 0)
            cancel_at = static_cast<unsigned>(tree.random.below(60));
        const auto ending = loop.run(branch(tree, 3, children), cancel_at);
        if (ending.what().empty())
            ++ended;
        else if (ending.cancelled())
            ++cancelled;
        else
            ++failed;
        const bool clean = tree.alive == 0 && tree.joined_with_live_children == 0 && ending.leftovers == 0 &&
                           (!ending.cancelled() || ending.signalled);
        BOOST_REQUIRE_MESSAGE(
            clean,
            "seed " << seed << ": alive " << tree.alive << ", joined early " << tree.joined_with_live_children
                    << ", leftovers " << ending.leftovers << ", ended as `" << ending.what() << "`"
        );
    }
    BOOST_TEST_MESSAGE(
        "2000 trees: " << ended << " ended, " << failed << " failed, " << cancelled << " cancelled"
    );
    BOOST_TEST(ended > 100);
    BOOST_TEST(failed > 100);
    BOOST_TEST(cancelled > 100);
}

BOOST_AUTO_TEST_CASE(a_context_that_is_destroyed_takes_waiting_groups_with_it) {
    Counts counts;
    {
        testing::Loop loop;
        BOOST_CHECK_NO_THROW({
            // Started and never finished: the loop goes away while the group waits for its child.
            auto ended = std::make_shared<bool>(false);
            asio::co_spawn(loop.context, join_three(loop.clock, counts), [ended](const std::exception_ptr&) {
                *ended = true;
            });
            for (int i = 0; i < 20; ++i)
                loop.context.poll_one();
        });
        BOOST_TEST(counts.alive == 3);
    }
    BOOST_TEST(counts.alive == 0);
}

BOOST_AUTO_TEST_SUITE_END()
