#include "engine/candidate.hpp"

#include "engine/backoff.hpp"
#include "engine/ddl.hpp"
#include "engine/deadline.hpp"
#include "engine/discard_permit.hpp"
#include "engine/queue.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/mutant.hpp"
#include "protocol/statements.hpp"

#include <algorithm>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;
using protocol::Outcome;

namespace {

protocol::DdlOptions setup_options(Context& context, const protocol::CorrelationToken& token) {
    protocol::DdlOptions options;
    options.token = token.text();
    options.distributed_ddl_task_timeout_s =
        static_cast<unsigned>(context.limits.distributed_ddl_task_timeout.count());
    return options;
}

protocol::CorrelationToken setup_token(Context& context, const std::string& operation_id) {
    return protocol::make_token(operation_id, protocol::Action::setup, 0, context.entropy.bytes16());
}

/// What the catalogues say about the candidate's name.
struct Appearance {
    Appearance() = default;
    bool everywhere = false; ///< the one generation with our uuid on every member
    std::optional<protocol::Generation> generation;
    std::string missing; ///< why not yet
    std::optional<Failure> foreign;
};

static_assert(!std::is_aggregate_v<Appearance>);

Appearance look_at(
    const std::vector<protocol::MemberEvidence>& evidence, const std::string& name, const protocol::Uuid& uuid
) {
    Appearance seen;
    seen.everywhere = !evidence.empty();
    for (const protocol::MemberEvidence& member : evidence) {
        const std::string who = protocol::text(member.at);
        if (!member.catalogue || !member.keeper) {
            seen.everywhere = false;
            seen.missing = who + ": " + (member.catalogue ? member.keeper_problem : member.catalogue_problem);
            continue;
        }
        const auto generation = protocol::generation_of(*member.catalogue, member.keeper->replicas, name);
        if (!generation) {
            seen.everywhere = false;
            seen.missing = who + " does not show " + name;
            continue;
        }
        if (generation->uuid != uuid && !mutated(protocol::Mutant::candidate_uuid_left_to_server)) {
            seen.foreign = Failure(Code::generation_diverged, who + " shows another table under " + name);
        } else if (seen.generation && *seen.generation != *generation) {
            seen.foreign = Failure(Code::generation_diverged, who + " shows " + name + " differently");
        }
        seen.generation = generation;
    }
    if (seen.foreign) {
        seen.everywhere = false;
    }
    return seen;
}

/// A CREATE whose entry ended in failure on a host will not make the candidate whole any more. The token
/// alone says that the entry is ours: the stored text of a CREATE is never the one that was sent
/// (docs/statements.md).
std::optional<Failure>
failed_entry(const protocol::Inventory& inventory, const std::vector<QueueAnswer>& answers) {
    for (const QueueAnswer& answer : answers) {
        if (!answer.reading.readable || answer.reading.rows.empty()) {
            continue;
        }
        const auto& rows = answer.reading.rows;
        const auto reading = protocol::read_entry(inventory, rows.front().entry, rows);
        for (const auto& host : reading.members) {
            if (host.result == protocol::RowResult::failure) {
                return Failure(
                    Code::candidate_not_ready,
                    protocol::text(host.at) + " refused the CREATE with code " + std::to_string(host.code) +
                        ": " + protocol::digest_exception(host.exception_text).head
                );
            }
        }
    }
    return std::nullopt;
}

bool equal_counts(const protocol::CandidateFacts& facts, std::uint64_t& rows) {
    const bool all =
        std::ranges::all_of(facts.members, [](const auto& member) { return member.rows.has_value(); });
    if (!all || facts.members.empty()) {
        return false;
    }
    rows = *facts.members.front().rows;
    return std::ranges::all_of(facts.members, [&](const auto& member) { return *member.rows == rows; });
}

bool equal_counts(const std::vector<Catalog::Count>& counts) {
    return !counts.empty() && std::ranges::all_of(counts, [&](const Catalog::Count& count) {
        return count.rows && count.rows == counts.front().rows;
    });
}

/// A count that is not the same twice is no count.
void compare_counts(protocol::CandidateFacts& facts, const std::vector<Catalog::Count>& before) {
    for (std::size_t i = 0; i < facts.members.size() && i < before.size(); ++i) {
        auto& now = facts.members[i];
        if (now.rows && before[i].rows != now.rows) {
            now.rows.reset();
            now.problem = "the count changes between two readings";
        }
    }
}

} // namespace

