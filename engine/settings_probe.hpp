#pragma once

#include "engine/context.hpp"
#include "protocol/admission.hpp"
#include "protocol/names.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace onceswap::engine {

/// Sends `SELECT 1` to every endpoint with the exact settings of each kind of mutation that a publication
/// will send, all at once: a constraint, a missing setting or a readonly profile shows before anything is at
/// stake. One finding for each refusal; an endpoint that does not answer is none, it has its own.
boost::asio::awaitable<std::vector<protocol::Finding>>
probe_settings(Context& context, protocol::TargetName target, std::string cluster, TimePoint deadline);

} // namespace onceswap::engine
