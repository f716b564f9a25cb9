#pragma once

#include "engine/backoff.hpp"
#include "engine/discovery.hpp"
#include "engine/judgement.hpp"
#include "protocol/authority_record.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::engine {

/// The passes of one invocation over one target: read everything at once, conclude, remember only what the
/// order of evidence needs. Read-only; whoever acts writes through Authority and tells what stands there now.
///
/// * A pass reads catalogue, record and queue of every member at once. Its conclusion is about the record
/// that was
///   known before it began: if another one stands there afterwards, the pass is thrown away.
/// * A terminal queue reading is combined only with catalogues that were asked after it was complete: if the
/// queue has
///   just turned terminal, the catalogues are read again within the pass.
/// * Catalogues that do not fit together are believed after limits.equal_readings_for_foreign equal readings.
/// * An answer counts for the member whose server UUID it shows. Who has no endpoint, or lost it, is looked
/// for again
///   before the next pass.
class Passes {
  public:
    Passes(Context& context, protocol::TargetName target, TimePoint deadline);

    /// What the caller has just discovered, so that the first pass need not.
    void begin_with(Discovery discovery);

    /// The next settled conclusion. The first call discovers the slot. At the deadline it returns what it
    /// has: where that ends a reading before all have answered, the one before it. Cancellation: terminal,
    /// throws operation_aborted; nothing is left behind.
    boost::asio::awaitable<Observation> next();

    /// Waits before the next pass, a little longer each time. False: the deadline does not allow another one;
    /// nothing was waited for.
    boost::asio::awaitable<bool> pause();

    /// Our own write stands there: the next pass is about it.
    void moved(const VersionedRecord& now);

    /// What this invocation's own DDL with that token came to. Forgotten with the token.
    void holder_saw(std::string token, protocol::HolderResult result);

    /// Whether the last DDL that this invocation sent carried that token.
    bool sent(std::string_view token) const { return !token.empty() && token == holder_token_; }

    /// A statement may have taken effect since the last pass: what that pass concluded is the past. The next
    /// one makes it the present again.
    void outdate() { outdated_ = true; }

    /// `report` of the last pass, honest about what was sent after it: then its verdict is OUTCOME_UNKNOWN
    /// and the detail says what was seen last.
    protocol::Report as_of_now(protocol::Report report) const;

    /// How long this invocation has seen the record unchanged: what a visibility wait is measured with.
    Duration unchanged_for() const;

    TimePoint deadline() const { return deadline_; }

    bool out_of_time() const;

    const Discovery& discovery() const { return discovery_; }

    /// The observation of the last next(), also where a cancellation ended the one after it.
    const Observation& last() const { return last_; }

  private:
    /// nullopt: the record changed meanwhile, or nobody could read it.
    boost::asio::awaitable<std::optional<Observation>> pass();
    boost::asio::awaitable<void> find_members();
    boost::asio::awaitable<void>
    read_queue(std::vector<BoundMember> members, PassFacts& facts, bool everywhere);
    boost::asio::awaitable<void> read_catalogues(std::vector<BoundMember> members, PassFacts& facts);
    bool still_stands(const PassFacts& facts, const AuthorityReading& reading);
    bool members_missing() const;
    bool untouchable() const;
    bool vanished() const;
    bool is_cut_off(const std::optional<Observation>& seen) const;
    Observation without_record() const;
    boost::asio::awaitable<void> look_for_traces();
    Observation unread() const;
    void keep(VersionedRecord current);

    Context& context_;
    protocol::TargetName target_;
    TimePoint deadline_;
    Backoff backoff_;
    Discovery discovery_;
    bool discovered_ = false;
    std::optional<VersionedRecord> known_;
    TimePoint known_since_{};
    std::vector<BoundMember> members_;
    std::string terminal_token_; ///< its entry was seen terminal before the pass that runs now
    std::string holder_token_;
    protocol::HolderResult holder_result_ = protocol::HolderResult::none;
    AuthorityReading reading_;       ///< of the last pass, for the report where nothing could be concluded
    std::int64_t reading_began_ = 0; ///< by the wall clock, in seconds
    Observation last_;
    bool outdated_ = false;
};

/// The first entry among `rows`, which belong to one operation, that is no setup statement; empty where there
/// is none.
std::string dispatched_entry(const std::vector<protocol::QueueRow>& rows);

} // namespace onceswap::engine
