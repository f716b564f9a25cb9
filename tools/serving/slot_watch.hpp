#pragma once

#include "engine/context.hpp"
#include "tools/serving/slot_board.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::serving {

/// Reads the board's slots round after round until `deadline`, eight at a time, each reading within a limit
/// of its own, so that a member which never answers holds up its slots and nothing else. Between two rounds
/// it waits for the board's interval, moved by up to a tenth; rounds with gaps make the wait longer, up to
/// four intervals. Read-only. Cancellation: terminal, throws operation_aborted; nothing is left behind.
boost::asio::awaitable<void>
watch_slots(engine::Context& context, SlotBoard& board, engine::TimePoint deadline);

/// The longest that one reading of one slot may take.
engine::Duration reading_limit(const engine::Limits& limits);

/// How long the board may stay silent before the watching must be called stuck.
engine::Duration silence_limit(const engine::Limits& limits, const Watched& watched);

} // namespace onceswap::serving
