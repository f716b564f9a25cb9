#include "engine/queue.hpp"
#include "stage.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap;
using namespace std::chrono_literals;
using protocol::StatementKind;
using testing::Call;
using testing::Reply;
using testing::Stage;
namespace asio = boost::asio;

namespace {

constexpr auto no_deadline = engine::TimePoint::max();
const std::string token = "onceswap-v1-aaaaaaaaaaaaaaaaaaaa-publish-1-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

protocol::QueueRow entry_row(std::string host) {
    protocol::QueueRow row;
    row.entry = "query-0000000007";
    row.entry_version = 5;
    row.cluster = "c";
    row.query = "EXCHANGE TABLES db.target AND db.candidate ON CLUSTER c";
    row.settings["log_comment"] = token;
    row.query_create_time = 1'750'000'000;
    row.host = std::move(host);
    row.port = static_cast<std::uint16_t>(9000);
    row.status = "Finished";
    row.exception_code = 0;
    row.exception_text = "";
    return row;
}

enum class Says { entry, nothing, no_node, wrong_server, hangs };

/// One behaviour per member; counts who was asked.
void script(Stage& stage, const std::vector<Says>& behaviours) {
    stage.transport.script = [&stage, behaviours](const Call& call) {
        const auto& member = stage.at(call.endpoint);
        const bool unfinished = call.statement.kind == StatementKind::queue_unfinished;
        const auto body = [&](const protocol::Uuid& server, const std::vector<protocol::QueueRow>& rows) {
            return unfinished ? testing::unfinished_body(server, 12, rows)
                              : testing::queue_body(server, rows);
        };
        switch (behaviours.at(member.member.replica_num - 1)) {
        case Says::entry:
            return testing::reply_ok(body(member.server_uuid, {entry_row("ch-1"), entry_row("ch-2")}));
        case Says::nothing:
            return testing::reply_ok(body(member.server_uuid, {}));
        case Says::no_node:
            return testing::reply_exception(
                999, "Coordination error: No node, path /clickhouse/task_queue/ddl. (KEEPER_EXCEPTION)"
            );
        case Says::wrong_server:
            return testing::reply_ok(body(testing::uuid_of(55), {entry_row("ch-1")}));
        case Says::hangs:
            return testing::never(testing::reply_ok(""));
        }
        throw std::logic_error("no behaviour");
    };
}

asio::awaitable<void> look_up(
    engine::Queue& queue, std::vector<engine::BoundMember> members, std::vector<engine::QueueAnswer>& answers
) {
    auto found = co_await queue.look_up(members, token, no_deadline);
    answers = std::move(found);
}

} // namespace

BOOST_AUTO_TEST_SUITE(queue)

BOOST_AUTO_TEST_CASE(the_first_member_is_enough_when_it_shows_the_entry) {
    Stage stage(3);
    script(stage, {Says::entry, Says::hangs, Says::hangs});
    engine::Queue queue(stage.context);
    const auto answers = stage.loop.get(queue.look_up(stage.members, token, no_deadline));
    BOOST_REQUIRE(answers.size() == 1U);
    BOOST_TEST(answers[0].reading.readable);
    BOOST_REQUIRE(answers[0].reading.rows.size() == 2U);
    BOOST_TEST((answers[0].reading.rows[0] == entry_row("ch-1")));
    BOOST_TEST(stage.transport.calls.size() == 1U);
    BOOST_TEST(stage.transport.sends() == 0U);
}

