#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace onceswap::protocol {

/// A 128-bit identity as ClickHouse prints it: 36 characters, lower case, 8-4-4-4-12.
/// The nil value is never the identity of anything: the embedded engine reports it for "has none".
class Uuid {
  public:
    Uuid() = default;

    explicit Uuid(const std::array<std::uint8_t, 16>& bytes) : bytes_(bytes) {}

    /// Accepts exactly the 36-character form, either letter case. Anything else is nullopt.
    static std::optional<Uuid> parse(std::string_view text);

    /// Sets the version 4 and variant bits on 16 bytes of entropy.
    static Uuid random_from(std::array<std::uint8_t, 16> entropy);

    std::string text() const;

    bool is_nil() const { return bytes_ == std::array<std::uint8_t, 16>{}; }

    friend auto operator<=>(const Uuid&, const Uuid&) = default;

  private:
    std::array<std::uint8_t, 16> bytes_{};
};

static_assert(!std::is_aggregate_v<Uuid>);

} // namespace onceswap::protocol
