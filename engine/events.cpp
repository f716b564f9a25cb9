#include "engine/events.hpp"

namespace onceswap::engine {

std::string_view text(EventKind kind) {
    switch (kind) {
    case EventKind::step:
        return "step";
    case EventKind::finding:
        return "finding";
    case EventKind::pass:
        return "pass";
    case EventKind::verdict_change:
        return "verdict_change";
    case EventKind::permit:
        return "permit";
    case EventKind::mutation:
        return "mutation";
    case EventKind::read_retry:
        return "read_retry";
    case EventKind::gap:
        return "gap";
    case EventKind::wait:
        return "wait";
    case EventKind::rows_staged:
        return "rows_staged";
    }
    return "unknown";
}

namespace {

class NoEvents final : public EventSink {
  public:
    void on_event(const Event&) override {}
};

} // namespace

EventSink& no_events() {
    static NoEvents sink;
    return sink;
}

} // namespace onceswap::engine
