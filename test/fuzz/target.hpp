#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

// What is fed with anything. A target is a function over bytes: libFuzzer drives it from `onceswap-fuzz`, and
// the corpora are replayed through it as ordinary tests (test/fuzz/replay).

namespace onceswap::fuzz {

struct Target {
    std::string_view name; ///< also of its corpus, test/fuzz/corpora/<name>
    void (*run)(std::string_view input);
};

/// Every target, each once.
std::span<const Target> targets();

/// A promise that an input broke.
struct Broken : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void must(bool holds, const char* promise) {
    if (!holds)
        throw Broken(promise);
}

/// Takes the first byte off the input as a choice: which decoder, how large the pieces are. 0 where there is
/// none.
inline unsigned char take_byte(std::string_view& input) {
    if (input.empty())
        return 0;
    const auto byte = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    return byte;
}

} // namespace onceswap::fuzz
