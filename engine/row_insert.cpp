#include "engine/row_insert.hpp"

#include "engine/backoff.hpp"
#include "engine/deadline.hpp"
#include "http_transport/response.hpp"
#include "protocol/mutant.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace onceswap::engine {

namespace {

constexpr unsigned tries_not_sent = 5;
constexpr unsigned tries_unknown = 3;

// Codes of ClickHouse that a reader of JSONEachRow or a constraint of the table raises about the data.
constexpr auto codes_about_rows = std::to_array<int>({
    6,   // CANNOT_PARSE_TEXT
    25,  // CANNOT_PARSE_ESCAPE_SEQUENCE
    26,  // CANNOT_PARSE_QUOTED_STRING
    27,  // CANNOT_PARSE_INPUT_ASSERTION_FAILED
    38,  // CANNOT_PARSE_DATE
    41,  // CANNOT_PARSE_DATETIME
    53,  // TYPE_MISMATCH
    69,  // ARGUMENT_OUT_OF_BOUND
    70,  // CANNOT_CONVERT_TYPE
    72,  // CANNOT_PARSE_NUMBER
    117, // INCORRECT_DATA
    131, // TOO_LARGE_STRING_SIZE
    349, // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
    376, // CANNOT_PARSE_UUID
    407, // DECIMAL_OVERFLOW
    441, // CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING
    469, // VIOLATED_CONSTRAINT
    675, // CANNOT_PARSE_IPV4
    676, // CANNOT_PARSE_IPV6
    691, // UNKNOWN_ELEMENT_OF_ENUM
});

protocol::Failure
problem_of(const RowInsert& insert, const RowInsertResult& result, const http::Evidence& evidence) {
    const std::string where = "INSERT on " + insert.endpoint.text();
    if (result.exception) {
        std::string what = where + " was refused (" + code_and_name(*result.exception) + ")";
        if (mutated(protocol::Mutant::server_text_in_staging_problem))
            what += ": " + result.exception->text;
        return {
            is_about_rows(result.exception->code) ? protocol::Code::input_malformed
                                                  : protocol::Code::staging_failed,
            what
        };
    }
    const std::string seen = evidence.detail.empty() ? evidence.error.message() : evidence.detail;
    if (result.outcome == protocol::Outcome::not_sent)
        return {protocol::Code::staging_failed, where + " could not be sent: " + seen};
    return {protocol::Code::staging_unknown, where + " has no provable outcome: " + seen};
}

Event event_of(const RowInsert& insert, const RowInsertResult& result, const std::string& query_id) {
    Event event;
    event.kind = EventKind::mutation;
    event.statement = protocol::StatementKind::insert_rows;
    event.host = insert.endpoint.text();
    event.outcome = result.outcome;
    event.query_id = query_id;
    if (result.exception)
        event.detail = code_and_name(*result.exception);
    return event;
}

/// One request, one send. `evidence` says why when there is no answer.
boost::asio::awaitable<void> send_once(
    Context& context,
    const RowInsert& insert,
    TimePoint deadline,
    RowInsertResult& result,
    http::Evidence& evidence
) {
    result.exception.reset();
    result.outcome = protocol::Outcome::not_sent;
    http::Prepared way = co_await context.transport.prepare(insert.endpoint, deadline);
    evidence = way.evidence;
    if (!way.call)
        co_return;
    protocol::Statement statement = protocol::insert_rows_statement(insert.table, insert.deduplication_token);
    http::Request request(std::move(statement), context.entropy.hex32());
    request.payload = insert.rows;
    request.deadline = deadline;
    request.max_body_bytes = 1024 * 1024;
    const std::string query_id = request.query_id;
    ++result.requests;
    http::Exchange exchange = co_await way.call->send(std::move(request));
    const protocol::ReplyEvidence reply = http::observe(exchange, http::BodyShape::empty);
    evidence = exchange.evidence;
    result.exception = reply.exception;
    result.outcome = protocol::classify_outcome(protocol::MutationKind::insert, reply);
    const Event event = event_of(insert, result, query_id);
    context.events.on_event(event);
}

/// Whether the same bytes may go out once more.
bool may_repeat(const RowInsertResult& result, unsigned tries) {
    switch (result.outcome) {
    case protocol::Outcome::acknowledged:
    case protocol::Outcome::rejected:
        return false;
    case protocol::Outcome::not_sent:
        return tries < tries_not_sent;
    case protocol::Outcome::conflict:
    case protocol::Outcome::host_failed:
    case protocol::Outcome::outcome_unknown:
        return tries < tries_unknown && !(result.exception && is_about_rows(result.exception->code));
    }
    return false;
}

} // namespace

