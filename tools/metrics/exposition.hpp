#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onceswap::metrics {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// Writes Prometheus' text format 0.0.4: families in the order in which they are begun, each with HELP and
/// TYPE before its samples. Names are the caller's and must be legal; label values are escaped and made valid
/// UTF-8 without control characters, whatever a server said.
class Exposition {
  public:
    enum class Type { counter, gauge };

    void family(std::string_view name, Type type, std::string_view help);
    /// A sample of the family that was begun last.
    void sample(const Labels& labels, std::uint64_t value);
    void sample(const Labels& labels, std::int64_t value);

    const std::string& text() const { return text_; }

  private:
    void sample_text(const Labels& labels, const std::string& value);

    std::string name_;
    std::string text_;
};

} // namespace onceswap::metrics
