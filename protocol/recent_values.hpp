#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace onceswap::protocol {

/// The values of a pure function for the last few arguments; the oldest one goes first.
template <class Key, class Value, std::size_t most>
class RecentValues {
  public:
    /// The value of the argument that `is_asked(const Key&)` says is the one; nullptr: not known. Good until
    /// keep().
    template <class IsAsked>
    const Value* find(IsAsked is_asked) const {
        for (const auto& [known, value] : values_)
            if (is_asked(known))
                return &value;
        return nullptr;
    }

    void keep(Key key, Value value) {
        if (values_.size() < most) {
            values_.emplace_back(std::move(key), std::move(value));
            return;
        }
        values_[oldest_] = {std::move(key), std::move(value)};
        oldest_ = (oldest_ + 1) % most;
    }

  private:
    std::vector<std::pair<Key, Value>> values_;
    std::size_t oldest_ = 0;
};

} // namespace onceswap::protocol
