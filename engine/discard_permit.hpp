#pragma once

#include "protocol/correlation_token.hpp"
#include "protocol/inventory.hpp"
#include "protocol/member_state.hpp"
#include "protocol/uuid.hpp"

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace onceswap::engine {

class Ddl;

/// The right to drop, once, one table that this try created and that no record can name: made only from
/// catalogues in which every member of the inventory shows the recorded uuid under that name.
class DiscardPermit {
  public:
    /// nullopt: some member is silent, or shows nothing or something else under the name. Precondition: the
    /// token's action is `setup` (throws std::logic_error).
    static std::optional<DiscardPermit> from_evidence(
        const protocol::CorrelationToken& token,
        std::string table,
        const protocol::Uuid& uuid,
        const protocol::Inventory& inventory,
        std::span<const protocol::MemberEvidence> evidence
    );

    DiscardPermit(const DiscardPermit&) = delete;
    DiscardPermit& operator=(const DiscardPermit&) = delete;

    DiscardPermit(DiscardPermit&& other) noexcept
        : token_(std::move(other.token_)), table_(std::move(other.table_)), live_(other.live_) {
        other.live_ = false;
    }

    DiscardPermit& operator=(DiscardPermit&&) = delete;
    ~DiscardPermit() = default;

    const std::string& token() const { return token_; }

    const std::string& table() const { return table_; }

    bool live() const { return live_; } ///< false once moved from or consumed

  private:
    friend class Ddl;

    DiscardPermit(std::string token, std::string table)
        : token_(std::move(token)), table_(std::move(table)) {}

    std::string token_;
    std::string table_;
    bool live_ = true;
};

static_assert(!std::is_aggregate_v<DiscardPermit>);

} // namespace onceswap::engine
