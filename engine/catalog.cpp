#include "engine/catalog.hpp"

#include "engine/member_read.hpp"
#include "engine/task_group.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/this_coro.hpp>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

/// `slot` and its problem belong to the owner's vector, which outlives the group.
template <class T>
asio::awaitable<void>
ask(Context& context,
    const BoundMember& member,
    const protocol::Statement& statement,
    TimePoint deadline,
    protocol::Result<T> (*decode)(std::string_view),
    std::optional<T>& slot,
    std::string& problem) {
    const bool keeper_backed = statement.kind == protocol::StatementKind::keeper;
    return read_into(
        context,
        MemberRead(member, statement, keeper_backed),
        deadline,
        member.server_uuid,
        decode,
        slot,
        problem
    );
}

/// Replicas and the record in one statement. A member whose authority table is gone (a power loss took its
/// CREATE back, say) refuses that as a whole: then the replicas are read alone, so that it is known whether
/// the member is healthy, and the problem says why there is no record.
asio::awaitable<void> ask_keeper(
    Context& context,
    const BoundMember& member,
    const protocol::Statement& with_record,
    const protocol::Statement& alone,
    TimePoint deadline,
    protocol::MemberEvidence& of_member
) {
    MemberRead read(member, with_record, true);
    const MemberAnswer answer = co_await read_once(context, read, deadline);
    if (!is_unknown_table(answer) || with_record.sql == alone.sql) {
        of_member.keeper = decode_answer(
            context, read, answer, member.server_uuid, protocol::decode_keeper, of_member.keeper_problem
        );
        co_return;
    }
    std::string problem;
    read.statement = alone;
    co_await read_into(
        context,
        std::move(read),
        deadline,
        member.server_uuid,
        protocol::decode_keeper,
        of_member.keeper,
        problem
    );
    of_member.keeper_problem = problem.empty() ? "has no authority table: " + answer.problem : problem;
}

void append(std::string& problems, std::string_view statement, const std::string& problem) {
    if (problem.empty())
        return;
    if (!problems.empty())
        problems += "; ";
    problems.append(statement).append(": ").append(problem);
}

} // namespace

asio::awaitable<std::vector<protocol::MemberEvidence>>
Catalog::read_all(std::vector<BoundMember> members, CatalogQuestion question, TimePoint deadline) {
    const auto catalogue = protocol::catalogue_statement(question.database, question.tables);
    const auto keeper = protocol::keeper_statement(question.database, question.tables, question.target_key);
    const auto keeper_alone = protocol::keeper_statement(question.database, question.tables, "");
    auto executor = co_await asio::this_coro::executor;
    std::vector<protocol::MemberEvidence> evidence(members.size());
    TaskGroup group(executor);
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto& of_member = evidence[i];
        of_member.at = members[i].member.at;
        group.spawn(
            ask(context_,
                members[i],
                catalogue,
                deadline,
                protocol::decode_catalogue,
                of_member.catalogue,
                of_member.catalogue_problem)
        );
        group.spawn(ask_keeper(context_, members[i], keeper, keeper_alone, deadline, of_member));
    }
    co_await group.join();
    co_return evidence;
}

asio::awaitable<protocol::CandidateFacts>
Catalog::read_candidate(std::vector<BoundMember> members, CandidateQuestion question, TimePoint deadline) {
    std::vector<std::string> tables = question.more_tables;
    tables.push_back(question.name);
    const auto catalogue = protocol::catalogue_statement(question.database, tables);
    const auto keeper = protocol::keeper_statement(question.database, tables, "");
    protocol::TargetName candidate;
    candidate.database = question.database;
    candidate.table = question.name;
    const auto count = protocol::row_count_statement(candidate, question.with_final);

    protocol::CandidateFacts facts;
    facts.name = question.name;
    facts.uuid = question.uuid;
    facts.staged_rows = question.staged_rows;
    facts.members.resize(members.size());

    struct Problems {
        std::string catalogue, keeper, count;
    };

    std::vector<Problems> problems(members.size());
    std::vector<std::optional<protocol::RowCount>> counts(members.size());
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto& of_member = facts.members[i];
        of_member.at = members[i].member.at;
        const BoundMember& member = members[i];
        Problems& why = problems[i];
        group.spawn(
            ask(context_,
                member,
                catalogue,
                deadline,
                protocol::decode_catalogue,
                of_member.catalogue,
                why.catalogue)
        );
        group.spawn(
            ask(context_, member, keeper, deadline, protocol::decode_keeper, of_member.keeper, why.keeper)
        );
        group.spawn(ask(context_, member, count, deadline, protocol::decode_row_count, counts[i], why.count));
    }
    co_await group.join();
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (counts[i])
            facts.members[i].rows = counts[i]->rows;
        append(facts.members[i].problem, protocol::text(catalogue.kind), problems[i].catalogue);
        append(facts.members[i].problem, protocol::text(keeper.kind), problems[i].keeper);
        append(facts.members[i].problem, protocol::text(count.kind), problems[i].count);
    }
    co_return facts;
}

asio::awaitable<std::vector<Catalog::Count>> Catalog::count_all(
    std::vector<BoundMember> members, protocol::TargetName table, bool with_final, TimePoint deadline
) {
    const auto statement = protocol::row_count_statement(table, with_final);
    auto executor = co_await asio::this_coro::executor;
    std::vector<Count> counts(members.size());
    std::vector<std::optional<protocol::RowCount>> rows(members.size());
    TaskGroup group(executor);
    for (std::size_t i = 0; i < members.size(); ++i)
        group.spawn(ask(
            context_, members[i], statement, deadline, protocol::decode_row_count, rows[i], counts[i].problem
        ));
    co_await group.join();
    for (std::size_t i = 0; i < members.size(); ++i)
        if (rows[i])
            counts[i].rows = rows[i]->rows;
    co_return counts;
}

} // namespace onceswap::engine
