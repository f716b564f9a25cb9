#pragma once

#include "protocol/failure.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onceswap::protocol::answer {

/// Whoever waits reads the same answer again and again. What the last bodies of one kind were decoded to is
/// kept, so that the same bytes are not taken apart twice. Decoding is a pure function of the body: what is
/// found here is what decoding would give. A body that differs in nothing but the digits of the server's
/// clock counts as the same, with that clock.
template <class T>
class RememberedAnswers {
  public:
    static constexpr std::size_t most_answers = 32;
    static constexpr std::size_t longest_body = std::size_t{16} * 1024;

    /// The value of this body, with the time that stands in it; nullptr: not known. Good until keep().
    const T* find(std::string_view body) {
        for (Entry& entry : entries_) {
            if (entry.body.size() != body.size())
                continue;
            if (std::memcmp(entry.body.data(), body.data(), entry.clock_at) != 0)
                continue;
            const std::size_t behind = entry.clock_at + entry.clock_digits;
            if (std::memcmp(entry.body.data() + behind, body.data() + behind, body.size() - behind) != 0)
                continue;
            if (entry.clock_digits == 0 ||
                set_clock(entry.value, body.substr(entry.clock_at, entry.clock_digits)))
                return &entry.value;
        }
        return nullptr;
    }

    void keep(std::string_view body, const T& value) {
        if (body.size() > longest_body)
            return;
        Entry entry{std::string(body), body.size(), 0, value};
        find_clock(entry);
        if (entries_.size() < most_answers) {
            entries_.push_back(std::move(entry));
            return;
        }
        entries_[oldest_] = std::move(entry);
        oldest_ = (oldest_ + 1) % most_answers;
    }

  private:
    struct Entry {
        std::string body;
        std::size_t clock_at;     ///< where the digits of the clock are; the end of the body: there is none
        std::size_t clock_digits; ///< 0: there is none
        T value;
    };

    /// The digits of the clock are known to be the clock's if they stand in the body only once.
    static void find_clock(Entry& entry) {
        if constexpr (requires { entry.value.identity.now; }) {
            if (entry.value.identity.now <= 0)
                return;
            const std::string digits = std::to_string(entry.value.identity.now);
            const std::size_t first = entry.body.find(digits);
            if (first == std::string::npos || entry.body.find(digits, first + 1) != std::string::npos)
                return;
            entry.clock_at = first;
            entry.clock_digits = digits.size();
        }
    }

    /// False: these are not the digits of a clock.
    static bool set_clock(T& value, std::string_view digits) {
        if constexpr (requires { value.identity.now; }) {
            std::uint32_t now = 0;
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), now);
            if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '0')
                return false;
            value.identity.now = now;
        }
        return true;
    }

    std::vector<Entry> entries_;
    std::size_t oldest_ = 0;
};

/// What `decode`, a pure function, makes of the body. Failures are not kept.
template <class T, Result<T> (*decode)(std::string_view)>
Result<T> remembered(std::string_view body) {
    static thread_local RememberedAnswers<T> answers;
    if (const T* const known = answers.find(body); known != nullptr)
        return *known;
    Result<T> decoded = decode(body);
    if (decoded)
        answers.keep(body, *decoded);
    return decoded;
}

} // namespace onceswap::protocol::answer
