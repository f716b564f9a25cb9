#pragma once

#include "engine/discovery.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace onceswap::engine {

/// Records of a target that stand under other keys than its own: made under another name of the cluster,
/// which it may have no more, so that no list of today's names can lead to them. Such a record and one under
/// the canonical name would be two authorities for one table.
struct OtherKeys {
    OtherKeys() = default;

    std::vector<std::string> records; ///< `a0: operation <id>, COMPLETED`, sorted
    /// Records of all targets, as the member that shows the most of them does.
    std::optional<std::uint64_t> of_all_targets;
    /// Why nobody could say; empty when a member showed its records, or none has the authority table.
    std::string problem;
};

static_assert(!std::is_aggregate_v<OtherKeys>);

/// Asks up to three endpoints at once, the last one only where it is needed (it is asked for the queue), and
/// joins what they show: one of them may lag. Where none of them answers, the others in turn. A record counts
/// when it shares a server, or a host and port, with the cluster as `discovery` found it: two clusters
/// without a common member may keep their slots in one table. Read-only. Made to be a child of a group:
/// `discovery` and `found`, which is written at the end, belong to the caller and outlive it. Cancellation:
/// terminal, throws operation_aborted with nothing left behind.
boost::asio::awaitable<void> find_other_keys(
    Context& context,
    const Discovery& discovery,
    protocol::TargetName target,
    TimePoint deadline,
    OtherKeys& found
);

} // namespace onceswap::engine
