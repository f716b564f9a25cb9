#pragma once

#include "engine/pass.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::engine {

/// From COMMITTED to COMPLETED: the predecessor first loses the candidate's name (set aside), then is
/// dropped.
///
/// Without that name every late, duplicated or re-run EXCHANGE fails on every member; only then, when the
/// entry of the RENAME is terminal and a later pass shows the desired generation as target, no candidate and
/// exactly the predecessor set aside on every member, is anything dropped. Each of the two steps has its own
/// CAS, epoch, token and permit, and waits until the target's replication is healthy everywhere. Both are
/// monotonic, so each may be sent again: after a terminal entry, or after none was seen for a full visibility
/// wait; never while an earlier one is in progress or unreadable; limits.cleanup_redispatches times in an
/// invocation. A host that refuses for good (359, 630) is reported, not overridden. Returns at COMPLETED, at
/// a verdict that neither waiting nor a redispatch changes, and at the deadline. Cancellation: terminal,
/// throws operation_aborted; deferred around each dispatch as `dispatch` says.
boost::asio::awaitable<Observation> clean_up(Context& context, Passes& passes);

} // namespace onceswap::engine
