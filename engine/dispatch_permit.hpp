#pragma once

#include "protocol/correlation_token.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace onceswap::engine {

class Authority;
class Ddl;

/// The right to send exactly one DDL, once. Made only by Authority from a won dispatching CAS, consumed only
/// by Ddl::execute_once. Cannot be copied, default-made, serialized or kept: it names the epoch and token of
/// its record.
class DispatchPermit {
  public:
    DispatchPermit(const DispatchPermit&) = delete;
    DispatchPermit& operator=(const DispatchPermit&) = delete;

    DispatchPermit(DispatchPermit&& other) noexcept
        : token_(std::move(other.token_)), epoch_(other.epoch_), live_(other.live_) {
        other.live_ = false;
    }

    DispatchPermit& operator=(DispatchPermit&&) = delete;
    ~DispatchPermit() = default;

    const std::string& token() const { return token_; }

    std::uint64_t epoch() const { return epoch_; }

    bool live() const { return live_; } ///< false once moved from or consumed

  private:
    friend class Authority;
    friend class Ddl;

    DispatchPermit(std::string token, std::uint64_t epoch) : token_(std::move(token)), epoch_(epoch) {}

    std::string token_;
    std::uint64_t epoch_ = 0;
    bool live_ = true;
};

static_assert(!std::is_aggregate_v<DispatchPermit>);

} // namespace onceswap::engine
