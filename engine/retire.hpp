#pragma once

#include "engine/context.hpp"
#include "engine/pin.hpp"
#include "protocol/names.hpp"
#include "protocol/report.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::engine {

/// Ends a publication whose outcome cannot be proven: DISPATCHING or COMMITTED to RETIRING, one RENAME of the
/// candidate's name to the aside name on every member, and then, by what the targets are, COMPLETED (all the
/// desired generation) or ABANDONED (all the predecessor, or absent as before). Both generations stay and are
/// listed in `retained`. Without that name every late EXCHANGE or RENAME of the publication fails, so it is
/// safe whatever is still on its way.
///
/// Pinned: the slot must still be at the operation and version that were named. Refused with a code in
/// `stopped_by` before anything is sent: in another phase, while no member shows the record as it stands, and
/// where a table that is not of this publication has the candidate's name (protocol::may_retire). In RETIRING
/// it goes on, as `resume` does. Ends with RETIRED_MIXED where the members differ; report.repairs then holds
/// the local statement for each of them, which is never sent. The statement is monotonic and is sent again
/// under the rules of the cleanup (after a terminal entry, or after a whole visibility wait without one).
///
/// Cancellation: terminal, as a report with `cancelled`. Before the dispatching CAS nothing was sent; from
/// its first byte to the DDL's last it is deferred (limits.dispatch_reserve); later only the waiting stops,
/// and `resume` goes on. Throws nothing for I/O.
boost::asio::awaitable<protocol::Report>
retire(Context& context, protocol::TargetName target, Pin pin, TimePoint deadline);

} // namespace onceswap::engine
