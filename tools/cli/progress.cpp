#include "tools/cli/progress.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace onceswap::cli {

namespace {

constexpr auto least_between_redraws = std::chrono::milliseconds(100);
constexpr auto least_between_lines = std::chrono::seconds(5);

std::string waited(std::uint64_t ms) {
    return std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) + "s";
}

} // namespace

std::string byte_count(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::uint64_t tenths = bytes * 10;
    if (bytes < 1024)
        return std::to_string(bytes) + " B";
    std::size_t unit = 0;
    while (tenths >= 10'240 && unit + 1 < units.size()) {
        tenths /= 1024;
        ++unit;
    }
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " + units[unit];
}

std::string load_line(const LoadProgress& progress, std::size_t width) {
    std::string numbers = byte_count(progress.bytes) + ", " + std::to_string(progress.rows) + " rows";
    if (progress.total_bytes == 0)
        return "loading " + numbers;
    const std::uint64_t done = std::min(progress.bytes, progress.total_bytes);
    const std::uint64_t percent = done / 1024 * 100 / std::max<std::uint64_t>(progress.total_bytes / 1024, 1);
    numbers = std::to_string(std::min<std::uint64_t>(percent, 100)) + "% " + numbers;
    constexpr std::size_t bar = 20;
    if (width != 0 && width < numbers.size() + bar + 12)
        return "loading " + numbers;
    const std::size_t full = std::min<std::size_t>(bar, static_cast<std::size_t>(percent) * bar / 100);
    return "loading [" + std::string(full, '#') + std::string(bar - full, '.') + "] " + numbers;
}

std::string event_line(const engine::Event& event) {
    std::string out(engine::text(event.kind));
    switch (event.kind) {
    case engine::EventKind::step:
    case engine::EventKind::finding:
    case engine::EventKind::permit:
    case engine::EventKind::read_retry:
    case engine::EventKind::gap:
        break;
    case engine::EventKind::pass:
    case engine::EventKind::verdict_change:
        out += " " + std::string(protocol::text(event.verdict));
        break;
    case engine::EventKind::mutation:
        out += " " + std::string(protocol::text(event.statement)) + " " +
               std::string(protocol::text(event.outcome));
        break;
    case engine::EventKind::wait:
        out += " " + waited(event.delay_ms);
        break;
    case engine::EventKind::rows_staged:
        out += " " + std::to_string(event.count);
        break;
    }
    for (const std::string* part : {&event.name, &event.host, &event.detail}) {
        if (!part->empty())
            out += " " + *part;
    }
    if (!event.query_id.empty())
        out += " query_id " + event.query_id;
    return out;
}

Progress::Progress(engine::Clock& clock, Diagnostics& diagnostics, Terminal terminal, Verbosity verbosity)
    : clock_(clock), diagnostics_(diagnostics), terminal_(terminal), verbosity_(verbosity),
      begun_(clock.now()) {}

void Progress::on_event(const engine::Event& event) {
    switch (event.kind) {
    case engine::EventKind::step:
        step_ = event.name;
        loading_ = false;
        break;
    case engine::EventKind::pass:
    case engine::EventKind::verdict_change:
        verdict_ = protocol::text(event.verdict);
        break;
    case engine::EventKind::rows_staged:
        load_.rows = event.count;
        break;
    case engine::EventKind::finding:
    case engine::EventKind::permit:
    case engine::EventKind::mutation:
    case engine::EventKind::read_retry:
    case engine::EventKind::gap:
    case engine::EventKind::wait:
        break;
    }
    if (verbosity_ == Verbosity::verbose)
        diagnostics_.line(event_line(event));
    show(false);
}

void Progress::loading(const LoadProgress& progress) {
    load_ = progress;
    loading_ = true;
    show(true);
}

void Progress::show(bool also_elsewhere) {
    if (verbosity_ == Verbosity::quiet || (!terminal_.is_terminal && !also_elsewhere))
        return;
    const engine::TimePoint time = clock_.now();
    if (!terminal_.is_terminal) {
        if (time - shown_.value_or(begun_) < least_between_lines)
            return;
        shown_ = time;
        diagnostics_.line(now());
        return;
    }
    if (shown_ && time - *shown_ < least_between_redraws)
        return;
    shown_ = time;
    std::string text = now();
    if (terminal_.width != 0 && text.size() >= terminal_.width)
        text.resize(terminal_.width - 1);
    diagnostics_.redraw(text);
}

std::string Progress::now() const {
    if (loading_)
        return load_line(load_, terminal_.width);
    return verdict_.empty() ? step_ : step_ + ": " + verdict_;
}

} // namespace onceswap::cli
