#include "protocol/names.hpp"

#include "protocol/digest.hpp"
#include "protocol/hex.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <array>

namespace onceswap::protocol {

namespace {

/// Version of the rule by which an operation id is made; a new rule must not give old ids.
constexpr int operation_id_version = 1;

} // namespace

std::string target_key(std::string_view cluster, const TargetName& target) {
    const boost::json::object identity{
        {"cluster", cluster}, {"database", target.database}, {"target", target.table}
    };
    return digest(identity);
}

std::string operation_id(
    std::string_view cluster,
    const TargetName& target,
    std::string_view invocation_id,
    std::string_view plan_digest
) {
    const boost::json::object identity{
        {"version", operation_id_version},
        {"cluster", cluster},
        {"database", target.database},
        {"target", target.table},
        {"invocation_id", invocation_id},
        {"plan_digest", plan_digest},
    };
    return digest(identity);
}

std::string candidate_prefix(std::string_view target_key) {
    // Spelt out: nested braces around a single pair can mean an object or an array.
    const boost::json::object identity{{"target_key", target_key}};
    return "onceswap_" + digest(identity).substr(0, 12) + "_";
}

std::string candidate_name(std::string_view target_key, std::string_view operation_id, std::uint32_t random) {
    const std::array<std::uint8_t, 4> bytes{
        static_cast<std::uint8_t>(random >> 24),
        static_cast<std::uint8_t>(random >> 16),
        static_cast<std::uint8_t>(random >> 8),
        static_cast<std::uint8_t>(random)
    };
    return candidate_prefix(target_key) + std::string(operation_id.substr(0, 8)) + "_" + to_hex(bytes);
}

std::string aside_name(std::string_view candidate) {
    return std::string(candidate) + "__aside";
}

} // namespace onceswap::protocol
