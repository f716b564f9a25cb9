#include "stage.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <limits>
#include <stdexcept>

using namespace onceswap;
using namespace std::chrono_literals;
using engine::WriteResult;
using protocol::StatementKind;
using testing::Call;
using testing::Reply;
using testing::Stage;
namespace asio = boost::asio;

namespace {

constexpr auto no_deadline = engine::TimePoint::max();

asio::awaitable<void> swap_once(
    engine::Authority& authority,
    engine::BoundMember member,
    engine::VersionedRecord current,
    protocol::AuthorityRecord next,
    std::optional<WriteResult>& result
) {
    auto written = co_await authority.compare_and_swap(member, current, next, no_deadline);
    result.emplace(std::move(written));
}

bool is_update(const Call& call) {
    return call.statement.kind == StatementKind::authority_update;
}

bool is_read_back(const Call& call) {
    return call.statement.kind == StatementKind::authority_row;
}

} // namespace

BOOST_AUTO_TEST_SUITE(authority)

BOOST_AUTO_TEST_CASE(a_create_wins_at_version_zero_and_is_sent_once) {
    Stage stage;
    auto authority = stage.authority();
    const auto next = stage.prepared();
    const WriteResult result =
        stage.loop.get(authority.create_if_absent(stage.members[0], next, no_deadline));
    BOOST_REQUIRE_MESSAGE(std::holds_alternative<engine::Won>(result), engine::text(result));
    const auto& now = std::get<engine::Won>(result).now;
    BOOST_TEST(now.version() == 0);
    BOOST_TEST((now.row == *stage.slot.row));
    BOOST_TEST((now.record == *protocol::decode_row(*stage.slot.row)));
    BOOST_TEST(now.record.write_id != next.write_id, "a write id was used twice");
    BOOST_TEST(stage.transport.sends() == 1U);
    BOOST_TEST(stage.mutations() == std::vector<std::string>{"authority_insert Acknowledged"});
}

BOOST_AUTO_TEST_CASE(a_create_into_a_taken_slot_is_a_conflict) {
    Stage stage;
    auto authority = stage.authority();
    stage.stored(stage.prepared(), 3);
    const WriteResult result =
        stage.loop.get(authority.create_if_absent(stage.members[0], stage.prepared(), no_deadline));
    BOOST_TEST(engine::text(result) == "Conflict");
    BOOST_TEST((engine::problem_of(result)->code == protocol::Code::cas_conflict));
    BOOST_TEST(stage.transport.sends() == 1U);
    BOOST_TEST(stage.slot.applied == 0U);
}

