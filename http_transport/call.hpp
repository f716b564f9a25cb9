#pragma once

#include "http_transport/connection.hpp"
#include "http_transport/reply_reader.hpp"
#include "http_transport/request_bytes.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>

namespace onceswap::http {

struct CallLimits {
    CallLimits() = default;
    std::chrono::steady_clock::time_point deadline{};
    ReplyLimits reply;
    std::function<void()> on_written; ///< called once, when the last byte was handed over; may be empty
};

struct CallResult {
    CallResult() = default;
    Exchange exchange;
    bool reusable = false; ///< another request may follow on this connection
    std::chrono::steady_clock::duration server_keeps{std::chrono::steady_clock::duration::max()};
};

/// Writes one request and reads its reply on a connection that is silent. Exactly one request goes out,
/// whatever happens.
/// * A reply that comes while a large body is still being written ends the writing; after a write error the
/// reply is still
///   read, for an early refusal may be there.
/// * What has arrived when the deadline passes is still looked at: a reply is never thrown away for having
/// raced it.
/// * Cancellation: terminal, at every suspension point; reported as operation_aborted. bytes_handed_over then
/// says on which
///   side of the first byte it was.
/// `*first_bytes` is raised by one when the first byte is handed over. All references outlive the call.
boost::asio::awaitable<CallResult>
run_call(Connection& connection, const RequestBytes& request, CallLimits limits, std::uint64_t& first_bytes);

} // namespace onceswap::http
