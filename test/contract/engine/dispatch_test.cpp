#include "stage.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/test/unit_test.hpp>

#include <functional>
#include <stdexcept>

using namespace onceswap;
using namespace std::chrono_literals;
using engine::Dispatched;
using protocol::StatementKind;
using testing::Call;
using testing::Reply;
using testing::Stage;
namespace asio = boost::asio;

namespace {

asio::awaitable<void> run_dispatch(
    engine::Context& context,
    engine::Authority& authority,
    engine::Ddl& ddl,
    engine::DispatchOrder order,
    std::optional<Dispatched>& result
) {
    auto dispatched = co_await engine::dispatch(context, authority, ddl, order);
    result.emplace(std::move(dispatched));
    co_await asio::post(asio::use_awaitable); // where a cancellation that was deferred shows
}

struct Played {
    testing::Ending ending;
    std::optional<Dispatched> result;
};

Played
play(Stage& stage, const engine::DispatchOrder& order, std::optional<unsigned> cancel_at = std::nullopt) {
    auto authority = stage.authority();
    engine::Ddl ddl(stage.context);
    Played played;
    played.ending =
        stage.loop.run(run_dispatch(stage.context, authority, ddl, order, played.result), cancel_at);
    return played;
}

std::size_t ddls(const Stage& stage) {
    return stage.transport.of(StatementKind::exchange).size();
}

} // namespace

BOOST_AUTO_TEST_SUITE(dispatch)

BOOST_AUTO_TEST_CASE(a_won_write_sends_one_statement_over_a_way_that_was_open_before) {
    Stage stage;
    std::size_t ways_at_write = 0;
    stage.transport.script = [&](const Call& call) {
        if (call.statement.kind == StatementKind::authority_update)
            ways_at_write = stage.transport.ways_opened;
        return stage.answer(call);
    };
    const auto order = stage.order();
    const auto played = play(stage, order);
    BOOST_TEST(played.ending.what() == "");
    BOOST_REQUIRE(played.result.has_value());
    BOOST_TEST(engine::text(played.result->write) == "Won");
    BOOST_REQUIRE(played.result->ddl.has_value());
    BOOST_TEST((played.result->ddl->outcome == protocol::Outcome::acknowledged));
    BOOST_TEST(played.result->ddl->rows.size() == 2U);
    BOOST_TEST(ways_at_write == 2U, "the DDL's way was not open when the authority was written");
    BOOST_TEST(stage.transport.ways_opened == 2U);
    BOOST_TEST(stage.transport.sends() == 2U);
    const std::vector<std::string> expected = {"authority_update Acknowledged", "exchange Acknowledged"};
    BOOST_TEST(stage.mutations() == expected, boost::test_tools::per_element());
    BOOST_TEST(stage.events.of(engine::EventKind::permit).size() == 1U);
    const auto sent = stage.transport.of(StatementKind::exchange);
    BOOST_TEST(engine::log_comment(sent.at(0).statement) == order.next.publication->token);
    BOOST_TEST(sent.at(0).query_id == played.result->ddl->query_id);
}

