#pragma once

#include "engine/discovery.hpp"
#include "protocol/names.hpp"
#include "protocol/report.hpp"

#include <vector>

namespace onceswap::engine {

/// Without a record nothing can be judged, but an operator still wants to see what the target is on each
/// member: one row per expected member, with the uuid that its catalogue shows for the target. A member is
/// matched to the endpoint that calls it local; nobody acts on these rows. Pure.
std::vector<protocol::Report::Row>
unjudged_members(const Discovery& discovery, const protocol::TargetName& target);

} // namespace onceswap::engine
