// Catalog::read_admission: everything that admission A wants to know, before endpoints are bound to members.
#include "engine/catalog.hpp"
#include "engine/member_read.hpp"
#include "engine/task_group.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <ranges>
#include <stdexcept>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

const protocol::Uuid any_server;

void note(protocol::EndpointFacts& facts, protocol::StatementKind kind, const std::string& problem) {
    if (!problem.empty())
        facts.problems.push_back(std::string(protocol::text(kind)) + ": " + problem);
}

/// Reads one part of one endpoint; its problem is one of the endpoint's.
template <class T>
asio::awaitable<void>
ask(Context& context,
    MemberRead read,
    TimePoint deadline,
    protocol::Uuid expected,
    protocol::Result<T> (*decode)(std::string_view),
    std::optional<T>& part,
    protocol::EndpointFacts& facts) {
    const protocol::StatementKind kind = read.statement.kind;
    std::string problem;
    co_await read_into(context, std::move(read), deadline, expected, decode, part, problem);
    note(facts, kind, problem);
}

asio::awaitable<void>
ask_count(Context& context, MemberRead read, TimePoint deadline, protocol::EndpointFacts& facts) {
    const protocol::Uuid expected = facts.catalogue->identity.server_uuid;
    std::optional<protocol::RowCount> count;
    co_await ask(context, std::move(read), deadline, expected, protocol::decode_row_count, count, facts);
    if (count)
        facts.target_rows = count->rows;
}

asio::awaitable<void>
ask_grants(Context& context, MemberRead read, TimePoint deadline, protocol::EndpointFacts& facts) {
    const MemberAnswer answer = co_await read_once(context, read, deadline);
    if (!answer.body) {
        note(facts, read.statement.kind, answer.problem);
        co_return;
    }
    auto grants = protocol::decode_grants(*answer.body);
    if (grants) {
        facts.grants = std::move(*grants);
        co_return;
    }
    note(facts, read.statement.kind, grants.error().detail);
    report_gap(context, read, grants.error().detail);
}

/// The slot's row is asked for along with the replicas. Where the authority table does not exist yet that
/// fails with UNKNOWN_TABLE as a whole, and the replicas are read without it; its absence itself is seen in
/// the catalogue.
asio::awaitable<void> ask_keeper(
    Context& context,
    MemberRead with_authority,
    protocol::Statement without_authority,
    TimePoint deadline,
    protocol::EndpointFacts& facts
) {
    MemberRead read = std::move(with_authority);
    const bool fallback = read.statement.sql != without_authority.sql;
    read.quiet = fallback;
    MemberAnswer answer = co_await read_once(context, read, deadline);
    read.quiet = false;
    if (fallback && is_unknown_table(answer)) {
        read.statement = std::move(without_authority);
        answer = co_await read_once(context, read, deadline);
    } else if (!answer.body) {
        report_gap(context, read, answer.problem);
    }
    std::string problem;
    facts.keeper = decode_answer(context, read, answer, any_server, protocol::decode_keeper, problem);
    note(facts, read.statement.kind, problem);
}

/// Of endpoints that were asked in turn without success the first that was asked is reported.
void note_in_turn(std::string& problems, const std::string& who, const std::string& problem) {
    if (problems.empty())
        problems = who + ": " + problem;
}

asio::awaitable<void> ask_roster(
    Context& context,
    const std::vector<http::Endpoint>& endpoints,
    protocol::Statement statement,
    TimePoint deadline,
    protocol::AdmissionFacts& facts
) {
    std::string problems;
    for (const http::Endpoint& endpoint : endpoints) {
        const MemberRead read(endpoint, endpoint.text(), statement, false);
        const MemberAnswer answer = co_await read_once(context, read, deadline);
        if (!answer.body) {
            note_in_turn(problems, read.who, answer.problem);
            continue;
        }
        auto roster = protocol::decode_roster(*answer.body);
        if (roster) {
            facts.roster = std::move(*roster);
            co_return;
        }
        note_in_turn(problems, read.who, roster.error().detail);
        report_gap(context, read, roster.error().detail);
    }
    facts.roster_problem = problems.empty() ? "no endpoint to ask" : problems;
}

asio::awaitable<void> ask_unfinished(
    Context& context,
    const std::vector<http::Endpoint>& endpoints,
    protocol::Statement statement,
    TimePoint deadline,
    protocol::AdmissionFacts& facts
) {
    std::string problems;
    // From the last one on: the first ones are asked for the records of other names at the same time.
    for (const http::Endpoint& endpoint : std::views::reverse(endpoints)) {
        const MemberRead read(endpoint, endpoint.text(), statement, true);
        const MemberAnswer answer = co_await read_once(context, read, deadline);
        std::string problem;
        auto rows = decode_answer(context, read, answer, any_server, protocol::decode_queue, problem);
        if (rows) {
            facts.unfinished = std::move(rows->rows);
            facts.entries_in_queue = rows->entries_in_queue;
            co_return;
        }
        note_in_turn(problems, read.who, problem);
    }
    facts.queue_problem = problems.empty() ? "no endpoint to ask" : problems;
}

