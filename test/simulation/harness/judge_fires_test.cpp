#include "bad_client.hpp"
#include "fixtures/harness/judge_record.hpp"
#include "fixtures/harness/reading_pace.hpp"
#include "fixtures/sim/cluster.hpp"
#include "simulation/loader.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/test/unit_test.hpp>

// Each invariant is broken for real, in a world, by a client that keeps no rule or a cluster that plays
// false, and the judge says so.

using namespace onceswap;
using namespace onceswap::harness_test;
using harness::Invariant;
using harness::ReadingPace;
using protocol::StatementKind;
using protocol::Word;

namespace {

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

const std::string some_token = "onceswap-v1-0123456789abcdef0123-publish-1-" + std::string(32, 'e');

/// A world whose record is COMMITTED, with the predecessor still under the candidate's name.
struct Committed {
    explicit Committed(sim::Scenario scenario = sim::simple_scenario()) : bench(std::move(scenario)) {
        report = bench.publish("one", false);
        BOOST_REQUIRE(report.has_value());
        BOOST_REQUIRE_EQUAL(protocol::text(report->verdict.word), "COMMITTED");
        BOOST_REQUIRE_EQUAL(bench.violations(), "");
        const auto record = harness::read_record(bench.world.truth().authority_writes.back());
        candidate = record->candidate;
        aside = record->aside;
    }

    std::string exchange() const {
        return "EXCHANGE TABLES `db`.`target` AND `db`.`" + candidate + "` ON CLUSTER `c1`";
    }

    /// Somebody swaps one member back, on that member alone.
    void swap_back(sim::MemberIndex member) {
        sim::Fault fault(bench.world.now(), sim::Effect::run_sql);
        fault.on = member;
        fault.text = "EXCHANGE TABLES `db`.`target` AND `db`.`" + candidate + "`";
        bench.world.add(std::move(fault));
        bench.idle();
    }

    JudgedWorld bench;
    std::optional<protocol::Report> report;
    std::string candidate;
    std::string aside;
};

std::int64_t wall(const JudgedWorld& bench) {
    return sim::Scenario().wall_start +
           std::chrono::duration_cast<std::chrono::seconds>(bench.world.now()).count();
}

} // namespace

BOOST_AUTO_TEST_SUITE(judge_fires)

BOOST_AUTO_TEST_CASE(one_publication__without_a_permit) {
    Committed that;
    BadClient bad(that.bench);
    bad.send(StatementKind::exchange, that.exchange(), some_token);
    BOOST_TEST(
        has(that.bench.found(Invariant::one_publication), "without a permit"), that.bench.violations()
    );
}

