#pragma once

#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::reconcile_watch {

/// Prints what the operand means, or the list of all words. Asks nobody. 2 for a word that is none.
boost::asio::awaitable<int> explain(cli::Session& session);

} // namespace onceswap::reconcile_watch
