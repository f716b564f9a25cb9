#include "tools/metrics/event_counters.hpp"

namespace onceswap::metrics {

void EventCounters::on_event(const engine::Event& event) {
    ++kinds_[event.kind];
    if (event.kind == engine::EventKind::mutation)
        ++mutations_[{event.statement, event.outcome}];
    next_.on_event(event);
}

std::uint64_t EventCounters::of(engine::EventKind kind) const {
    const auto found = kinds_.find(kind);
    return found == kinds_.end() ? 0 : found->second;
}

} // namespace onceswap::metrics
