#pragma once

#include "engine/context.hpp"
#include "engine/pin.hpp"
#include "protocol/failure.hpp"
#include "protocol/names.hpp"
#include "protocol/orphans.hpp"
#include "protocol/outcome.hpp"
#include "protocol/report.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace onceswap::engine {

/// Every table of a database that this project made or that its records list, with what is known of it.
struct OrphanListing {
    OrphanListing() = default;
    std::vector<protocol::ListedTable> tables; ///< by name
    std::vector<std::string> unreadable;       ///< records that could not be decoded, and why
    std::vector<std::string> gaps;             ///< endpoints that did not answer, and why
};

static_assert(!std::is_aggregate_v<OrphanListing>);

/// Asks every endpoint at once for its tables with our prefix and for all records of `database`; sends
/// nothing else. A table is called an orphan only if a record lists it as one. Error: nobody answered.
/// Cancellation: terminal, throws operation_aborted with nothing left behind.
boost::asio::awaitable<protocol::Result<OrphanListing>>
list_orphans(Context& context, std::string database, TimePoint deadline);

/// What came of one drop.
struct OrphanDrop {
    OrphanDrop() = default;
    protocol::Report report; ///< the slot; `stopped_by` where the drop was refused or is not known
    /// Of the one statement; not_sent also where it was refused.
    protocol::Outcome outcome = protocol::Outcome::not_sent;
    bool gone = false; ///< afterwards every member showed that the name is free
    /// The members (`host:port`, in the record's order) that showed so when they were last asked after the
    /// statement; empty where nothing was sent.
    std::vector<std::string> free_on;
};

static_assert(!std::is_aggregate_v<OrphanDrop>);

/// Drops one orphan ON CLUSTER, once: pinned as `retire`, only if the target's record lists exactly this name
/// with this uuid as an orphan and no unsettled record names it, and only after every member of the inventory
/// shows the uuid under the name (protocol::may_drop_orphan). Nothing is dropped by prefix, age or schema.
/// The record keeps listing it: the list is a bounded memory. A statement whose outcome is not known is never
/// sent again here; the members are read until all show the name free, at most limits.visibility_wait.
///
/// Cancellation: terminal, as a report with `cancelled`: before the statement's first byte nothing was sent.
/// Throws nothing for I/O.
boost::asio::awaitable<OrphanDrop> drop_orphan(
    Context& context, protocol::TargetName target, Pin pin, protocol::NamedTable orphan, TimePoint deadline
);

} // namespace onceswap::engine