StagedCandidate
choose_candidate(Context& context, const Discovery& discovery, const std::string& operation_id) {
    StagedCandidate candidate;
    const auto random = static_cast<std::uint32_t>(context.entropy.below(std::uint64_t{1} << 32U));
    candidate.name = protocol::candidate_name(discovery.target_key, operation_id, random);
    candidate.uuid = protocol::Uuid::random_from(context.entropy.bytes16());
    return candidate;
}

asio::awaitable<protocol::Result<protocol::Generation>> create_candidate(
    Context& context,
    const Admitted& admitted,
    const PublishRequest& request,
    StagedCandidate& candidate,
    std::string operation_id
) {
    const auto token = setup_token(context, operation_id);
    const auto options = setup_options(context, token);
    protocol::TargetName pattern = request.target;
    if (!admitted.admission.target) {
        pattern = request.like;
    }
    const std::string cluster = admitted.inventory().cluster();
    auto statement =
        protocol::create_candidate_statement(pattern, candidate.name, candidate.uuid, cluster, options);

    Ddl ddl(context);
    const TimePoint answer_by = earlier_of(context.clock, context.limits.mutation_timeout, request.deadline);
    auto way = co_await ddl.prepare(admitted.members.front(), answer_by);
    SetupPermit permit(token);
    auto hosts = hosts_of(admitted.members);
    candidate.requested = way.open();
    auto sent = co_await ddl.execute_once(
        std::move(permit), std::move(way), std::move(statement), std::move(hosts), answer_by
    );
    if (sent.outcome == Outcome::rejected || sent.outcome == Outcome::not_sent) {
        candidate.requested = false;
        co_return sent.problem;
    }
    const TimePoint visible_by = earlier_of(
        context.clock,
        context.limits.visibility_wait + context.limits.distributed_ddl_task_timeout,
        request.deadline
    );
    Catalog catalog(context);
    Queue queue(context);
    Backoff backoff(context.limits.poll_initial, context.limits.poll_max);
    while (true) {
        std::vector<std::string> tables{candidate.name};
        CatalogQuestion question(request.target.database, std::move(tables));
        auto evidence = co_await catalog.read_all(admitted.members, std::move(question), request.deadline);
        auto seen = look_at(evidence, candidate.name, candidate.uuid);
        if (seen.foreign) {
            co_return *seen.foreign;
        }
        if (seen.everywhere && seen.generation) {
            candidate.created = true;
            if (mutated(protocol::Mutant::candidate_uuid_left_to_server)) {
                candidate.uuid = seen.generation->uuid;
            }
            const std::string& engine = seen.generation->engine_full;
            candidate.with_final = protocol::is_merging_engine(engine.substr(0, engine.find('(')));
            co_return std::move(*seen.generation);
        }
        auto answers = co_await queue.look_up(admitted.members, options.token, request.deadline);
        if (auto failure = failed_entry(admitted.inventory(), answers); failure) {
            co_return std::move(*failure);
        }
        const TimePoint next = context.clock.now() + backoff.next(context.entropy);
        if (next >= visible_by) {
            co_return Failure(Code::candidate_not_ready, seen.missing);
        }
        co_await context.clock.wait_until(next);
    }
}

