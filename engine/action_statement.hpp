#pragma once

#include "engine/context.hpp"
#include "protocol/authority_record.hpp"
#include "protocol/queue_evidence.hpp"
#include "protocol/statements.hpp"

#include <optional>
#include <vector>

namespace onceswap::engine {

/// The one statement that the record's current attempt stands for, rendered from the record alone: what the
/// permit holder sends and what the queue must show are the same text by construction. nullopt in a phase
/// without an attempt.
std::optional<protocol::Statement>
action_statement(const protocol::AuthorityRecord& record, const Limits& limits);

/// What the queue must show for the current attempt.
std::optional<protocol::ExpectedEntry>
expected_entry(const protocol::AuthorityRecord& record, const Limits& limits);

/// The members of a record as an inventory, for what is compared with it row by row. nullopt: the record's
/// own members are no inventory (it should not have decoded).
std::optional<protocol::Inventory> inventory_of(const protocol::AuthorityRecord& record);

/// Host and port of each member of a record, in its order: what an ON CLUSTER answer must show row by row.
std::vector<protocol::HostPort> hosts_of_record(const protocol::AuthorityRecord& record);

} // namespace onceswap::engine
