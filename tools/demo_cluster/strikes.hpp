#pragma once

#include "tools/demo_cluster/demo_fault.hpp"

#include <string_view>

namespace onceswap::demo_cluster {

// Faults of which the stories are made. Members are numbered from 0, hosts are ch-1 and on.

/// The process dies when it is about to hand over its first statement of that kind.
sim::Fault dies_at(protocol::StatementKind kind);
/// The same at the record's step to `phase`, as it is written.
sim::Fault dies_at_write_of(std::string_view phase);
/// Once a statement of that kind is in the queue, the DDL worker of a member stands still.
sim::Fault worker_stops(protocol::StatementKind kind, sim::MemberIndex member, sim::Time lasts = {});
/// The host answers every statement of that kind with an error.
sim::Fault host_fails(protocol::StatementKind kind, sim::MemberIndex member);
/// Somebody changes something by now.
sim::Fault at_once(sim::Effect effect);

/// `publish`, which dies at that fault.
Step publish_that_dies(std::string says, sim::Fault death);
Step happens(std::string says, std::vector<sim::Fault> faults);
/// A statement was sent by nobody: the process died between the record of the dispatch and the dispatch.
Step publish_that_dies_before_its_statement();

} // namespace onceswap::demo_cluster
