#include "fixtures/harness/story.hpp"
#include "fixtures/harness/swarm.hpp"
#include "fixtures/sim/fault_plan.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>

// What seeds draw: every class, every effect at every point where it makes sense, and it fires.

using namespace onceswap;
using namespace onceswap::harness;

namespace {

using sim::Effect;
using sim::Point;

/// `point effect`, as a fault without a name is called in ground truth, without its statement class.
std::string cell(Point point, Effect effect) {
    return std::string(sim::text(point)) + " " + std::string(sim::text(effect));
}

constexpr Point worker_points[] = {
    Point::worker_before_active,
    Point::worker_after_active,
    Point::worker_after_execute,
    Point::worker_before_status,
    Point::worker_after_status,
};

constexpr Effect cluster_effects[] = {
    Effect::crash,
    Effect::pause,
    Effect::stop_worker,
    Effect::lose_session,
    Effect::lag_follower,
    Effect::run_sql,
    Effect::remove_entries,
    Effect::edit_queue,
    Effect::edit_authority,
    Effect::edit_table,
    Effect::edit_user,
    Effect::add_cluster,
    Effect::set_setting,
    Effect::set_distributed_ddl,
    Effect::power_loss,
    Effect::forget_itself,
    Effect::poison_queue,
    Effect::set_clock,
    Effect::edit_cluster,
    Effect::edit_member,
    Effect::restore_authority,
};

/// Every effect at every point where it makes sense.
std::set<std::string> sensible() {
    std::set<std::string> cells;
    for (const Point point :
         {Point::arrive, Point::after_commit, Point::enqueued, Point::effect, Point::reply}) {
        cells.insert(cell(point, Effect::lose));
        cells.insert(cell(point, Effect::reset));
        cells.insert(cell(point, Effect::crash_client));
    }
    for (const Point point :
         {Point::send,
          Point::arrive,
          Point::between_phases,
          Point::before_commit,
          Point::after_commit,
          Point::enqueued,
          Point::effect}) {
        cells.insert(cell(point, Effect::delay));
    }
    for (const Point point :
         {Point::connect,
          Point::arrive,
          Point::between_phases,
          Point::before_commit,
          Point::after_commit,
          Point::enqueued,
          Point::effect}) {
        cells.insert(cell(point, Effect::hold));
    }
    cells.insert(cell(Point::send, Effect::reset));
    cells.insert(cell(Point::send, Effect::lose));
    cells.insert(cell(Point::send, Effect::crash_client));
    cells.insert(cell(Point::connect, Effect::crash_client));
    cells.insert(cell(Point::connect, Effect::refuse));
    cells.insert(cell(Point::connect, Effect::route));
    cells.insert(cell(Point::connect, Effect::delay));
    cells.insert(cell(Point::effect, Effect::truncate));
    cells.insert(cell(Point::reply, Effect::truncate));
    cells.insert(cell(Point::effect, Effect::midstream));
    for (const Point point : {Point::arrive, Point::effect}) {
        cells.insert(cell(point, Effect::answer));
        cells.insert(cell(point, Effect::raw_answer));
        cells.insert(cell(point, Effect::duplicate));
    }
    cells.insert(cell(Point::arrive, Effect::copy));
    for (const Point point :
         {Point::at_time, Point::send, Point::arrive, Point::after_commit, Point::enqueued, Point::effect}) {
        cells.insert(cell(point, Effect::replay));
    }
    cells.insert(cell(Point::before_commit, Effect::keeper_loss));
    cells.insert(cell(Point::after_commit, Effect::keeper_loss));
    cells.insert(cell(Point::arrive, Effect::tear));
    cells.insert(cell(Point::between_sources, Effect::delay));
    cells.insert(cell(Point::after_commit, Effect::keep_authority));
    cells.insert(cell(Point::worker_after_active, Effect::host_error));
    cells.insert(cell(Point::worker_after_execute, Effect::host_error));
    cells.insert(cell(Point::worker_after_execute, Effect::rerun));
    cells.insert(cell(Point::worker_after_status, Effect::revert));
    for (const Effect effect : {Effect::crash, Effect::pause, Effect::lose_session}) {
        for (const Point point : worker_points) {
            cells.insert(cell(point, effect));
        }
    }
    for (const Effect effect : cluster_effects) {
        cells.insert(cell(Point::at_time, effect));
    }
    for (const Effect effect :
         {Effect::restart,
          Effect::unpause,
          Effect::start_worker,
          Effect::restore_session,
          Effect::catch_up,
          Effect::know_itself}) {
        cells.insert(cell(Point::at_time, effect));
    }
    return cells;
}

} // namespace

BOOST_AUTO_TEST_SUITE(swarm)

