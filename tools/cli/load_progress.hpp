#pragma once

#include "engine/clock.hpp"
#include "tools/cli/terminal.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace onceswap::cli {

/// How far the loading came.
struct LoadProgress {
    LoadProgress() = default;

    LoadProgress(std::uint64_t rows_, std::uint64_t bytes_, std::uint64_t total_bytes_)
        : rows(rows_), bytes(bytes_), total_bytes(total_bytes_) {}

    std::uint64_t rows = 0;        ///< acknowledged
    std::uint64_t bytes = 0;       ///< of the input as it lies on disk, packed or not, behind those rows
    std::uint64_t total_bytes = 0; ///< 0: not known, as for standard input
};

/// How fast it goes, per second.
struct LoadRate {
    LoadRate() = default;

    LoadRate(std::uint64_t rows_, std::uint64_t bytes_) : rows(rows_), bytes(bytes_) {}

    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
};

/// The rate over the last half minute: what is told follows a loading that becomes slower, and falls while
/// one stands still. Holds at most one sample for each second of that time and one more.
class RateWindow {
  public:
    /// The loading begins at `begun` with nothing.
    explicit RateWindow(engine::TimePoint begun);

    void add(engine::TimePoint at, const LoadProgress& progress);

    /// nullopt: less than a second is known.
    std::optional<LoadRate> rate(engine::TimePoint now) const;

  private:
    struct Sample {
        engine::TimePoint at;
        std::uint64_t rows = 0;
        std::uint64_t bytes = 0;
    };

    std::deque<Sample> samples_; ///< never empty; the newest is replaced while it is less than a second old
    Sample newest_;
};

/// `loading [####....] 20% 12.3 MiB, 120000 rows, 3.1 MiB/s, 30000 rows/s, 16s left`: one line. The bar is
/// for terminals only. Without a size there is neither bar, percentage nor time left; without a rate no rate
/// and no time left. On a narrow terminal the bar gives way, then the rows' rate, then the bytes' rate, then
/// the bytes.
std::string
load_line(const LoadProgress& progress, const std::optional<LoadRate>& rate, const Terminal& terminal);

/// `45s`, `2m10s`, `3h05m`, `more than 99h`.
std::string time_left(std::uint64_t seconds);

/// `12.3 MiB`, `999 B`.
std::string byte_count(std::uint64_t bytes);

} // namespace onceswap::cli
