#include "engine/catalog.hpp"

#include "engine/member_read.hpp"
#include "engine/task_group.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/this_coro.hpp>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

protocol::Uuid server_of_catalogue(const protocol::CatalogueFacts& facts) {
    return facts.identity.server_uuid;
}

protocol::Uuid server_of_keeper(const protocol::KeeperFacts& facts) {
    return facts.server_uuid;
}

protocol::Uuid server_of_count(const protocol::RowCount& count) {
    return count.server_uuid;
}

// One coroutine per statement and member; `facts` and `problem` are slots of the owner's vector, which
// outlives the group.

asio::awaitable<void> ask_catalogue(
    Context& context,
    BoundMember member,
    protocol::Statement statement,
    TimePoint deadline,
    std::optional<protocol::CatalogueFacts>& facts,
    std::string& problem
) {
    const MemberRead read(member, std::move(statement), false);
    const MemberAnswer answer = co_await read_once(context, read, deadline);
    facts = decode_answer(
        context, read, answer, member.server_uuid, protocol::decode_catalogue, server_of_catalogue, problem
    );
}

asio::awaitable<void> ask_keeper(
    Context& context,
    BoundMember member,
    protocol::Statement statement,
    TimePoint deadline,
    std::optional<protocol::KeeperFacts>& facts,
    std::string& problem
) {
    const MemberRead read(member, std::move(statement), true);
    const MemberAnswer answer = co_await read_once(context, read, deadline);
    facts = decode_answer(
        context, read, answer, member.server_uuid, protocol::decode_keeper, server_of_keeper, problem
    );
}

asio::awaitable<void> ask_count(
    Context& context,
    BoundMember member,
    protocol::Statement statement,
    TimePoint deadline,
    std::optional<std::uint64_t>& rows,
    std::string& problem
) {
    const MemberRead read(member, std::move(statement), false);
    const MemberAnswer answer = co_await read_once(context, read, deadline);
    const auto count = decode_answer(
        context, read, answer, member.server_uuid, protocol::decode_row_count, server_of_count, problem
    );
    if (count)
        rows = count->rows;
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
    auto executor = co_await asio::this_coro::executor;
    std::vector<protocol::MemberEvidence> evidence(members.size());
    TaskGroup group(executor);
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto& of_member = evidence[i];
        of_member.at = members[i].member.at;
        group.spawn(ask_catalogue(
            context_, members[i], catalogue, deadline, of_member.catalogue, of_member.catalogue_problem
        ));
        group.spawn(
            ask_keeper(context_, members[i], keeper, deadline, of_member.keeper, of_member.keeper_problem)
        );
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
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto& of_member = facts.members[i];
        of_member.at = members[i].member.at;
        group.spawn(ask_catalogue(
            context_, members[i], catalogue, deadline, of_member.catalogue, problems[i].catalogue
        ));
        group.spawn(ask_keeper(context_, members[i], keeper, deadline, of_member.keeper, problems[i].keeper));
        group.spawn(ask_count(context_, members[i], count, deadline, of_member.rows, problems[i].count));
    }
    co_await group.join();
    for (std::size_t i = 0; i < members.size(); ++i) {
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
    TaskGroup group(executor);
    for (std::size_t i = 0; i < members.size(); ++i)
        group.spawn(ask_count(context_, members[i], statement, deadline, counts[i].rows, counts[i].problem));
    co_await group.join();
    co_return counts;
}

} // namespace onceswap::engine
