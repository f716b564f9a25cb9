#pragma once

#include "engine/context.hpp"
#include "engine/pin.hpp"
#include "protocol/names.hpp"
#include "protocol/report.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::engine {

/// `close --keep-predecessor`: COMMITTED, SET_ASIDE_DISPATCHING or CLEANUP_DISPATCHING to COMPLETED with one
/// CAS and no DDL; what remains of the predecessor is listed in `retained` under the names that members show.
///
/// Pinned as `retire`. Refused with a code in `stopped_by` before anything is written (protocol::may_close):
/// in another phase, unless every member shows the desired generation as target, where nothing of the
/// predecessor remains and `resume` completes that, and while a cleanup statement is in progress or its entry
/// cannot be read, since it may still move or drop what is to be kept. Where nothing remains and the entry of
/// the DROP is out of sight, or is not the one that was sent, no receipt will ever come: then `retained`
/// lists the aside name, which nobody shows, and a warning says so (ADR 0019). A warning also says where such
/// a statement was sent and no entry of it is in sight, and where the predecessor keeps the candidate's name,
/// so that a late duplicate of the EXCHANGE could still swap; `retire` takes that name away.
///
/// Cancellation: terminal, as a report with `cancelled`: before the CAS nothing was written, after its first
/// byte it is not known whether it was. Throws nothing for I/O.
boost::asio::awaitable<protocol::Report>
close_keeping_predecessor(Context& context, protocol::TargetName target, Pin pin, TimePoint deadline);

} // namespace onceswap::engine
