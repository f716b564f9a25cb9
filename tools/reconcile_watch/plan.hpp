#pragma once

#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::reconcile_watch {

/// The admission and the exact statements that a publication would send, by the code that refresh-load plan
/// runs; sends none of them. Returns the exit code. Cancellation: terminal, by the session's signals.
boost::asio::awaitable<int> plan(cli::Session& session);

} // namespace onceswap::reconcile_watch
