#include "engine/catalog.hpp"
#include "protocol/own_answers.hpp"
#include "stage.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cctype>

using namespace onceswap;
using namespace std::chrono_literals;
using protocol::StatementKind;
using testing::Call;
using testing::Reply;
using testing::Stage;
namespace asio = boost::asio;

namespace {

constexpr auto no_deadline = engine::TimePoint::max();
const std::vector<std::string> tables = {"target", "candidate"};

bool asks_for_authority(const Call& call) {
    return call.statement.sql.find("__onceswap_authority` WHERE") != std::string::npos;
}

/// A healthy cluster's answers to every reading statement.
Reply healthy(Stage& stage, const Call& call, bool facade = true) {
    const protocol::Uuid server = stage.at(call.endpoint).server_uuid;
    switch (call.statement.kind) {
    case StatementKind::catalogue: {
        std::vector<std::string> names = tables;
        if (facade)
            names.emplace_back(protocol::authority_table);
        return testing::reply_ok(testing::catalogue_body(server, names));
    }
    case StatementKind::keeper:
        if (asks_for_authority(call) && !facade)
            return testing::reply_exception(60, "Table db.__onceswap_authority does not exist.", 404);
        if (asks_for_authority(call))
            return testing::reply_ok(testing::keeper_body(server, tables, stage.rows()));
        return testing::reply_ok(testing::keeper_body(server, tables, std::nullopt));
    case StatementKind::capabilities:
        return testing::reply_ok(testing::capabilities_body(server));
    case StatementKind::row_policies:
        return testing::reply_ok(testing::row_policies_body(server));
    case StatementKind::grants:
        return testing::reply_ok(testing::grants_body({"GRANT ALL ON *.* TO default"}));
    case StatementKind::roster:
        return testing::reply_ok(testing::roster_body({testing::uuid_of(1), testing::uuid_of(2)}));
    case StatementKind::queue_unfinished:
        return testing::reply_ok(testing::unfinished_body(server, 4, {}));
    case StatementKind::row_count:
    case StatementKind::row_count_final:
        return testing::reply_ok(testing::count_body(server, 3));
    default:
        return stage.answer(call);
    }
}

std::vector<http::Endpoint> endpoints_of(const Stage& stage) {
    return stage.context.cluster.endpoints;
}

engine::AdmissionQuestion question_of(const Stage& stage) {
    engine::AdmissionQuestion question;
    question.cluster = "c";
    question.target = Stage::target();
    question.target_key = stage.target_key;
    return question;
}

asio::awaitable<void> read_all(
    engine::Catalog& catalog,
    std::vector<engine::BoundMember> members,
    engine::CatalogQuestion question,
    std::vector<protocol::MemberEvidence>& evidence
) {
    auto read = co_await catalog.read_all(members, question, no_deadline);
    evidence = std::move(read);
}

} // namespace

BOOST_AUTO_TEST_SUITE(catalog)

BOOST_AUTO_TEST_CASE(a_pass_asks_every_member_at_once_with_two_statements) {
    Stage stage(3);
    stage.stored(stage.prepared(), 2);
    stage.transport.script = [&](const Call& call) { return testing::later(healthy(stage, call), 1s); };
    engine::Catalog catalog(stage.context);
    const engine::CatalogQuestion question("db", tables, stage.target_key);
    const auto begin = stage.loop.clock.now();
    const auto evidence = stage.loop.get(catalog.read_all(stage.members, question, no_deadline));
    BOOST_TEST((stage.loop.clock.now() - begin == 1s), "members or statements waited for each other");
    BOOST_TEST(stage.transport.calls.size() == 6U);
    BOOST_REQUIRE(evidence.size() == 3U);
    for (std::size_t i = 0; i < evidence.size(); ++i) {
        BOOST_TEST((evidence[i].at == stage.members[i].member.at));
        BOOST_TEST(evidence[i].catalogue.has_value(), evidence[i].catalogue_problem);
        BOOST_REQUIRE_MESSAGE(evidence[i].keeper.has_value(), evidence[i].keeper_problem);
        BOOST_TEST((evidence[i].keeper->authority == stage.slot.row));
    }
    const auto reading = engine::conclude_slot(stage.target_key, stage.members, evidence);
    BOOST_TEST((reading.standing == protocol::RecordStanding::valid));
    BOOST_TEST(reading.agreed());
    BOOST_TEST(stage.transport.sends() == 0U);
}

