#pragma once

#include "engine/authority.hpp"
#include "engine/ddl.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <type_traits>
#include <vector>

namespace onceswap::engine {

/// One permitted DDL, from the record it starts from to the statement that it ends with.
struct DispatchOrder {
    DispatchOrder() = default;

    BoundMember member;      ///< writes the authority and initiates the DDL
    VersionedRecord current; ///< as it was read just before
    protocol::AuthorityRecord
        next; ///< dispatching phase, epoch + 1, its current_attempt() with epoch and token
    protocol::Statement statement;         ///< its log_comment is that token
    std::vector<protocol::HostPort> hosts; ///< all members
    TimePoint deadline = TimePoint::max(); ///< the caller's
};

static_assert(!std::is_aggregate_v<DispatchOrder>);

/// What happened. `ddl` is there if and only if the write was Won: one permit, one statement.
struct Dispatched {
    Dispatched() = default;
    WriteResult write;
    std::optional<DdlResult> ddl;
};

static_assert(!std::is_aggregate_v<Dispatched>);

/// The dispatch section: the only place where a dispatching CAS and its DDL are sent.
/// 1. Both ways (authority and DDL) are opened, TLS included; if one cannot be, the write is NotSent and
/// nothing was sent.
/// 2. A cancellation or a deadline that came until then: NotSent.
/// 3. From the CAS's first byte to the DDL's last, cancellation and deadline are deferred, for at most
///    limits.dispatch_reserve; what came meanwhile is remembered and takes effect afterwards: then only the
///    waiting for the DDL's answer is cut short and its outcome is outcome_unknown.
/// 4. If the write is not Won the DDL's way is closed unsent.
/// Never throws for I/O or cancellation: the caller always learns what happened, and its next co_await throws
/// operation_aborted if it was cancelled. Raises `mutation` for both and `permit` between them.
/// Preconditions (std::logic_error, before anything is sent): is_dispatching_write(current, next), one new
/// attempt with the new epoch and a valid token of the phase's action, and a statement that carries it.
boost::asio::awaitable<Dispatched>
dispatch(Context& context, Authority& authority, Ddl& ddl, DispatchOrder order);

} // namespace onceswap::engine
