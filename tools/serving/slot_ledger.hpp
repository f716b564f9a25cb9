#pragma once

#include "engine/context.hpp"
#include "protocol/names.hpp"
#include "protocol/report.hpp"
#include "tools/serving/mutations.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace onceswap::serving {

/// One reading of a slot with the statements that its record and the queue prove.
struct SlotReading {
    SlotReading() = default;
    protocol::Report report;
    std::vector<Mutation> mutations; ///< empty without a record that can be read
    /// The record's version, where nothing more can be learnt of it from the queue; else empty.
    std::string settled;
};

static_assert(!std::is_aggregate_v<SlotReading>);

/// One pass as engine::observe, then the queue's entries of the record's operation from the first of at most
/// two members that shows them. They are not asked for where the record is still the `settled` one of an
/// earlier reading. Read-only. Cancellation: terminal, throws operation_aborted; nothing is left behind.
boost::asio::awaitable<SlotReading> read_slot(
    engine::Context& context, protocol::TargetName target, std::string settled, engine::TimePoint deadline
);

} // namespace onceswap::serving
