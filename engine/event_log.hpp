#pragma once

#include "engine/clock.hpp"
#include "engine/events.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace onceswap::engine {

/// One event as a JSON object in one line, without its newline: `at` (RFC 3339, UTC), `event`, and those of
/// name, host, detail, statement, outcome, verdict, count, delay_ms and query_id that the kind has. Texts are
/// valid UTF-8 without control characters, 4 KiB at most. Like the event it holds no secret, no row and no
/// source SQL.
std::string json_line(const Event& event, std::int64_t wall_seconds);

/// A sink that writes each event as a line of JSON and hands it on.
class JsonLineSink final : public EventSink {
  public:
    /// `write` gets a line with its newline, on the loop; it must not block and may drop. References must
    /// outlive this.
    JsonLineSink(
        const Clock& clock, std::function<void(std::string_view)> write, EventSink& next = no_events()
    );

    void on_event(const Event& event) override;

  private:
    const Clock& clock_;
    std::function<void(std::string_view)> write_;
    EventSink& next_;
};

} // namespace onceswap::engine
