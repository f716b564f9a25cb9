#pragma once

#include "protocol/report.hpp"
#include "tools/serving/slot_ledger.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::serving {

/// What two readings of a slot differ in. Each is named after where it was seen.
enum class Change {
    first,   ///< the first reading
    verdict, ///< another verdict
    record,  ///< the record was written: phase, epoch or version
    entry,   ///< another entry of the distributed DDL queue belongs to the phase
    queue,   ///< a member's row of that entry
    member,  ///< what a member's names hold
    gap,     ///< something could not be read, or could be read again
};
std::string_view text(Change change);

struct Happening {
    std::int64_t at = 0; ///< of the reading that showed it, seconds UTC
    Change change = Change::first;
    std::string host; ///< empty: of no single member
    std::string from; ///< empty: nothing
    std::string to;
};

/// Readings in a row with the same verdict.
struct PassRun {
    protocol::Word word = protocol::Word::outcome_unknown;
    std::uint64_t count = 0;
    std::int64_t first_at = 0;
    std::int64_t last_at = 0;
};

/// The readings of one slot, newest last, what changed between them, and the statements that record and queue
/// prove. It sees what stands in records, queue and tables and nothing else: what came and went between two
/// readings is not in it. Bounded: the oldest go first.
class SlotHistory {
  public:
    static constexpr std::size_t most_happenings = 64;
    static constexpr std::size_t most_runs = 32;
    static constexpr std::size_t most_mutations = 64;

    void add(const SlotReading& reading);

    /// Of the last reading; defined when passes() > 0.
    const protocol::Report& last() const { return last_; }

    std::uint64_t passes() const { return passes_; }

    const std::deque<Happening>& happenings() const { return happenings_; }

    const std::deque<PassRun>& runs() const { return runs_; }

    std::uint64_t forgotten() const { return forgotten_; } ///< happenings that were pushed out

    /// In the order of operations and epochs.
    const std::vector<Mutation>& mutations() const { return mutations_; }

    bool has_older_mutations() const { return has_older_mutations_; } ///< some were pushed out

    /// For the next read_slot.
    const std::string& settled() const { return settled_; }

  private:
    void compare(const protocol::Report& now);
    void compare_members(const protocol::Report& now);
    void note(Change change, std::string host, std::string from, std::string to, std::int64_t at);

    protocol::Report last_;
    std::uint64_t passes_ = 0;
    std::uint64_t forgotten_ = 0;
    std::deque<Happening> happenings_;
    std::deque<PassRun> runs_;
    std::vector<Mutation> mutations_;
    bool has_older_mutations_ = false;
    std::string settled_;
};

} // namespace onceswap::serving