BOOST_AUTO_TEST_CASE(what_one_member_does_not_say_takes_nothing_from_the_others) {
    struct Row {
        const char* name;
        StatementKind spoiled;
        Reply reply;
        const char* problem;
    };

    const Row rows[] = {
        {"its keeper hangs", StatementKind::keeper, testing::never(testing::reply_ok("")), "timed out"},
        {"its keeper is lost",
         StatementKind::keeper,
         testing::reply_exception(999, "Coordination error: Connection loss. (KEEPER_EXCEPTION)"),
         "999"},
        {"its catalogue is lost", StatementKind::catalogue, testing::reply_lost(), "reset"},
        {"its catalogue is cut", StatementKind::catalogue, testing::reply_truncated("[\"server_uuid\""), ""},
        {"its catalogue is no catalogue",
         StatementKind::catalogue,
         testing::reply_ok("[\"x\"]\n[\"String\"]\n[\"y\"]\n"),
         "server_uuid"},
        {"another server answers",
         StatementKind::catalogue,
         testing::reply_ok(testing::catalogue_body(testing::uuid_of(66), tables)),
         "expected"},
        {"access denied",
         StatementKind::keeper,
         testing::reply_exception(497, "Not enough privileges.", 403),
         "497"},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.name) {
            Stage stage(2);
            stage.transport.script = [&](const Call& call) {
                const bool second = stage.at(call.endpoint).member.replica_num == 2;
                return second && call.statement.kind == row.spoiled ? row.reply : healthy(stage, call);
            };
            engine::Catalog catalog(stage.context);
            const engine::CatalogQuestion question("db", tables, stage.target_key);
            const auto begin = stage.loop.clock.now();
            const auto evidence = stage.loop.get(catalog.read_all(stage.members, question, no_deadline));
            BOOST_REQUIRE(evidence.size() == 2U);
            BOOST_TEST(evidence[0].catalogue.has_value());
            BOOST_TEST(evidence[0].keeper.has_value());
            const bool keeper = row.spoiled == StatementKind::keeper;
            BOOST_TEST(evidence[1].catalogue.has_value() == keeper);
            BOOST_TEST(evidence[1].keeper.has_value() == !keeper);
            const std::string& problem = keeper ? evidence[1].keeper_problem : evidence[1].catalogue_problem;
            BOOST_TEST(!problem.empty());
            std::string lower = problem;
            std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
            BOOST_TEST(lower.find(row.problem) != std::string::npos, problem);
            const auto gaps = stage.events.of(engine::EventKind::gap);
            BOOST_REQUIRE(gaps.size() == 1U);
            BOOST_TEST(gaps[0].host == "ch-2:9000");
            BOOST_TEST((gaps[0].statement == row.spoiled));
            BOOST_TEST((stage.loop.clock.now() - begin <= stage.context.limits.read_timeout));
        }
    }
}

BOOST_AUTO_TEST_CASE(the_callers_deadline_is_nearer_than_the_read_timeout) {
    Stage stage(2);
    stage.transport.script = [&](const Call& call) { return testing::never(healthy(stage, call)); };
    engine::Catalog catalog(stage.context);
    const engine::CatalogQuestion question("db", tables, stage.target_key);
    const auto begin = stage.loop.clock.now();
    const auto evidence = stage.loop.get(catalog.read_all(stage.members, question, begin + 2s));
    BOOST_TEST((stage.loop.clock.now() - begin == 2s));
    for (const auto& member : evidence)
        BOOST_TEST((!member.catalogue && !member.keeper));
}

BOOST_AUTO_TEST_CASE(one_keeper_backed_read_at_a_time_per_endpoint) {
    Stage stage(2);
    stage.transport.counted = [](StatementKind kind) {
        return kind == StatementKind::keeper || kind == StatementKind::queue_unfinished;
    };
    stage.transport.script = [&](const Call& call) { return testing::later(healthy(stage, call), 1s); };
    engine::Catalog catalog(stage.context);
    const auto facts =
        stage.loop.get(catalog.read_admission(endpoints_of(stage), question_of(stage), no_deadline));
    BOOST_TEST(facts.endpoints.size() == 2U);
    for (const auto& [endpoint, most] : stage.transport.most_at_once)
        BOOST_TEST(most == 1, endpoint << " had " << most << " at once");
    BOOST_TEST(stage.transport.most_at_once.size() == 2U);
}

