#pragma once

#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::reconcile_watch {

/// Keeps watching one slot or every slot of a database, and serves what it sees over HTTP until a signal or
/// the deadline. Reads only, and no route changes anything. Exit code 3 at the deadline, 2 for an address or
/// a token file that cannot be used. Cancellation: terminal; the server stops at once, answers that are under
/// way get 50 ms.
boost::asio::awaitable<int> serve(cli::Session& session);

} // namespace onceswap::reconcile_watch
