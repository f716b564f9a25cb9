#pragma once

#include "engine/authority_reading.hpp"
#include "engine/bound_member.hpp"
#include "engine/context.hpp"
#include "engine/dispatch_permit.hpp"
#include "protocol/authority_record.hpp"
#include "protocol/failure.hpp"
#include "protocol/outcome.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace onceswap::engine {

struct OneShot;

// The outcomes of an authority write. `problem.code` is cas_conflict, cas_outcome_unknown, authority_invalid
// (the record could not be encoded; nothing was sent), cancelled, deadline_reached, connection_failed or, for
// Rejected, what the server's code means; `problem.detail` names the member and what was seen.

/// Acknowledged, and the post-read on the same server is exactly our row at version + 1 (0 for a create).
struct Won {
    Won() = default;

    explicit Won(VersionedRecord now_) : now(std::move(now_)) {}

    VersionedRecord now; ///< what stands there: the base of the next write
};

/// A foreign write stands at exactly that version, or the server said (Bad version), (Node exists) or (No
/// node).
struct Conflict {
    Conflict() = default;

    explicit Conflict(protocol::Failure problem_) : problem(std::move(problem_)) {}

    protocol::Failure problem;
};

/// The server refused before any effect.
struct Rejected {
    Rejected() = default;

    explicit Rejected(protocol::Failure problem_) : problem(std::move(problem_)) {}

    protocol::Failure problem;
};

/// No byte was handed to the socket.
struct NotSent {
    NotSent() = default;

    explicit NotSent(protocol::Failure problem_) : problem(std::move(problem_)) {}

    protocol::Failure problem;
};

/// Everything else. Nothing turns it into a permit, not even a later read that shows our value.
struct OutcomeUnknown {
    OutcomeUnknown() = default;

    explicit OutcomeUnknown(protocol::Failure problem_) : problem(std::move(problem_)) {}

    protocol::Failure problem;
};

using WriteResult = std::variant<OutcomeUnknown, Won, Conflict, Rejected, NotSent>;

/// The problem of a result that is not Won; null for Won.
const protocol::Failure* problem_of(const WriteResult& result);
/// `Won`, `Conflict`, `Rejected`, `NotSent`, `OutcomeUnknown`.
std::string_view text(const WriteResult& result);

/// The port to the KeeperMap table that holds one record per target. A mutation is sent once, never again:
/// one prepared connection, one POST, one post-read on the same endpoint. Each raises a `mutation` event with
/// its outcome.
///
/// In every record that is written the port itself sets write_id, new in every write, whatever the caller put
/// there; the step of the record is checked against protocol::is_allowed_transition.
///
/// Cancellation and deadline of a write: before its first byte NotSent; after it OutcomeUnknown. Both are
/// returned as values, so that the caller learns what happened; its next co_await then throws
/// operation_aborted.
class Authority {
  public:
    Authority(Context& context, std::string database, std::string target_key)
        : context_(context), database_(std::move(database)), target_key_(std::move(target_key)) {}

    /// Every member at once; the highest version counts, laggards are named. Never throws for I/O.
    /// Cancellation: terminal, throws operation_aborted after all reads are joined.
    boost::asio::awaitable<AuthorityReading>
    read_versioned(std::vector<BoundMember> members, TimePoint deadline);

    /// One strict INSERT of the whole row. Precondition: protocol::is_allowed_creation and this slot's
    /// target_key (throws std::logic_error).
    boost::asio::awaitable<WriteResult>
    create_if_absent(BoundMember member, protocol::AuthorityRecord next, TimePoint deadline);

    /// One ALTER TABLE ... UPDATE whose WHERE names the row that was read. Precondition: same target_key, and
    /// not a dispatching write (a dispatching phase with a risen epoch goes through dispatch(), which alone
    /// brings a permit); throws std::logic_error.
    boost::asio::awaitable<WriteResult> compare_and_swap(
        BoundMember member, VersionedRecord current, protocol::AuthorityRecord next, TimePoint deadline
    );

    const std::string& database() const { return database_; }

    const std::string& target_key() const { return target_key_; }

  private:
    friend class DispatchSection;

    /// A write whose row is encoded and whose way is open: the next call hands over its first byte.
    class Way;
    boost::asio::awaitable<Way> prepare_write(
        BoundMember member,
        std::optional<VersionedRecord> current,
        protocol::AuthorityRecord next,
        TimePoint deadline
    );
    boost::asio::awaitable<WriteResult> write_once(Way way, TimePoint deadline);
    boost::asio::awaitable<WriteResult> prepare_and_write(
        BoundMember member,
        std::optional<VersionedRecord> current,
        protocol::AuthorityRecord next,
        TimePoint deadline
    );
    boost::asio::awaitable<WriteResult> read_back(const Way& way, const OneShot& shot, TimePoint deadline);
    /// The permit of a won dispatching write; nullopt for everything else.
    static std::optional<DispatchPermit>
    permit_for(const protocol::AuthorityRecord& before, const WriteResult& result);

    Context& context_;
    std::string database_;
    std::string target_key_;
};

/// The outcome of a write in the words of events.
protocol::Outcome outcome_of(const WriteResult& result);

/// Whether a write from `before` to `after` is one that a permit stands for: the new phase is a dispatching
/// one and the epoch rose by exactly one.
bool is_dispatching_write(const protocol::AuthorityRecord& before, const protocol::AuthorityRecord& after);

} // namespace onceswap::engine
