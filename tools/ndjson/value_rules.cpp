#include "tools/ndjson/value_rules.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace onceswap::ndjson {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::string expected(const ColumnType& type, std::string_view what) {
    return "expected " + std::string(what) + " for " + type.text;
}

/// Largest magnitude in decimal, positive and negative side, for the wide integers.
struct WideLimit {
    unsigned bits;
    bool is_signed;
    std::string_view highest;
    std::string_view lowest; ///< magnitude
};

constexpr WideLimit wide_limits[] = {
    {64, false, "18446744073709551615", "0"},
    {64, true, "9223372036854775807", "9223372036854775808"},
    {128, false, "340282366920938463463374607431768211455", "0"},
    {128, true, "170141183460469231731687303715884105727", "170141183460469231731687303715884105728"},
    {256, false, "115792089237316195423570985008687907853269984665640564039457584007913129639935", "0"},
    {256,
     true,
     "57896044618658097711785492504343953926634992332820282019728792003956564819967",
     "57896044618658097711785492504343953926634992332820282019728792003956564819968"},
};

bool not_greater(std::string_view digits, std::string_view limit) {
    while (digits.size() > 1 && digits.front() == '0')
        digits.remove_prefix(1);
    return digits.size() != limit.size() ? digits.size() < limit.size() : digits <= limit;
}

std::string out_of_range(const ColumnType& type) {
    return "out of range for " + type.text + " (" + integer_range(type) + ")";
}

/// Decimal digits with a sign in front, any length.
std::string check_integer_text(const ColumnType& type, std::string_view text) {
    const bool negative = !text.empty() && text.front() == '-';
    std::string_view digits = text;
    if (!digits.empty() && (digits.front() == '-' || digits.front() == '+'))
        digits.remove_prefix(1);
    if (!all_digits(digits))
        return expected(type, "an integer");
    for (const WideLimit& limit : wide_limits) {
        if (limit.bits == std::max(type.bits, 64U) && limit.is_signed == type.is_signed) {
            if (!not_greater(digits, negative ? limit.lowest : limit.highest))
                return out_of_range(type);
            if (type.bits >= 64)
                return {};
        }
    }
    // Below 64 bits the digits now fit the 64-bit type of the same sign.
    if (type.is_signed) {
        std::int64_t value = 0;
        const std::string_view number = text.front() == '+' ? digits : text;
        std::from_chars(number.data(), number.data() + number.size(), value);
        return check_integer(type, value);
    }
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return check_integer(type, value);
}

/// `[sign] digits [. digits] [e exponent]`, as ClickHouse's decimal reader takes it.
std::string check_decimal_text(const ColumnType& type, std::string_view text) {
    if (!text.empty() && (text.front() == '-' || text.front() == '+'))
        text.remove_prefix(1);
    long exponent = 0;
    if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
        std::string_view power = text.substr(e + 1);
        if (!power.empty() && power.front() == '+')
            power.remove_prefix(1);
        const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
        if (error != std::errc{} || end != power.data() + power.size() || std::abs(exponent) > 1000)
            return expected(type, "a decimal number");
        text = text.substr(0, e);
    }
    const std::size_t dot = text.find('.');
    std::string digits(text.substr(0, dot));
    long point = static_cast<long>(digits.size());
    if (dot != std::string_view::npos)
        digits += text.substr(dot + 1);
    if (!all_digits(digits))
        return expected(type, "a decimal number");
    point += exponent;
    const std::size_t first = digits.find_first_not_of('0');
    if (first == std::string::npos)
        return {}; // zero
    const long whole_digits = point - static_cast<long>(first);
    if (whole_digits > static_cast<long>(type.precision - type.scale))
        return "out of range for " + type.text;
    const long places = static_cast<long>(digits.find_last_not_of('0') + 1) - point;
    if (places > static_cast<long>(type.scale))
        return "more than " + std::to_string(type.scale) + " decimal places for " + type.text +
               "; ClickHouse would cut them off";
    return {};
}

std::string check_float_text(const ColumnType& type, std::string_view text) {
    std::string_view number = text;
    if (!number.empty() && (number.front() == '-' || number.front() == '+'))
        number.remove_prefix(1);
    std::string lower(number);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (lower == "nan" || lower == "inf" || lower == "infinity")
        return {};
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc::result_out_of_range)
        return "out of range for " + type.text;
    if (error != std::errc{} || end != number.data() + number.size())
        return expected(type, "a number");
    return check_number(type, value, text);
}

