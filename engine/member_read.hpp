#pragma once

#include "engine/bound_member.hpp"
#include "engine/context.hpp"
#include "protocol/failure.hpp"
#include "protocol/outcome.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace onceswap::engine {

/// One statement for one endpoint.
struct MemberRead {
    MemberRead() = default;

    MemberRead(
        http::Endpoint endpoint_, std::string who_, protocol::Statement statement_, bool keeper_backed_
    )
        : endpoint(std::move(endpoint_)), who(std::move(who_)), statement(std::move(statement_)),
          keeper_backed(keeper_backed_) {}

    MemberRead(const BoundMember& member, protocol::Statement statement_, bool keeper_backed_)
        : MemberRead(member.endpoint, name(member), std::move(statement_), keeper_backed_) {}

    http::Endpoint endpoint;
    std::string who; ///< how events and problems name it
    protocol::Statement statement;
    bool keeper_backed = false; ///< waits for its turn at the endpoint's KeeperGate
    bool quiet = false;         ///< no gap event: the caller expects that it may fail
};

static_assert(!std::is_aggregate_v<MemberRead>);

/// The body of a complete success, or what was seen instead.
struct MemberAnswer {
    MemberAnswer() = default;
    std::optional<std::string> body;
    std::string problem; ///< one line, without secrets; empty with a body
    std::optional<protocol::ServerException> exception;
};

static_assert(!std::is_aggregate_v<MemberAnswer>);

/// Whether the server said that a table does not exist (60, UNKNOWN_TABLE): for a reading of the authority
/// table an answer, not a failure.
bool is_unknown_table(const MemberAnswer& answer);

/// Reads once, within limits.read_timeout and `deadline`; the transport alone may try again on a fresh
/// connection to the same endpoint. A failure is a problem and a gap event. Cancellation: terminal; the
/// problem says so and no event is raised, the caller's next co_await throws.
boost::asio::awaitable<MemberAnswer> read_once(Context& context, MemberRead read, TimePoint deadline);

/// Decodes an answer with `decode` and demands that the server UUID in it is `expected` (nil: any). The
/// result, or nullopt with the reason in `problem`; raises the gap event for what read_once could not see.
template <class T>
std::optional<T> decode_answer(
    Context& context,
    const MemberRead& read,
    const MemberAnswer& answer,
    const protocol::Uuid& expected,
    protocol::Result<T> (*decode)(std::string_view),
    std::string& problem
);

/// Whether an answer that shows this server UUID is one of the expected server (nil: any server).
bool is_from(const protocol::Uuid& shown, const protocol::Uuid& expected);
/// read_once and decode_answer in one, as a child of a group: `out` and `problem` belong to the caller and
/// outlive it.
template <class T>
boost::asio::awaitable<void> read_into(
    Context& context,
    MemberRead read,
    TimePoint deadline,
    protocol::Uuid expected,
    protocol::Result<T> (*decode)(std::string_view),
    std::optional<T>& out,
    std::string& problem
);

/// The server UUID that a decoded answer shows.
template <class T>
protocol::Uuid server_of(const T& answer) {
    if constexpr (requires { answer.identity; })
        return answer.identity.server_uuid;
    else
        return answer.server_uuid;
}

/// `answered as server <uuid>, expected <uuid>`.
std::string wrong_server(const protocol::Uuid& shown, const protocol::Uuid& expected);

/// Raises a gap event.
void report_gap(Context& context, const MemberRead& read, const std::string& problem);

/// A fresh query_id: `onceswap-` and 32 hex digits.
std::string fresh_query_id(Entropy& entropy);

template <class T>
std::optional<T> decode_answer(
    Context& context,
    const MemberRead& read,
    const MemberAnswer& answer,
    const protocol::Uuid& expected,
    protocol::Result<T> (*decode)(std::string_view),
    std::string& problem
) {
    if (!answer.body) {
        problem = answer.problem;
        return std::nullopt;
    }
    protocol::Result<T> decoded = decode(*answer.body);
    if (!decoded) {
        problem = decoded.error().detail;
    } else {
        const protocol::Uuid shown = server_of(*decoded);
        if (is_from(shown, expected))
            return std::move(*decoded);
        problem = wrong_server(shown, expected);
    }
    report_gap(context, read, problem);
    return std::nullopt;
}

template <class T>
boost::asio::awaitable<void> read_into(
    Context& context,
    MemberRead read,
    TimePoint deadline,
    protocol::Uuid expected,
    protocol::Result<T> (*decode)(std::string_view),
    std::optional<T>& out,
    std::string& problem
) {
    const MemberAnswer answer = co_await read_once(context, read, deadline);
    out = decode_answer(context, read, answer, expected, decode, problem);
}

} // namespace onceswap::engine
