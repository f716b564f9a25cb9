#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/failure.hpp"
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

/// The right to drop, once, one table by name: one that this try created and that no record can name, or one
/// that its record lists as an orphan. Made only from catalogues in which every member of the inventory
/// answered and no member shows anything but that uuid under that name.
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

    /// For a table that `record` lists as an orphan (protocol::may_drop_orphan; throws std::logic_error
    /// otherwise). Every member of the record must answer and show the record's inventory; where the name is
    /// free it was dropped before, which is the only difference to from_evidence. nullopt: `why` says who
    /// does not show it, or that nobody has it.
    static std::optional<DiscardPermit> for_orphan(
        const protocol::CorrelationToken& token,
        const protocol::AuthorityRecord& record,
        const protocol::NamedTable& orphan,
        std::span<const protocol::MemberEvidence> evidence,
        protocol::Failure& why
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
