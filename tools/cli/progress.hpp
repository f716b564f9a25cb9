#pragma once

#include "engine/clock.hpp"
#include "engine/events.hpp"
#include "tools/cli/diagnostics.hpp"
#include "tools/cli/load_progress.hpp"
#include "tools/cli/terminal.hpp"

#include <optional>
#include <string>

namespace onceswap::cli {

enum class Verbosity { quiet, normal, verbose };

/// The sink that shows what is going on. On a terminal one line is redrawn in place, at most ten times a
/// second; elsewhere a line appears at most every five seconds while rows are loaded, and nothing else.
/// Verbose: a line for every event. Quiet: nothing.
class Progress final : public engine::EventSink {
  public:
    Progress(engine::Clock& clock, Diagnostics& diagnostics, Terminal terminal, Verbosity verbosity);

    void on_event(const engine::Event& event) override;
    /// The first call of a loading says where its rates begin.
    void loading(const LoadProgress& progress);

    /// What is being done right now, in one line: for SIGUSR1.
    std::string now() const;

  private:
    void show(bool also_elsewhere);

    engine::Clock& clock_;
    Diagnostics& diagnostics_;
    Terminal terminal_;
    Verbosity verbosity_;
    std::string step_ = "starting";
    std::string verdict_;
    LoadProgress load_;
    std::optional<RateWindow> rates_; ///< while rows are loaded
    engine::TimePoint begun_;
    std::optional<engine::TimePoint> shown_;
};

/// `step admission`, `mutation EXCHANGE on http://...: acknowledged`: one event for the log.
std::string event_line(const engine::Event& event);

} // namespace onceswap::cli
