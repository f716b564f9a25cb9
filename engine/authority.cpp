#include "engine/authority.hpp"

#include "engine/authority_write.hpp"
#include "engine/cancellation.hpp"
#include "engine/deadline.hpp"
#include "engine/member_read.hpp"
#include "engine/one_shot.hpp"
#include "engine/task_group.hpp"
#include "http_transport/response.hpp"
#include "protocol/mutant.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statements.hpp"
#include "protocol/transitions.hpp"

#include <boost/asio/this_coro.hpp>

#include <exception>
#include <stdexcept>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;
using protocol::Outcome;

namespace {

asio::awaitable<void> ask_slot(
    Context& context,
    BoundMember member,
    protocol::Statement statement,
    TimePoint deadline,
    SlotAnswer& answer
) {
    answer.at = member.member.at;
    const MemberRead read(member, std::move(statement), true);
    const MemberAnswer said = co_await read_once(context, read, deadline);
    auto rows =
        decode_answer(context, read, said, member.server_uuid, protocol::decode_authority, answer.problem);
    if (!rows)
        co_return;
    if (rows->rows.size() > 1) {
        answer.problem = "shows " + std::to_string(rows->rows.size()) + " rows for one key";
        report_gap(context, read, answer.problem);
        co_return;
    }
    answer.answered = true;
    if (!rows->rows.empty())
        answer.row = std::move(rows->rows.front());
}

/// Same bytes in every column but the version, which the server assigns.
bool same_columns(protocol::AuthorityRow stored, const protocol::AuthorityRow& written) {
    stored.version = written.version;
    return stored == written;
}

bool carries_write_id(const protocol::AuthorityRow& stored, std::string_view write_id) {
    const auto record = protocol::decode_row(stored);
    return record && record->write_id == write_id;
}

} // namespace

bool is_dispatching_write(const protocol::AuthorityRecord& before, const protocol::AuthorityRecord& after) {
    return protocol::is_dispatching(after.phase) && after.dispatch_epoch == before.dispatch_epoch + 1;
}

asio::awaitable<AuthorityReading>
Authority::read_versioned(std::vector<BoundMember> members, TimePoint deadline) {
    const auto statement = protocol::authority_row_statement(database_, target_key_);
    auto executor = co_await asio::this_coro::executor;
    std::vector<SlotAnswer> answers(members.size());
    std::vector<protocol::Uuid> servers;
    TaskGroup group(executor);
    for (std::size_t i = 0; i < members.size(); ++i) {
        servers.push_back(members[i].server_uuid);
        group.spawn(ask_slot(context_, members[i], statement, deadline, answers[i]));
    }
    co_await group.join();
    co_return conclude_slot(target_key_, servers, answers);
}

asio::awaitable<WriteResult>
Authority::create_if_absent(BoundMember member, protocol::AuthorityRecord next, TimePoint deadline) {
    if (next.target_key != target_key_ || !protocol::is_allowed_creation(next))
        throw std::logic_error("create_if_absent: not a first record of this slot");
    auto result = co_await prepare_and_write(std::move(member), std::nullopt, std::move(next), deadline);
    co_return result;
}

asio::awaitable<WriteResult> Authority::compare_and_swap(
    BoundMember member, VersionedRecord current, protocol::AuthorityRecord next, TimePoint deadline
) {
    if (is_dispatching_write(current.record, next))
        throw std::logic_error("compare_and_swap: a dispatching write goes through dispatch()");
    std::optional<VersionedRecord> expected(std::move(current));
    auto result =
        co_await prepare_and_write(std::move(member), std::move(expected), std::move(next), deadline);
    co_return result;
}

asio::awaitable<WriteResult> Authority::prepare_and_write(
    BoundMember member,
    std::optional<VersionedRecord> current,
    protocol::AuthorityRecord next,
    TimePoint deadline
) {
    const TimePoint until = earlier_of(context_.clock, context_.limits.mutation_timeout, deadline);
    const bool throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    WriteResult result;
    std::exception_ptr error;
    try {
        auto way = co_await prepare_write(std::move(member), std::move(current), std::move(next), until);
        result = co_await write_once(std::move(way), until);
    } catch (...) {
        error = std::current_exception();
    }
    co_await asio::this_coro::throw_if_cancelled(throwing);
    if (error)
        std::rethrow_exception(error);
    co_return result;
}

asio::awaitable<Authority::Way> Authority::prepare_write(
    BoundMember member,
    std::optional<VersionedRecord> current,
    protocol::AuthorityRecord next,
    TimePoint deadline
) {
    static_assert(!std::is_aggregate_v<Way>);
    Way way;
    way.member = std::move(member);
    way.current = std::move(current);
    way.next = std::move(next);
    way.next.write_id = context_.entropy.hex32();
    if (way.current && (way.next.target_key != target_key_ ||
                        !protocol::is_allowed_transition(way.current->record, way.next)))
        throw std::logic_error("compare_and_swap: not a step of the phase table");

    auto row = protocol::encode_record(way.next);
    if (!row) {
        way.problem = row.error();
        co_return way;
    }
    way.row = std::move(*row);
    if (way.current)
        way.statement = protocol::authority_update_statement(database_, way.current->row, way.row);
    else
        way.statement = protocol::authority_insert_statement(database_, way.row);

    http::Prepared prepared = co_await context_.transport.prepare(way.member.endpoint, deadline);
    way.call = std::move(prepared.call);
    if (!way.call) {
        const OneShot shot(name(way.member), way.statement.kind, protocol::MutationKind::authority);
        way.problem = explain(shot, Outcome::not_sent, prepared.evidence, std::nullopt);
    }
    co_return way;
}

