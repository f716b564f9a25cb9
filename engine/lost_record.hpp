#pragma once

#include "engine/discovery.hpp"
#include "protocol/lost_record.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace onceswap::engine {

/// What is in sight of a publication whose record nobody shows.
struct Traces : protocol::RecordTraces {
    Traces() = default;
    std::vector<std::string> elsewhere; ///< records of the target under other names of the cluster
    std::vector<std::string> gaps;      ///< who could not be asked for them
};

static_assert(!std::is_aggregate_v<Traces>);

/// Asks every endpoint that `discovery` heard of for the target's tables of ours, and the first that answers
/// for entries of ours in the queue, and looks for the target's records under other keys. Read-only.
/// Cancellation: terminal, throws operation_aborted with nothing left behind.
boost::asio::awaitable<Traces>
find_traces(Context& context, const Discovery& discovery, protocol::TargetName target, TimePoint deadline);

} // namespace onceswap::engine
