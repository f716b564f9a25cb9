#pragma once

#include "engine/bound_member.hpp"
#include "engine/context.hpp"
#include "protocol/queue_evidence.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace onceswap::engine {

/// One member's view of the queue.
struct QueueAnswer {
    QueueAnswer() = default;
    protocol::HostPort at;
    protocol::QueueReading reading;
    std::uint64_t entries_in_queue = 0; ///< only of read_unfinished
};

static_assert(!std::is_aggregate_v<QueueAnswer>);

/// Readings alone, for protocol::conclude_queue.
std::vector<protocol::QueueReading> readings_of(const std::vector<QueueAnswer>& answers);

/// The port to system.distributed_ddl_queue. Reads only. Each read is bounded by limits.read_timeout and the
/// deadline, goes through the KeeperGate (the table is Keeper-backed) and counts only with the member's
/// server UUID. A queue that cannot be read (no directory yet, an entry that does not parse, no answer) is
/// `readable == false` with the reason and a gap event, never an empty queue. Cancellation of every call:
/// terminal, throws operation_aborted after all reads are joined.
class Queue {
  public:
    explicit Queue(Context& context) : context_(context) {}

    /// Every row of every entry whose log_comment is `token`, on each of `members`, at once; answers in their
    /// order.
    boost::asio::awaitable<std::vector<QueueAnswer>>
    read_by_token(std::vector<BoundMember> members, std::string token, TimePoint deadline);

    /// The same, first on members[0]; the others are asked too (at once) only if it shows no entry or is
    /// unreadable. The answers hold who was asked, members[0] first. Nobody to ask: no answers.
    boost::asio::awaitable<std::vector<QueueAnswer>>
    look_up(std::vector<BoundMember> members, std::string token, TimePoint deadline);

    /// Every row of every entry whose log_comment begins with `prefix`, on every member: what must be none
    /// before the dispatching CAS.
    boost::asio::awaitable<std::vector<QueueAnswer>>
    read_by_prefix(std::vector<BoundMember> members, std::string prefix, TimePoint deadline);

    /// Entries with a row that is not Finished and the size of the backlog, from the first of `members`, in
    /// order, that answers. Not readable anywhere: the last answer, with its problem.
    boost::asio::awaitable<QueueAnswer> read_unfinished(std::vector<BoundMember> members, TimePoint deadline);

  private:
    Context& context_;
};

} // namespace onceswap::engine
