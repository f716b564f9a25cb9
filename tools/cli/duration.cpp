#include "tools/cli/duration.hpp"

#include <charconv>
#include <string>

namespace onceswap::cli {

namespace {

using std::chrono::milliseconds;

struct Unit {
    std::string_view name;
    long long ms;
};

constexpr Unit units[] = {{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}};
constexpr long long longest_ms = 30LL * 24 * 3'600'000;

} // namespace

std::optional<milliseconds> parse_duration(std::string_view text) {
    if (text.empty())
        return std::nullopt;
    long long total = 0;
    const std::string_view whole = text;
    while (!text.empty()) {
        unsigned number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{})
            return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        std::size_t letters = 0;
        while (letters < text.size() && (text[letters] < '0' || text[letters] > '9'))
            ++letters;
        const std::string_view name = text.substr(0, letters);
        long long ms = 0;
        for (const Unit& unit : units) {
            if (unit.name == name)
                ms = unit.ms;
        }
        if (name.empty() && total == 0 && text.empty() && whole.find_first_not_of("0123456789") == whole.npos)
            ms = 1'000;
        if (ms == 0)
            return std::nullopt;
        total += static_cast<long long>(number) * ms;
        if (total > longest_ms)
            return std::nullopt;
        text.remove_prefix(letters);
    }
    return milliseconds(total);
}

std::string text(milliseconds duration) {
    long long left = duration.count();
    std::string out;
    for (const Unit& unit : units) {
        if (const long long count = left / unit.ms; count > 0) {
            out += std::to_string(count) + std::string(unit.name);
            left %= unit.ms;
        }
    }
    return out.empty() ? "0s" : out;
}

} // namespace onceswap::cli