/// All parts of one endpoint must come from one server. Where there is a catalogue, admission compares them
/// with it and says which servers answered; without one nobody knows whose the parts are, and those that are
/// not the first one's are no answers.
void demand_one_server(protocol::EndpointFacts& facts) {
    if (facts.catalogue)
        return;
    protocol::Uuid server;
    const auto keep = [&](auto& part, protocol::StatementKind kind, protocol::Uuid shown) {
        if (server.is_nil())
            server = shown;
        if (shown == server)
            return;
        note(facts, kind, wrong_server(shown, server));
        part.reset();
    };
    using protocol::StatementKind;
    if (facts.keeper)
        keep(facts.keeper, StatementKind::keeper, facts.keeper->server_uuid);
    if (facts.capabilities)
        keep(facts.capabilities, StatementKind::capabilities, facts.capabilities->identity.server_uuid);
    if (facts.row_policies)
        keep(facts.row_policies, StatementKind::row_policies, facts.row_policies->server_uuid);
}

bool shows_table(const protocol::EndpointFacts& facts, std::string_view table) {
    if (!facts.catalogue)
        return false;
    return std::ranges::any_of(facts.catalogue->tables, [table](const protocol::TableRow& row) {
        return row.name == table;
    });
}

} // namespace

asio::awaitable<protocol::AdmissionFacts> Catalog::read_admission(
    std::vector<http::Endpoint> endpoints, AdmissionQuestion question, TimePoint deadline
) {
    if (question.candidate_prefix.empty()) {
        if (question.target_key.empty())
            throw std::logic_error("read_admission: neither a candidate prefix nor a target key");
        question.candidate_prefix = protocol::candidate_prefix(question.target_key);
    }
    const std::string& database = question.target.database;
    std::vector<std::string> tables = {question.target.table, std::string(protocol::authority_table)};
    tables.insert(tables.end(), question.more_tables.begin(), question.more_tables.end());
    if (!question.candidate.empty())
        tables.push_back(question.candidate);

    const auto catalogue = protocol::catalogue_statement(database, tables);
    const auto keeper = protocol::keeper_statement(database, tables, question.target_key);
    const auto keeper_alone = protocol::keeper_statement(database, tables, "");
    const auto capabilities = protocol::capabilities_statement(database, question.candidate_prefix);
    const auto row_policies = protocol::row_policies_statement(database);
    const auto grants = protocol::grants_statement();
    const auto roster = protocol::roster_statement(question.cluster);
    const auto unfinished = protocol::queue_unfinished_statement();
    const auto count = protocol::row_count_statement(question.target, false);

    protocol::AdmissionFacts facts;
    facts.cluster = question.cluster;
    facts.target = question.target;
    facts.authority_root = question.authority_root;
    facts.candidate = question.candidate;
    facts.accept_lost_authority = question.accept_lost_authority;
    facts.allow_view_depends = question.allow_view_depends;
    facts.endpoints.resize(endpoints.size());

    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
        auto& of_endpoint = facts.endpoints[i];
        const http::Endpoint& endpoint = endpoints[i];
        of_endpoint.endpoint = endpoint.text();
        const auto read = [&](const protocol::Statement& statement, bool keeper_backed) {
            return MemberRead(endpoint, endpoint.text(), statement, keeper_backed);
        };
        group.spawn(
            ask(context_,
                read(catalogue, false),
                deadline,
                any_server,
                protocol::decode_catalogue,
                of_endpoint.catalogue,
                of_endpoint)
        );
        group.spawn(ask_keeper(context_, read(keeper, true), keeper_alone, deadline, of_endpoint));
        group.spawn(
            ask(context_,
                read(capabilities, false),
                deadline,
                any_server,
                protocol::decode_capabilities,
                of_endpoint.capabilities,
                of_endpoint)
        );
        group.spawn(
            ask(context_,
                read(row_policies, false),
                deadline,
                any_server,
                protocol::decode_row_policies,
                of_endpoint.row_policies,
                of_endpoint)
        );
        group.spawn(ask_grants(context_, read(grants, false), deadline, of_endpoint));
    }
    group.spawn(ask_roster(context_, endpoints, roster, deadline, facts));
    group.spawn(ask_unfinished(context_, endpoints, unfinished, deadline, facts));
    co_await group.join();

    for (protocol::EndpointFacts& of_endpoint : facts.endpoints)
        demand_one_server(of_endpoint);
    if (question.count_target) {
        TaskGroup counting(executor);
        for (std::size_t i = 0; i < endpoints.size(); ++i)
            if (shows_table(facts.endpoints[i], question.target.table)) {
                MemberRead read(endpoints[i], endpoints[i].text(), count, false);
                counting.spawn(ask_count(context_, std::move(read), deadline, facts.endpoints[i]));
            }
        co_await counting.join();
    }
    co_return facts;
}

} // namespace onceswap::engine
