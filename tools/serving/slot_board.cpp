#include "tools/serving/slot_board.hpp"

#include <algorithm>
#include <utility>

namespace onceswap::serving {

SlotBoard::SlotBoard(Watched watched, const engine::Clock& clock)
    : watched_(std::move(watched)), clock_(clock), started_at_(clock.wall_seconds()),
      last_sign_(clock.now()) {
    if (!watched_.table.empty())
        targets_.emplace_back(watched_.database, watched_.table);
}

void SlotBoard::listed(const engine::Slots& slots) {
    problem_.clear();
    std::vector<protocol::TargetName> targets = slots.targets;
    for (const auto& [target, history] : slots_) {
        const bool there = std::ranges::binary_search(slots.targets, target);
        if (!there && history.last().verdict.word != protocol::Word::no_record)
            targets.push_back(target);
    }
    std::ranges::sort(targets);
    omitted_ = targets.size() > most_slots ? targets.size() - most_slots : 0;
    targets.resize(std::min(targets.size(), most_slots));
    targets_ = std::move(targets);
    // What nobody reads any more is not shown as if it were the present.
    std::erase_if(slots_, [&](const auto& slot) {
        return !std::ranges::binary_search(targets_, slot.first);
    });
    unreadable_ = slots.unreadable;
    if (unreadable_.size() > most_slots) {
        omitted_ += unreadable_.size() - most_slots;
        unreadable_.resize(most_slots);
    }
    touch();
}

void SlotBoard::listing_failed(std::string why) {
    problem_ = std::move(why);
    touch();
}

void SlotBoard::observed(const SlotReading& reading) {
    if (!std::ranges::binary_search(targets_, reading.report.target))
        return;
    slots_[reading.report.target].add(reading);
    touch();
}

std::string SlotBoard::settled(const protocol::TargetName& target) const {
    const auto slot = slots_.find(target);
    return slot == slots_.end() ? std::string() : slot->second.settled();
}

void SlotBoard::round_ended() {
    ++rounds_;
    last_round_at_ = clock_.wall_seconds();
    touch();
}

std::vector<protocol::TargetName> SlotBoard::targets() const {
    return targets_;
}

std::vector<protocol::Report> SlotBoard::reports() const {
    std::vector<protocol::Report> reports;
    for (const auto& [target, history] : slots_)
        reports.push_back(history.last());
    reports.insert(reports.end(), unreadable_.begin(), unreadable_.end());
    return reports;
}

void SlotBoard::touch() {
    ++revision_;
    last_sign_ = clock_.now();
}

} // namespace onceswap::serving
