#pragma once

#include "protocol/correlation_token.hpp"
#include "protocol/statements.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace onceswap::engine {

class Ddl;

/// The right to send one statement that needs no CAS because it can neither move nor drop a generation that a
/// reader sees: the CREATE of the facade, the CREATE of a candidate, the RENAME that adopts a staged table,
/// once. Its token's action is `setup` (precondition, throws std::logic_error).
class SetupPermit {
  public:
    explicit SetupPermit(const protocol::CorrelationToken& token);
    SetupPermit(const SetupPermit&) = delete;
    SetupPermit& operator=(const SetupPermit&) = delete;

    SetupPermit(SetupPermit&& other) noexcept : token_(std::move(other.token_)), live_(other.live_) {
        other.live_ = false;
    }

    SetupPermit& operator=(SetupPermit&&) = delete;
    ~SetupPermit() = default;

    const std::string& token() const { return token_; }

    bool live() const { return live_; } ///< false once moved from or consumed

    static bool accepts(protocol::StatementKind kind);

  private:
    friend class Ddl;
    std::string token_;
    bool live_ = true;
};

static_assert(!std::is_aggregate_v<SetupPermit>);

} // namespace onceswap::engine