unsigned two_or_more(std::string_view digits) {
    unsigned value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

struct DateRange {
    unsigned first; ///< yyyymmdd
    unsigned last;
};

/// `YYYY-MM-DD` at the front; what follows is left to the server.
std::string check_date_prefix(const ColumnType& type, std::string_view text, DateRange range) {
    const auto shape = [&] {
        if (text.size() < 10 || text[4] != '-' || text[7] != '-')
            return false;
        return all_digits(text.substr(0, 4)) && all_digits(text.substr(5, 2)) &&
               all_digits(text.substr(8, 2));
    };
    if (!shape())
        return expected(type, "a string YYYY-MM-DD...");
    const unsigned year = two_or_more(text.substr(0, 4));
    const unsigned month = two_or_more(text.substr(5, 2));
    const unsigned day = two_or_more(text.substr(8, 2));
    constexpr unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (month < 1 || month > 12 || day < 1 || day > days[month - 1] + (month == 2 && leap ? 1U : 0U))
        return "no such day in the calendar, for " + type.text;
    const unsigned number = year * 10'000 + month * 100 + day;
    if (number < range.first || number > range.last)
        return "out of range for " + type.text;
    return {};
}

std::string check_date(const ColumnType& type, std::string_view text) {
    std::string problem = check_date_prefix(
        type,
        text,
        type.kind == TypeKind::date ? DateRange{19'700'101, 21'490'606} : DateRange{19'000'101, 22'991'231}
    );
    if (problem.empty() && text.size() != 10)
        return expected(type, "a string YYYY-MM-DD");
    return problem;
}

std::string check_date_time(const ColumnType& type, std::string_view text) {
    const bool wide = type.kind == TypeKind::date_time64;
    if (all_digits(text)) { // seconds since the Unix epoch
        if (!wide && !not_greater(text, "4294967295"))
            return "out of range for " + type.text;
        return {};
    }
    std::string problem = check_date_prefix(
        type, text, wide ? DateRange{19'000'101, 22'991'231} : DateRange{19'700'101, 21'060'207}
    );
    if (!problem.empty())
        return problem;
    const std::string_view time = text.substr(10);
    if (time.empty())
        return {};
    const bool shape = time.size() >= 9 && (time[0] == ' ' || time[0] == 'T') && time[3] == ':' &&
                       time[6] == ':' && all_digits(time.substr(1, 2)) && all_digits(time.substr(4, 2)) &&
                       all_digits(time.substr(7, 2));
    if (!shape)
        return expected(type, "a string YYYY-MM-DD hh:mm:ss");
    if (two_or_more(time.substr(1, 2)) > 23 || two_or_more(time.substr(4, 2)) > 59 ||
        two_or_more(time.substr(7, 2)) > 59)
        return "no such time of the day, for " + type.text;
    return {};
}

std::string check_uuid(const ColumnType& type, std::string_view text) {
    const auto hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
    if (text.size() == 32 && std::all_of(text.begin(), text.end(), hex))
        return {};
    bool good = text.size() == 36;
    for (std::size_t at = 0; good && at < text.size(); ++at)
        good = at == 8 || at == 13 || at == 18 || at == 23 ? text[at] == '-' : hex(text[at]);
    return good ? std::string{} : expected(type, "a UUID");
}

} // namespace

std::string integer_range(const ColumnType& type) {
    for (const WideLimit& limit : wide_limits) {
        if (limit.bits == type.bits && limit.is_signed == type.is_signed) {
            const std::string lowest = type.is_signed ? "-" + std::string(limit.lowest) : "0";
            return lowest + " to " + std::string(limit.highest);
        }
    }
    const std::uint64_t span = std::uint64_t{1} << (type.is_signed ? type.bits - 1 : type.bits);
    const std::string lowest = type.is_signed ? "-" + std::to_string(span) : "0";
    return lowest + " to " + std::to_string(span - 1);
}