BOOST_AUTO_TEST_CASE(draws_every_class_every_size_every_form) {
    std::map<std::string, std::size_t> classes;
    std::set<std::size_t> sizes;
    std::set<std::string> forms;
    std::set<sim::Version> profiles;
    std::set<std::string> verbs;
    std::size_t absent = 0;
    std::size_t empty = 0;
    std::size_t several = 0;
    std::size_t old_retries = 0;
    constexpr std::uint64_t seeds = 20'000;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Choice choice = choose(seed);
        const Plan& plan = choice.plan;
        for (const std::string_view name : choice.classes) {
            ++classes[std::string(name)];
        }
        sizes.insert(plan.members);
        forms.insert(std::string(text(plan.hosts)));
        profiles.insert(plan.profile);
        absent += plan.target_exists ? 0U : 1U;
        several += plan.invocations().size() > 1 ? 1U : 0U;
        std::string latest;
        for (const Process& process : plan.processes) {
            verbs.insert(std::string(text(process.verb)));
            empty += process.verb == Verb::publish && process.rows == 0 ? 1U : 0U;
            old_retries += process.invocation == "run-1" && latest > "run-1" ? 1U : 0U;
            latest = process.verb == Verb::publish ? process.invocation : latest;
        }
    }
    BOOST_TEST(classes.size() == fault_classes().size());
    for (const auto& [name, count] : classes) {
        BOOST_TEST(count > seeds / 100, name << ": " << count);
    }
    BOOST_TEST(sizes.size() == most_members - least_members + 1);
    BOOST_TEST(forms.size() == 4U);
    BOOST_TEST(profiles.size() == 4U);
    BOOST_TEST(verbs.size() == 7U);
    BOOST_TEST(absent > seeds / 10);
    BOOST_TEST(empty > seeds / 10);
    BOOST_TEST(several > seeds / 10);
    BOOST_TEST(old_retries > seeds / 50);
}

BOOST_AUTO_TEST_CASE(the_profile_is_what_was_asked_for_and_changes_nothing_else) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Plan any = plan_of(seed);
        const Plan fixed = plan_of(seed, sim::Version::v25_8);
        BOOST_TEST(static_cast<int>(fixed.profile) == static_cast<int>(sim::Version::v25_8));
        any.profile = fixed.profile;
        BOOST_TEST((any == fixed));
    }
}

/// No effect is forgotten: each is in the table of sensible cells, or is said here why not.
BOOST_AUTO_TEST_CASE(every_effect_has_a_sensible_point) {
    const std::set<std::string> cells = sensible();
    for (int i = 0; i <= static_cast<int>(sim::last_effect); ++i) {
        const Effect effect = static_cast<Effect>(i);
        const std::string word(sim::text(effect));
        const bool over_http_only = effect == Effect::bare_reply;
        const bool done_by_the_story = effect == Effect::heal;
        const bool in_scenario_files = effect == Effect::change; // sets what these effects edit
        const bool covered = std::any_of(cells.begin(), cells.end(), [&](const std::string& name) {
            return name.ends_with(" " + word);
        });
        BOOST_TEST(
            (covered || over_http_only || done_by_the_story || in_scenario_files), word << " is in no cell"
        );
    }
}

/// Every sensible cell is in some plan; those that need luck to be met are looked for among the runs below.
BOOST_AUTO_TEST_CASE(draws_every_effect_at_every_sensible_point) {
    std::set<std::string> drawn;
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        for (const sim::Fault& fault : plan_of(seed).faults) {
            drawn.insert(cell(fault.point, fault.effect));
        }
    }
    for (const std::string& wanted : sensible()) {
        BOOST_TEST(drawn.contains(wanted), wanted << " is never drawn");
    }
}

/// A plan that is about one fault of this cell: taken from a seed that draws one.
BOOST_AUTO_TEST_CASE(every_sensible_cell_fires) {
    std::set<std::string> missing = sensible();
    std::map<std::string, std::size_t> fired;
    std::size_t runs = 0;
    std::size_t with_fault = 0;
    StoryOptions options;
    options.labels = true;
    for (std::uint64_t seed = 1; !missing.empty() && seed <= 20'000; ++seed) {
        const Plan plan = plan_of(seed);
        bool wanted = seed <= 100; // a plain sample first: what share of the runs meets a fault
        for (const sim::Fault& fault : plan.faults) {
            wanted |= missing.contains(cell(fault.point, fault.effect));
        }
        if (!wanted) {
            continue;
        }
        const Outcome outcome = run(plan, options);
        ++runs;
        with_fault += seed <= 100 && outcome.fired != 0 ? 1U : 0U;
        for (const std::string& label : outcome.fired_labels) {
            const std::size_t last = label.rfind(' ');
            const std::size_t before =
                last == std::string::npos || last == 0 ? last : label.rfind(' ', last - 1);
            const std::string name = before == std::string::npos ? label : label.substr(before + 1);
            ++fired[name];
            missing.erase(name);
        }
    }
    std::ostringstream table;
    for (const auto& [name, count] : fired) {
        table << "\n" << count << "  " << name;
    }
    BOOST_TEST_MESSAGE(runs << " runs; cells that fired:" << table.str());
    BOOST_TEST(with_fault >= 90U, with_fault << " of 100 runs met a fault");
    for (const std::string& name : missing) {
        BOOST_TEST(false, name << " never fired in " << runs << " runs");
    }
}

BOOST_AUTO_TEST_SUITE_END()
