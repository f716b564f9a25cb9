#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace onceswap::engine {

/// An operation and version that an operator's command is pinned to: what `status` printed. A slot that has
/// moved on since is left alone, with cas_conflict.
struct Pin {
    Pin() = default;

    Pin(std::string operation_id_, std::int32_t version_)
        : operation_id(std::move(operation_id_)), version(version_) {}

    std::string operation_id;
    std::int32_t version = 0;
};

static_assert(!std::is_aggregate_v<Pin>);

} // namespace onceswap::engine
