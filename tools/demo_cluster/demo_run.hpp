#pragma once

#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::demo_cluster {

/// `publish --demo`: a whole publication, with the commands of other processes where the story of
/// --demo-fault needs them, against a simulated cluster of three in virtual time: no network, no waiting, the
/// same in every run. The output is that of the last command, marked as a demo. `--demo-fault list` prints
/// the names. Returns the exit code: the verdict's, 2 for a name that is not in the table or an option that
/// the demo has no use for. Cancellation: terminal, between two commands of the story.
boost::asio::awaitable<int> run_demo(cli::Session& session);

} // namespace onceswap::demo_cluster
