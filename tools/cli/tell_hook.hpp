#pragma once

#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

namespace onceswap::cli {

/// Tells the command of --on-verdict, where there is one, what `document` says: on its standard input, with
/// the verdict's word in ONCESWAP_VERDICT and `code` in ONCESWAP_EXIT_CODE. An empty document tells nothing.
/// After a signal nobody is told: the program is to end now. Cancellation: as run_hook().
boost::asio::awaitable<void> tell_hook(Session& session, const boost::json::object& document, int code);

} // namespace onceswap::cli
