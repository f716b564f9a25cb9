#include "world_setup.hpp"

#include <boost/test/unit_test.hpp>

// After healing a cluster does what it is asked, whatever was wrong before.

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using namespace std::chrono_literals;

namespace {

Fault now(Effect effect, MemberIndex on = any_member) {
    Fault fault(Time{}, effect);
    fault.on = on;
    return fault;
}

Fault with(Fault fault, std::string text, std::vector<std::pair<std::string, std::string>> values = {}) {
    fault.text = std::move(text);
    fault.values = std::move(values);
    return fault;
}

/// Every SELECT from the queue that a client can make of this member.
bool queue_is_readable(World& world, MemberIndex member) {
    return !queue_rows(world, member, "x").starts_with("error");
}

} // namespace

BOOST_AUTO_TEST_SUITE(healing)

BOOST_AUTO_TEST_CASE(undoes) {
    QueueEdit unreadable;
    unreadable.what = QueueEdit::What::unreadable;
    Fault poisoned = now(Effect::edit_queue);
    poisoned.queue_edit = unreadable;
    Fault endless(Point::arrive, Match(), Effect::lose);
    endless.times = 0;
    Fault silent = endless;
    silent.effect = Effect::hold;
    const std::vector<Fault> harms{
        now(Effect::crash),
        now(Effect::crash, 1),
        now(Effect::pause),
        now(Effect::stop_worker),
        now(Effect::lose_session),
        poisoned,
        endless,
        silent,
        with(now(Effect::edit_user), "default", {{"grants", "GRANT SELECT ON db.* TO default"}}),
        with(now(Effect::edit_user), "default", {{"readonly", "1"}}),
        with(now(Effect::set_setting), "", {{"log_comment", ""}}),
        with(now(Effect::edit_table), "db.target", {{"is_readonly", "1"}}),
        with(now(Effect::add_cluster), "alias"),
    };
    for (const Fault& harm : harms) {
        Scenario scenario = simple_scenario(2);
        scenario.faults.push_back(harm);
        World world(scenario, 3);
        world.run_for(1s);
        const auto works = [&world] {
            const Sent ddl = run_ddl(world, 0, candidate_sql, "x", 5);
            const Sent insert =
                ask(world,
                    1,
                    sql("INSERT INTO `db`.`target` FORMAT JSONEachRow",
                        protocol::StatementKind::insert_rows,
                        {{"insert_deduplication_token", "b"}}),
                    "{\"id\":1,\"name\":\"a\"}",
                    5s);
            return ddl.status == 200U && insert.status == 200U && queue_is_readable(world, 0) &&
                   queue_is_readable(world, 1) && world.cluster().state().clusters.size() == 1U;
        };
        BOOST_TEST_CONTEXT(label(harm)) {
            BOOST_TEST(!works());
            world.heal();
            world.run_for(5s);
            if (uuid_of(world, 0, "cand") != "absent")
                run_ddl(world, 0, "DROP TABLE IF EXISTS db.cand ON CLUSTER c1", "y", 60);
            const std::string taken = candidate_uuid;
            run_ddl(world, 0, "DROP TABLE IF EXISTS db.none ON CLUSTER c1", "x", 60);
            BOOST_TEST(queue_is_readable(world, 0));
            BOOST_TEST(queue_is_readable(world, 1));
            BOOST_TEST(queue_rows(world, 0, "x").find("ch-2|Finished|0") != std::string::npos);
            BOOST_TEST(world.cluster().state().clusters.size() == 1U);
            for (const MemberIndex member : {MemberIndex{0}, MemberIndex{1}})
                BOOST_TEST(
                    ask(world,
                        member,
                        sql("INSERT INTO `db`.`target` FORMAT JSONEachRow",
                            protocol::StatementKind::insert_rows),
                        "{\"id\":1,\"name\":\"a\"}")
                        .status == 200U
                );
        }
    }
}

/// What has not happened yet does not happen any more; what is added later does.
BOOST_AUTO_TEST_CASE(disarms) {
    World world(simple_scenario(2), 3);
    world.add(Fault(10s, Effect::crash));
    Fault refuse(Point::connect, Match(), Effect::refuse);
    refuse.times = 0;
    world.add(refuse);
    world.heal();
    world.run_for(20s);
    BOOST_TEST(world.cluster().state().members[0].up);
    BOOST_TEST(select(world, 0, "SELECT 1 AS one").status == 200U);
    world.add(refuse);
    BOOST_TEST(select(world, 0, "SELECT 1 AS one").status == 0U);
}

/// Held requests go on, or are given up and never run.
BOOST_AUTO_TEST_CASE(held_requests) {
    for (const bool released : {true, false}) {
        World world(simple_scenario(2), 3);
        world.add(Fault(Point::arrive, Match(StatementClass::create_candidate), Effect::hold));
        const Sent silence = ask(
            world, 0, sql(candidate_sql, protocol::StatementKind::create_candidate, ddl_settings("x")), {}, 5s
        );
        BOOST_TEST(!silence.complete);
        Fault heal(world.now() + 1s, Effect::heal);
        heal.text = released ? "" : "drop";
        world.add(heal);
        world.run_until_idle();
        BOOST_TEST(world.cluster().held() == 0U);
        BOOST_TEST(uuid_of(world, 1, "cand") == (released ? candidate_uuid : "absent"));
    }
}

/// Facts stay: what ran, what was removed, what was edited.
BOOST_AUTO_TEST_CASE(keeps_what_was_done) {
    World world(simple_scenario(2), 3);
    run_ddl(world, 0, candidate_sql, "setup");
    Match match(StatementClass::exchange);
    match.member = 1;
    world.add(Fault(Point::worker_after_status, match, Effect::revert));
    run_ddl(world, 0, exchange_sql, "x");
    world.cluster().remove_entries("x");
    world.add(with(Fault(world.now(), Effect::edit_table), "db.cand", {{"rows", "7"}}));
    world.run_for(1ms);
    world.heal();
    world.run_until_idle();
    BOOST_TEST(uuid_of(world, 0, "target") == candidate_uuid);
    BOOST_TEST(uuid_of(world, 1, "cand") == candidate_uuid);
    BOOST_TEST(queue_rows(world, 0, "x") == "");
    BOOST_TEST(world.cluster().state().members[0].find("db", "cand")->rows == 7U);
}

/// An edit that lasts for a while: the row shows something else between two readings.
BOOST_AUTO_TEST_CASE(edits_that_pass) {
    World world(simple_scenario(2), 3);
    run_ddl(world, 0, candidate_sql, "x");
    Fault fault(world.now(), Effect::edit_queue);
    fault.lasts = 10s;
    fault.queue_edit.token = "x";
    fault.queue_edit.status = "Removing";
    world.add(fault);
    world.run_for(1ms);
    BOOST_TEST(queue_rows(world, 0, "x").find("Finished") == std::string::npos);
    world.run_for(11s);
    BOOST_TEST(queue_rows(world, 0, "x").find("Removing") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
