#pragma once

#include "engine/pass.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::engine {

/// Everything that may be done for the operation that holds the slot without publishing anything of it, from
/// the record alone: DISPATCHING is reconciled, what is COMMITTED or in cleanup is cleaned up, a retirement
/// is finished. A PREPARED operation is its own publisher's and is left alone. Returns at a settled record,
/// at a verdict that nothing here changes, and at the deadline. Cancellation: terminal, throws
/// operation_aborted.
boost::asio::awaitable<Observation> finish(Context& context, Passes& passes);

} // namespace onceswap::engine