BOOST_AUTO_TEST_CASE(the_others_are_asked_when_the_first_shows_none_or_is_unreadable) {
    for (const Says first : {Says::nothing, Says::no_node, Says::wrong_server, Says::hangs}) {
        BOOST_TEST_CONTEXT("the first member's behaviour is number " << static_cast<int>(first)) {
            Stage stage(3);
            script(stage, {first, Says::entry, Says::nothing});
            engine::Queue queue(stage.context);
            const auto begin = stage.loop.clock.now();
            const auto answers = stage.loop.get(queue.look_up(stage.members, token, no_deadline));
            BOOST_REQUIRE(answers.size() == 3U);
            BOOST_TEST(answers[0].reading.readable == (first == Says::nothing));
            BOOST_TEST(answers[0].reading.problem.empty() == (first == Says::nothing));
            BOOST_TEST(answers[0].reading.rows.empty());
            BOOST_TEST(answers[1].reading.rows.size() == 2U);
            BOOST_TEST((answers[1].at == stage.members[1].member.at));
            BOOST_TEST(answers[2].reading.readable);
            BOOST_TEST(stage.events.of(engine::EventKind::gap).size() == (first == Says::nothing ? 0U : 1U));
            BOOST_TEST((stage.loop.clock.now() - begin <= stage.context.limits.read_timeout));
            BOOST_TEST(engine::readings_of(answers).size() == 3U);
        }
    }
}

BOOST_AUTO_TEST_CASE(an_unreadable_queue_is_never_an_empty_one) {
    Stage stage(2);
    script(stage, {Says::no_node, Says::wrong_server});
    engine::Queue queue(stage.context);
    for (const auto& answers :
         {stage.loop.get(queue.read_by_token(stage.members, token, no_deadline)),
          stage.loop.get(queue.read_by_prefix(stage.members, token.substr(0, 33), no_deadline))}) {
        BOOST_REQUIRE(answers.size() == 2U);
        for (const auto& answer : answers) {
            BOOST_TEST(!answer.reading.readable);
            BOOST_TEST(!answer.reading.problem.empty());
            BOOST_TEST(answer.reading.rows.empty());
        }
        BOOST_TEST(answers[0].reading.problem.find("999") != std::string::npos);
        BOOST_TEST(answers[1].reading.problem.find(testing::uuid_of(55).text()) != std::string::npos);
        BOOST_TEST(answers[1].reading.problem.find(testing::uuid_of(2).text()) != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(unfinished_entries_come_from_the_first_member_that_answers) {
    Stage stage(3);
    script(stage, {Says::no_node, Says::entry, Says::hangs});
    engine::Queue queue(stage.context);
    const auto answer = stage.loop.get(queue.read_unfinished(stage.members, no_deadline));
    BOOST_TEST(answer.reading.readable);
    BOOST_TEST(answer.entries_in_queue == 12U);
    BOOST_TEST((answer.at == stage.members[1].member.at));
    BOOST_TEST(stage.transport.calls.size() == 2U);

    Stage broken(2);
    script(broken, {Says::no_node, Says::no_node});
    engine::Queue dead(broken.context);
    const auto none = broken.loop.get(dead.read_unfinished(broken.members, no_deadline));
    BOOST_TEST(!none.reading.readable);
    BOOST_TEST(!none.reading.problem.empty());
}

BOOST_AUTO_TEST_CASE(cancelled_at_every_step_nothing_is_left) {
    const unsigned cancelled = testing::sweep_cancellation([](unsigned cancel_at) {
        Stage stage(3);
        script(stage, {Says::nothing, Says::entry, Says::hangs});
        engine::Queue queue(stage.context);
        std::vector<engine::QueueAnswer> answers;
        const auto ending = stage.loop.run(look_up(queue, stage.members, answers), cancel_at);
        BOOST_TEST_CONTEXT("cancelled at step " << cancel_at) {
            BOOST_TEST(ending.leftovers == 0U);
            BOOST_TEST((ending.cancelled() || ending.what().empty()));
            if (ending.signalled && cancel_at + 2 < ending.steps)
                BOOST_TEST(stage.events.of(engine::EventKind::gap).empty(), "a cancellation is no gap");
        }
        return ending;
    });
    BOOST_TEST(cancelled > 5U);
}

BOOST_AUTO_TEST_SUITE_END()
