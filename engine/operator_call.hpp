#pragma once

#include "engine/authority.hpp"
#include "engine/pass.hpp"
#include "protocol/error_code.hpp"
#include "protocol/failure.hpp"
#include "protocol/report.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>

namespace onceswap::engine {

// What the operator's commands have in common: each is one call with a report, also when it is cancelled.

/// Ends the call early: the report says why.
void stop(protocol::Report& report, protocol::Code code, std::string detail);
void stop(protocol::Report& report, const protocol::Failure& failure);

/// What a command does with the passes of its call; fills the report.
using OperatorWork = std::function<boost::asio::awaitable<void>(Passes&, protocol::Report&)>;

/// One call over one target: its cancellation, at whatever point, ends in the report as by ended().
boost::asio::awaitable<protocol::Report>
report_on(Context& context, protocol::TargetName target, TimePoint deadline, OperatorWork work);

/// The report of a call that is over. Where it was cancelled: what the last pass saw, and `cancelled`. Honest
/// about what was sent after that pass.
protocol::Report ended(const Passes& passes, protocol::Report report, bool cancelled);

/// A write that was not won: what stands there now is read once more, so that the report is not about the
/// past. Conflict and the unknown only; the others left no trace. `seen` and `report` are brought up to date.
boost::asio::awaitable<void>
read_after(Passes& passes, const WriteResult& written, Observation& seen, protocol::Report& report);

} // namespace onceswap::engine
