#pragma once

#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::reconcile_watch {

/// The whole admission as a checklist with remedies; prints it and returns the exit code: 0 nothing refuses,
/// 8 refused, 4 what decides is not known, 1 nobody could be reached. Reads only. Cancellation: terminal, by
/// the session's signals.
boost::asio::awaitable<int> doctor(cli::Session& session);

} // namespace onceswap::reconcile_watch
