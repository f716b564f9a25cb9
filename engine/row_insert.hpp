#pragma once

#include "engine/context.hpp"
#include "http_transport/endpoint.hpp"
#include "protocol/failure.hpp"
#include "protocol/names.hpp"
#include "protocol/outcome.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace onceswap::engine {

/// Some rows on their way into a candidate: what one INSERT carries.
struct RowInsert {
    RowInsert(
        http::Endpoint endpoint_,
        protocol::TargetName table_,
        std::string rows_,
        std::string deduplication_token_
    )
        : endpoint(std::move(endpoint_)), table(std::move(table_)), rows(std::move(rows_)),
          deduplication_token(std::move(deduplication_token_)) {}

    http::Endpoint endpoint;
    protocol::TargetName table;
    std::string rows;                ///< JSONEachRow, whole lines
    std::string deduplication_token; ///< the same for the same bytes and no other, see row_insert_token
};

static_assert(!std::is_aggregate_v<RowInsert>);

struct RowInsertResult {
    RowInsertResult() = default;

    protocol::Outcome outcome = protocol::Outcome::outcome_unknown; ///< of the last request
    std::optional<protocol::ServerException> exception; ///< its text can quote rows: never print it
    /// Unless acknowledged. input_malformed: the server judged the rows themselves; staging_failed: it
    /// refused or never got them; staging_unknown: they may or may not be there; cancelled; deadline_reached.
    protocol::Failure problem;
    unsigned requests = 0; ///< sent, each once
};

static_assert(!std::is_aggregate_v<RowInsertResult>);

/// Sends the rows in one POST and says what came of it. A request that provably was not sent is sent again.
/// One whose outcome is unknown is sent again too, at most twice, as a new request with the same bytes and
/// token to the same member: a Replicated table keeps a block with a known token once, so the repeat adds
/// nothing. (With replicated_deduplication_window = 0 it would; the count of rows on every member before
/// dispatch then differs from what was acknowledged and nothing is published.) A refusal, or an error that is
/// about the rows, is never repeated. Every request is one send of the transport. Emits an Event for each.
/// Cancellation: terminal; as a value. Never throws for I/O. `insert` must outlive the call; each request
/// carries a copy of its rows.
boost::asio::awaitable<RowInsertResult>
insert_rows(Context& context, const RowInsert& insert, TimePoint deadline);

/// `<candidate uuid>-<batch number>-<sha256 of the bytes>`: deterministic, so that the same rows sent to the
/// same candidate by whatever process are one block.
std::string
row_insert_token(const protocol::Uuid& candidate, std::uint64_t batch_number, std::string_view sha256);

/// Whether a code says that the rows themselves do not fit the table.
bool is_about_rows(int server_code);

/// The `(at row N)` of a parse error, N from 1.
std::optional<std::uint64_t> row_of(const protocol::ServerException& exception);

/// `code 27, CANNOT_PARSE_INPUT_ASSERTION_FAILED`: the part of an exception that cannot quote a row.
std::string code_and_name(const protocol::ServerException& exception);

} // namespace onceswap::engine
