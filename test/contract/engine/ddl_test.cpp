#include "engine/ddl.hpp"
#include "stage.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <stdexcept>

using namespace onceswap;
using namespace std::chrono_literals;
using engine::DdlResult;
using protocol::Outcome;
using protocol::StatementKind;
using testing::Call;
using testing::Reply;
using testing::Stage;
namespace asio = boost::asio;

namespace {

constexpr auto no_deadline = engine::TimePoint::max();

protocol::CorrelationToken setup_token(Stage& stage) {
    return protocol::make_token(std::string(64, 'a'), protocol::Action::setup, 0, stage.entropy.bytes16());
}

protocol::Statement facade(const protocol::CorrelationToken& token) {
    protocol::DdlOptions options;
    options.token = token.text();
    return protocol::create_facade_statement("db", "/onceswap/authority/v1", "c", "canary", options);
}

/// Sends the CREATE of the facade against a setup permit.
asio::awaitable<void> send_setup(
    engine::Ddl& ddl,
    engine::BoundMember member,
    protocol::CorrelationToken token,
    protocol::Statement statement,
    std::vector<protocol::HostPort> hosts,
    engine::TimePoint deadline,
    std::optional<DdlResult>& result
) {
    auto way = co_await ddl.prepare(member, deadline);
    engine::SetupPermit permit(token);
    auto sent = co_await ddl.execute_once(std::move(permit), std::move(way), statement, hosts, deadline);
    result.emplace(std::move(sent));
}

struct Played {
    testing::Ending ending;
    std::optional<DdlResult> result;
};

Played play(Stage& stage, std::optional<unsigned> cancel_at = std::nullopt) {
    engine::Ddl ddl(stage.context);
    const auto token = setup_token(stage);
    Played played;
    played.ending = stage.loop.run(
        send_setup(
            ddl,
            stage.members[0],
            token,
            facade(token),
            engine::hosts_of(stage.members),
            no_deadline,
            played.result
        ),
        cancel_at
    );
    return played;
}

} // namespace

BOOST_AUTO_TEST_SUITE(ddl)

