#include "engine/backoff.hpp"

#include <algorithm>

namespace onceswap::engine {

using std::chrono::milliseconds;

DelayBounds backoff_bounds(milliseconds initial, milliseconds max, unsigned attempt) {
    const milliseconds first = std::max(initial, milliseconds(1));
    const milliseconds last = std::max(max, first);
    milliseconds highest = first;
    for (unsigned i = 0; i < attempt && highest < last; ++i)
        highest = highest > last / 2 ? last : highest * 2;
    highest = std::min(highest, last);
    return DelayBounds{.lowest = highest - highest / 2, .highest = highest};
}

milliseconds Backoff::next(Entropy& entropy) {
    const DelayBounds bounds = backoff_bounds(initial_, max_, attempt_);
    if (bounds.highest < max_)
        ++attempt_;
    const auto width = static_cast<std::uint64_t>((bounds.highest - bounds.lowest).count());
    return bounds.lowest + milliseconds(static_cast<std::int64_t>(entropy.below(width + 1)));
}

} // namespace onceswap::engine
