#include "tools/cli/load_progress.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace onceswap::cli {

namespace {

constexpr auto window = std::chrono::seconds(30);
constexpr auto between_samples = std::chrono::seconds(1);
constexpr std::size_t bar_width = 20;

/// Sizes whose hundredfold would not fit are counted in KiB.
std::uint64_t percent_of(const LoadProgress& progress) {
    const std::uint64_t done = std::min(progress.bytes, progress.total_bytes);
    if (progress.total_bytes < (std::uint64_t{1} << 56))
        return done * 100 / progress.total_bytes;
    return done / 1024 * 100 / (progress.total_bytes / 1024);
}

std::string bar_of(std::uint64_t percent) {
    const std::size_t full = static_cast<std::size_t>(percent) * bar_width / 100;
    return "[" + std::string(full, '#') + std::string(bar_width - full, '.') + "] ";
}

std::string two_digits(std::uint64_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
}

/// What a line is made of; empty where there is nothing to say.
struct Parts {
    std::string bar;
    std::string percent;
    std::string bytes;
    std::string rows;
    std::string bytes_rate;
    std::string rows_rate;
    std::string left;

    std::string line() const {
        std::string out;
        for (const std::string* part : {&bytes, &rows, &bytes_rate, &rows_rate, &left}) {
            if (!part->empty())
                out += (out.empty() ? "" : ", ") + *part;
        }
        return "loading " + bar + percent + out;
    }
};

} // namespace

RateWindow::RateWindow(engine::TimePoint begun) {
    newest_.at = begun;
    samples_.push_back(newest_);
}

void RateWindow::add(engine::TimePoint at, const LoadProgress& progress) {
    newest_.at = at;
    newest_.rows = progress.rows;
    newest_.bytes = progress.bytes;
    if (at - samples_.back().at >= between_samples)
        samples_.push_back(newest_);
    // One sample stays that is at least the window old: the rate is that of the whole window.
    while (samples_.size() > 1 && at - samples_[1].at >= window)
        samples_.pop_front();
}

std::optional<LoadRate> RateWindow::rate(engine::TimePoint now) const {
    const Sample* from = &samples_.front();
    for (const Sample& sample : samples_) {
        if (now - sample.at >= window)
            from = &sample;
    }
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(now - from->at).count();
    if (passed < 1000)
        return std::nullopt;
    const auto ms = static_cast<std::uint64_t>(passed);
    const auto per_second = [ms](std::uint64_t amount) {
        constexpr std::uint64_t exact = UINT64_MAX / 1000;
        return amount <= exact ? amount * 1000 / ms : amount / ms * 1000;
    };
    return LoadRate(per_second(newest_.rows - from->rows), per_second(newest_.bytes - from->bytes));
}

std::string byte_count(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024)
        return std::to_string(bytes) + " B";
    std::uint64_t of_unit = 1024;
    std::size_t unit = 1;
    while (bytes / of_unit >= 1024 && unit + 1 < units.size()) {
        of_unit *= 1024;
        ++unit;
    }
    const std::uint64_t tenths = bytes % of_unit * 10 / of_unit;
    return std::to_string(bytes / of_unit) + "." + std::to_string(tenths) + " " + units[unit];
}

std::string time_left(std::uint64_t seconds) {
    constexpr std::uint64_t minute = 60;
    constexpr std::uint64_t hour = 60 * minute;
    if (seconds < minute)
        return std::to_string(seconds) + "s";
    if (seconds < hour)
        return std::to_string(seconds / minute) + "m" + two_digits(seconds % minute) + "s";
    if (seconds < 100 * hour)
        return std::to_string(seconds / hour) + "h" + two_digits(seconds % hour / minute) + "m";
    return "more than 99h";
}

std::string
load_line(const LoadProgress& progress, const std::optional<LoadRate>& rate, const Terminal& terminal) {
    Parts parts;
    parts.bytes = byte_count(progress.bytes);
    parts.rows = std::to_string(progress.rows) + " rows";
    if (progress.total_bytes != 0) {
        const std::uint64_t percent = percent_of(progress);
        parts.percent = std::to_string(percent) + "% ";
        if (terminal.is_terminal)
            parts.bar = bar_of(percent);
    }
    if (rate) {
        parts.bytes_rate = byte_count(rate->bytes) + "/s";
        parts.rows_rate = std::to_string(rate->rows) + " rows/s";
    }
    if (rate && rate->bytes != 0 && progress.total_bytes != 0) {
        const std::uint64_t rest = progress.total_bytes - std::min(progress.bytes, progress.total_bytes);
        const std::uint64_t seconds = rest / rate->bytes + (rest % rate->bytes != 0 ? 1 : 0);
        parts.left = time_left(seconds) + " left";
    }
    std::string line = parts.line();
    if (!terminal.is_terminal || terminal.width == 0)
        return line;
    for (std::string* part : {&parts.bar, &parts.rows_rate, &parts.bytes_rate, &parts.bytes}) {
        if (line.size() < terminal.width) // the last column stays free
            break;
        part->clear();
        line = parts.line();
    }
    return line;
}

} // namespace onceswap::cli
