#include "protocol/uuid.hpp"

#include "protocol/hex.hpp"

namespace onceswap::protocol {

namespace {

bool is_dash_position(std::size_t position) {
    return position == 8 || position == 13 || position == 18 || position == 23;
}

} // namespace

std::optional<Uuid> Uuid::parse(std::string_view text) {
    if (text.size() != 36)
        return std::nullopt;
    std::array<std::uint8_t, 16> bytes{};
    std::size_t digits = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_dash_position(i)) {
            if (text[i] != '-')
                return std::nullopt;
            continue;
        }
        const int value = hex_value(text[i]);
        if (value < 0)
            return std::nullopt;
        auto& byte = bytes[digits / 2];
        byte = static_cast<std::uint8_t>((byte << 4) | value);
        ++digits;
    }
    return Uuid(bytes);
}

Uuid Uuid::random_from(std::array<std::uint8_t, 16> entropy) {
    entropy[6] = static_cast<std::uint8_t>((entropy[6] & 0x0f) | 0x40);
    entropy[8] = static_cast<std::uint8_t>((entropy[8] & 0x3f) | 0x80);
    return Uuid(entropy);
}

std::string Uuid::text() const {
    const std::string digits = to_hex(bytes_);
    std::string out(36, '-');
    std::size_t next = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!is_dash_position(i))
            out[i] = digits[next++];
    return out;
}

} // namespace onceswap::protocol