BOOST_AUTO_TEST_CASE(what_stands_there_after_an_acknowledgement_decides) {
    struct Row {
        const char* name;
        std::function<void(Stage&)> before; ///< between reading the record and the write
        std::function<std::optional<Reply>(Stage&, const Call&)> say; ///< nullopt: the healthy answer
        const char* result;
        unsigned applied;
    };

    const auto healthy = [](Stage&, const Call&) -> std::optional<Reply> { return std::nullopt; };
    const auto read_back_as = [](auto change) {
        return [change](Stage& stage, const Call& call) -> std::optional<Reply> {
            if (!is_read_back(call))
                return std::nullopt;
            protocol::AuthorityRow row = *stage.slot.row;
            change(row);
            return testing::reply_ok(testing::authority_body(stage.at(call.endpoint).server_uuid, {row}));
        };
    };
    const auto update_says = [](Reply reply, bool with_effect) {
        return [reply, with_effect](Stage& stage, const Call& call) -> std::optional<Reply> {
            if (!is_update(call))
                return std::nullopt;
            if (with_effect)
                stage.slot.execute(call.statement);
            return reply;
        };
    };
    const auto read_back_says = [](Reply reply) {
        return [reply](Stage&, const Call& call) -> std::optional<Reply> {
            if (!is_read_back(call))
                return std::nullopt;
            return reply;
        };
    };
    const auto nothing = [](Stage&) {};
    const std::string other_digest(64, 'f');

    const Row rows[] = {
        {"ours at version + 1", nothing, healthy, "Won", 1},
        {"another writer came first: a stale no-op",
         [&](Stage& stage) { stage.slot.overwrite(other_digest); },
         healthy,
         "Conflict",
         0},
        {"two others came first: a version jump",
         [&](Stage& stage) {
             stage.slot.overwrite(other_digest);
             stage.slot.overwrite(other_digest);
         },
         healthy,
         "OutcomeUnknown",
         0},
        {"another writer between the two phases: (Bad version)",
         [&](Stage& stage) { stage.slot.in_between = [&] { stage.slot.overwrite(other_digest); }; },
         healthy,
         "Conflict",
         0},
        {"the row is gone",
         nothing,
         [](Stage& stage, const Call& call) -> std::optional<Reply> {
             if (!is_read_back(call))
                 return std::nullopt;
             return testing::reply_ok(testing::authority_body(stage.at(call.endpoint).server_uuid, {}));
         },
         "OutcomeUnknown",
         1},
        {"an older version is read back",
         nothing,
         read_back_as([](auto& row) { --row.version; }),
         "OutcomeUnknown",
         1},
        {"a newer version is read back",
         nothing,
         read_back_as([](auto& row) { ++row.version; }),
         "OutcomeUnknown",
         1},
        {"a foreign row is read back at our version",
         nothing,
         read_back_as([&](auto& row) { row.payload_sha256 = other_digest; }),
         "Conflict",
         1},
        {"another server answers the read back",
         nothing,
         [](Stage& stage, const Call& call) -> std::optional<Reply> {
             if (!is_read_back(call))
                 return std::nullopt;
             return testing::reply_ok(testing::authority_body(testing::uuid_of(99), {*stage.slot.row}));
         },
         "OutcomeUnknown",
         1},
        {"the read back is lost", nothing, read_back_says(testing::reply_lost()), "OutcomeUnknown", 1},
        {"the read back is cut",
         nothing,
         read_back_says(testing::reply_truncated("[\"server_uuid\"]")),
         "OutcomeUnknown",
         1},
        {"the read back fails at Keeper",
         nothing,
         read_back_says(
             testing::reply_exception(999, "Coordination error: Connection loss. (KEEPER_EXCEPTION)")
         ),
         "OutcomeUnknown",
         1},
        {"the read back never comes",
         nothing,
         read_back_says(testing::never(testing::reply_ok(""))),
         "OutcomeUnknown",
         1},
        {"the reply is lost after the effect",
         nothing,
         update_says(testing::reply_lost(), true),
         "OutcomeUnknown",
         1},
        {"the reply is lost before the effect",
         nothing,
         update_says(testing::reply_lost(), false),
         "OutcomeUnknown",
         0},
        {"no reply in time, with the effect",
         nothing,
         update_says(testing::never(testing::reply_ok("")), true),
         "OutcomeUnknown",
         1},
        {"200 with an exception behind it",
         nothing,
         update_says(testing::reply_exception(999, "Session expired. (KEEPER_EXCEPTION)", 200), false),
         "OutcomeUnknown",
         0},
        {"200 with a body where none belongs",
         nothing,
         update_says(testing::reply_ok("hello"), true),
         "OutcomeUnknown",
         1},
        {"connection loss to Keeper",
         nothing,
         update_says(
             testing::reply_exception(
                 999, "Coordination error: Connection loss, path /x. (KEEPER_EXCEPTION)"
             ),
             true
         ),
         "OutcomeUnknown",
         1},
        {"a balancer's 502",
         nothing,
         [](Stage&, const Call& call) -> std::optional<Reply> {
             if (!is_update(call))
                 return std::nullopt;
             Reply reply = testing::reply_ok("<html>");
             reply.response->status = 502;
             return reply;
         },
         "OutcomeUnknown",
         0},
        {"access denied",
         nothing,
         update_says(testing::reply_exception(497, "Not enough privileges.", 403), false),
         "Rejected",
         0},
        {"the authority table does not exist",
         nothing,
         update_says(
             testing::reply_exception(60, "Table db.__onceswap_authority does not exist.", 404), false
         ),
         "Rejected",
         0},
        {"the kernel took no byte", nothing, update_says(testing::reply_not_written(), false), "NotSent", 0},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.name) {
            Stage stage;
            auto authority = stage.authority();
            const auto current = stage.stored(stage.dispatching(stage.prepared()), 4);
            const auto next = protocol::set_error(current.record, "DDL_UNBOUND", "why", stage.stamp());
            row.before(stage);
            stage.transport.script = [&](const Call& call) {
                const auto said = row.say(stage, call);
                return said ? *said : stage.answer(call);
            };
            std::optional<WriteResult> result;
            const auto ending = stage.loop.run(swap_once(authority, stage.members[0], current, next, result));
            BOOST_TEST(ending.what() == "");
            BOOST_REQUIRE(result.has_value());
            BOOST_TEST(engine::text(*result) == row.result);
            BOOST_TEST(stage.slot.applied == row.applied);
            const bool sent = std::string_view(row.result) != "NotSent";
            BOOST_TEST(stage.transport.sends() == (sent ? 1U : 0U));
            BOOST_TEST(stage.transport.of(StatementKind::authority_update).size() == 1U);
            BOOST_TEST(stage.transport.ways_open == 0U);
            BOOST_TEST(stage.mutations().size() == 1U);
            BOOST_TEST(ending.leftovers == 0U);
            for (const Call& call : stage.transport.calls)
                BOOST_TEST(
                    call.endpoint.text() == stage.members[0].endpoint.text(), "another member was asked"
                );
            if (const auto* problem = engine::problem_of(*result)) {
                BOOST_TEST(problem->detail.find("ch-1:9000") != std::string::npos, problem->detail);
            } else {
                BOOST_TEST(std::get<engine::Won>(*result).now.version() == 5);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_way_that_cannot_be_opened_is_not_sent) {
    Stage stage;
    auto authority = stage.authority();
    stage.transport.refuse = [](const http::Endpoint&) { return asio::error::connection_refused; };
    const WriteResult result =
        stage.loop.get(authority.create_if_absent(stage.members[0], stage.prepared(), no_deadline));
    BOOST_TEST(engine::text(result) == "NotSent");
    BOOST_TEST((engine::problem_of(result)->code == protocol::Code::connection_failed));
    BOOST_TEST(stage.transport.sends() == 0U);
}

BOOST_AUTO_TEST_CASE(the_deadline_bounds_every_part) {
    Stage stage;
    auto authority = stage.authority();
    stage.transport.connect_delay = 5s;
    const auto begin = stage.loop.clock.now();
    const WriteResult result =
        stage.loop.get(authority.create_if_absent(stage.members[0], stage.prepared(), begin + 2s));
    BOOST_TEST(engine::text(result) == "NotSent");
    BOOST_TEST((engine::problem_of(result)->code == protocol::Code::deadline_reached));
    BOOST_TEST((stage.loop.clock.now() - begin == 2s));
    BOOST_TEST(stage.transport.sends() == 0U);
}

BOOST_AUTO_TEST_CASE(a_record_that_does_not_encode_is_not_sent) {
    Stage stage;
    auto authority = stage.authority();
    const auto current = stage.stored(stage.dispatching(stage.prepared()));
    auto next = protocol::set_error(current.record, "DDL_UNBOUND", "why", stage.stamp());
    next.error->summary = std::string(protocol::limits::payload_bytes, 'x');
    const WriteResult result =
        stage.loop.get(authority.compare_and_swap(stage.members[0], current, next, no_deadline));
    BOOST_TEST(engine::text(result) == "NotSent");
    BOOST_TEST((engine::problem_of(result)->code == protocol::Code::authority_invalid));
    BOOST_TEST(stage.transport.ways_opened == 0U);
}

BOOST_AUTO_TEST_CASE(writes_outside_the_phase_table_are_refused_before_anything_is_opened) {
    Stage stage;
    auto authority = stage.authority();
    const auto current = stage.stored(stage.prepared());
    const auto attempt = [&](protocol::AuthorityRecord next) {
        return stage.loop.get(
            authority.compare_and_swap(stage.members[0], current, std::move(next), no_deadline)
        );
    };
    BOOST_CHECK_THROW(attempt(stage.dispatching(current.record)), std::logic_error); // only dispatch() may
    auto committed = current.record;
    committed.phase = protocol::Phase::committed;
    BOOST_CHECK_THROW(attempt(committed), std::logic_error);
    auto elsewhere = current.record;
    elsewhere.target_key = std::string(64, 'a');
    BOOST_CHECK_THROW(attempt(elsewhere), std::logic_error);
    auto first = stage.prepared();
    first.dispatch_epoch = 1;
    first.phase = protocol::Phase::dispatching;
    BOOST_CHECK_THROW(
        stage.loop.get(authority.create_if_absent(stage.members[0], first, no_deadline)), std::logic_error
    );
    BOOST_TEST(stage.transport.ways_opened == 0U);
    BOOST_TEST(stage.transport.sends() == 0U);
}

BOOST_AUTO_TEST_CASE(cancelled_at_every_step_the_result_tells_the_truth) {
    unsigned not_sent = 0;
    unsigned unknown = 0;
    unsigned won = 0;
    const unsigned cancelled = testing::sweep_cancellation([&](unsigned cancel_at) {
        Stage stage;
        auto authority = stage.authority();
        const auto current = stage.stored(stage.dispatching(stage.prepared()));
        const auto next = protocol::set_error(current.record, "DDL_UNBOUND", "why", stage.stamp());
        std::optional<WriteResult> result;
        const auto ending =
            stage.loop.run(swap_once(authority, stage.members[0], current, next, result), cancel_at);
        BOOST_TEST_CONTEXT("cancelled at step " << cancel_at) {
            BOOST_TEST(ending.leftovers == 0U);
            BOOST_TEST(stage.transport.ways_open == 0U);
            BOOST_TEST(stage.transport.sends() == stage.slot.applied);
            if (!result) {
                BOOST_TEST(ending.cancelled());
                BOOST_TEST(stage.transport.sends() == 0U, "a write was sent and nobody was told");
            } else if (std::holds_alternative<engine::NotSent>(*result)) {
                BOOST_TEST(stage.transport.sends() == 0U, "it was sent");
                ++not_sent;
            } else if (std::holds_alternative<engine::Won>(*result)) {
                BOOST_TEST((std::get<engine::Won>(*result).now.row == *stage.slot.row));
                ++won;
            } else {
                BOOST_TEST(engine::text(*result) == "OutcomeUnknown");
                BOOST_TEST(stage.transport.sends() == 1U);
                ++unknown;
            }
        }
        return ending;
    });
    BOOST_TEST(cancelled > 5U);
    BOOST_TEST(not_sent >= 2U);
    BOOST_TEST(unknown >= 2U);
    BOOST_TEST(won >= 1U);
}

namespace {

/// What each of three members says about the slot.
struct Said {
    std::optional<std::int32_t> version; ///< nullopt: no row
    bool answers = true;
    bool as_itself = true;
};

engine::AuthorityReading read_slot(Stage& stage, const std::vector<Said>& said) {
    auto authority = stage.authority();
    const protocol::AuthorityRow base = *protocol::encode_record(stage.prepared());
    stage.transport.script = [&](const Call& call) {
        const auto& member = stage.at(call.endpoint);
        const Said& says = said.at(member.member.replica_num - 1);
        if (!says.answers)
            return testing::reply_exception(999, "Coordination error: Connection loss. (KEEPER_EXCEPTION)");
        std::vector<protocol::AuthorityRow> rows;
        if (says.version) {
            rows.push_back(base);
            rows.back().version = *says.version;
        }
        return testing::reply_ok(
            testing::authority_body(says.as_itself ? member.server_uuid : testing::uuid_of(77), rows)
        );
    };
    return stage.loop.get(authority.read_versioned(stage.members, no_deadline));
}

} // namespace

BOOST_AUTO_TEST_CASE(reading_takes_the_highest_version_and_names_the_rest) {
    using protocol::RecordStanding;

    struct Row {
        const char* name;
        std::vector<Said> said;
        RecordStanding standing;
        bool readable;
        bool agreed;
        std::size_t laggards;
        std::size_t gaps;
    };

    const Row rows[] = {
        {"all agree", {{5}, {5}, {5}}, RecordStanding::valid, true, true, 0, 0},
        {"one lags", {{5}, {4}, {5}}, RecordStanding::valid, true, false, 1, 0},
        {"one has no row yet", {{0}, {std::nullopt}, {0}}, RecordStanding::valid, true, false, 1, 0},
        {"no row anywhere",
         {{std::nullopt}, {std::nullopt}, {std::nullopt}},
         RecordStanding::absent,
         true,
         true,
         0,
         0},
        {"one does not answer", {{5}, {5, false}, {5}}, RecordStanding::valid, true, false, 0, 1},
        {"none answers", {{5, false}, {5, false}, {5, false}}, RecordStanding::absent, false, false, 0, 3},
        {"one answers for another", {{5}, {9, true, false}, {5}}, RecordStanding::valid, true, false, 0, 1},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.name) {
            Stage stage(3);
            const auto reading = read_slot(stage, row.said);
            BOOST_TEST((reading.standing == row.standing));
            BOOST_TEST(reading.readable == row.readable);
            BOOST_TEST(reading.agreed() == row.agreed);
            BOOST_TEST(reading.laggards.size() == row.laggards);
            BOOST_TEST(reading.gaps.size() == row.gaps);
            BOOST_TEST(stage.events.of(engine::EventKind::gap).size() == row.gaps);
            BOOST_TEST(stage.transport.calls.size() == 3U);
            BOOST_TEST(stage.transport.sends() == 0U);
            if (row.standing == RecordStanding::valid)
                BOOST_TEST(reading.current->version() == (row.said[0].version.value()));
        }
    }
    Stage stage(2);
    const auto reading = read_slot(stage, {{5}, {9, true, false}});
    BOOST_TEST(reading.gaps.at(0).find(testing::uuid_of(77).text()) != std::string::npos);
    BOOST_TEST(reading.gaps.at(0).find(testing::uuid_of(2).text()) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
