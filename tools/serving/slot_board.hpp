#pragma once

#include "engine/clock.hpp"
#include "engine/publish.hpp"
#include "tools/serving/slot_history.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace onceswap::serving {

/// What is watched, as it is served.
struct Watched {
    Watched() = default;
    std::string cluster;
    std::string database;
    std::string table; ///< empty: every slot of the database
    std::chrono::milliseconds interval{0};
};

/// The state that the readings leave and the routes show. One loop: whoever reads it sees whole readings.
class SlotBoard {
  public:
    /// Slots that are kept; the database's further ones are counted and not read.
    static constexpr std::size_t most_slots = 256;

    SlotBoard(Watched watched, const engine::Clock& clock);

    /// The listing of a round. A slot that is not in it any more is still read until its reading says
    /// NO_RECORD.
    void listed(const engine::Slots& slots);
    /// Nobody could list the slots.
    void listing_failed(std::string why);
    void observed(const SlotReading& reading);
    void round_ended();

    const Watched& watched() const { return watched_; }

    /// Slots to read, sorted.
    std::vector<protocol::TargetName> targets() const;

    /// What read_slot is to be told of an earlier reading; empty without one.
    std::string settled(const protocol::TargetName& target) const;

    const std::map<protocol::TargetName, SlotHistory>& slots() const { return slots_; }

    /// Records that cannot be decoded; whose they are is not known.
    const std::vector<protocol::Report>& unreadable() const { return unreadable_; }

    std::size_t omitted() const { return omitted_; }

    const std::string& problem() const { return problem_; }

    std::uint64_t rounds() const { return rounds_; }

    std::int64_t started_at() const { return started_at_; }

    std::int64_t last_round_at() const { return last_round_at_; } ///< seconds UTC; 0: none has ended

    /// Since anything was learnt: a reading or a round.
    engine::Duration quiet_for() const { return clock_.now() - last_sign_; }

    std::int64_t now() const { return clock_.wall_seconds(); }

    /// Moves whenever anything here does.
    std::uint64_t revision() const { return revision_; }

    /// The last reading of every slot, unreadable ones last.
    std::vector<protocol::Report> reports() const;

  private:
    void touch();

    Watched watched_;
    const engine::Clock& clock_;
    std::map<protocol::TargetName, SlotHistory> slots_;
    std::vector<protocol::TargetName> targets_;
    std::vector<protocol::Report> unreadable_;
    std::size_t omitted_ = 0;
    std::string problem_;
    std::uint64_t rounds_ = 0;
    std::uint64_t revision_ = 0;
    std::int64_t started_at_ = 0;
    std::int64_t last_round_at_ = 0;
    engine::TimePoint last_sign_;
};

} // namespace onceswap::serving