BOOST_AUTO_TEST_CASE(admission_asks_everything_and_keeps_the_order_of_endpoints) {
    Stage stage(2);
    stage.transport.script = [&](const Call& call) { return healthy(stage, call); };
    engine::Catalog catalog(stage.context);
    auto question = question_of(stage);
    question.count_target = true;
    const auto facts = stage.loop.get(catalog.read_admission(endpoints_of(stage), question, no_deadline));
    BOOST_REQUIRE(facts.endpoints.size() == 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& of_endpoint = facts.endpoints[i];
        BOOST_TEST(of_endpoint.endpoint == stage.members[i].endpoint.text());
        BOOST_REQUIRE(of_endpoint.problems == std::vector<std::string>());
        BOOST_TEST(of_endpoint.catalogue.has_value());
        BOOST_TEST(of_endpoint.keeper.has_value());
        BOOST_TEST(of_endpoint.capabilities.has_value());
        BOOST_TEST(of_endpoint.row_policies.has_value());
        BOOST_TEST(of_endpoint.grants.value().size() == 1U);
        BOOST_TEST(of_endpoint.target_rows.value() == 3U);
        BOOST_TEST((of_endpoint.catalogue->identity.server_uuid == stage.members[i].server_uuid));
    }
    BOOST_TEST(facts.roster.size() == 2U);
    BOOST_TEST(facts.entries_in_queue == 4U);
    BOOST_TEST(facts.queue_problem == "");
    BOOST_TEST(stage.events.events.empty());
    BOOST_TEST(stage.transport.sends() == 0U);
}

BOOST_AUTO_TEST_CASE(without_the_facade_the_replicas_are_read_all_the_same) {
    Stage stage(2);
    stage.transport.script = [&](const Call& call) { return healthy(stage, call, false); };
    engine::Catalog catalog(stage.context);
    const auto facts =
        stage.loop.get(catalog.read_admission(endpoints_of(stage), question_of(stage), no_deadline));
    for (const auto& of_endpoint : facts.endpoints) {
        BOOST_REQUIRE(of_endpoint.keeper.has_value());
        BOOST_TEST(of_endpoint.keeper->replicas.size() == 2U);
        BOOST_TEST(!of_endpoint.keeper->authority.has_value());
        BOOST_TEST(of_endpoint.problems.empty());
    }
    BOOST_TEST(stage.events.events.empty(), "an expected absence is no gap");
}

BOOST_AUTO_TEST_CASE(
    a_part_that_another_server_answered_is_kept_for_admission_and_then_dropped_with_both_names
) {
    Stage stage(2);
    stage.transport.script = [&](const Call& call) {
        const bool second = stage.at(call.endpoint).member.replica_num == 2;
        if (second && call.statement.kind == StatementKind::keeper)
            return testing::reply_ok(testing::keeper_body(testing::uuid_of(1), tables, stage.rows()));
        return healthy(stage, call);
    };
    engine::Catalog catalog(stage.context);
    const auto facts =
        stage.loop.get(catalog.read_admission(endpoints_of(stage), question_of(stage), no_deadline));
    BOOST_TEST(facts.endpoints[1].problems.empty(), "admission says whose it is");
    BOOST_REQUIRE(facts.endpoints[1].keeper.has_value());
    BOOST_TEST((facts.endpoints[1].keeper->server_uuid == testing::uuid_of(1)));

    const protocol::AdmissionFacts own = protocol::own_answers(facts);
    BOOST_TEST(own.endpoints[0].problems.empty());
    BOOST_TEST(own.endpoints[0].keeper.has_value());
    BOOST_TEST(own.endpoints[1].catalogue.has_value());
    BOOST_TEST(!own.endpoints[1].keeper.has_value());
    BOOST_REQUIRE(own.endpoints[1].problems.size() == 1U);
    const std::string& problem = own.endpoints[1].problems[0];
    BOOST_TEST(problem.find(testing::uuid_of(1).text()) != std::string::npos, problem);
    BOOST_TEST(problem.find(testing::uuid_of(2).text()) != std::string::npos, problem);
}

