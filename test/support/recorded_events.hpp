#pragma once

#include "engine/events.hpp"

#include <vector>

namespace onceswap::testing {

/// Keeps every event in order.
class RecordedEvents final : public engine::EventSink {
  public:
    void on_event(const engine::Event& event) override { events.push_back(event); }

    std::vector<engine::Event> of(engine::EventKind kind) const {
        std::vector<engine::Event> found;
        for (const engine::Event& event : events)
            if (event.kind == kind)
                found.push_back(event);
        return found;
    }

    std::vector<engine::Event> events;
};

} // namespace onceswap::testing
