#include "protocol/record_forms.hpp"

#include "protocol/authority_record.hpp"
#include "protocol/hex.hpp"
#include "protocol/utf8.hpp"

#include <algorithm>

namespace onceswap::protocol {

bool is_sha256(std::string_view text) {
    return is_lower_hex(text, 64);
}

bool is_random_128(std::string_view text) {
    return is_lower_hex(text, 32);
}

bool is_entry_name(std::string_view text) {
    constexpr std::string_view head = "query-";
    constexpr std::size_t sequence_digits = 10;
    if (!text.starts_with(head) || text.size() != head.size() + sequence_digits)
        return false;
    text.remove_prefix(head.size());
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_recorded_time(std::int64_t time) {
    constexpr std::int64_t last_second_of_9999 = 253'402'300'799;
    return time >= 0 && time <= last_second_of_9999;
}

bool is_recorded_name(std::string_view name) {
    return !name.empty() && name.size() <= limits::name_bytes && valid_utf8_prefix(name) == name.size();
}

} // namespace onceswap::protocol
