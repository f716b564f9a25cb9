#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/state.hpp"
#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

// Answers that come from somewhere else, records that are not ours, clusters with two names.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::Code;
using protocol::StatementKind;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;

namespace {

std::size_t mutations(const Bench& bench, const std::string& client) {
    std::size_t count = 0;
    for (const auto& send : bench.world.truth().sends) {
        count += send.client == client && sim::is_mutation(send.statement_class) ? 1U : 0U;
    }
    return count;
}

} // namespace

BOOST_AUTO_TEST_SUITE(identities)

/// From the n-th connection on the second URL reaches the first member.
BOOST_AUTO_TEST_CASE(a_url_that_reaches_another_member_is_never_that_members_evidence) {
    for (unsigned nth = 1; nth <= 120; nth += 3) {
        auto scenario = sim::simple_scenario(2);
        Fault route(Point::connect, Match(), Effect::route);
        route.match.member = 1;
        route.on = 0;
        route.nth = nth;
        route.times = 4;
        scenario.faults.push_back(route);
        Bench bench(scenario, nth);
        auto report = bench.publish("run-1");
        std::string what = "routed from connection " + std::to_string(nth) + ": " + describe(report);
        check_invariants(bench, what);
        // Each try that is refused uses up at least one of the four wrong connections.
        for (unsigned tries = 1; tries <= route.times && word(report) != "COMPLETED"; ++tries) {
            report = bench.publish("run-1");
            what += ", then: " + describe(report);
            check_invariants(bench, what);
        }
        check_published(bench, report, what);
    }
}

BOOST_AUTO_TEST_CASE(a_url_that_always_reaches_another_member_is_refused_at_once) {
    auto scenario = sim::simple_scenario(2);
    Fault route(Point::connect, Match(), Effect::route);
    route.match.member = 1;
    route.on = 0;
    route.times = 0;
    scenario.faults.push_back(route);
    Bench bench(scenario, 2);
    const auto report = bench.publish("run-1");
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_REQUIRE(report.has_value());
        BOOST_REQUIRE(report->stopped_by.has_value());
        BOOST_TEST(
            (*report->stopped_by == Code::endpoint_mismatch ||
             *report->stopped_by == Code::inventory_incomplete)
        );
        BOOST_TEST(mutations(bench, "p1") == 0U);
    }
}

/// One connection reaches the other server: what is refused for that says so, with both servers' names, and
/// not that the member cannot be read, is too old or may not do something.
BOOST_AUTO_TEST_CASE(two_servers_behind_one_url_are_refused_by_that_name) {
    unsigned refused = 0;
    for (unsigned nth = 1; nth <= 24; ++nth) {
        auto scenario = sim::simple_scenario(2);
        Fault route(Point::connect, Match(), Effect::route);
        route.match.member = 1;
        route.on = 0;
        route.nth = nth;
        scenario.faults.push_back(route);
        Bench bench(scenario, nth);
        const auto report = bench.publish("run-1");
        BOOST_REQUIRE(report.has_value());
        if (report->findings.empty())
            continue; // no part of an admission came over that connection
        BOOST_TEST_CONTEXT("routed connection " << nth << ": " << describe(report)) {
            BOOST_REQUIRE(report->stopped_by.has_value());
            BOOST_TEST(protocol::stable_name(*report->stopped_by) == "ONCESWAP_ENDPOINT_MISMATCH");
            BOOST_TEST(mutations(bench, "p1") <= 1U); // the authority table, made by an admission before
            BOOST_TEST(bench.world.truth().authority_writes.empty());
            BOOST_TEST(bench.world.truth().entries_with("-publish-") == 0U);
            const auto& members = bench.world.cluster().state().members;
            const bool one_url = report->stopped_detail.find("balancer") != std::string::npos;
            for (sim::MemberIndex member = 0; one_url && member < 2; ++member)
                BOOST_TEST(
                    report->stopped_detail.find(members[member].setup.server_uuid) != std::string::npos
                );
            refused += one_url ? 1U : 0U;
        }
    }
    BOOST_TEST(refused >= 3U); // the Keeper-backed part, the capabilities, the row policies
}

