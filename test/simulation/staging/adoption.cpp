#include "engine/adoption.hpp"

#include "fixtures/sim/cluster.hpp"
#include "simulation/operator_calls.hpp"

#include <boost/test/unit_test.hpp>

// An existing table becomes the candidate by one RENAME: what is sent, when nothing is, and that whatever
// became of it the table itself is what is published, never dropped, never replaced by another of its name.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

const std::string incoming = "incoming";

sim::Scenario with_incoming(std::size_t members = 2) {
    auto scenario = sim::simple_scenario(members);
    auto table = scenario.tables.front();
    table.name = incoming;
    table.rows = 40;
    scenario.tables.push_back(std::move(table));
    return scenario;
}

std::optional<protocol::Report>
adopt(Bench& bench, std::string invocation = "run-1", std::string table = incoming) {
    auto& process = bench.process();
    auto work =
        engine::adopt(bench.context_of(process), bench.request(std::move(invocation)), std::move(table));
    return bench.world.run<protocol::Report>(process, std::move(work));
}

std::optional<protocol::Report> publish_staged(Bench& bench, std::string invocation = "run-1") {
    auto request = bench.request(std::move(invocation));
    request.only_staged = true;
    request.plan_digest.clear();
    return bench.publish(bench.process(), std::move(request));
}

std::size_t renames(const Bench& bench) {
    return bench.world.truth().sends_of(sim::StatementClass::rename);
}

std::size_t mutations(const Bench& bench) {
    std::size_t count = 0;
    for (const auto& send : bench.world.truth().sends) {
        count += sim::is_mutation(send.statement_class) ? 1U : 0U;
    }
    return count;
}

bool says(const std::optional<protocol::Report>& report, const std::string& text) {
    return report && report->stopped_detail.find(text) != std::string::npos;
}

void by_hand(Bench& bench, sim::MemberIndex member, std::string sql) {
    Fault outsider(bench.world.now() + std::chrono::milliseconds(1), Effect::run_sql);
    outsider.on = member;
    outsider.text = std::move(sql);
    bench.world.add(outsider);
    bench.world.run_until_idle();
}

Fault at_rename(Point point, Effect effect) {
    return Fault(point, Match(StatementKind::rename_adopt), effect);
}

/// Recorded under our name, with the table's own uuid, on every member.
void check_adopted(
    Bench& bench,
    const std::optional<protocol::Report>& report,
    const std::string& uuid,
    std::string_view what
) {
    check_invariants(bench, what);
    BOOST_TEST_CONTEXT(what << ": " << describe(report) << "\n" << bench.facts()) {
        BOOST_REQUIRE(report.has_value());
        BOOST_TEST(word(report) == "READY");
        BOOST_TEST(stopped_by(report) == "");
        BOOST_TEST(report->orphans.empty());
        BOOST_REQUIRE(report->members.size() == bench.members());
        for (sim::MemberIndex member = 0; member < bench.members(); ++member) {
            BOOST_TEST(report->members[member].state.candidate.uuid.text() == uuid);
            BOOST_TEST(uuid_of(bench, member, incoming) == "");
        }
        BOOST_TEST(bench.world.truth().sends_of(sim::StatementClass::insert_rows) == 0U);
        BOOST_TEST(bench.world.truth().drops.empty());
    }
}

void check_published_as(Bench& bench, const std::string& uuid, std::string_view what) {
    const auto report = publish_staged(bench);
    check_invariants(bench, what);
    BOOST_TEST_CONTEXT(what << ": " << describe(report) << "\n" << bench.facts()) {
        BOOST_TEST(word(report) == "COMPLETED");
        for (sim::MemberIndex member = 0; member < bench.members(); ++member) {
            BOOST_TEST(bench.target_uuid(member) == uuid);
        }
    }
}

/// Refused before anything was sent.
void check_untouched(
    Bench& bench,
    const std::optional<protocol::Report>& report,
    const std::string& code,
    std::string_view what
) {
    BOOST_TEST_CONTEXT(what << ": " << describe(report) << "\n" << bench.facts()) {
        BOOST_TEST(stopped_by(report) == code);
        BOOST_TEST(mutations(bench) == 0U);
    }
}

