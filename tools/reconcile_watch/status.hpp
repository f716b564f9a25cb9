#pragma once

#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::reconcile_watch {

/// One pass over one target, or over every slot of a database; prints it and returns the exit code. Reads
/// only. With several slots the code is the worst one: the first of 4, 5, 7, 9, 6, 3, 0 that any of them has,
/// 1 before all. Cancellation: terminal, by the session's signals.
boost::asio::awaitable<int> status(cli::Session& session);

} // namespace onceswap::reconcile_watch
