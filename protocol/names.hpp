#pragma once

#include "protocol/uuid.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace onceswap::protocol {

struct TargetName {
    TargetName() = default;

    TargetName(std::string database_, std::string table_)
        : database(std::move(database_)), table(std::move(table_)) {}

    std::string database;
    std::string table;
    friend auto operator<=>(const TargetName&, const TargetName&) = default;
};

static_assert(!std::is_aggregate_v<TargetName>);

/// The table that holds the authority records, in the target's own database.
inline constexpr std::string_view authority_table = "__onceswap_authority";
inline constexpr std::string_view default_authority_root = "/onceswap/authority/v1";

/// digest{cluster, database, target}: the primary key of a target's slot. `cluster` is the canonical name.
std::string target_key(std::string_view cluster, const TargetName& target);

/// digest{version, cluster, database, target, invocation_id, plan_digest}. The invocation id is the
/// scheduler's and the same for every try of one run.
std::string operation_id(
    std::string_view cluster,
    const TargetName& target,
    std::string_view invocation_id,
    std::string_view plan_digest
);

/// `onceswap_<12 hex of target_key's digest>_<8 hex of operation_id>_<8 hex random>`; never reused.
std::string candidate_name(std::string_view target_key, std::string_view operation_id, std::uint32_t random);
/// Whether a name is exactly of that form for the target, whatever its operation.
bool is_candidate_name(std::string_view target_key, std::string_view name);
/// `<candidate>__aside`.
std::string aside_name(std::string_view candidate);

/// `onceswap_<12 hex>_`: what all candidates of a target begin with.
std::string candidate_prefix(std::string_view target_key);

} // namespace onceswap::protocol
