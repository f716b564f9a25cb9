#include "engine/one_shot.hpp"

#include "engine/refused_read.hpp"

#include <boost/asio/error.hpp>

namespace onceswap::engine {

using protocol::Code;
using protocol::Failure;
using protocol::MutationKind;
using protocol::Outcome;

namespace {

/// Server codes that classify_outcome calls a rejection, in this project's words.
Code code_of_refusal(MutationKind mutation, int server_code) {
    if (const auto code = code_of_refused_caller(server_code))
        return *code;
    switch (server_code) {
    case 60: // UNKNOWN_TABLE
    case 81: // UNKNOWN_DATABASE
        return mutation == MutationKind::authority ? Code::authority_absent : Code::ddl_rejected;
    case 16: // NO_SUCH_COLUMN_IN_TABLE
    case 36: // BAD_ARGUMENTS
    case 47: // UNKNOWN_IDENTIFIER
        return mutation == MutationKind::authority ? Code::authority_invalid : Code::ddl_rejected;
    case 290: // LIMIT_EXCEEDED, of a KeeperMap's keys
        return mutation == MutationKind::authority ? Code::authority_full : Code::ddl_rejected;
    default:
        return mutation == MutationKind::authority ? Code::capability_missing : Code::ddl_rejected;
    }
}

Code code_of_outcome(const OneShot& shot, Outcome outcome, const http::Evidence& evidence, int server_code) {
    const bool authority = shot.mutation == MutationKind::authority;
    switch (outcome) {
    case Outcome::conflict:
        return Code::cas_conflict;
    case Outcome::rejected:
        return code_of_refusal(shot.mutation, server_code);
    case Outcome::not_sent: {
        const Code why = code_of(evidence.error);
        return why == Code::connection_failed && !authority ? Code::ddl_not_sent : why;
    }
    case Outcome::acknowledged:
    case Outcome::host_failed:
    case Outcome::outcome_unknown:
        return authority ? Code::cas_outcome_unknown : Code::outcome_unknown;
    }
    return Code::outcome_unknown;
}

} // namespace

Code code_of(const boost::system::error_code& error) {
    if (error == boost::asio::error::operation_aborted)
        return Code::cancelled;
    if (error == boost::system::errc::timed_out)
        return Code::deadline_reached;
    return Code::connection_failed;
}

Failure explain(
    const OneShot& shot,
    Outcome outcome,
    const http::Evidence& evidence,
    const std::optional<protocol::ServerException>& exception
) {
    std::string detail = shot.who;
    detail.append(": ")
        .append(protocol::text(shot.kind))
        .append(" ended as ")
        .append(protocol::text(outcome));
    if (exception)
        detail += " with code " + std::to_string(exception->code) + ": " + exception->text;
    else if (evidence.error)
        detail += " at " + std::string(http::text(evidence.phase)) + ": " + evidence.error.message();
    if (!evidence.detail.empty())
        detail += " (" + evidence.detail + ")";
    return Failure(
        code_of_outcome(shot, outcome, evidence, exception ? exception->code : 0), std::move(detail)
    );
}

void report_mutation(Context& context, const OneShot& shot, Outcome outcome, const std::string& detail) {
    Event event;
    event.kind = EventKind::mutation;
    event.name = protocol::text(shot.kind);
    event.host = shot.who;
    event.detail = detail;
    event.statement = shot.kind;
    event.outcome = outcome;
    event.query_id = shot.query_id;
    context.events.on_event(event);
}

} // namespace onceswap::engine