BOOST_AUTO_TEST_CASE(nothing_but_won_sends_the_statement) {
    struct Row {
        const char* name;
        std::function<Reply(Stage&, const Call&)> say;
        const char* write;
    };

    const Row rows[] = {
        {"lost after the effect: a later read would show our row",
         [](Stage& stage, const Call& call) {
             stage.slot.execute(call.statement);
             return testing::reply_lost();
         },
         "OutcomeUnknown"},
        {"a stale no-op",
         [](Stage& stage, const Call& call) {
             stage.slot.overwrite(std::string(64, 'f'));
             return stage.slot.execute(call.statement);
         },
         "Conflict"},
        {"(Bad version)",
         [](Stage&, const Call&) {
             return testing::reply_exception(
                 999, "Transaction failed (Bad version): Op #0. (KEEPER_EXCEPTION)"
             );
         },
         "Conflict"},
        {"access denied",
         [](Stage&, const Call&) { return testing::reply_exception(497, "Not enough privileges.", 403); },
         "Rejected"},
        {"no byte taken", [](Stage&, const Call&) { return testing::reply_not_written(); }, "NotSent"},
        {"no answer within the reserve",
         [](Stage& stage, const Call& call) { return testing::never(stage.slot.execute(call.statement)); },
         "OutcomeUnknown"},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.name) {
            Stage stage;
            stage.transport.script = [&](const Call& call) {
                return call.statement.kind == StatementKind::authority_update ? row.say(stage, call)
                                                                              : stage.answer(call);
            };
            const auto begin = stage.loop.clock.now();
            const auto played = play(stage, stage.order());
            BOOST_REQUIRE(played.result.has_value());
            BOOST_TEST(engine::text(played.result->write) == row.write);
            BOOST_TEST(!played.result->ddl.has_value());
            BOOST_TEST(ddls(stage) == 0U);
            BOOST_TEST(stage.transport.ways_closed_unsent == 1U, "the DDL's way was not closed unsent");
            BOOST_TEST(stage.transport.ways_open == 0U);
            BOOST_TEST(stage.events.of(engine::EventKind::permit).empty());
            BOOST_TEST((stage.loop.clock.now() - begin <= stage.context.limits.dispatch_reserve));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_way_that_cannot_be_opened_costs_nothing) {
    Stage stage;
    stage.transport.refuse = [](const http::Endpoint&) { return asio::error::connection_refused; };
    const auto played = play(stage, stage.order());
    BOOST_REQUIRE(played.result.has_value());
    BOOST_TEST(engine::text(played.result->write) == "NotSent");
    BOOST_TEST(stage.slot.applied == 0U);
    BOOST_TEST(stage.transport.sends() == 0U);
}

BOOST_AUTO_TEST_CASE(a_deadline_before_the_first_byte_stops_and_one_between_the_two_does_not) {
    {
        Stage stage;
        stage.transport.connect_delay = 3s;
        const auto played = play(stage, stage.order(stage.loop.clock.now() + 2s));
        BOOST_REQUIRE(played.result.has_value());
        BOOST_TEST(engine::text(played.result->write) == "NotSent");
        BOOST_TEST((engine::problem_of(played.result->write)->code == protocol::Code::deadline_reached));
        BOOST_TEST(stage.transport.sends() == 0U);
    }
    Stage stage;
    stage.transport.script = [&](const Call& call) {
        Reply reply = stage.answer(call);
        if (call.statement.kind == StatementKind::authority_update)
            reply.delay = 4s; // the caller's deadline passes here
        return reply;
    };
    const auto played = play(stage, stage.order(stage.loop.clock.now() + 2s));
    BOOST_REQUIRE(played.result.has_value());
    BOOST_TEST(engine::text(played.result->write) == "Won");
    BOOST_REQUIRE(played.result->ddl.has_value());
    BOOST_TEST((played.result->ddl->outcome == protocol::Outcome::acknowledged));
    BOOST_TEST(ddls(stage) == 1U);
}

BOOST_AUTO_TEST_CASE(cancelled_at_every_step_a_won_slot_is_never_stranded) {
    unsigned before = 0;
    unsigned inside = 0;
    const unsigned cancelled = testing::sweep_cancellation([&](unsigned cancel_at) {
        Stage stage;
        stage.transport.script = [&](const Call& call) {
            Reply reply = stage.answer(call);
            reply.delay = 1s; // the record, its read back and the DDL take a while: room for a signal in each
            return reply;
        };
        const auto played = play(stage, stage.order(), cancel_at);
        BOOST_TEST_CONTEXT("cancelled at step " << cancel_at) {
            BOOST_TEST(played.ending.leftovers == 0U);
            BOOST_TEST(stage.transport.ways_open == 0U);
            BOOST_TEST(ddls(stage) == stage.slot.applied, "a permit without its statement, or the reverse");
            BOOST_TEST(stage.transport.sends() == stage.slot.applied + ddls(stage));
            if (!played.result) {
                BOOST_TEST(stage.transport.sends() == 0U, "the caller was not told what was sent");
            } else if (stage.slot.applied == 0) {
                BOOST_TEST(engine::text(played.result->write) == "NotSent");
                ++before;
            } else {
                BOOST_TEST(engine::text(played.result->write) == "Won");
                BOOST_REQUIRE(played.result->ddl.has_value());
                const auto outcome = played.result->ddl->outcome;
                BOOST_TEST(
                    (outcome == protocol::Outcome::acknowledged ||
                     outcome == protocol::Outcome::outcome_unknown)
                );
                if (played.ending.cancelled())
                    ++inside;
            }
        }
        return played.ending;
    });
    BOOST_TEST(cancelled > 20U);
    BOOST_TEST(before >= 3U);
    BOOST_TEST(inside >= 10U);
}

BOOST_AUTO_TEST_CASE(a_cancellation_after_the_last_byte_only_stops_the_waiting) {
    bool cut_short = false;
    testing::sweep_cancellation([&](unsigned cancel_at) {
        Stage stage;
        stage.transport.script = [&](const Call& call) {
            Reply reply = stage.answer(call);
            if (call.statement.kind == StatementKind::exchange)
                reply.delay = 30s;
            return reply;
        };
        const auto played = play(stage, stage.order(), cancel_at);
        if (played.result && played.result->ddl && played.ending.cancelled() &&
            played.result->ddl->outcome == protocol::Outcome::outcome_unknown) {
            cut_short = true;
            BOOST_TEST(
                (stage.loop.clock.now() == played.ending.signalled_at),
                "the reserve was waited for although all was written"
            );
            BOOST_TEST((played.result->ddl->problem.code == protocol::Code::outcome_unknown));
        }
        return played.ending;
    });
    BOOST_TEST(cut_short);
}

BOOST_AUTO_TEST_CASE(an_order_that_contradicts_itself_is_refused_before_anything_is_opened) {
    const auto refused = [](const std::function<void(Stage&, engine::DispatchOrder&)>& spoil) {
        Stage stage;
        auto order = stage.order();
        spoil(stage, order);
        auto authority = stage.authority();
        engine::Ddl ddl(stage.context);
        std::optional<Dispatched> result;
        const auto ending = stage.loop.run(run_dispatch(stage.context, authority, ddl, order, result));
        BOOST_TEST(!ending.what().empty());
        BOOST_TEST(!ending.cancelled());
        BOOST_TEST(stage.transport.sends() == 0U);
        BOOST_TEST(stage.slot.applied == 0U);
    };
    refused([](Stage&, engine::DispatchOrder& order) { order.next = order.current.record; });
    refused([](Stage&, engine::DispatchOrder& order) { order.next.dispatch_epoch += 1; });
    refused([](Stage&, engine::DispatchOrder& order) { order.next.publication->epoch += 1; });
    refused([](Stage&, engine::DispatchOrder& order) { order.statement.settings.clear(); });
    refused([](Stage& stage, engine::DispatchOrder& order) {
        protocol::DdlOptions options;
        options.token = order.next.publication->token;
        order.statement = protocol::drop_statement(
            StatementKind::drop_aside, "db", order.next.aside, stage.context.cluster.name, options
        );
    });
    refused([](Stage& stage, engine::DispatchOrder& order) {
        order.next.publication->token =
            protocol::make_token(
                order.next.operation_id, protocol::Action::cleanup, 1, stage.entropy.bytes16()
            )
                .text();
    });
    refused([](Stage&, engine::DispatchOrder& order) { order.hosts.clear(); });
}

BOOST_AUTO_TEST_SUITE_END()
