#pragma once

#include "engine/clock.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace onceswap::engine {

/// The machine's clocks: steady for waiting, UTC for records. Timers run on `executor`'s context, which must
/// outlive it.
std::unique_ptr<Clock> make_system_clock(boost::asio::any_io_executor executor);

} // namespace onceswap::engine
