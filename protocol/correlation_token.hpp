#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace onceswap::protocol {

/// What a token's DDL is for.
enum class Action { publish, aside, cleanup, retire, setup };
std::string_view text(Action action);

/// `onceswap-v1-<20 hex of operation_id>-<action>-<epoch>-<32 hex random>`: the log_comment that ties one DDL
/// to one permit. At most 128 bytes of [a-z0-9-], well below max_query_size. Opaque: no names, no secrets.
struct CorrelationToken {
    std::string operation; ///< first 20 hex digits of the operation id
    Action action = Action::setup;
    std::uint64_t epoch = 0;
    std::string random; ///< 32 hex digits

    std::string text() const;
    static std::optional<CorrelationToken> parse(std::string_view text);
    friend bool operator==(const CorrelationToken&, const CorrelationToken&) = default;
};

CorrelationToken make_token(
    std::string_view operation_id,
    Action action,
    std::uint64_t epoch,
    const std::array<std::uint8_t, 16>& entropy
);

/// `onceswap-v1-<20 hex>-`: shared by all tokens of one operation.
std::string token_prefix(std::string_view operation_id);

} // namespace onceswap::protocol
