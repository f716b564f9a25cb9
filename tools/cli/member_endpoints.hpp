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

/// One endpoint for each member of the cluster, as system.clusters of the seed that answers first names them:
/// host_name with the HTTP port of the options. All seeds are asked at once, so that one that is dead or
/// hangs costs nothing while another answers. Whether each endpoint is the member it stands for is
/// admission's business. Errors, only when no seed answers with the cluster, with what each of them said:
/// connection_failed, inventory_incomplete when one answered and knows no such cluster, config_invalid for a
/// host name that fits no URL. Cancellation: terminal, throws operation_aborted.
boost::asio::awaitable<protocol::Result<std::vector<http::Endpoint>>> derive_endpoints(
    http::Transport& transport,
    engine::Entropy& entropy,
    std::vector<http::Endpoint> seeds,
    Options options,
    engine::TimePoint deadline
);

/// Whether the user may not even send settings (readonly=1): the first of the members to answer does so with
/// code 164 to the transport's usual settings. No answer at all counts as no. Cancellation: terminal, throws
/// operation_aborted.
boost::asio::awaitable<bool> is_readonly_user(
    http::Transport& transport,
    engine::Entropy& entropy,
    std::vector<http::Endpoint> endpoints,
    engine::TimePoint deadline
);

} // namespace onceswap::cli
