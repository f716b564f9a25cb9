#pragma once

#include "engine/bound_member.hpp"
#include "protocol/authority_record.hpp"
#include "protocol/failure.hpp"
#include "protocol/member_state.hpp"
#include "protocol/verdict.hpp"

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace onceswap::engine {

/// A record with the row it was read from: what a compare-and-swap is compared with.
struct VersionedRecord {
    VersionedRecord() = default;

    VersionedRecord(protocol::AuthorityRow row_, protocol::AuthorityRecord record_)
        : row(std::move(row_)), record(std::move(record_)) {}

    protocol::AuthorityRow row;
    protocol::AuthorityRecord record;

    std::int32_t version() const { return row.version; }
};

static_assert(!std::is_aggregate_v<VersionedRecord>);

/// What one member said about a slot.
struct SlotAnswer {
    protocol::HostPort at;
    bool answered = false;
    std::optional<protocol::AuthorityRow> row; ///< nullopt with answered: the member sees no row
    std::string problem;                       ///< why there is no answer
};

/// What all members together say about a slot.
struct AuthorityReading {
    AuthorityReading() = default;

    bool readable = false; ///< at least one member answered; without that nothing below means anything
    /// absent, valid, invalid (undecodable, another slot's, or two different rows of one version) or foreign
    /// (none of its server UUIDs is ours). Never `lost`: that needs the catalogue.
    protocol::RecordStanding standing = protocol::RecordStanding::absent;
    std::optional<protocol::AuthorityRow> row; ///< the highest version seen
    std::optional<VersionedRecord> current;    ///< with standing valid, and with foreign for the report
    protocol::Failure problem;                 ///< with invalid and foreign
    std::vector<std::string> laggards;         ///< `ch-2:9000 shows version 3, not 4`
    std::vector<std::string> gaps; ///< `ch-2:9000: connection refused`: who did not answer, and why

    /// Every member answered and none lags: what a mutation should be built on.
    bool agreed() const { return readable && gaps.empty() && laggards.empty(); }
};

static_assert(!std::is_aggregate_v<AuthorityReading>);

/// Pure: the highest version counts, laggards are named, contradictory rows of the highest version are
/// invalid. `servers`: the server UUIDs of our members.
AuthorityReading conclude_slot(
    std::string_view target_key, std::span<const protocol::Uuid> servers, std::span<const SlotAnswer> answers
);

/// What a reading is to these members: a valid record that names none of them is foreign.
AuthorityReading read_among(AuthorityReading reading, std::span<const protocol::Uuid> servers);

/// `conclude_slot` from a catalogue pass that read the authority row along.
std::vector<SlotAnswer> slot_answers(std::span<const protocol::MemberEvidence> evidence);
AuthorityReading conclude_slot(
    std::string_view target_key,
    const std::vector<BoundMember>& members,
    std::span<const protocol::MemberEvidence> evidence
);

} // namespace onceswap::engine
