#include "protocol/correlation_token.hpp"

#include "protocol/hex.hpp"

#include <charconv>
#include <stdexcept>

namespace onceswap::protocol {

namespace {

constexpr std::string_view head = "onceswap-v1-";
constexpr std::size_t operation_digits = 20;
constexpr std::size_t random_digits = 32;
constexpr std::array all_actions{
    Action::publish, Action::aside, Action::cleanup, Action::retire, Action::setup
};

std::optional<Action> action_from_text(std::string_view word) {
    for (const Action action : all_actions)
        if (text(action) == word)
            return action;
    return std::nullopt;
}

/// Decimal without sign or leading zero, so that one epoch has one text.
std::optional<std::uint64_t> parse_epoch(std::string_view digits) {
    if (digits.empty() || (digits.front() == '0' && digits.size() > 1))
        return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

/// Takes what stands before the next dash off `rest`; nullopt if there is no dash.
std::optional<std::string_view> take_field(std::string_view& rest) {
    const std::size_t dash = rest.find('-');
    if (dash == std::string_view::npos)
        return std::nullopt;
    const std::string_view field = rest.substr(0, dash);
    rest.remove_prefix(dash + 1);
    return field;
}

std::string_view operation_part(std::string_view operation_id) {
    const std::string_view part = operation_id.substr(0, operation_digits);
    if (!is_lower_hex(part, operation_digits))
        throw std::invalid_argument("an operation id begins with 20 hexadecimal digits");
    return part;
}

} // namespace

std::string_view text(Action action) {
    switch (action) {
    case Action::publish:
        return "publish";
    case Action::aside:
        return "aside";
    case Action::cleanup:
        return "cleanup";
    case Action::retire:
        return "retire";
    case Action::setup:
        return "setup";
    }
    return "";
}

std::string CorrelationToken::text() const {
    return std::string(head) + operation + '-' + std::string(protocol::text(action)) + '-' +
           std::to_string(epoch) + '-' + random;
}

std::optional<CorrelationToken> CorrelationToken::parse(std::string_view text) {
    if (!text.starts_with(head))
        return std::nullopt;
    std::string_view rest = text.substr(head.size());
    const auto operation = take_field(rest);
    const auto word = take_field(rest);
    const auto digits = take_field(rest);
    if (!operation || !word || !digits)
        return std::nullopt;
    const auto action = action_from_text(*word);
    const auto epoch = parse_epoch(*digits);
    if (!action || !epoch || !is_lower_hex(*operation, operation_digits) ||
        !is_lower_hex(rest, random_digits))
        return std::nullopt;
    return CorrelationToken{std::string(*operation), *action, *epoch, std::string(rest)};
}

CorrelationToken make_token(
    std::string_view operation_id,
    Action action,
    std::uint64_t epoch,
    const std::array<std::uint8_t, 16>& entropy
) {
    return {std::string(operation_part(operation_id)), action, epoch, to_hex(entropy)};
}

std::string token_prefix(std::string_view operation_id) {
    return std::string(head) + std::string(operation_part(operation_id)) + '-';
}

} // namespace onceswap::protocol
