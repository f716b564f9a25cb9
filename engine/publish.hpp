#pragma once

#include "engine/context.hpp"
#include "engine/pin.hpp"
#include "protocol/names.hpp"
#include "protocol/report.hpp"
#include "protocol/uuid.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace onceswap::engine {

/// What to publish and how far to go. Every field but the first three has a default.
struct PublishRequest {
    PublishRequest() = default;
    protocol::TargetName target;
    std::string invocation_id; ///< the scheduler's, the same for every try of one run; not empty
    std::string plan_digest;   ///< 64 hex digits: what is loaded, from where, how
    /// The table whose structure the candidate copies; empty: the target. Needed when the target does not
    /// exist.
    protocol::TargetName like;
    bool accept_lost_authority = false;
    /// Publish although a materialized view reads from or writes to the target: it stays with the table that
    /// goes. A view of the candidate refuses all the same.
    bool allow_view_depends = false;
    /// Nothing is at hand to stage: only what an earlier call has staged and recorded is gone on with, and
    /// the record's plan digest counts where `plan_digest` is empty. Refused where the slot does not hold
    /// this operation, and with the reason where its candidate is not ready.
    bool only_staged = false;
    bool dispatch = true; ///< false: stop at PREPARED, proven and recorded; nothing later is done either
    bool cleanup = true;  ///< false: stop at COMMITTED
    /// Whether the source can be read once more from its beginning. When it cannot (a pipe) and an earlier
    /// try of this invocation left a candidate that is not ready, the rows that it took are lost: refused
    /// with input_not_repeatable before anything is asked of the source.
    bool source_is_repeatable = true;
    TimePoint deadline = TimePoint::max();
};

static_assert(!std::is_aggregate_v<PublishRequest>);

/// Where staged rows go: made by the engine, filled by the loader.
struct Candidate {
    Candidate() = default;
    std::string name;
    protocol::Uuid uuid;
    /// Set when a crashed try of the same operation had recorded this candidate and it is ready: do not stage
    /// again.
    bool already_staged = false;
    std::uint64_t staged_rows = 0;
};

/// The loader's part: fills the candidate and returns the number of acknowledged rows, or a failure that ends
/// the publication before the authority is written. Runs between admission A and B. Is not called when the
/// operation is already past staging.
using StageFunction =
    std::function<boost::asio::awaitable<protocol::Result<std::uint64_t>>(Context&, const Candidate&)>;

/// Publishes once: admission, candidate, staging, authority, one DDL, reconciliation, cleanup.
/// The report's verdict is COMPLETED or COMMITTED on success, READY where it was told not to dispatch;
/// everything else says what is known and what is safe next. Called again with the same invocation id it goes
/// on from the record and never dispatches a second time. Cancellation: terminal. Before the dispatching CAS
/// nothing is left but a candidate (named in the report); from that CAS's first byte to the DDL's last it is
/// deferred (limits.dispatch_reserve); after it only the waiting stops. Throws nothing for I/O; bad_alloc and
/// broken preconditions only.
boost::asio::awaitable<protocol::Report>
publish(Context& context, PublishRequest request, StageFunction stage);

/// Works from the record alone: reads, passes, acts on the verdict (binding, receipts, cleanup), never
/// publishes again.
boost::asio::awaitable<protocol::Report>
resume(Context& context, protocol::TargetName target, TimePoint deadline);

/// One pass, read-only: the verdict now. Without a record its traces are looked for: what only a dispatched
/// publication leaves behind makes it AUTHORITY_LOST, other tables with our prefix are named in a warning.
boost::asio::awaitable<protocol::Report>
observe(Context& context, protocol::TargetName target, TimePoint deadline);

/// Passes with bounded backoff until a terminal verdict or the deadline; read-only. `on_change` is called on
/// the loop for the first pass and whenever the report differs from the one before.
boost::asio::awaitable<protocol::Report> watch(
    Context& context,
    protocol::TargetName target,
    TimePoint deadline,
    std::function<void(const protocol::Report&)> on_change
);

/// What a watcher does with a pass: its report, and whether it differs from the one before. Awaited before
/// the next pass, so that a slow reader slows the watching down and nothing piles up. False ends the watch.
using PassFunction = std::function<boost::asio::awaitable<bool>(const protocol::Report&, bool changed)>;

/// The same, where every pass is told, and `on_pass` can end it; then the report is that of the pass.
boost::asio::awaitable<protocol::Report>
watch_passes(Context& context, protocol::TargetName target, TimePoint deadline, PassFunction on_pass);

/// PREPARED, or DISPATCHING proven NOT_DISPATCHED, to ABANDONED: one CAS, no DDL. Members need not answer for
/// PREPARED.
boost::asio::awaitable<protocol::Report>
abandon(Context& context, protocol::TargetName target, Pin pin, TimePoint deadline);

/// The admission checklist and the exact statements that a publication would send; sends none of them.
struct Plan {
    Plan() = default;
    protocol::Report report; ///< findings and, where there is one, the slot's verdict

    struct Step {
        std::string statement;
        std::string scope; ///< `every member`, `one member`
        std::vector<std::string> hosts;
    };

    std::vector<Step> steps;
};

boost::asio::awaitable<Plan> plan(Context& context, PublishRequest request);

/// Every slot of a database.
struct Slots {
    Slots() = default;
    std::vector<protocol::TargetName> targets; ///< sorted
    /// A report with AUTHORITY_INVALID for each row that cannot be decoded. Whose it is cannot be told: the
    /// table's name is empty, and the detail has the beginning of the key.
    std::vector<protocol::Report> unreadable;
};

static_assert(!std::is_aggregate_v<Slots>);

/// For `status --all`: what the first endpoint that answers shows. A row that cannot be decoded is reported,
/// never left out. Error: nobody answered. Cancellation: terminal, throws operation_aborted.
boost::asio::awaitable<protocol::Result<Slots>>
list_targets(Context& context, std::string database, TimePoint deadline);

} // namespace onceswap::engine
