#pragma once

#include "engine/events.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace onceswap::metrics {

/// Counts the engine's events and hands each on. Bounded: one counter for each kind, and one for each
/// statement kind and outcome.
class EventCounters final : public engine::EventSink {
  public:
    explicit EventCounters(engine::EventSink& next) : next_(next) {}

    void on_event(const engine::Event& event) override;

    std::uint64_t of(engine::EventKind kind) const;

    using Mutation = std::pair<protocol::StatementKind, protocol::Outcome>;

    const std::map<Mutation, std::uint64_t>& mutations() const { return mutations_; }

  private:
    engine::EventSink& next_;
    std::map<engine::EventKind, std::uint64_t> kinds_;
    std::map<Mutation, std::uint64_t> mutations_;
};

} // namespace onceswap::metrics