BOOST_AUTO_TEST_CASE(the_answer_is_judged_row_by_row) {
    struct Row {
        const char* name;
        std::function<Reply(Stage&)> say;
        Outcome outcome;
    };

    const auto rows_with = [](auto change) {
        return [change](Stage& stage) {
            auto hosts = stage.ddl_rows();
            change(hosts);
            return testing::reply_ok(testing::ddl_body(hosts));
        };
    };
    const Row rows[] = {
        {"one row per member, all 0", rows_with([](auto&) {}), Outcome::acknowledged},
        {"in another order",
         rows_with([](auto& hosts) { std::swap(hosts[0], hosts[1]); }),
         Outcome::acknowledged},
        {"a member is missing", rows_with([](auto& hosts) { hosts.pop_back(); }), Outcome::outcome_unknown},
        {"no rows", rows_with([](auto& hosts) { hosts.clear(); }), Outcome::outcome_unknown},
        {"a stranger",
         rows_with([](auto& hosts) {
             hosts.push_back(hosts[0]);
             hosts.back().at.host = "elsewhere";
         }),
         Outcome::outcome_unknown},
        {"a member twice", rows_with([](auto& hosts) { hosts.push_back(hosts[0]); }), Outcome::outcome_unknown
        },
        {"another port", rows_with([](auto& hosts) { hosts[1].at.port = 9001; }), Outcome::outcome_unknown},
        {"one failed", rows_with([](auto& hosts) { hosts[1].status = 57; }), Outcome::host_failed},
        {"an empty body", [](Stage&) { return testing::reply_ok(""); }, Outcome::outcome_unknown},
        {"cut", [](Stage&) { return testing::reply_truncated("[\"host\"]"); }, Outcome::outcome_unknown},
        {"lost", [](Stage&) { return testing::reply_lost(); }, Outcome::outcome_unknown},
        {"no answer in time",
         [](Stage&) { return testing::never(testing::reply_ok("")); },
         Outcome::outcome_unknown},
        {"159",
         [](Stage&) {
             return testing::reply_exception(
                 159,
                 "Distributed DDL task /clickhouse/task_queue/ddl/query-0000000007 is not finished on 1 of 2 "
                 "hosts",
                 408
             );
         },
         Outcome::outcome_unknown},
        {"a host's error",
         [](Stage&) {
             return testing::reply_exception(
                 57, "There was an error on [ch-2:9000]: Code: 57. DB::Exception: exists"
             );
         },
         Outcome::host_failed},
        {"60, which only a host can say",
         [](Stage&) { return testing::reply_exception(60, "does not exist", 404); },
         Outcome::host_failed},
        {"denied",
         [](Stage&) { return testing::reply_exception(497, "Not enough privileges.", 403); },
         Outcome::rejected},
        {"denied on a host: others may have done it",
         [](Stage&) {
             return testing::reply_exception(
                 497,
                 "There was an error on [ch-2:9000]: Code: 497. DB::Exception: Not enough privileges.",
                 403
             );
         },
         Outcome::host_failed},
        {"no such cluster",
         [](Stage&) { return testing::reply_exception(701, "Requested cluster 'c' not found"); },
         Outcome::rejected},
        {"no byte taken", [](Stage&) { return testing::reply_not_written(); }, Outcome::not_sent},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.name) {
            Stage stage;
            stage.transport.script = [&](const Call&) { return row.say(stage); };
            const auto played = play(stage);
            BOOST_TEST(played.ending.what() == "");
            BOOST_REQUIRE(played.result.has_value());
            BOOST_TEST(protocol::text(played.result->outcome) == protocol::text(row.outcome));
            BOOST_TEST(stage.transport.sends() == (row.outcome == Outcome::not_sent ? 0U : 1U));
            BOOST_TEST(stage.transport.calls.size() == 1U, "it was tried again");
            BOOST_TEST(stage.transport.ways_open == 0U);
            BOOST_TEST(played.ending.leftovers == 0U);
            const auto events = stage.events.of(engine::EventKind::mutation);
            BOOST_REQUIRE(events.size() == 1U);
            BOOST_TEST((events[0].outcome == row.outcome));
            BOOST_TEST(events[0].query_id == played.result->query_id);
            if (row.outcome != Outcome::acknowledged)
                BOOST_TEST(played.result->problem.detail.find("ch-1:9000") != std::string::npos);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_way_that_is_not_open_gives_not_sent_with_the_reason) {
    Stage stage;
    stage.transport.refuse = [](const http::Endpoint&) { return asio::error::connection_refused; };
    const auto played = play(stage);
    BOOST_REQUIRE(played.result.has_value());
    BOOST_TEST((played.result->outcome == Outcome::not_sent));
    BOOST_TEST((played.result->problem.code == protocol::Code::ddl_not_sent));
    BOOST_TEST((engine::holder_result(*played.result) == protocol::HolderResult::not_sent));
    BOOST_TEST(stage.transport.sends() == 0U);
}

BOOST_AUTO_TEST_CASE(a_permit_sends_only_what_it_was_made_for) {
    const auto refused =
        [](const std::function<protocol::Statement(Stage&, const protocol::CorrelationToken&)>& make) {
            Stage stage;
            engine::Ddl ddl(stage.context);
            const auto token = setup_token(stage);
            std::optional<DdlResult> result;
            const auto ending = stage.loop.run(send_setup(
                ddl,
                stage.members[0],
                token,
                make(stage, token),
                engine::hosts_of(stage.members),
                no_deadline,
                result
            ));
            BOOST_TEST(!ending.what().empty());
            BOOST_TEST(!result.has_value());
            BOOST_TEST(stage.transport.sends() == 0U);
            BOOST_TEST(stage.transport.ways_closed_unsent == 1U);
        };
    refused([](Stage& stage, const auto&) { return facade(setup_token(stage)); }); // another token
    refused([](Stage&, const auto& token) {
        auto statement = facade(token);
        statement.settings.clear();
        return statement;
    });
    const auto with_token = [](const protocol::CorrelationToken& token) {
        protocol::DdlOptions options;
        options.token = token.text();
        return options;
    };
    refused([&](Stage&, const auto& token) {
        return protocol::exchange_statement(Stage::target(), "x", "c", with_token(token));
    });
    for (const StatementKind kind : {StatementKind::drop_aside, StatementKind::drop_orphan})
        refused([&](Stage&, const auto& token) {
            return protocol::drop_statement(kind, "db", "x", "c", with_token(token));
        });
    for (const StatementKind kind :
         {StatementKind::rename_publish, StatementKind::rename_aside, StatementKind::rename_retire})
        refused([&](Stage&, const auto& token) {
            return protocol::rename_statement(kind, "db", "x", "y", "c", with_token(token));
        });
}

BOOST_AUTO_TEST_CASE(cancelled_at_every_step_the_outcome_tells_the_truth) {
    unsigned unknown = 0;
    const unsigned cancelled = testing::sweep_cancellation([&](unsigned cancel_at) {
        Stage stage;
        stage.transport.script = [&](const Call& call) { return testing::later(stage.answer(call), 5s); };
        const auto played = play(stage, cancel_at);
        BOOST_TEST_CONTEXT("cancelled at step " << cancel_at) {
            BOOST_TEST(played.ending.leftovers == 0U);
            BOOST_TEST(stage.transport.ways_open == 0U);
            if (!played.result) {
                BOOST_TEST(stage.transport.sends() == 0U, "it was sent and nobody was told");
            } else if (stage.transport.sends() == 0) {
                BOOST_TEST((played.result->outcome == Outcome::not_sent));
            } else if (played.ending.signalled && played.result->outcome != Outcome::acknowledged) {
                BOOST_TEST((played.result->outcome == Outcome::outcome_unknown));
                ++unknown;
            }
        }
        return played.ending;
    });
    BOOST_TEST(cancelled >= 4U);
    BOOST_TEST(unknown >= 1U);
}

BOOST_AUTO_TEST_SUITE_END()
