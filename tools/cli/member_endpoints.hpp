#pragma once

#include "engine/clock.hpp"
#include "engine/entropy.hpp"
#include "http_transport/transport.hpp"
#include "protocol/failure.hpp"
#include "tools/cli/options.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace onceswap::cli {

/// What --host stands for: scheme and port from the options.
protocol::Result<http::Endpoint> endpoint_of_host(const Options& options, std::string_view host);

/// One endpoint for each member of the cluster, as system.clusters of `first` names them: host_name with the
/// HTTP port of the options. Whether each is the member it stands for is admission's business. Errors:
/// connection_failed, inventory_incomplete when there is no such cluster, config_invalid for a host name that
/// fits no URL.
boost::asio::awaitable<protocol::Result<std::vector<http::Endpoint>>> derive_endpoints(
    http::Transport& transport,
    engine::Entropy& entropy,
    http::Endpoint first,
    Options options,
    engine::TimePoint deadline
);

/// Whether the user may not even send settings (readonly=1): the first member answers the transport's usual
/// settings with code 164. Anything else counts as no.
boost::asio::awaitable<bool> is_readonly_user(
    http::Transport& transport, engine::Entropy& entropy, http::Endpoint endpoint, engine::TimePoint deadline
);

} // namespace onceswap::cli
