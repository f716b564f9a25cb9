#pragma once

#include "protocol/report.hpp"
#include "tools/metrics/event_counters.hpp"
#include "tools/metrics/exposition.hpp"

#include <span>

namespace onceswap::metrics {

/// The last report of each slot: verdict, exit code, epoch, times, gaps, and each expected member's state.
/// What is not known has no sample, so that no alert can take a zero for an answer: a member whose health was
/// not answered has no `onceswap_member_healthy`. Of a state only the present one is there, with value 1.
/// docs/cli/metrics.md lists the names.
void append_slots(Exposition& exposition, std::span<const protocol::Report> reports);

/// What this process did since it began.
void append_counters(Exposition& exposition, const EventCounters& counters);

/// The exposition of a program that watches some slots: both of the above.
std::string slot_metrics(std::span<const protocol::Report> reports, const EventCounters& counters);

} // namespace onceswap::metrics
