#pragma once

#include "protocol/outcome.hpp"
#include "protocol/statements.hpp"
#include "protocol/verdict.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace onceswap::engine {

enum class EventKind {
    step,    ///< a part of the publication began: `name`
    finding, ///< an admission check warned or refused
    pass,    ///< a reconciliation pass concluded: `verdict`
    verdict_change,
    permit,      ///< a dispatching CAS was won
    mutation,    ///< a one-shot statement ended: `statement`, `outcome`
    read_retry,  ///< a read is tried again
    gap,         ///< a member or the queue did not answer
    wait,        ///< waiting `delay_ms` before the next pass
    rows_staged, ///< loader: `count` rows acknowledged so far
};
std::string_view text(EventKind kind);

/// One thing that happened, for logs, metrics and progress. Never holds secrets, row values or source SQL.
struct Event {
    EventKind kind = EventKind::step;
    std::string name;
    std::string host;
    std::string detail;
    protocol::StatementKind statement = protocol::StatementKind::settings_probe;
    protocol::Outcome outcome = protocol::Outcome::outcome_unknown;
    protocol::Word verdict = protocol::Word::outcome_unknown;
    std::uint64_t count = 0;
    std::uint64_t delay_ms = 0;
    std::string query_id;
};

/// Called on the loop, synchronously; must not block and must not call back into the engine.
class EventSink {
  public:
    virtual ~EventSink() = default;
    virtual void on_event(const Event& event) = 0;
};

/// Ignores everything.
EventSink& no_events();

} // namespace onceswap::engine
