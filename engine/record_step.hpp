#pragma once

#include "engine/authority.hpp"
#include "engine/dispatch.hpp"
#include "engine/pass.hpp"
#include "protocol/transitions.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace onceswap::engine {

/// What every write brings of its own, and what one that raises the epoch brings besides.
protocol::WriteStamp fresh_stamp(Context& context);
protocol::DispatchGrant fresh_grant(Context& context);

/// The record with what the pass learnt about the current attempt: its one entry, and the receipt where the
/// evidence is terminal. nullopt where the record holds all of it already, or nothing is known.
std::optional<protocol::AuthorityRecord> with_evidence(Context& context, const Observation& seen);

/// Writes the step from what `seen` was about, through a member that showed that record. A won write is the
/// base of the next pass. Cancellation and deadline: as Authority::compare_and_swap.
boost::asio::awaitable<WriteResult>
write_step(Context& context, Passes& passes, Observation seen, protocol::AuthorityRecord next);

/// Writes the step that raises the epoch and sends its statement, once. `seen` as in write_step. The passes
/// learn what stands there and what the statement came to.
boost::asio::awaitable<Dispatched>
dispatch_step(Context& context, Passes& passes, Observation seen, protocol::AuthorityRecord next);

/// Counts the writes of one invocation that did not come to an end; a few are read again, then it stops.
class LostWrites {
  public:
    /// True: go on with the next pass. False: stop, `report` says why.
    bool go_on(const WriteResult& result, protocol::Report& report);

    /// The write came after another worker's. Members that lag do not show that one's step yet, so that the
    /// next pass waits as if nothing had been written: read at once, it may lead to the same conflict again.
    bool conflicted() const { return conflicted_; }

  private:
    unsigned lost_ = 0;
    bool conflicted_ = false;
};

} // namespace onceswap::engine
