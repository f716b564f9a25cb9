#include "engine/entropy.hpp"

#include <openssl/rand.h>

#include <limits>
#include <stdexcept>

namespace onceswap::engine {

std::array<std::uint8_t, 16> Entropy::bytes16() {
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t half = 0; half < 2; ++half) {
        std::uint64_t value = next();
        for (std::size_t i = 0; i < 8; ++i) {
            bytes[half * 8 + i] = static_cast<std::uint8_t>(value & 0xffU);
            value >>= 8U;
        }
    }
    return bytes;
}

std::string Entropy::hex32() {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(32);
    for (const std::uint8_t byte : bytes16()) {
        text += digits[byte >> 4U];
        text += digits[byte & 0xfU];
    }
    return text;
}

std::uint64_t Entropy::below(std::uint64_t bound) {
    if (bound == 0)
        throw std::logic_error("Entropy::below: bound is 0");
    // Draws from the incomplete last interval are thrown away, else low values would be likelier.
    const std::uint64_t whole = std::numeric_limits<std::uint64_t>::max() / bound * bound;
    for (;;) {
        const std::uint64_t value = next();
        if (value < whole)
            return value % bound;
    }
}

namespace {

class SystemEntropy final : public Entropy {
  public:
    std::uint64_t next() override {
        std::array<unsigned char, 8> bytes{};
        if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
            throw std::runtime_error("the operating system's random generator failed");
        std::uint64_t value = 0;
        for (const unsigned char byte : bytes)
            value = value << 8U | byte;
        return value;
    }
};

} // namespace

std::unique_ptr<Entropy> make_system_entropy() {
    return std::make_unique<SystemEntropy>();
}

} // namespace onceswap::engine
