#pragma once

#include "engine/pass.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::engine {

/// From DISPATCHING to COMMITTED: passes with backoff, binds the one entry, persists its receipt, writes
/// COMMITTED when the verdict says so. Sends no DDL. Returns at COMMITTED, at any other phase than
/// DISPATCHING, at a verdict that waiting cannot change, and at the deadline (report.stopped_by says so).
///
/// Only who has seen the one entry writes into a DISPATCHING record that has none bound: the entry proves
/// that the permit is spent. The exception is the permit's holder itself, see return_unsent. Cancellation:
/// terminal, throws operation_aborted; passes.last() has what was known.
boost::asio::awaitable<Observation> reconcile(Context& context, Passes& passes);

/// The permit holder's own statement was NotSent or Rejected: one pass, and if no member shows an entry, back
/// to PREPARED, so that nothing strands the slot. After Rejected only if none shows one for a whole
/// visibility wait: another copy of the request may be under way. Where a member cannot be asked, or the
/// deadline comes first, the result itself is written, for the operator's `abandon`. The caller defers its
/// cancellation around this.
boost::asio::awaitable<Observation>
return_unsent(Context& context, Passes& passes, protocol::HolderResult result);

} // namespace onceswap::engine
