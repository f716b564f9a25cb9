#pragma once

#include "engine/clock.hpp"
#include "engine/events.hpp"
#include "tools/cli/diagnostics.hpp"
#include "tools/cli/terminal.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace onceswap::cli {

enum class Verbosity { quiet, normal, verbose };

/// How far the loading came.
struct LoadProgress {
    LoadProgress() = default;

    LoadProgress(std::uint64_t rows_, std::uint64_t bytes_, std::uint64_t total_bytes_)
        : rows(rows_), bytes(bytes_), total_bytes(total_bytes_) {}

    std::uint64_t rows = 0;        ///< acknowledged
    std::uint64_t bytes = 0;       ///< of the input as it lies on disk
    std::uint64_t total_bytes = 0; ///< 0: not known
};

/// The sink that shows what is going on. On a terminal one line is redrawn in place, at most ten times a
/// second; elsewhere a line appears at most every five seconds while rows are loaded, and nothing else.
/// Verbose: a line for every event. Quiet: nothing.
class Progress final : public engine::EventSink {
  public:
    Progress(engine::Clock& clock, Diagnostics& diagnostics, Terminal terminal, Verbosity verbosity);

    void on_event(const engine::Event& event) override;
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
    bool loading_ = false;
    engine::TimePoint begun_;
    std::optional<engine::TimePoint> shown_;
};

/// `step admission`, `mutation EXCHANGE on http://...: acknowledged`: one event for the log.
std::string event_line(const engine::Event& event);

/// `[#####.....] 43% 120000 rows`, or without a bar where the size is not known.
std::string load_line(const LoadProgress& progress, std::size_t width);

/// `12.3 MiB`, `999 B`.
std::string byte_count(std::uint64_t bytes);

} // namespace onceswap::cli