BOOST_AUTO_TEST_CASE(one_publication__a_second_statement_of_the_operation) {
    Committed that;
    BadClient bad(that.bench);
    std::string token = bad.last_token("-publish-");
    token.back() = token.back() == '0' ? '1' : '0';
    bad.send(StatementKind::exchange, that.exchange(), token);
    BOOST_TEST(has(that.bench.violations(), "publishes operation"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(one_publication__with_the_permit_of_another) {
    Committed that;
    BadClient bad(that.bench);
    bad.send(StatementKind::exchange, that.exchange(), bad.last_token("-publish-"));
    BOOST_TEST(has(that.bench.violations(), "used the permit of p1"), that.bench.violations());
    BOOST_TEST(has(that.bench.violations(), "used a permit twice"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(one_publication__without_any_token) {
    Committed that;
    BadClient bad(that.bench);
    bad.send(StatementKind::exchange, that.exchange());
    BOOST_TEST(has(that.bench.found(Invariant::one_publication), "without a publication's token"));
}

BOOST_AUTO_TEST_CASE(sent_once__a_query_id_twice) {
    Committed that;
    BadClient bad(that.bench);
    bad.send(StatementKind::create_candidate, "CREATE TABLE `db`.`x1` AS `db`.`target`", {}, "q");
    BOOST_TEST(that.bench.found(Invariant::sent_once) == "");
    bad.send(StatementKind::create_candidate, "CREATE TABLE `db`.`x2` AS `db`.`target`", {}, "q");
    BOOST_TEST(has(that.bench.found(Invariant::sent_once), "query q twice"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(sent_once__a_retry_under_another_query_id) {
    Committed that;
    BadClient bad(that.bench);
    for (int i = 0; i < 2; ++i) {
        bad.send(StatementKind::create_candidate, "CREATE TABLE `db`.`x1` AS `db`.`target`");
    }
    BOOST_TEST(has(that.bench.found(Invariant::sent_once), "same statement twice"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(guarded_cleanup__set_aside_without_a_permit) {
    Committed that;
    BadClient bad(that.bench);
    std::string token = some_token;
    token.replace(token.find("publish"), 7, "aside");
    bad.send(
        StatementKind::rename_aside,
        "RENAME TABLE `db`.`" + that.candidate + "` TO `db`.`" + that.aside + "` ON CLUSTER `c1`",
        token
    );
    BOOST_TEST(
        has(that.bench.found(Invariant::guarded_cleanup), "without a permit"), that.bench.violations()
    );
}

BOOST_AUTO_TEST_CASE(guarded_cleanup__a_drop_of_what_nobody_listed) {
    Committed that;
    BadClient bad(that.bench);
    bad.send(StatementKind::drop_aside, "DROP TABLE IF EXISTS `db`.`" + that.candidate + "` ON CLUSTER `c1`");
    BOOST_TEST(has(that.bench.found(Invariant::guarded_cleanup), "still needs it"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(guarded_cleanup__a_drop_that_hits_the_published_table) {
    JudgedWorld bench;
    BOOST_REQUIRE(bench.publish("one").has_value());
    BOOST_REQUIRE_EQUAL(bench.violations(), "");
    BadClient bad(bench);
    bad.send(
        StatementKind::drop_aside,
        "DROP TABLE IF EXISTS `db`.`target` ON CLUSTER `c1`",
        bad.last_token("-cleanup-")
    );
    bench.idle();
    BOOST_TEST(has(bench.violations(), "dropped db.target with uuid"), bench.violations());
}

BOOST_AUTO_TEST_CASE(guarded_cleanup__dropping_before_the_members_are_set_aside) {
    Committed that;
    BadClient bad(that.bench);
    bad.overwrite({{"phase", "CLEANUP_DISPATCHING"}, {"dispatch_epoch", "2"}});
    BOOST_TEST(
        has(that.bench.found(Invariant::record_moves), "no step of a record"), that.bench.violations()
    );
}

BOOST_AUTO_TEST_CASE(guarded_cleanup__a_statement_is_repeated_while_it_is_at_work) {
    auto scenario = sim::simple_scenario();
    sim::Fault stops(
        sim::Point::worker_after_active, sim::Match(StatementKind::rename_aside), sim::Effect::stop_worker
    );
    scenario.faults.push_back(stops);
    sim::Fault gone(sim::Point::enqueued, sim::Match(StatementKind::rename_aside), sim::Effect::crash_client);
    scenario.faults.push_back(gone);
    JudgedWorld bench(scenario);
    bench.publish("one");
    bench.idle();
    BOOST_REQUIRE_EQUAL(bench.violations(), "");
    BadClient bad(bench);
    bad.overwrite({{"dispatch_epoch", "3"}});
    BOOST_TEST(has(bench.found(Invariant::guarded_cleanup), "is at work"), bench.violations());
}

BOOST_AUTO_TEST_CASE(guarded_cleanup__a_statement_is_repeated_before_its_visibility_wait) {
    auto scenario = sim::simple_scenario();
    sim::Fault lost(sim::Point::arrive, sim::Match(StatementKind::rename_aside), sim::Effect::lose);
    scenario.faults.push_back(lost);
    sim::Fault gone(sim::Point::arrive, sim::Match(StatementKind::rename_aside), sim::Effect::crash_client);
    scenario.faults.push_back(gone);
    JudgedWorld bench(scenario);
    bench.publish("one");
    BOOST_REQUIRE_EQUAL(bench.violations(), "");
    BadClient bad(bench);
    bad.overwrite({{"dispatch_epoch", "3"}});
    BOOST_TEST(has(bench.found(Invariant::guarded_cleanup), "nothing was seen"), bench.violations());
}

BOOST_AUTO_TEST_CASE(guarded_cleanup__a_member_that_is_not_healthy) {
    Committed that;
    sim::Fault readonly(that.bench.world.now(), sim::Effect::edit_table);
    readonly.on = 1;
    readonly.text = "db.target";
    readonly.values = {{"is_readonly", "1"}};
    that.bench.world.add(readonly);
    that.bench.idle();
    BadClient bad(that.bench);
    bad.overwrite({{"phase", "SET_ASIDE_DISPATCHING"}, {"dispatch_epoch", "2"}});
    BOOST_TEST(!has(that.bench.violations(), "not healthy")); // it was when the record was written
    bad.overwrite({{"phase", "CLEANUP_DISPATCHING"}, {"dispatch_epoch", "3"}});
    BOOST_TEST(has(that.bench.found(Invariant::guarded_cleanup), "not healthy"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(guarded_cleanup__a_candidates_name_comes_back) {
    Committed that;
    BadClient bad(that.bench);
    bad.send(StatementKind::create_candidate, "CREATE TABLE `db`.`" + that.candidate + "` AS `db`.`target`");
    BOOST_TEST(has(that.bench.found(Invariant::guarded_cleanup), "name again"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(record_moves__two_records_for_one_target) {
    Committed that;
    BadClient bad(that.bench);
    bad.insert_under(std::string(64, 'c'));
    BOOST_TEST(!has(that.bench.violations(), "second record")); // prepared: seen before it dispatches
    bad.overwrite({{"phase", "DISPATCHING"}, {"dispatch_epoch", "1"}});
    BOOST_TEST(has(that.bench.found(Invariant::record_moves), "second record"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(record_moves__backwards) {
    Committed that;
    BadClient bad(that.bench);
    bad.overwrite({{"phase", "PREPARED"}});
    BOOST_TEST(
        has(that.bench.found(Invariant::record_moves), "no step of a record"), that.bench.violations()
    );
}

BOOST_AUTO_TEST_CASE(record_moves__a_fence_changes_without_a_new_owner) {
    Committed that;
    BadClient bad(that.bench);
    bad.overwrite({{"phase", "COMPLETED"}, {"fence_token", std::string(32, 'f')}});
    BOOST_TEST(has(that.bench.found(Invariant::record_moves), "the fence changed"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(record_moves__what_is_no_record_is_overwritten) {
    Committed that;
    sim::Fault fault(that.bench.world.now(), sim::Effect::edit_authority);
    fault.values = {{"payload", "{}"}};
    that.bench.world.add(std::move(fault));
    that.bench.idle();
    that.bench.resume(); // the engine leaves it alone
    BOOST_TEST(that.bench.violations() == "");
    BadClient bad(that.bench);
    bad.overwrite({{"phase", "COMPLETED"}});
    BOOST_TEST(
        has(that.bench.found(Invariant::record_moves), "it was no record of ours"), that.bench.violations()
    );
}

BOOST_AUTO_TEST_CASE(sound_verdict__a_word_that_is_no_longer_true) {
    Committed that;
    that.swap_back(1);
    that.bench.world.run_for(std::chrono::seconds(5));
    that.bench.judge.after_step();
    BOOST_TEST(that.bench.violations() == "");
    that.report->observed_at = wall(that.bench); // as if a pass had just seen it
    that.bench.judge.said("liar", *that.report);
    BOOST_TEST(has(that.bench.found(Invariant::sound_verdict), "says COMMITTED"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(sound_verdict__every_word_is_held_against_the_members) {
    const Word claims[] = {
        Word::not_committed,
        Word::partial_terminal,
        Word::partial_in_progress,
        Word::drop_required,
        Word::in_progress,
        Word::drifted,
    };
    for (const Word word : claims) {
        Committed that;
        that.report->verdict.word = word;
        that.bench.judge.said("liar", *that.report);
        BOOST_TEST_CONTEXT(protocol::text(word)) {
            BOOST_TEST(that.bench.found(Invariant::sound_verdict) != "");
        }
    }
}

BOOST_AUTO_TEST_CASE(sound_verdict__committed_before_every_member_has_ended) {
    auto scenario = sim::simple_scenario();
    sim::Fault stops(
        sim::Point::worker_after_execute, sim::Match(StatementKind::exchange), sim::Effect::stop_worker
    );
    stops.match.member = 1;
    scenario.faults.push_back(stops);
    sim::Fault gone(sim::Point::enqueued, sim::Match(StatementKind::exchange), sim::Effect::crash_client);
    scenario.faults.push_back(gone);
    JudgedWorld bench(scenario);
    bench.publish("one", false);
    bench.idle();
    BOOST_REQUIRE_EQUAL(bench.violations(), "");
    BadClient bad(bench);
    bad.overwrite({{"phase", "COMMITTED"}});
    BOOST_TEST(has(bench.found(Invariant::sound_verdict), "COMMITTED without a receipt"), bench.violations());
}

/// The statement is at work; the entry that is bound to it is one that made a table.
BOOST_AUTO_TEST_CASE(sound_verdict__an_entry_of_another_statement_is_bound) {
    auto scenario = sim::simple_scenario();
    scenario.faults.emplace_back(
        sim::Point::enqueued, sim::Match(StatementKind::exchange), sim::Effect::crash_client
    );
    JudgedWorld bench(scenario);
    bench.publish("one", false);
    bench.idle();
    BOOST_REQUIRE_EQUAL(bench.violations(), "");
    const auto& entries = bench.world.truth().entries;
    BOOST_REQUIRE(entries.size() > 1U);
    BadClient bad(bench);
    bad.overwrite({{"entry", entries.back().name}});
    BOOST_TEST(bench.violations() == "");
    bad.overwrite({{"entry", ""}}); // which violates something else
    bad.overwrite({{"entry", entries.front().name}});
    BOOST_TEST(
        has(bench.found(Invariant::sound_verdict), "bound entry " + entries.front().name), bench.violations()
    );
}

BOOST_AUTO_TEST_CASE(sound_verdict__what_is_published_has_other_rows_than_staged) {
    auto scenario = sim::simple_scenario();
    sim::Fault gone(
        sim::Point::arrive, sim::Match(StatementKind::authority_update), sim::Effect::crash_client
    );
    scenario.faults.push_back(gone);
    scenario.faults.emplace_back(
        sim::Point::arrive, sim::Match(StatementKind::authority_update), sim::Effect::lose
    );
    JudgedWorld bench(scenario);
    bench.publish("one");
    BOOST_REQUIRE_EQUAL(bench.violations(), "");
    BadClient bad(bench);
    bad.overwrite({{"phase", "DISPATCHING"}, {"dispatch_epoch", "1"}, {"staged_rows", "21"}});
    BOOST_TEST(has(bench.found(Invariant::sound_verdict), "publishes 21 rows"), bench.violations());
}

BOOST_AUTO_TEST_CASE(sound_verdict__evidence_that_the_queue_does_not_hold) {
    auto scenario = sim::simple_scenario();
    sim::Fault stops(
        sim::Point::worker_after_active, sim::Match(StatementKind::exchange), sim::Effect::stop_worker
    );
    scenario.faults.push_back(stops);
    sim::Fault gone(sim::Point::enqueued, sim::Match(StatementKind::exchange), sim::Effect::crash_client);
    scenario.faults.push_back(gone);
    JudgedWorld bench(scenario);
    bench.publish("one");
    bench.idle();
    auto report = bench.observe();
    BOOST_REQUIRE(report.has_value());
    BOOST_REQUIRE_EQUAL(bench.violations(), "");
    report->evidence = protocol::QueueEvidence::failure;
    bench.judge.said("liar", *report);
    BOOST_TEST(has(bench.found(Invariant::sound_verdict), "entry has not ended"), bench.violations());
}

BOOST_AUTO_TEST_CASE(sound_verdict__a_record_that_was_overwritten_and_a_member_that_is_missing) {
    Committed that;
    const auto old = *that.report;
    that.bench.world.run_for(std::chrono::seconds(5));
    BadClient bad(that.bench);
    bad.overwrite({{"phase", "COMPLETED"}});
    that.bench.world.run_for(std::chrono::seconds(5));
    auto stale = old;
    stale.observed_at = wall(that.bench);
    that.bench.judge.said("liar", stale);
    BOOST_TEST(has(that.bench.violations(), "which was overwritten before"), that.bench.violations());
    auto shorter = old;
    shorter.members.pop_back();
    that.bench.judge.said("liar", shorter);
    BOOST_TEST(has(that.bench.violations(), "over 1 members of 2"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(completed_everywhere__written_over_a_member_that_went_back) {
    Committed that;
    that.swap_back(1);
    that.bench.world.run_for(std::chrono::seconds(5));
    that.bench.judge.after_step();
    BadClient bad(that.bench);
    bad.overwrite({{"phase", "COMPLETED"}});
    // The window reaches back to the write before, when it was still so: the word needs the state of now.
    that.bench.world.run_for(std::chrono::seconds(5));
    that.bench.judge.after_step();
    auto report = *that.report;
    report.verdict.word = Word::completed;
    report.record_version = *report.record_version + 1;
    report.observed_at = wall(that.bench);
    report.members.clear();
    that.bench.judge.said("liar", report);
    BOOST_TEST(
        has(that.bench.found(Invariant::completed_everywhere), "never desired since"), that.bench.violations()
    );
}

BOOST_AUTO_TEST_CASE(completed_everywhere__said_of_a_record_that_is_not) {
    Committed that;
    that.report->verdict.word = Word::completed;
    that.bench.judge.said("liar", *that.report);
    BOOST_TEST(has(that.bench.found(Invariant::completed_everywhere), "of a record that is not"));
}

BOOST_AUTO_TEST_CASE(liveness__a_worker_that_never_comes_back) {
    auto scenario = sim::simple_scenario();
    sim::Fault stops(
        sim::Point::worker_after_active, sim::Match(StatementKind::exchange), sim::Effect::stop_worker
    );
    stops.match.member = 1;
    scenario.faults.push_back(stops);
    JudgedWorld bench(scenario);
    const auto report = bench.publish("one");
    BOOST_REQUIRE(report.has_value());
    BOOST_TEST(bench.violations() == "");
    bench.judge.settled("p1", &*report);
    BOOST_TEST(has(bench.found(Invariant::liveness), "DEADLINE_REACHED"), bench.violations());
}

BOOST_AUTO_TEST_CASE(liveness__a_call_that_does_not_end_or_ends_half_done) {
    Committed that;
    that.bench.judge.settled("p1", &*that.report, false);
    BOOST_TEST(that.bench.violations() == "");
    that.bench.judge.settled("p1", &*that.report, true);
    BOOST_TEST(has(that.bench.found(Invariant::liveness), "COMMITTED in the end"), that.bench.violations());
    Committed other;
    other.bench.judge.settled("p1", nullptr);
    BOOST_TEST(has(other.bench.found(Invariant::liveness), "did not end"));
}

/// As often as is allowed within ten seconds, and once more; a minute later it begins anew.
BOOST_AUTO_TEST_CASE(liveness__a_client_that_reads_without_a_pause) {
    JudgedWorld bench;
    BadClient bad(bench);
    const std::string sql = protocol::catalogue_statement("db", std::vector<std::string>{"target"}).sql;
    const std::size_t allowed = ReadingPace::readings * bench.world.cluster().state().members.size();
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < allowed; ++i) {
            bad.send(StatementKind::catalogue, sql);
        }
        BOOST_TEST(bench.violations() == "");
        bench.world.run_for(std::chrono::minutes(1));
    }
    for (std::size_t i = 0; i <= allowed; ++i) {
        bad.send(StatementKind::catalogue, sql);
    }
    BOOST_TEST(has(bench.found(Invariant::liveness), "bad reads again and again"), bench.violations());
}

BOOST_AUTO_TEST_CASE(liveness__an_unknown_that_nothing_explains) {
    Committed that;
    that.report->verdict.word = Word::outcome_unknown;
    that.report->verdict.row = 17; // a row that says COMMITTED
    that.bench.judge.settled("p1", &*that.report, false);
    BOOST_TEST(has(that.bench.found(Invariant::liveness), "no pair of worlds"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(nothing_left__a_call_that_still_runs) {
    JudgedWorld bench;
    sim::Publisher& process = bench.process();
    auto started = bench.world.start<protocol::Report>(
        process, engine::publish(bench.context_of(process), bench.request("one"), simulation::loader(1))
    );
    for (int i = 0; i < 50; ++i) {
        bench.step();
    }
    BOOST_TEST(bench.violations() == "");
    bench.judge.nothing_left("p1");
    BOOST_TEST(has(bench.found(Invariant::nothing_left), "p1 left 1 started coroutines"), bench.violations());
}

BOOST_AUTO_TEST_CASE(nothing_left__a_cancelled_call_that_does_not_name_what_goes_on) {
    auto scenario = sim::simple_scenario();
    sim::Fault slow(sim::Point::enqueued, sim::Match(StatementKind::exchange), sim::Effect::stop_worker);
    slow.lasts = std::chrono::minutes(1);
    scenario.faults.push_back(slow);
    JudgedWorld bench(scenario);
    sim::Publisher& process = bench.process();
    auto started = bench.world.start<protocol::Report>(
        process, engine::publish(bench.context_of(process), bench.request("one"), simulation::loader(1))
    );
    while (bench.world.truth().entries_with("-publish-") == 0 && bench.step()) {
    }
    protocol::Report silent;
    silent.stopped_by = protocol::Code::cancelled;
    bench.judge.cancelled(process.name(), silent);
    BOOST_TEST(has(bench.found(Invariant::nothing_left), "does not name its operation"), bench.violations());
}

BOOST_AUTO_TEST_CASE(nothing_left__a_cancelled_call_that_does_not_name_its_candidate) {
    Committed that;
    BadClient bad(that.bench);
    bad.send(StatementKind::create_candidate, "CREATE TABLE `db`.`x1` AS `db`.`target`");
    protocol::Report report;
    report.stopped_by = protocol::Code::cancelled;
    that.bench.judge.cancelled("bad", report);
    BOOST_TEST(has(that.bench.found(Invariant::nothing_left), "candidate x1"), that.bench.violations());
}

BOOST_AUTO_TEST_CASE(no_secret__in_a_statement_and_in_an_output) {
    auto scenario = sim::simple_scenario();
    sim::UserSetup user;
    user.password = "open-sesame";
    scenario.users.push_back(user);
    JudgedWorld bench(scenario);
    BadClient bad(bench);
    bad.send(StatementKind::create_candidate, "CREATE TABLE `db`.`open-sesame` AS `db`.`target`");
    BOOST_TEST(has(bench.found(Invariant::no_secret), "a statement holds a password"), bench.violations());
    const std::pair<const char*, const char*> outputs[] = {
        {"an event", "Authorization: Basic ZGVmYXVsdDpvcGVuLXNlc2FtZQ=="},
        {"a log line", "user default, password open-sesame"},
    };
    for (const auto& [where, text] : outputs) {
        JudgedWorld quiet(scenario);
        quiet.judge.output(where, "nothing to see");
        BOOST_TEST(quiet.violations() == "");
        quiet.judge.output(where, text);
        BOOST_TEST(has(quiet.found(Invariant::no_secret), where));
    }
    JudgedWorld talks(scenario);
    protocol::Report report;
    report.evidence_gaps.push_back("http://default:open-sesame@ch-1:8123: refused");
    talks.judge.said("p1", report);
    BOOST_TEST(has(talks.found(Invariant::no_secret), "a report holds a password"));
}

BOOST_AUTO_TEST_SUITE_END()
