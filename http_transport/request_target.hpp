#pragma once

#include "http_transport/transport.hpp"

#include <boost/system/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace onceswap::http {

/// ClickHouse's own bound on the request line (`http_max_uri_size`, default 1 MiB).
inline constexpr std::size_t max_target_bytes = 1'048'576;

/// The request target: the endpoint's prefix, `/?`, the parameters that are none of the statement's business,
/// the transport's settings and the statement's own, which win over the transport's. See docs/statements.md.
/// `readonly_user`: no setting at all; a mutation and a probe of settings are refused, since they would be
/// another statement without theirs. Errors: what cannot be sent and why (too long, no query_id, an empty
/// setting name).
boost::system::result<std::string, std::string> request_target(
    const Endpoint& endpoint, const Request& request, std::string_view query_id, bool readonly_user
);

} // namespace onceswap::http
