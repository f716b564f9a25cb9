#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace onceswap::protocol {

/// What a one-shot statement is for; the same code means different things for each.
enum class MutationKind { authority, ddl, insert };

/// The outcome of a one-shot call. "Unknown" is neither a failure nor a success.
enum class Outcome { acknowledged, rejected, not_sent, conflict, host_failed, outcome_unknown };
std::string_view text(Outcome outcome);

/// A server's exception as the reply showed it.
struct ServerException {
    int code = 0;
    std::string text; ///< from `Code:` on, bounded
    friend bool operator==(const ServerException&, const ServerException&) = default;
};

/// What http_transport observed of a one-shot call, without any judgement.
struct ReplyEvidence {
    std::uint64_t bytes_handed_over = 0;      ///< request bytes that the kernel took
    bool reply_complete = false;              ///< a whole, properly framed reply to this request was read
    unsigned status = 0;                      ///< HTTP status, 0 without a reply header
    std::optional<ServerException> exception; ///< from the header, else from the first `Code: N.` of the body
    bool success_shape =
        false; ///< status 200, no exception header, framed, no marker, body as this statement demands
    friend bool operator==(const ReplyEvidence&, const ReplyEvidence&) = default;
};

/// For an insert only what is refused for every statement is `rejected`. An error about its content (26, 27,
/// 33, 38, 41, 53, 117, 349, ...) is usually raised before anything was stored, but no reply proves it; the
/// candidate that the rows went to is then given up, so nothing hangs on telling the two apart.
///
/// First row of docs/protocol.md "Outcome of a one-shot call" that fits; total and closed: what is not
/// recognized is outcome_unknown.
Outcome classify_outcome(MutationKind kind, const ReplyEvidence& evidence);

} // namespace onceswap::protocol