std::string check_integer(const ColumnType& type, std::int64_t value) {
    switch (type.kind) {
    case TypeKind::integer:
        if (type.is_signed) {
            if (type.bits >= 64)
                return {};
            const std::int64_t highest = (std::int64_t{1} << (type.bits - 1)) - 1;
            return value >= -highest - 1 && value <= highest ? std::string{} : out_of_range(type);
        }
        return value < 0 ? out_of_range(type) : check_integer(type, static_cast<std::uint64_t>(value));
    case TypeKind::floating:
        return {};
    case TypeKind::decimal:
        return check_decimal_text(type, std::to_string(value));
    case TypeKind::boolean:
        return value == 0 || value == 1 ? std::string{} : expected(type, "true, false, 0 or 1");
    case TypeKind::date_time:
        return value >= 0 && value <= std::numeric_limits<std::uint32_t>::max()
                   ? std::string{}
                   : "out of range for " + type.text;
    case TypeKind::date_time64:
        return {};
    case TypeKind::enumeration: {
        const auto same = [&](const auto& entry) { return entry.second == value; };
        const bool known = std::any_of(type.enum_values.begin(), type.enum_values.end(), same);
        return known ? std::string{} : "not a value of the enumeration";
    }
    case TypeKind::string:
    case TypeKind::fixed_string:
    case TypeKind::date:
    case TypeKind::date32:
    case TypeKind::uuid:
    case TypeKind::address:
        return expected(type, "a string");
    case TypeKind::array:
        return expected(type, "an array");
    case TypeKind::map:
        return expected(type, "an object");
    case TypeKind::tuple:
        return expected(type, "an array or an object");
    case TypeKind::opaque:
        return {};
    }
    return {};
}

std::string check_integer(const ColumnType& type, std::uint64_t value) {
    if (type.kind == TypeKind::integer) {
        const unsigned usable = type.is_signed ? type.bits - 1 : type.bits;
        return usable >= 64 || value >> usable == 0 ? std::string{} : out_of_range(type);
    }
    if (type.kind == TypeKind::decimal)
        return check_decimal_text(type, std::to_string(value));
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return check_integer(type, static_cast<std::int64_t>(value));
    if (type.kind == TypeKind::floating || type.kind == TypeKind::opaque)
        return {};
    if (type.kind == TypeKind::date_time || type.kind == TypeKind::date_time64)
        return "out of range for " + type.text;
    return check_integer(
        type, std::numeric_limits<std::int64_t>::max()
    ); // any value of that size is judged alike
}

std::string check_number(const ColumnType& type, double value, std::string_view text) {
    switch (type.kind) {
    case TypeKind::integer:
        return check_integer_text(type, text);
    case TypeKind::floating:
        if (!std::isfinite(value) || (type.bits == 32 && std::abs(value) > std::numeric_limits<float>::max()))
            return "out of range for " + type.text;
        return {};
    case TypeKind::decimal:
        return check_decimal_text(type, text);
    case TypeKind::date_time64:
        return {};
    case TypeKind::date_time:
        return expected(type, "a string or whole seconds");
    case TypeKind::boolean:
    case TypeKind::enumeration:
    case TypeKind::string:
    case TypeKind::fixed_string:
    case TypeKind::date:
    case TypeKind::date32:
    case TypeKind::uuid:
    case TypeKind::address:
    case TypeKind::array:
    case TypeKind::map:
    case TypeKind::tuple:
    case TypeKind::opaque:
        return check_integer(type, std::numeric_limits<std::int64_t>::max());
    }
    return {};
}

std::string check_text(const ColumnType& type, std::string_view value) {
    switch (type.kind) {
    case TypeKind::string:
    case TypeKind::address:
    case TypeKind::opaque:
        return {};
    case TypeKind::fixed_string:
        return value.size() <= type.length
                   ? std::string{}
                   : std::to_string(value.size()) + " bytes are too many for " + type.text;
    case TypeKind::integer:
        if (type.bits == 8 && (value == "true" || value == "false"))
            return {};
        return check_integer_text(type, value);
    case TypeKind::floating:
        return check_float_text(type, value);
    case TypeKind::decimal:
        return check_decimal_text(type, value);
    case TypeKind::boolean:
        return value == "true" || value == "false" || value == "0" || value == "1"
                   ? std::string{}
                   : expected(type, "true, false, 0 or 1");
    case TypeKind::date:
    case TypeKind::date32:
        return check_date(type, value);
    case TypeKind::date_time:
    case TypeKind::date_time64:
        return check_date_time(type, value);
    case TypeKind::uuid:
        return check_uuid(type, value);
    case TypeKind::enumeration:
        return type.enum_values.contains(value) ? std::string{} : "not a name of the enumeration";
    case TypeKind::array:
        return expected(type, "an array");
    case TypeKind::map:
        return expected(type, "an object");
    case TypeKind::tuple:
        return expected(type, "an array or an object");
    }
    return {};
}

std::string check_bool(const ColumnType& type) {
    const bool fits = type.kind == TypeKind::boolean || type.kind == TypeKind::opaque ||
                      (type.kind == TypeKind::integer && type.bits == 8);
    if (fits)
        return {};
    if (type.kind == TypeKind::integer || type.kind == TypeKind::floating || type.kind == TypeKind::decimal)
        return expected(type, "a number");
    return check_integer(type, std::numeric_limits<std::int64_t>::max());
}

} // namespace onceswap::ndjson
