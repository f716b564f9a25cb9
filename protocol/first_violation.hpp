#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace onceswap::protocol {

/// Keeps the first of many demands that did not hold.
class FirstViolation {
  public:
    void demand(bool holds, std::string_view what) {
        if (!holds && !first_)
            first_ = std::string(what);
    }

    void demand(bool holds, std::string_view where, std::string_view what) {
        if (!holds && !first_)
            first_ = std::string(where) + ": " + std::string(what);
    }

    void adopt(std::optional<std::string> violation) {
        if (violation && !first_)
            first_ = std::move(violation);
    }

    bool found() const { return first_.has_value(); }

    std::optional<std::string> take() { return std::move(first_); }

  private:
    std::optional<std::string> first_;
};

} // namespace onceswap::protocol
