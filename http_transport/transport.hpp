#pragma once

#include "http_transport/endpoint.hpp"
#include "http_transport/evidence.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace onceswap::http {

/// One statement on its way to one member.
struct Request {
    Request() = default;

    Request(protocol::Statement statement_, std::string query_id_)
        : statement(std::move(statement_)), query_id(std::move(query_id_)) {}

    protocol::Statement statement; ///< SQL and its own settings; the transport adds those of its contract
    std::string query_id;          ///< unique, ours
    std::string payload;           ///< rows of an INSERT, sent in the body after the SQL and one newline
    /// Steady-clock instant at which the whole call ends, whatever it is doing. Required.
    std::chrono::steady_clock::time_point deadline{};
    std::size_t max_body_bytes = 64 * 1024 * 1024;
    /// PreparedCall::send only; may be empty. Called once, on the loop, when the last byte of the request was
    /// handed over: from there on cancelling only stops the waiting. A transport that cannot tell never calls
    /// it.
    std::function<void()> on_written;
};

static_assert(!std::is_aggregate_v<Request>);

/// A whole reply, or what there is of one: Evidence says which. Headers that no rule needs are not kept.
struct Response {
    unsigned status = 0;
    std::optional<int> exception_code; ///< X-ClickHouse-Exception-Code
    std::string exception_tag;         ///< X-ClickHouse-Exception-Tag
    std::string query_id;              ///< X-ClickHouse-Query-Id
    std::string format;                ///< X-ClickHouse-Format
    std::string summary;               ///< X-ClickHouse-Summary, diagnostics only
    std::string body;
};

/// What came of one call. Without a response, `evidence` says why.
struct Exchange {
    Exchange() = default;
    std::optional<Response> response;
    Evidence evidence;
};

/// An open way to one endpoint (resolved, connected, TLS done), good for exactly one request. Move it into
/// the call that uses it; what is not used is closed by the destructor without a byte having been sent.
class PreparedCall {
  public:
    virtual ~PreparedCall() = default;
    /// Sends the request, once. Precondition: not called before (throws std::logic_error).
    /// Cancellation: terminal, at every suspension point; the Exchange then says how many bytes had gone.
    /// Never throws for I/O: failures are in the Exchange, with error operation_aborted when cancelled.
    virtual boost::asio::awaitable<Exchange> send(Request request) = 0;
};

struct Prepared {
    Prepared() = default;
    std::unique_ptr<PreparedCall>
        call; ///< null: the way could not be opened, `evidence` says why; nothing was sent
    Evidence evidence;
};

/// The one seam between the engine and the outside. Implementations: the Beast clients, the in-process
/// simulator, and the counting, recording and fault-injecting wrappers. All calls run on the awaiting
/// coroutine's executor.
class Transport {
  public:
    virtual ~Transport() = default;

    /// A SELECT: idempotent, may be tried again on a fresh connection to the same endpoint, never elsewhere.
    /// Does not throw for I/O. Cancellation: terminal, at every suspension point; reported as error
    /// operation_aborted.
    virtual boost::asio::awaitable<Exchange> read(Endpoint endpoint, Request request) = 0;

    /// Opens a way for one mutation. Sends nothing.
    virtual boost::asio::awaitable<Prepared>
    prepare(Endpoint endpoint, std::chrono::steady_clock::time_point deadline) = 0;

    /// Mutations whose first byte was handed over through this transport so far. Tests assert on it.
    virtual std::uint64_t sends() const = 0;
};

} // namespace onceswap::http
