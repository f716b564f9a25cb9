#include "protocol/names.hpp"

#include "protocol/canonical_writer.hpp"
#include "protocol/digest.hpp"
#include "protocol/hex.hpp"
#include "protocol/mutant.hpp"

#include <array>

namespace onceswap::protocol {

namespace {

/// Version of the rule by which an operation id is made; a new rule must not give old ids.
constexpr int operation_id_version = 1;

} // namespace

std::string target_key(std::string_view cluster, const TargetName& target) {
    CanonicalText identity;
    CanonicalWriter out(identity);
    out.begin_object();
    out.text("cluster", cluster);
    out.text("database", target.database);
    out.text("target", target.table);
    out.end_object();
    return sha256_hex(identity.text);
}

std::string operation_id(
    std::string_view cluster,
    const TargetName& target,
    std::string_view invocation_id,
    std::string_view plan_digest
) {
    CanonicalText identity;
    CanonicalWriter out(identity);
    out.begin_object();
    out.text("cluster", cluster);
    out.text("database", target.database);
    out.text("invocation_id", invocation_id);
    out.text("plan_digest", plan_digest);
    out.text("target", target.table);
    out.number("version", operation_id_version);
    out.end_object();
    return sha256_hex(identity.text);
}

std::string candidate_prefix(std::string_view target_key) {
    CanonicalText identity;
    CanonicalWriter out(identity);
    out.begin_object();
    out.text("target_key", target_key);
    out.end_object();
    return "onceswap_" + sha256_hex(identity.text).substr(0, 12) + "_";
}

std::string candidate_name(std::string_view target_key, std::string_view operation_id, std::uint32_t random) {
    if (mutated(Mutant::candidate_name_reused_by_next_operation))
        operation_id = "00000000";
    if (mutated(Mutant::candidate_name_reused_by_next_operation) ||
        mutated(Mutant::candidate_name_reused_by_next_try))
        random = 0;
    const std::array<std::uint8_t, 4> bytes{
        static_cast<std::uint8_t>(random >> 24),
        static_cast<std::uint8_t>(random >> 16),
        static_cast<std::uint8_t>(random >> 8),
        static_cast<std::uint8_t>(random)
    };
    return candidate_prefix(target_key) + std::string(operation_id.substr(0, 8)) + "_" + to_hex(bytes);
}

bool is_candidate_name(std::string_view target_key, std::string_view name) {
    constexpr std::size_t digits = 8;
    const std::string prefix = candidate_prefix(target_key);
    if (!name.starts_with(prefix))
        return false;
    const std::string_view rest = name.substr(prefix.size());
    return rest.size() == digits + 1 + digits && is_lower_hex(rest.substr(0, digits), digits) &&
           rest[digits] == '_' && is_lower_hex(rest.substr(digits + 1), digits);
}

std::string aside_name(std::string_view candidate) {
    return std::string(candidate) + "__aside";
}

} // namespace onceswap::protocol
