#pragma once

#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::refresh_load {

// One coroutine for each verb; each returns the exit code. Cancellation: terminal, by the session's signals.

boost::asio::awaitable<int> publish(cli::Session& session);
boost::asio::awaitable<int> stage(cli::Session& session);
boost::asio::awaitable<int> resume(cli::Session& session);
boost::asio::awaitable<int> abandon(cli::Session& session);
boost::asio::awaitable<int> retire(cli::Session& session);
boost::asio::awaitable<int> close(cli::Session& session);
boost::asio::awaitable<int> orphans(cli::Session& session);
boost::asio::awaitable<int> plan(cli::Session& session);

} // namespace onceswap::refresh_load