asio::awaitable<WriteResult> Authority::write_once(Way way, TimePoint deadline) {
    OneShot shot(name(way.member), way.statement.kind, protocol::MutationKind::authority);
    const auto before = co_await asio::this_coro::cancellation_state;
    if (way.call && before.cancelled() != asio::cancellation_type::none) {
        way.call.reset();
        way.problem = Failure(Code::cancelled, shot.who + ": cancelled before the first byte");
    }
    WriteResult result;
    if (way.call) {
        shot.query_id = fresh_query_id(context_.entropy);
        http::Request request(way.statement, shot.query_id);
        request.deadline = deadline;
        const http::Exchange exchange = co_await way.call->send(std::move(request));
        const auto observed = http::observe(exchange, http::BodyShape::empty);
        const Outcome outcome = protocol::classify_outcome(protocol::MutationKind::authority, observed);
        Failure problem;
        if (outcome != Outcome::acknowledged)
            problem = explain(shot, outcome, exchange.evidence, observed.exception);
        switch (outcome) {
        case Outcome::acknowledged:
            result = co_await read_back(way, shot, deadline);
            if (problem_of(result) && mutated(protocol::Mutant::acknowledged_write_not_read_back))
                result = Won(way.as_written());
            break;
        case Outcome::conflict:
            result = Conflict(std::move(problem));
            break;
        case Outcome::rejected:
            result = Rejected(std::move(problem));
            break;
        case Outcome::not_sent:
            result = NotSent(std::move(problem));
            break;
        case Outcome::host_failed:
        case Outcome::outcome_unknown:
            result = OutcomeUnknown(std::move(problem));
            if (mutated(protocol::Mutant::permit_after_unknown_write))
                result = Won(way.as_written());
            break;
        }
    } else {
        result = NotSent(std::move(way.problem));
    }
    const Failure* problem = problem_of(result);
    std::string detail;
    if (problem)
        detail = problem->detail;
    report_mutation(context_, shot, outcome_of(result), detail);
    co_return result;
}

/// An acknowledged UPDATE may have matched nothing: only our own row, read on the same server, says that it
/// did.
asio::awaitable<WriteResult> Authority::read_back(const Way& way, const OneShot& shot, TimePoint deadline) {
    const auto unknown = [&shot](const std::string& seen) {
        return OutcomeUnknown(Failure(Code::cas_outcome_unknown, shot.who + ": acknowledged, but " + seen));
    };
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none)
        co_return unknown("cancelled before the row was read back");

    BoundMember reader = way.member;
    if (mutated(protocol::Mutant::post_read_on_another_member))
        reader = BoundMember({}, {}, context_.cluster.endpoints.back());
    auto statement = protocol::authority_row_statement(database_, target_key_);
    SlotAnswer answer;
    std::exception_ptr error;
    try {
        co_await ask_slot(context_, std::move(reader), std::move(statement), deadline, answer);
    } catch (...) {
        error = std::current_exception();
    }
    if (is_cancellation(error))
        co_return unknown("cancelled while the row was read back");
    if (error)
        std::rethrow_exception(error);
    if (!answer.answered)
        co_return unknown("the row could not be read back: " + answer.problem);
    if (!answer.row)
        co_return unknown("there is no row");
    const std::int32_t expected = way.expected_version();
    if (answer.row->version != expected && !mutated(protocol::Mutant::write_version_not_compared))
        co_return unknown(
            "the row is at version " + std::to_string(answer.row->version) + ", not " +
            std::to_string(expected)
        );
    const bool same_step =
        answer.row->operation_id == way.row.operation_id && answer.row->phase == way.row.phase;
    if (same_columns(*answer.row, way.row) ||
        (same_step && mutated(protocol::Mutant::write_id_not_compared))) {
        VersionedRecord now(std::move(*answer.row), way.next);
        co_return Won(std::move(now));
    }
    if (carries_write_id(*answer.row, way.next.write_id))
        co_return unknown("the row carries our write id with other bytes");
    if (mutated(protocol::Mutant::permit_after_lost_write))
        co_return Won(VersionedRecord(std::move(*answer.row), way.next));
    co_return Conflict(Failure(
        Code::cas_conflict, shot.who + ": another writer's row stands at version " + std::to_string(expected)
    ));
}

std::optional<DispatchPermit>
Authority::permit_for(const protocol::AuthorityRecord& before, const WriteResult& result) {
    const Won* won = std::get_if<Won>(&result);
    if (!won || !is_dispatching_write(before, won->now.record))
        return std::nullopt;
    const protocol::DdlAttempt* attempt = protocol::current_attempt(won->now.record);
    if (!attempt || attempt->epoch != won->now.record.dispatch_epoch || attempt->token.empty())
        return std::nullopt;
    return DispatchPermit(attempt->token, attempt->epoch);
}

} // namespace onceswap::engine