void sweep(Point point, std::uint64_t seed) {
    std::uint64_t requests = 0;
    {
        Bench bench(with_incoming(), seed);
        const auto uuid = uuid_of(bench, 0, incoming);
        auto& process = bench.process();
        auto work = engine::adopt(bench.context_of(process), bench.request("run-1"), incoming);
        check_adopted(
            bench, bench.world.run<protocol::Report>(process, std::move(work)), uuid, "undisturbed"
        );
        requests = process.requests();
    }
    BOOST_TEST_REQUIRE(requests > 20U);
    for (std::uint64_t nth = 1; nth <= requests; ++nth) {
        auto scenario = with_incoming();
        Fault crash(point, Match(), Effect::crash_client);
        crash.match.client = "p1";
        crash.nth = static_cast<unsigned>(nth);
        scenario.faults.push_back(crash);
        Bench bench(scenario, seed);
        const auto uuid = uuid_of(bench, 0, incoming);
        const std::string what = "seed " + std::to_string(seed) + ", killed at " +
                                 std::string(sim::text(point)) + " of request " + std::to_string(nth);
        adopt(bench);
        check_adopted(bench, adopt(bench), uuid, what);
        BOOST_TEST(bench.world.truth().executed(sim::StatementClass::rename) == bench.members(), what);
        check_published_as(bench, uuid, what);
    }
}

std::uint64_t rows_of(Bench& bench, sim::MemberIndex member) {
    return bench.world.cluster().state().members.at(member).find("db", "target")->rows;
}