BOOST_AUTO_TEST_CASE(an_alias_of_the_cluster_is_the_same_slot) {
    auto scenario = sim::simple_scenario(2);
    scenario.clusters.push_back(sim::ClusterSetup("a0", {}));
    Bench bench(scenario, 3);
    const auto first = bench.publish("run-1");
    check_published(bench, first, "canonical name");
    auto& process = bench.process();
    auto& context = bench.context_of(process);
    context.cluster.name = "a0";
    const auto again = bench.world.run<protocol::Report>(
        process, engine::publish(context, bench.request("run-1"), loader(50))
    );
    check_published(bench, again, "alias");
}

BOOST_AUTO_TEST_CASE(a_record_under_an_alias_is_a_conflict) {
    Bench bench(sim::simple_scenario(2), 4);
    const auto first = bench.publish("run-1");
    check_published(bench, first, "before the alias");
    Fault alias(bench.world.now(), Effect::add_cluster);
    alias.text = "a0"; // smaller: the canonical name from now on
    bench.world.add(alias);
    bench.world.run_until_idle();
    const auto report = bench.publish("run-2");
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_REQUIRE(report.has_value());
        BOOST_REQUIRE(report->stopped_by.has_value());
        BOOST_TEST(
            protocol::stable_name(*report->stopped_by) == protocol::stable_name(Code::authority_conflict)
        );
        BOOST_TEST(bench.world.truth().entries_with("-publish-") == 1U);
    }
}

void rename_alias(Bench& bench, const std::string& from, const std::string& to) {
    auto& clusters = bench.world.cluster().state().clusters;
    std::erase_if(clusters, [&](const auto& one) { return one.name == from; });
    if (!to.empty()) {
        clusters.emplace_back(to, std::vector<sim::MemberIndex>());
    }
}

/// The smaller name goes away, or becomes another: today's names lead to no record.
BOOST_AUTO_TEST_CASE(a_record_under_a_name_that_the_cluster_no_longer_has_is_a_conflict) {
    for (const char* next : {"", "b0", "zz"}) {
        auto scenario = sim::simple_scenario(2);
        scenario.clusters.push_back(sim::ClusterSetup("a0", {})); // smaller: the canonical name
        Bench bench(scenario, 4);
        const auto first = bench.publish("run-1");
        check_published(bench, first, "under the name that goes away");
        rename_alias(bench, "a0", next);
        for (const char* invocation : {"run-1", "run-2"}) {
            const auto report = bench.publish(invocation);
            BOOST_TEST_CONTEXT(invocation << ", then named " << next << ": " << describe(report)) {
                BOOST_REQUIRE(report.has_value());
                BOOST_REQUIRE(report->stopped_by.has_value());
                BOOST_TEST(
                    protocol::stable_name(*report->stopped_by) ==
                    protocol::stable_name(Code::authority_conflict)
                );
                BOOST_TEST(report->stopped_detail.find("a0: operation ") != std::string::npos);
                BOOST_TEST(bench.world.truth().entries_with("-publish-") == 1U);
            }
        }
        for (const auto& report : {bench.observe(), bench.resume()}) {
            BOOST_TEST_CONTEXT("looked at, then named " << next << ": " << describe(report)) {
                BOOST_REQUIRE(report.has_value());
                BOOST_REQUIRE(report->stopped_by.has_value());
                BOOST_TEST(
                    protocol::stable_name(*report->stopped_by) ==
                    protocol::stable_name(Code::authority_conflict)
                );
                BOOST_TEST(report->stopped_detail.find("a0: operation ") != std::string::npos);
            }
        }
    }
}

struct Damage {
    const char* column;
    const char* value;
    /// The cluster's second name that it gets afterwards; the record stands under c1, or under a0.
    const char* second;
    const char* stands_under;
};

