#pragma once

#include "engine/pass.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::engine {

/// From RETIRING to COMPLETED or ABANDONED: binds the RENAME's entry, keeps its receipt, sends it again under
/// the rules of Redispatches while the candidate's name is still there, and settles the record by what every
/// member's target is. Returns at any other phase, at RETIRED_MIXED (its receipt is kept), at a verdict that
/// neither waiting nor a redispatch changes, and at the deadline. Any worker may do it: an operator's
/// `retire`, `resume`, and a publication that waits for the slot. Cancellation: terminal, throws
/// operation_aborted; deferred around a redispatch as `dispatch` says.
boost::asio::awaitable<Observation> finish_retirement(Context& context, Passes& passes);

} // namespace onceswap::engine
