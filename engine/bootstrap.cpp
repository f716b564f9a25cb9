#include "engine/bootstrap.hpp"

#include "engine/backoff.hpp"
#include "engine/ddl.hpp"
#include "engine/deadline.hpp"
#include "engine/queue.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/statements.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;
using protocol::QueueEvidence;

namespace {

constexpr std::string_view canary_comment = "onceswap canary";

/// What one round of looking said.
struct CanaryReading {
    CanaryReading() = default;
    bool seen_everywhere = false; ///< every member shows the entry ended in success
    std::string entry;
    std::optional<Failure> failure; ///< it ended otherwise, or is not what was sent
    std::string pending;            ///< why it is not seen everywhere yet
};

static_assert(!std::is_aggregate_v<CanaryReading>);

/// `, ch-2:9000 ended with code 36: ...`, for each host that failed.
std::string refusals_of(const protocol::EntryReading& reading) {
    std::string all;
    for (const auto& host : reading.members) {
        if (host.result == protocol::RowResult::failure) {
            all += ", " + protocol::text(host.at) + " ended with code " + std::to_string(host.code) + ": " +
                   protocol::digest_exception(host.exception_text).head;
        }
    }
    return all;
}

CanaryReading judge_canary(
    const protocol::Inventory& inventory,
    const protocol::ExpectedEntry& expected,
    const std::vector<QueueAnswer>& answers
) {
    CanaryReading canary;
    canary.seen_everywhere = true;
    for (const QueueAnswer& answer : answers) {
        const auto one = std::span(&answer.reading, 1);
        const auto conclusion = protocol::conclude_queue(inventory, expected, std::nullopt, one);
        const std::string who = protocol::text(answer.at);
        if (conclusion.evidence == QueueEvidence::success && conclusion.reading) {
            canary.entry = conclusion.reading->entry;
            const bool comment_kept = std::ranges::any_of(answer.reading.rows, [](const auto& row) {
                return row.query.find(canary_comment) != std::string::npos;
            });
            if (comment_kept) {
                canary.failure = Failure(Code::canary_failed, who + ": the queue keeps leading comments");
            }
            continue;
        }
        canary.seen_everywhere = false;
        canary.pending = who + ": " + std::string(protocol::text(conclusion.evidence));
        for (const std::string& problem : conclusion.problems) {
            canary.pending += ", " + problem;
        }
        if (conclusion.evidence == QueueEvidence::failure || conclusion.evidence == QueueEvidence::several ||
            conclusion.evidence == QueueEvidence::changed) {
            if (conclusion.reading) {
                canary.pending += refusals_of(*conclusion.reading);
            }
            canary.failure = Failure(Code::canary_failed, canary.pending);
        }
    }
    return canary;
}

} // namespace

asio::awaitable<protocol::Result<protocol::CanaryReceipt>>
bootstrap(Context& context, Admitted admitted, std::string operation_id, TimePoint deadline) {
    Event step;
    step.name = "bootstrap";
    context.events.on_event(step);
    const auto& target = admitted.facts.target;
    const auto token =
        protocol::make_token(operation_id, protocol::Action::setup, 0, context.entropy.bytes16());
    protocol::DdlOptions options;
    options.token = token.text();
    options.distributed_ddl_task_timeout_s =
        static_cast<unsigned>(context.limits.distributed_ddl_task_timeout.count());
    auto statement = protocol::create_facade_statement(
        target.database,
        context.cluster.authority_root,
        admitted.inventory().cluster(),
        canary_comment,
        options
    );
    protocol::ExpectedEntry expected;
    expected.token = options.token;
    expected.statement = statement.sql;
    expected.cluster = admitted.inventory().cluster();

    Ddl ddl(context);
    const TimePoint answer_by = earlier_of(context.clock, context.limits.mutation_timeout, deadline);
    auto way = co_await ddl.prepare(admitted.members.front(), answer_by);
    SetupPermit permit(token);
    auto hosts = hosts_of(admitted.members);
    auto sent = co_await ddl.execute_once(
        std::move(permit), std::move(way), std::move(statement), std::move(hosts), answer_by
    );
    if (sent.outcome == protocol::Outcome::rejected || sent.outcome == protocol::Outcome::not_sent) {
        co_return sent.problem;
    }
    const TimePoint visible_by = earlier_of(
        context.clock, context.limits.visibility_wait + context.limits.distributed_ddl_task_timeout, deadline
    );
    Queue queue(context);
    Backoff backoff(context.limits.poll_initial, context.limits.poll_max);
    while (true) {
        auto answers = co_await queue.read_by_token(admitted.members, expected.token, deadline);
        auto canary = judge_canary(admitted.inventory(), expected, answers);
        if (canary.failure) {
            co_return *canary.failure;
        }
        if (canary.seen_everywhere) {
            auto receipt = admitted.canary();
            receipt.entry = canary.entry;
            co_return receipt;
        }
        const TimePoint next = context.clock.now() + backoff.next(context.entropy);
        if (next >= visible_by) {
            co_return Failure(Code::authority_bootstrap_unknown, canary.pending);
        }
        co_await context.clock.wait_until(next);
    }
}

} // namespace onceswap::engine