/// What a damaged record permitted may be under way: it holds the target under whatever name it stands.
BOOST_AUTO_TEST_CASE(a_damaged_record_under_another_name_is_a_conflict) {
    constexpr Damage rows[] = {
        // by the key that one of today's names gives
        {"payload", "not json", "a0", "c1"},
        {"payload_sha256", "00", "a0", "c1"},
        {"dispatch_epoch", "9", "a0", "c1"},
        // by what its payload says, where its name is gone
        {"payload_sha256", "00", "", "a0"},
        {"phase", "COMPLETED", "", "a0"},
        {"operation_id", "00", "", "a0"},
    };
    for (const Damage& row : rows) {
        auto scenario = sim::simple_scenario(2);
        if (std::string_view(row.stands_under) == "a0") {
            scenario.clusters.push_back(sim::ClusterSetup("a0", {}));
        }
        // Its statement is under way when its client ends.
        Match exchange;
        exchange.statement_class = sim::StatementClass::exchange;
        scenario.faults.emplace_back(Point::enqueued, exchange, Effect::crash_client);
        Bench bench(scenario, 4);
        bench.publish("run-1");
        Fault damage(bench.world.now(), Effect::edit_authority);
        damage.values.emplace_back(row.column, row.value);
        bench.world.add(damage);
        bench.world.run_until_idle();
        rename_alias(bench, "a0", row.second);
        for (const auto& report : {bench.publish("run-2"), bench.observe()}) {
            BOOST_TEST_CONTEXT(
                row.column << " of a record under " << row.stands_under << ": " << describe(report)
            ) {
                BOOST_REQUIRE(report.has_value());
                BOOST_REQUIRE(report->stopped_by.has_value());
                BOOST_TEST(
                    protocol::stable_name(*report->stopped_by) ==
                    protocol::stable_name(Code::authority_conflict)
                );
                BOOST_TEST(
                    report->stopped_detail.find(std::string(row.stands_under) + ": a damaged one, ") !=
                    std::string::npos
                );
                BOOST_TEST(bench.world.truth().entries_with("-publish-") == 1U);
            }
        }
    }
}

/// A damaged record of a cluster without a common member is none of ours.
BOOST_AUTO_TEST_CASE(a_damaged_record_of_others_is_no_conflict) {
    auto scenario = sim::simple_scenario(2);
    scenario.clusters.push_back(sim::ClusterSetup("a0", {}));
    Bench bench(scenario, 4);
    const auto first = bench.publish("run-1");
    check_published(bench, first, "under the name that goes away");
    Fault damage(bench.world.now(), Effect::edit_authority);
    damage.values.emplace_back("phase", "SURPRISING");
    bench.world.add(damage);
    bench.world.run_until_idle();
    auto& state = bench.world.cluster().state();
    for (std::size_t member = 0; member < 2; ++member) {
        auto& setup = state.members[member].setup;
        setup.server_uuid = "99999999-9999-4999-8999-99999999999" + std::to_string(member);
        setup.host = "other-" + std::to_string(member);
    }
    state.set_clusters();
    rename_alias(bench, "a0", "");
    const auto report = bench.publish("run-2");
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_REQUIRE(report.has_value());
        BOOST_TEST((report->verdict.word == protocol::Word::completed));
    }
}

/// Two clusters without a common member may keep their slots in one table.
BOOST_AUTO_TEST_CASE(a_record_of_other_members_is_no_conflict) {
    auto scenario = sim::simple_scenario(2);
    scenario.clusters.push_back(sim::ClusterSetup("a0", {}));
    Bench bench(scenario, 4);
    const auto first = bench.publish("run-1");
    check_published(bench, first, "under the name that goes away");
    auto& state = bench.world.cluster().state();
    for (std::size_t member = 0; member < 2; ++member) {
        auto& setup = state.members[member].setup;
        setup.server_uuid = "99999999-9999-4999-8999-99999999999" + std::to_string(member);
        setup.host = "other-" + std::to_string(member);
    }
    state.set_clusters();
    rename_alias(bench, "a0", "");
    const auto report = bench.publish("run-2");
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_REQUIRE(report.has_value());
        BOOST_TEST((report->verdict.word == protocol::Word::completed));
    }
}