BOOST_AUTO_TEST_CASE(the_roster_and_the_queue_come_from_one_endpoint_that_answers) {
    Stage stage(2);
    stage.transport.script = [&](const Call& call) {
        // The roster is asked of the first endpoint first, the queue of the last.
        const auto asked_first = stage.at(call.endpoint).member.replica_num == 1
                                     ? StatementKind::roster
                                     : StatementKind::queue_unfinished;
        return call.statement.kind == asked_first ? testing::reply_lost() : healthy(stage, call);
    };
    engine::Catalog catalog(stage.context);
    const auto facts =
        stage.loop.get(catalog.read_admission(endpoints_of(stage), question_of(stage), no_deadline));
    BOOST_TEST(facts.roster.size() == 2U);
    BOOST_TEST(facts.roster_problem == "");
    BOOST_TEST(facts.entries_in_queue == 4U);
    BOOST_TEST(stage.events.of(engine::EventKind::gap).size() == 2U);

    Stage silent(2);
    silent.transport.script = [&](const Call& call) {
        return call.statement.kind == StatementKind::roster ||
                       call.statement.kind == StatementKind::queue_unfinished
                   ? testing::reply_lost()
                   : healthy(silent, call);
    };
    engine::Catalog without(silent.context);
    const auto none =
        silent.loop.get(without.read_admission(endpoints_of(silent), question_of(silent), no_deadline));
    BOOST_TEST(none.roster_problem.find("ch-1") != std::string::npos);
    BOOST_TEST(none.queue_problem.find("ch-2") != std::string::npos, none.queue_problem);
}

BOOST_AUTO_TEST_CASE(the_candidate_is_read_on_every_member) {
    Stage stage(2);
    stage.transport.script = [&](const Call& call) {
        const bool second = stage.at(call.endpoint).member.replica_num == 2;
        return second && call.statement.kind == StatementKind::row_count_final ? testing::reply_lost()
                                                                               : healthy(stage, call);
    };
    engine::CandidateQuestion question;
    question.database = "db";
    question.name = "candidate";
    question.uuid = testing::uuid_of(200);
    question.staged_rows = 3;
    question.more_tables = {"target"};
    question.with_final = true;
    engine::Catalog catalog(stage.context);
    const auto facts = stage.loop.get(catalog.read_candidate(stage.members, question, no_deadline));
    BOOST_TEST((facts.uuid == testing::uuid_of(200)));
    BOOST_REQUIRE(facts.members.size() == 2U);
    BOOST_TEST(facts.members[0].rows.value() == 3U);
    BOOST_TEST(facts.members[0].problem == "");
    BOOST_TEST(facts.members[1].catalogue.has_value());
    BOOST_TEST(!facts.members[1].rows.has_value());
    BOOST_TEST(facts.members[1].problem.find("row_count_final: ") == 0U, facts.members[1].problem);
    const auto counts = stage.loop.get(catalog.count_all(stage.members, Stage::target(), false, no_deadline));
    BOOST_TEST(counts.at(1).rows.value() == 3U);
}

BOOST_AUTO_TEST_CASE(cancelled_at_every_step_nothing_is_left) {
    const unsigned cancelled = testing::sweep_cancellation([](unsigned cancel_at) {
        Stage stage(2);
        stage.transport.script = [&](const Call& call) { return testing::later(healthy(stage, call), 1s); };
        engine::Catalog catalog(stage.context);
        std::vector<protocol::MemberEvidence> evidence;
        const engine::CatalogQuestion question("db", tables, stage.target_key);
        const auto ending = stage.loop.run(read_all(catalog, stage.members, question, evidence), cancel_at);
        BOOST_TEST_CONTEXT("cancelled at step " << cancel_at) {
            BOOST_TEST(ending.leftovers == 0U);
            BOOST_TEST((ending.cancelled() || ending.what().empty()));
            BOOST_TEST(stage.events.events.empty(), "a cancellation is no gap");
        }
        return ending;
    });
    BOOST_TEST(cancelled > 10U);
}

BOOST_AUTO_TEST_SUITE_END()
