#pragma once

#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::reconcile_watch {

/// Passes over one target until a verdict that waiting cannot change, the deadline, another operation or
/// epoch than the pinned one, or a reader that went away. Reads only. On a terminal the table is redrawn in
/// place; elsewhere there is one line for each change and the table at the end; with --json one document a
/// line (docs/cli/watch.schema.json). Returns the exit code. Cancellation: terminal, by the session's
/// signals, also while a reader does not read.
boost::asio::awaitable<int> watch(cli::Session& session);

} // namespace onceswap::reconcile_watch