/// The names change while two workers of one operation are under way, so that each has a slot of its own in
/// mind: whoever has written its record sees the other's before it dispatches.
BOOST_AUTO_TEST_CASE(names_that_change_under_two_workers_lead_to_one_statement) {
    for (unsigned nth = 1; nth <= 240; nth += 2) {
        auto scenario = sim::simple_scenario(2);
        Fault alias(Point::arrive, Match(), Effect::add_cluster);
        alias.text = "a0";
        alias.nth = nth;
        scenario.faults.push_back(alias);
        Bench bench(scenario, nth);
        auto one = bench.start_publish(bench.process(), bench.request("run-1"));
        auto two = bench.start_publish(bench.process(), bench.request("run-1"));
        bench.world.run();
        const std::string what = "named at request " + std::to_string(nth) +
                                 ", one: " + describe(one.result()) + "; two: " + describe(two.result());
        check_invariants(bench, what);
        BOOST_TEST_CONTEXT(what) {
            BOOST_TEST(bench.world.truth().entries_with("-publish-") <= 1U);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_record_that_is_not_ours_blocks_and_is_not_touched) {
    struct Edit {
        const char* name;
        std::vector<std::pair<std::string, std::string>> values;
        Code code;
    };

    const Edit edits[] = {
        {"malformed", {{"payload", "{}"}}, Code::authority_invalid},
        {"another digest", {{"payload_sha256", std::string(64, '0')}}, Code::authority_invalid},
        {"oversized", {{"payload", std::string(70'000, 'x')}}, Code::authority_invalid},
        {"phase disagrees", {{"phase", "PREPARED"}}, Code::authority_invalid},
    };
    for (const Edit& edit : edits) {
        Bench bench(sim::simple_scenario(2), 5);
        bench.publish("run-1");
        Fault fault(bench.world.now(), Effect::edit_authority);
        fault.values = edit.values;
        bench.world.add(fault);
        bench.world.run_until_idle();
        const auto writes = bench.world.truth().authority_writes.size();
        const auto report = bench.publish("run-2");
        const auto resumed = bench.resume();
        BOOST_TEST_CONTEXT(edit.name << ": " << describe(report) << "; resume: " << describe(resumed)) {
            BOOST_REQUIRE(report.has_value());
            BOOST_REQUIRE(report->stopped_by.has_value());
            BOOST_TEST(protocol::stable_name(*report->stopped_by) == protocol::stable_name(edit.code));
            BOOST_TEST(word(report) == "AUTHORITY_INVALID");
            BOOST_TEST(word(resumed) == "AUTHORITY_INVALID");
            BOOST_TEST(bench.world.truth().authority_writes.size() == writes);
            BOOST_TEST(bench.world.truth().entries_with("-publish-") == 1U);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_record_whose_servers_are_none_of_ours_is_foreign) {
    Bench bench(sim::simple_scenario(2), 6);
    bench.publish("run-1");
    const auto& writes = bench.world.truth().authority_writes;
    BOOST_REQUIRE(!writes.empty());
    for (sim::MemberIndex member = 0; member < 2; ++member) {
        bench.world.cluster().state().members[member].setup.server_uuid =
            "99999999-9999-4999-8999-99999999999" + std::to_string(member);
    }
    const auto before = writes.size();
    const auto report = bench.publish("run-2");
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_TEST(word(report) == "AUTHORITY_FOREIGN");
        BOOST_TEST(writes.size() == before);
    }
}

/// All servers become others after the slot was read, before admission looks who they are.
BOOST_AUTO_TEST_CASE(a_record_that_becomes_foreign_before_admission_is_left_alone) {
    Bench bench(sim::simple_scenario(2), 6);
    bench.publish("run-1");
    const auto& truth = bench.world.truth();
    const auto before = truth.authority_writes.size();
    const auto created = truth.entries.size();
    for (sim::MemberIndex member = 0; member < 2; ++member) {
        Fault another(Point::arrive, Match(StatementKind::roster), Effect::edit_member);
        another.on = member;
        another.values = {{"server_uuid", "99999999-9999-4999-8999-99999999999" + std::to_string(member)}};
        bench.world.add(std::move(another));
    }
    const auto report = bench.publish("run-2");
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_TEST(word(report) == "AUTHORITY_FOREIGN");
        BOOST_REQUIRE(report->stopped_by.has_value());
        BOOST_TEST(protocol::stable_name(*report->stopped_by) == "ONCESWAP_AUTHORITY_FOREIGN");
        BOOST_TEST(truth.authority_writes.size() == before);
        BOOST_TEST(truth.entries.size() == created);
    }
}

/// Of the record's two servers one became another and one is down: the record is not foreign for that.
BOOST_AUTO_TEST_CASE(a_record_is_not_called_foreign_while_a_server_of_it_may_be_down) {
    Bench bench(sim::simple_scenario(2), 6);
    bench.publish("run-1");
    const auto& writes = bench.world.truth().authority_writes;
    const auto before = writes.size();
    bench.world.cluster().state().members[0].setup.server_uuid = "99999999-9999-4999-8999-999999999990";
    bench.world.cluster().crash(1);
    const auto observed = bench.observe();
    const auto published = bench.publish("run-2");
    BOOST_TEST_CONTEXT("observed: " << describe(observed) << "; published: " << describe(published)) {
        for (const auto* report : {&observed, &published}) {
            BOOST_TEST(word(*report) == "OUTCOME_UNKNOWN");
            BOOST_TEST((*report)->verdict.row == 0);
            const auto& gaps = (*report)->evidence_gaps;
            BOOST_TEST(std::ranges::any_of(gaps, [](const std::string& gap) {
                return gap.find("1 of 2 endpoints did not say which servers they are") != std::string::npos;
            }));
        }
        BOOST_TEST(writes.size() == before);
    }
    bench.world.cluster().restart(1);
    const auto known = bench.observe();
    BOOST_TEST_CONTEXT(describe(known)) {
        constexpr int row_of_completed = 4; // of which one member cannot be read
        BOOST_TEST(known->verdict.row == row_of_completed);
    }
}

BOOST_AUTO_TEST_CASE(a_source_that_cannot_be_read_twice_is_refused_after_a_killed_staging) {
    auto scenario = sim::simple_scenario(2);
    Fault crash(Point::effect, Match(StatementKind::insert_rows), Effect::crash_client);
    scenario.faults.push_back(crash);
    Bench bench(scenario, 7);
    bench.publish("run-1");
    auto request = bench.request("run-1");
    request.source_is_repeatable = false;
    const auto report = bench.publish(bench.process(), request);
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_REQUIRE(report.has_value());
        BOOST_REQUIRE(report->stopped_by.has_value());
        BOOST_TEST(
            protocol::stable_name(*report->stopped_by) == protocol::stable_name(Code::input_not_repeatable)
        );
        BOOST_TEST(mutations(bench, "p2") == 0U);
    }
    const auto again = bench.publish("run-1");
    check_published(bench, again, "with a file");
    BOOST_TEST_CONTEXT(describe(again)) {
        BOOST_TEST(again->orphans.size() == 1U);
    }
}

BOOST_AUTO_TEST_CASE(a_failed_loader_leaves_nothing) {
    Bench bench(sim::simple_scenario(2), 8);
    auto& process = bench.process();
    auto fail = [](engine::Context&,
                   const engine::Candidate&) -> boost::asio::awaitable<protocol::Result<std::uint64_t>> {
        co_return protocol::Failure(Code::input_malformed, "rows.ndjson:1:1: no");
    };
    const auto before = bench.target_uuid(0);
    const auto report = bench.world.run<protocol::Report>(
        process, engine::publish(bench.context_of(process), bench.request("run-1"), fail)
    );
    bench.world.run_until_idle();
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_REQUIRE(report.has_value());
        BOOST_REQUIRE(report->stopped_by.has_value());
        BOOST_TEST(
            protocol::stable_name(*report->stopped_by) == protocol::stable_name(Code::input_malformed)
        );
        BOOST_TEST(report->orphans.empty());
        BOOST_TEST(bench.world.truth().drops.size() == 2U);
        BOOST_TEST(bench.target_uuid(0) == before);
        BOOST_TEST(bench.world.truth().authority_writes.empty());
    }
    check_invariants(bench, "failed loader");
}

BOOST_AUTO_TEST_SUITE_END()