boost::asio::awaitable<RowInsertResult>
insert_rows(Context& context, const RowInsert& insert, TimePoint deadline) {
    RowInsertResult result;
    Backoff backoff(context.limits.poll_initial, context.limits.poll_max);
    for (unsigned tries = 1;; ++tries) {
        http::Evidence evidence;
        const TimePoint until = earlier_of(context.clock, context.limits.mutation_timeout, deadline);
        co_await send_once(context, insert, until, result, evidence);
        if (result.outcome == protocol::Outcome::acknowledged)
            co_return result;
        result.problem = problem_of(insert, result, evidence);
        if (evidence.error == boost::asio::error::operation_aborted) {
            result.problem.code = protocol::Code::cancelled;
            co_return result;
        }
        if (!may_repeat(result, tries))
            co_return result;
        const TimePoint next = context.clock.now() + backoff.next(context.entropy);
        if (next >= deadline) {
            result.problem.code = protocol::Code::deadline_reached;
            co_return result;
        }
        const boost::system::error_code waited = co_await context.clock.wait_until(next);
        if (waited) {
            result.problem.code = protocol::Code::cancelled;
            co_return result;
        }
    }
}

std::string
row_insert_token(const protocol::Uuid& candidate, std::uint64_t batch_number, std::string_view sha256) {
    return candidate.text() + "-" + std::to_string(batch_number) + "-" + std::string(sha256);
}

bool is_about_rows(int server_code) {
    return std::find(codes_about_rows.begin(), codes_about_rows.end(), server_code) != codes_about_rows.end();
}

std::optional<std::uint64_t> row_of(const protocol::ServerException& exception) {
    constexpr std::string_view mark = "(at row ";
    const std::size_t at = exception.text.rfind(mark);
    if (at == std::string::npos)
        return std::nullopt;
    const char* const begin = exception.text.data() + at + mark.size();
    const char* const end = exception.text.data() + exception.text.size();
    std::uint64_t row = 0;
    const auto [stop, error] = std::from_chars(begin, end, row);
    if (error != std::errc{} || stop == end || *stop != ')' || row == 0)
        return std::nullopt;
    return row;
}

std::string code_and_name(const protocol::ServerException& exception) {
    std::string out = "code " + std::to_string(exception.code);
    // `... (NAME) (version 24.8.14.39 (official build))`: the last parenthesis of capital letters and
    // underscores.
    std::string_view text = exception.text;
    while (!text.empty()) {
        const std::size_t close = text.rfind(')');
        const std::size_t open = close == std::string_view::npos ? close : text.rfind('(', close);
        if (open == std::string_view::npos)
            break;
        const std::string_view inside = text.substr(open + 1, close - open - 1);
        const auto of_a_name = [](char c) {
            return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        };
        if (inside.size() > 3 && inside.size() < 80 && inside.front() >= 'A' && inside.front() <= 'Z' &&
            std::all_of(inside.begin(), inside.end(), of_a_name) &&
            inside.find('_') != std::string_view::npos)
            return out + ", " + std::string(inside);
        text = text.substr(0, open);
    }
    return out;
}

} // namespace onceswap::engine
