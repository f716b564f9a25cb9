#include "engine/ddl.hpp"

#include "engine/deadline.hpp"
#include "engine/member_read.hpp"
#include "engine/one_shot.hpp"
#include "http_transport/response.hpp"
#include "protocol/mutant.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Action;
using protocol::Code;
using protocol::Failure;
using protocol::HolderResult;
using protocol::Outcome;
using protocol::StatementKind;

namespace {

/// Empty if the statement may be sent against a permit with this token, else what is wrong with it.
std::string misfit(const std::string& permit_token, const protocol::Statement& statement) {
    const auto token = protocol::CorrelationToken::parse(permit_token);
    if (!token)
        return "the permit's token is malformed";
    if (!protocol::is_mutation(statement.kind) || !protocol::is_on_cluster(statement.kind))
        return "not an ON CLUSTER mutation";
    if (log_comment(statement) != permit_token)
        return "log_comment is not the permit's token";
    if (!fits(statement.kind, token->action))
        return "the statement's kind does not fit the token's action";
    return {};
}

/// What is wrong with the rows of an acknowledged answer; empty: exactly one row per host, all status 0.
struct RowsJudgement {
    Outcome outcome = Outcome::acknowledged;
    std::string detail;
};

RowsJudgement
judge_rows(const std::vector<protocol::DdlHostRow>& rows, const std::vector<protocol::HostPort>& hosts) {
    RowsJudgement judgement;
    for (const protocol::HostPort& host : hosts) {
        const auto shown = std::ranges::count(rows, host, &protocol::DdlHostRow::at);
        if (shown != 1) {
            judgement.outcome = Outcome::outcome_unknown;
            judgement.detail = protocol::text(host) + " has " + std::to_string(shown) + " rows in the answer";
            return judgement;
        }
    }
    for (const protocol::DdlHostRow& row : rows) {
        if (std::ranges::find(hosts, row.at) == hosts.end()) {
            judgement.outcome = Outcome::outcome_unknown;
            judgement.detail = protocol::text(row.at) + " answered and is no member";
            return judgement;
        }
        if (row.status != 0 && judgement.outcome == Outcome::acknowledged) {
            judgement.outcome = Outcome::host_failed;
            judgement.detail = protocol::text(row.at) + " failed with code " + std::to_string(row.status);
        }
    }
    return judgement;
}

} // namespace

std::string_view log_comment(const protocol::Statement& statement) {
    for (const auto& [setting, value] : statement.settings)
        if (setting == "log_comment")
            return value;
    return {};
}

bool fits(StatementKind kind, Action action) {
    switch (kind) {
    case StatementKind::exchange:
    case StatementKind::rename_publish:
        return action == Action::publish;
    case StatementKind::rename_aside:
        return action == Action::aside;
    case StatementKind::drop_aside:
        return action == Action::cleanup;
    case StatementKind::rename_retire:
        return action == Action::retire;
    case StatementKind::create_facade:
    case StatementKind::create_candidate:
    case StatementKind::rename_adopt:
    case StatementKind::drop_orphan:
        return action == Action::setup;
    case StatementKind::catalogue:
    case StatementKind::keeper:
    case StatementKind::authority_row:
    case StatementKind::authority_all:
    case StatementKind::capabilities:
    case StatementKind::row_policies:
    case StatementKind::environment:
    case StatementKind::grants:
    case StatementKind::roster:
    case StatementKind::queue_by_token:
    case StatementKind::queue_by_prefix:
    case StatementKind::queue_unfinished:
    case StatementKind::row_count:
    case StatementKind::row_count_final:
    case StatementKind::settings_probe:
    case StatementKind::column_types:
    case StatementKind::version:
    case StatementKind::insert_rows:
    case StatementKind::authority_insert:
    case StatementKind::authority_update:
        return false;
    }
    return false;
}

HolderResult holder_result(const DdlResult& result) {
    switch (result.outcome) {
    case Outcome::acknowledged:
        return HolderResult::acknowledged;
    case Outcome::rejected:
        return HolderResult::rejected;
    case Outcome::not_sent:
        return HolderResult::not_sent;
    case Outcome::host_failed:
        return HolderResult::host_failed;
    case Outcome::conflict:
    case Outcome::outcome_unknown:
        return HolderResult::outcome_unknown;
    }
    return HolderResult::outcome_unknown;
}

asio::awaitable<PreparedDdl> Ddl::prepare(BoundMember member, TimePoint deadline) {
    const TimePoint until = earlier_of(context_.clock, context_.limits.mutation_timeout, deadline);
    PreparedDdl way;
    way.member_ = std::move(member);
    http::Prepared prepared = co_await context_.transport.prepare(way.member_.endpoint, until);
    way.call_ = std::move(prepared.call);
    if (!way.call_) {
        Code code = code_of(prepared.evidence.error);
        if (code == Code::connection_failed)
            code = Code::ddl_not_sent;
        std::string detail = name(way.member_) + ": no connection for the DDL";
        if (prepared.evidence.error)
            detail += ": " + prepared.evidence.error.message();
        if (!prepared.evidence.detail.empty())
            detail += " (" + prepared.evidence.detail + ")";
        way.problem_ = Failure(code, std::move(detail));
    }
    co_return way;
}

