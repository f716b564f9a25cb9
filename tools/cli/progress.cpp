#include "tools/cli/progress.hpp"

#include <chrono>

namespace onceswap::cli {

namespace {

constexpr auto least_between_redraws = std::chrono::milliseconds(100);
constexpr auto least_between_lines = std::chrono::seconds(5);

std::string waited(std::uint64_t ms) {
    return std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) + "s";
}

} // namespace

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
        rates_.reset();
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
    if (!rates_)
        rates_.emplace(clock_.now());
    rates_->add(clock_.now(), progress);
    load_ = progress;
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
    if (rates_)
        return load_line(load_, rates_->rate(clock_.now()), terminal_);
    return verdict_.empty() ? step_ : step_ + ": " + verdict_;
}

} // namespace onceswap::cli