/// An insert into `incoming` that every member shows, after each `gap`. Once renamed it gets no more.
void write_until(sim::Scenario& scenario, std::chrono::milliseconds gap, std::chrono::milliseconds last) {
    std::uint64_t rows = 40;
    for (auto at = gap; at <= last; at += gap) {
        Fault insert(at, Effect::edit_table);
        insert.text = "db.incoming";
        insert.values = {{"rows", std::to_string(++rows)}};
        scenario.faults.push_back(insert);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(adoption)

BOOST_AUTO_TEST_CASE(the_table_itself_is_staged_and_published) {
    for (std::size_t members = 2; members <= 4; ++members) {
        Bench bench(with_incoming(members), members);
        const auto uuid = uuid_of(bench, 0, incoming);
        check_adopted(bench, adopt(bench), uuid, "adopted");
        BOOST_TEST(renames(bench) == 1U);
        const auto sent = mutations(bench);
        check_adopted(bench, adopt(bench), uuid, "again");
        BOOST_TEST(mutations(bench) == sent);
        const auto other = adopt(bench, "run-2");
        BOOST_TEST(stopped_by(other) == "ONCESWAP_AUTHORITY_CONFLICT", describe(other));
        check_published_as(bench, uuid, "published");
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_a_candidate_is_not_touched) {
    struct Row {
        const char* what;
        const char* code;
        void (*spoil)(sim::Scenario&);
    };

    const Row rows[] = {
        {"rows differ",
         "ONCESWAP_CANDIDATE_NOT_READY",
         [](sim::Scenario& scenario) {
             Fault edit(std::chrono::milliseconds(0), Effect::edit_table);
             edit.on = 1;
             edit.text = "db.incoming";
             edit.values = {{"rows", "41"}};
             scenario.faults.push_back(edit);
         }},
        {"other columns",
         "ONCESWAP_CANDIDATE_NOT_READY",
         [](sim::Scenario& scenario) { scenario.tables.back().columns.emplace_back("more", "String"); }},
        {"not on every member",
         "ONCESWAP_CANDIDATE_NOT_READY",
         [](sim::Scenario& scenario) { scenario.tables.back().members = {0}; }},
        {"nowhere",
         "ONCESWAP_CANDIDATE_NOT_READY",
         [](sim::Scenario& scenario) { scenario.tables.pop_back(); }},
        {"two tables of one name",
         "ONCESWAP_GENERATION_DIVERGED",
         [](sim::Scenario& scenario) {
             scenario.tables.back().members = {0};
             scenario.tables.push_back(scenario.tables.back());
             scenario.tables.back().members = {1};
         }},
        {"not replicated",
         "ONCESWAP_ENGINE_UNSUPPORTED",
         [](sim::Scenario& scenario) { scenario.tables.back().engine_full = "MergeTree ORDER BY id"; }},
        {"a view reads from it",
         "ONCESWAP_HAZARD_VIEW_DEPENDS",
         [](sim::Scenario& scenario) { scenario.tables.back().dependencies = {"db.view"}; }},
    };
    for (const Row& row : rows) {
        auto scenario = with_incoming();
        row.spoil(scenario);
        Bench bench(scenario, 7);
        check_untouched(bench, adopt(bench), row.code, row.what);
    }
    Bench bench(with_incoming(), 7);
    check_untouched(bench, adopt(bench, "run-1", "target"), "ONCESWAP_CONFIG_INVALID", "the target");
    check_untouched(bench, adopt(bench, "run-1", "onceswap_x"), "ONCESWAP_CONFIG_INVALID", "a table of ours");
}

BOOST_AUTO_TEST_CASE(a_lost_answer_is_found_in_the_catalogues) {
    auto scenario = with_incoming();
    scenario.faults.push_back(at_rename(Point::effect, Effect::lose));
    Bench bench(scenario, 8);
    const auto uuid = uuid_of(bench, 0, incoming);
    check_adopted(bench, adopt(bench), uuid, "lost answer");
    BOOST_TEST(renames(bench) == 1U);
    check_published_as(bench, uuid, "published");
}

BOOST_AUTO_TEST_CASE(a_statement_that_never_arrived_is_not_repeated_by_the_same_call) {
    auto scenario = with_incoming();
    scenario.faults.push_back(at_rename(Point::arrive, Effect::lose));
    Bench bench(scenario, 9);
    const auto uuid = uuid_of(bench, 0, incoming);
    const auto first = adopt(bench);
    BOOST_TEST_CONTEXT(describe(first) << bench.facts()) {
        BOOST_TEST(stopped_by(first) == "ONCESWAP_CANDIDATE_NOT_READY");
        BOOST_TEST(says(first, "ch-1:9000 has it as incoming, ch-2:9000 has it as incoming"));
        BOOST_TEST(renames(bench) == 1U);
    }
    check_adopted(bench, adopt(bench), uuid, "again");
    BOOST_TEST(renames(bench) == 2U);
    check_published_as(bench, uuid, "published");
}

/// A copy of the RENAME runs while the table is staged, and one when it is long published: 60 both times.
BOOST_AUTO_TEST_CASE(a_late_duplicate_is_harmless) {
    for (const auto delay : {std::chrono::seconds(1), std::chrono::seconds(600)}) {
        auto scenario = with_incoming();
        Fault duplicate = at_rename(Point::arrive, Effect::duplicate);
        duplicate.delay = delay;
        scenario.faults.push_back(duplicate);
        Bench bench(scenario, 10);
        const auto uuid = uuid_of(bench, 0, incoming);
        check_adopted(bench, adopt(bench), uuid, "adopted");
        check_published_as(bench, uuid, "published");
        bench.world.run_until_idle();
        BOOST_TEST(bench.target_uuid(0) == uuid);
        BOOST_TEST(bench.target_uuid(1) == uuid);
        BOOST_TEST(bench.world.truth().entries_with("-setup-") >= 2U);
    }
}

BOOST_AUTO_TEST_CASE(a_member_that_refuses_is_named_and_nothing_more_is_sent) {
    auto scenario = with_incoming(3);
    Fault refused = at_rename(Point::worker_after_active, Effect::host_error);
    refused.match.member = 1;
    refused.code = 497;
    refused.text = "Code: 497. DB::Exception: Not enough privileges. (ACCESS_DENIED)";
    scenario.faults.push_back(refused);
    Bench bench(scenario, 11);
    const auto uuid = uuid_of(bench, 0, incoming);
    std::string name;
    for (int time = 0; time < 2; ++time) {
        const auto report = adopt(bench);
        BOOST_TEST_CONTEXT(describe(report) << bench.facts()) {
            BOOST_TEST(stopped_by(report) == "ONCESWAP_CANDIDATE_NOT_READY");
            BOOST_TEST(says(report, "ch-1:9000 has it as onceswap_"));
            BOOST_TEST(says(report, "ch-2:9000 has it as incoming"));
            BOOST_TEST(says(report, "497") == (time == 0));
            BOOST_TEST(renames(bench) == 1U);
        }
        const std::string& detail = report->stopped_detail;
        const auto begin = detail.find("onceswap_");
        name = detail.substr(begin, detail.find(',', begin) - begin);
    }
    by_hand(bench, 1, "RENAME TABLE db.incoming TO db." + name);
    check_adopted(bench, adopt(bench), uuid, "renamed by hand on the one that refused");
    BOOST_TEST(renames(bench) == 1U);
    check_published_as(bench, uuid, "published");
}

/// Killed between RENAME and record; meanwhile somebody made a new table under the old name.
BOOST_AUTO_TEST_CASE(another_table_under_the_old_name_is_never_taken_for_it) {
    auto scenario = with_incoming();
    scenario.faults.push_back(at_rename(Point::effect, Effect::crash_client));
    Bench bench(scenario, 12);
    adopt(bench);
    bench.world.run_until_idle();
    BOOST_REQUIRE(uuid_of(bench, 0, incoming).empty());
    by_hand(bench, 0, "CREATE TABLE db.incoming ON CLUSTER c1 AS db.target");
    const auto fresh = uuid_of(bench, 0, incoming);
    BOOST_REQUIRE(!fresh.empty());
    const auto sent = mutations(bench);
    const auto report = adopt(bench);
    BOOST_TEST_CONTEXT(describe(report) << bench.facts()) {
        BOOST_TEST(stopped_by(report) == "ONCESWAP_GENERATION_DIVERGED");
        BOOST_TEST(mutations(bench) == sent);
        BOOST_TEST(uuid_of(bench, 0, incoming) == fresh);
    }
}

/// A try died while its RENAME stands in the queue of a member whose worker does nothing: it is waited for.
BOOST_AUTO_TEST_CASE(a_statement_under_way_is_waited_for_and_not_sent_again) {
    auto scenario = with_incoming();
    scenario.faults.push_back(at_rename(Point::enqueued, Effect::crash_client));
    for (sim::MemberIndex member = 0; member < 2; ++member) {
        Fault stopped = at_rename(Point::before_commit, Effect::stop_worker);
        stopped.on = member;
        scenario.faults.push_back(stopped);
    }
    Bench bench(scenario, 13);
    const auto uuid = uuid_of(bench, 0, incoming);
    adopt(bench);
    const auto sent = mutations(bench);
    const auto waiting = adopt(bench);
    BOOST_TEST_CONTEXT(describe(waiting) << bench.facts()) {
        BOOST_TEST(stopped_by(waiting) == "ONCESWAP_CANDIDATE_NOT_READY");
        BOOST_TEST(says(waiting, "is not over on every member"));
        BOOST_TEST(mutations(bench) == sent, "nothing may stand behind a statement of ours that waits");
    }
    bench.world.heal();
    check_adopted(bench, adopt(bench), uuid, "after the workers are back");
    BOOST_TEST(renames(bench) == 1U);
    check_published_as(bench, uuid, "published");
}

/// One member runs it, the other only when its worker is back, while a later try is waiting for just that.
BOOST_AUTO_TEST_CASE(a_member_that_is_late_is_named_and_then_gone_on_with) {
    auto scenario = with_incoming();
    Fault stopped = at_rename(Point::before_commit, Effect::stop_worker);
    stopped.on = 1;
    scenario.faults.push_back(stopped);
    Bench bench(scenario, 14);
    const auto uuid = uuid_of(bench, 0, incoming);
    const auto first = adopt(bench);
    BOOST_TEST_CONTEXT(describe(first) << bench.facts()) {
        BOOST_TEST(stopped_by(first) == "ONCESWAP_CANDIDATE_NOT_READY");
        BOOST_TEST(says(first, "ch-1:9000 has it as onceswap_"));
        BOOST_TEST(says(first, "ch-2:9000 has it as incoming"));
        BOOST_TEST(says(first, "is not over on every member"));
    }
    Fault back(bench.world.now() + std::chrono::seconds(20), Effect::start_worker);
    back.on = 1;
    bench.world.add(back);
    check_adopted(bench, adopt(bench), uuid, "the worker came back while it was waited for");
    BOOST_TEST(renames(bench) == 1U);
    check_published_as(bench, uuid, "published");
}

/// An earlier try's RENAME runs at every moment of a later one: also between its admission, which looks for
/// tables of ours, and its look at the old name.
BOOST_AUTO_TEST_CASE(a_statement_that_runs_while_it_is_looked_for) {
    for (int step = 0; step < 100; ++step) {
        auto scenario = with_incoming();
        scenario.faults.push_back(at_rename(Point::enqueued, Effect::crash_client));
        for (sim::MemberIndex member = 0; member < 2; ++member) {
            Fault stopped = at_rename(Point::before_commit, Effect::stop_worker);
            stopped.on = member;
            scenario.faults.push_back(stopped);
        }
        Bench bench(scenario, 15);
        const auto uuid = uuid_of(bench, 0, incoming);
        adopt(bench);
        for (sim::MemberIndex member = 0; member < 2; ++member) {
            Fault back(bench.world.now() + std::chrono::milliseconds(5 * step), Effect::start_worker);
            back.on = member;
            bench.world.add(back);
        }
        check_adopted(bench, adopt(bench), uuid, "runs at step " + std::to_string(step));
        BOOST_TEST(renames(bench) == 1U);
    }
}

/// One more row at each moment from the first request to the last: also between the two equal counts of the
/// measuring and the admission that sees one row more.
BOOST_AUTO_TEST_CASE(rows_that_others_still_write_are_waited_for) {
    std::size_t with_it = 0;
    constexpr int moments = 60;
    for (int moment = 1; moment <= moments; ++moment) {
        auto scenario = with_incoming();
        const std::chrono::milliseconds at(10 * moment);
        write_until(scenario, at, at);
        Bench bench(scenario, 16);
        const auto uuid = uuid_of(bench, 0, incoming);
        const auto what = "one row more after " + std::to_string(at.count()) + " ms";
        check_adopted(bench, adopt(bench), uuid, what);
        check_published_as(bench, uuid, what);
        with_it += rows_of(bench, 0) == 41U ? 1U : 0U;
        BOOST_TEST(rows_of(bench, 0) == rows_of(bench, 1), what);
    }
    BOOST_TEST(with_it > 10U);
    BOOST_TEST(with_it < static_cast<std::size_t>(moments), "a row that comes too late finds no table");
}

BOOST_AUTO_TEST_CASE(a_table_that_never_stands_still_is_not_touched) {
    auto scenario = with_incoming();
    write_until(scenario, std::chrono::milliseconds(100), std::chrono::seconds(100));
    Bench bench(scenario, 17);
    auto& process = bench.process();
    auto request = bench.request("run-1");
    request.deadline = bench.world.in(std::chrono::seconds(30));
    auto work = engine::adopt(bench.context_of(process), std::move(request), incoming);
    const auto report = bench.world.run<protocol::Report>(process, std::move(work));
    check_untouched(bench, report, "ONCESWAP_CANDIDATE_NOT_READY", "written to for ever");
}

BOOST_AUTO_TEST_CASE(two_workers_of_one_operation) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Bench bench(with_incoming(), seed);
        const auto uuid = uuid_of(bench, 0, incoming);
        auto& one = bench.process();
        auto& two = bench.process();
        auto first = bench.world.start<protocol::Report>(
            one, engine::adopt(bench.context_of(one), bench.request("run-1"), incoming)
        );
        auto second = bench.world.start<protocol::Report>(
            two, engine::adopt(bench.context_of(two), bench.request("run-1"), incoming)
        );
        bench.world.run();
        check_adopted(bench, adopt(bench), uuid, "seed " + std::to_string(seed));
        check_published_as(bench, uuid, "seed " + std::to_string(seed));
    }
}

BOOST_AUTO_TEST_CASE(killed_before_a_request_is_sent) {
    sweep(Point::send, 3);
}

BOOST_AUTO_TEST_CASE(killed_after_a_request_had_its_effect) {
    sweep(Point::effect, 4);
}

BOOST_AUTO_TEST_SUITE_END()