bool Ddl::pays_for(const DispatchPermit&, const protocol::Statement& statement) {
    return !SetupPermit::accepts(statement.kind) && statement.kind != StatementKind::drop_orphan;
}

bool Ddl::pays_for(const SetupPermit&, const protocol::Statement& statement) {
    return SetupPermit::accepts(statement.kind);
}

bool Ddl::pays_for(const DiscardPermit& permit, const protocol::Statement& statement) {
    const std::string named = "." + protocol::quote_identifier(permit.table_) + " ";
    return statement.kind == StatementKind::drop_orphan && statement.sql.find(named) != std::string::npos;
}

template <PermitForDdl Permit>
asio::awaitable<DdlResult> Ddl::execute_once(
    Permit permit,
    PreparedDdl way,
    protocol::Statement statement,
    std::vector<protocol::HostPort> hosts,
    TimePoint deadline,
    std::function<void()> on_written
) {
    static_assert(!std::is_aggregate_v<Permit>);
    if (!permit.live_)
        throw std::logic_error("execute_once: the permit is used up");
    permit.live_ = false;
    const std::string wrong = misfit(permit.token_, statement);
    if (!wrong.empty() || !pays_for(permit, statement))
        throw std::logic_error("execute_once: not what the permit is for: " + wrong);
    auto result = co_await send_once(std::move(way), statement, hosts, deadline, std::move(on_written));
    const bool again =
        std::same_as<Permit, DispatchPermit> &&
        ((result.outcome == Outcome::outcome_unknown && mutated(protocol::Mutant::lost_ddl_sent_again)) ||
         (result.outcome == Outcome::not_sent && mutated(protocol::Mutant::not_sent_ddl_sent_again)));
    if (again) {
        BoundMember other({}, {}, context_.cluster.endpoints.back());
        auto second = co_await prepare(std::move(other), deadline);
        std::function<void()> no_callback;
        result = co_await send_once(
            std::move(second), std::move(statement), std::move(hosts), deadline, std::move(no_callback)
        );
    }
    co_return result;
}

template asio::awaitable<DdlResult> Ddl::
    execute_once(DispatchPermit, PreparedDdl, protocol::Statement, std::vector<protocol::HostPort>, TimePoint, std::function<void()>);
template asio::awaitable<DdlResult> Ddl::
    execute_once(SetupPermit, PreparedDdl, protocol::Statement, std::vector<protocol::HostPort>, TimePoint, std::function<void()>);
template asio::awaitable<DdlResult> Ddl::
    execute_once(DiscardPermit, PreparedDdl, protocol::Statement, std::vector<protocol::HostPort>, TimePoint, std::function<void()>);

asio::awaitable<DdlResult> Ddl::send_once(
    PreparedDdl way,
    protocol::Statement statement,
    std::vector<protocol::HostPort> hosts,
    TimePoint deadline,
    std::function<void()> on_written
) {
    OneShot shot(name(way.member_), statement.kind, protocol::MutationKind::ddl);
    DdlResult result;
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (!way.call_) {
        result.outcome = Outcome::not_sent;
        result.problem = std::move(way.problem_);
    } else if (cancellation.cancelled() != asio::cancellation_type::none) {
        way.call_.reset();
        result.outcome = Outcome::not_sent;
        result.problem = Failure(Code::cancelled, shot.who + ": cancelled before the first byte");
    } else {
        shot.query_id = fresh_query_id(context_.entropy);
        result.query_id = shot.query_id;
        http::Request request(std::move(statement), shot.query_id);
        request.deadline = earlier_of(context_.clock, context_.limits.mutation_timeout, deadline);
        request.on_written = std::move(on_written);
        const http::Exchange exchange = co_await way.call_->send(std::move(request));
        const auto observed = http::observe(exchange, http::BodyShape::result_set);
        result.outcome = protocol::classify_outcome(protocol::MutationKind::ddl, observed);
        result.exception = observed.exception;
        if (result.outcome != Outcome::acknowledged) {
            result.problem = explain(shot, result.outcome, exchange.evidence, observed.exception);
        } else {
            auto rows = protocol::decode_ddl_result(exchange.response->body);
            RowsJudgement judgement;
            if (rows) {
                result.rows = std::move(*rows);
                judgement = judge_rows(result.rows, hosts);
            } else {
                judgement.outcome = Outcome::outcome_unknown;
                judgement.detail = rows.error().detail;
            }
            result.outcome = judgement.outcome;
            if (result.outcome != Outcome::acknowledged)
                result.problem = Failure(Code::outcome_unknown, shot.who + ": " + judgement.detail);
        }
    }
    report_mutation(context_, shot, result.outcome, result.problem.detail);
    co_return result;
}

} // namespace onceswap::engine
