#include "protocol/timestamp.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace onceswap::protocol {

std::string rfc3339(std::int64_t seconds) {
    constexpr std::int64_t year_0 = -62'167'219'200;
    constexpr std::int64_t year_10000 = 253'402'300'800;
    if (seconds < year_0 || seconds >= year_10000)
        return {};
    const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    std::array<char, 64> text{};
    const int length = std::snprintf(
        text.data(),
        text.size(),
        "%04d-%02u-%02uT%02d:%02d:%02dZ",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        static_cast<int>(clock.hours().count()),
        static_cast<int>(clock.minutes().count()),
        static_cast<int>(clock.seconds().count())
    );
    return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : std::string();
}

} // namespace onceswap::protocol
