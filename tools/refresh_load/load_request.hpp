#pragma once

#include "engine/publish.hpp"
#include "tools/cli/session.hpp"
#include "tools/loading/loader.hpp"

#include <boost/asio/awaitable.hpp>

namespace onceswap::refresh_load {

/// Completes invocation id and plan digest, so that every try of one run is the same operation; says the id
/// that it made up. A file is read once for that. 0: go on, else the exit code. Cancellation: terminal.
boost::asio::awaitable<int> identify(cli::Session& session, loading::Loader& loader);

/// What the options ask the engine for.
engine::PublishRequest request_of(cli::Session& session);

} // namespace onceswap::refresh_load