asio::awaitable<protocol::CandidateAdmission> admit_staged(
    Context& context,
    const Admitted& admitted,
    const StagedCandidate& candidate,
    protocol::TargetName target,
    std::chrono::milliseconds patience,
    TimePoint deadline
) {
    const TimePoint until = earlier_of(context.clock, patience, deadline);
    Catalog catalog(context);
    Backoff backoff(context.limits.poll_initial, context.limits.poll_max);
    CandidateQuestion question;
    question.database = target.database;
    question.name = candidate.name;
    question.uuid = candidate.uuid;
    question.staged_rows = candidate.staged_rows;
    question.more_tables.push_back(target.table);
    question.with_final = candidate.with_final;
    const protocol::TargetName table{target.database, candidate.name};
    while (true) {
        // Counts that differ make everything else that could be read vain, as long as there is time.
        auto counts = co_await catalog.count_all(admitted.members, table, candidate.with_final, deadline);
        const auto delay = backoff.next(context.entropy);
        if (equal_counts(counts) || context.clock.now() + delay >= until) {
            auto facts = co_await catalog.read_candidate(admitted.members, question, deadline);
            std::uint64_t rows = 0;
            compare_counts(facts, counts);
            const bool settled = equal_counts(facts, rows);
            auto admission =
                protocol::admit_candidate(admitted.inventory(), admitted.admission.target, facts);
            const bool late = context.clock.now() + delay >= until;
            if (!admission.refused() || (settled && rows != candidate.staged_rows) || late) {
                co_return admission;
            }
        }
        const TimePoint next = context.clock.now() + delay;
        co_await context.clock.wait_until(next);
    }
}

asio::awaitable<protocol::Result<std::uint64_t>> measure_rows(
    Context& context,
    const Admitted& admitted,
    const StagedCandidate& candidate,
    std::string database,
    TimePoint deadline
) {
    const TimePoint until = earlier_of(context.clock, context.limits.candidate_wait, deadline);
    Catalog catalog(context);
    Backoff backoff(context.limits.poll_initial, context.limits.poll_max);
    const protocol::TargetName table{std::move(database), candidate.name};
    std::optional<std::uint64_t> before;
    while (true) {
        auto counts = co_await catalog.count_all(admitted.members, table, candidate.with_final, deadline);
        const bool equal = equal_counts(counts);
        if (equal && before == counts.front().rows) {
            co_return *before;
        }
        before.reset();
        if (equal) {
            before = counts.front().rows;
        }
        const TimePoint next = context.clock.now() + backoff.next(context.entropy);
        if (next >= until) {
            co_return Failure(Code::candidate_not_ready, "the members do not agree on the candidate's rows");
        }
        co_await context.clock.wait_until(next);
    }
}

asio::awaitable<bool> discard_candidate(
    Context& context,
    const Admitted& admitted,
    const StagedCandidate& candidate,
    std::string database,
    std::string operation_id,
    std::string& why
) {
    const TimePoint until = context.clock.now() + context.limits.mutation_timeout;
    Catalog catalog(context);
    std::vector<std::string> tables{candidate.name};
    CatalogQuestion question(database, std::move(tables));
    auto evidence = co_await catalog.read_all(admitted.members, std::move(question), until);
    const auto token = setup_token(context, operation_id);
    const auto options = setup_options(context, token);
    auto permit =
        DiscardPermit::from_evidence(token, candidate.name, candidate.uuid, admitted.inventory(), evidence);
    if (!permit) {
        why = "not every member shows " + candidate.uuid.text() + " under " + candidate.name;
        co_return false;
    }
    auto statement = protocol::drop_statement(
        protocol::StatementKind::drop_orphan,
        database,
        candidate.name,
        admitted.inventory().cluster(),
        options
    );
    Ddl ddl(context);
    auto way = co_await ddl.prepare(admitted.members.front(), until);
    auto hosts = hosts_of(admitted.members);
    auto sent = co_await ddl.execute_once(
        std::move(*permit), std::move(way), std::move(statement), std::move(hosts), until
    );
    why = sent.problem.detail;
    co_return sent.outcome == Outcome::acknowledged;
}

} // namespace onceswap::engine
