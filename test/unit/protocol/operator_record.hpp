#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/member_state.hpp"
#include "protocol/queue_evidence.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace onceswap::testing {

inline protocol::Uuid numbered_uuid(unsigned number) {
    std::array<std::uint8_t, 16> bytes{};
    bytes.back() = static_cast<std::uint8_t>(number);
    return protocol::Uuid::random_from(bytes);
}

/// A record of two members in that phase, for decisions that look at phase, names and generations only.
inline protocol::AuthorityRecord operator_record(protocol::Phase phase, bool existing_target = true) {
    protocol::AuthorityRecord record;
    record.cluster = "c1";
    record.target = protocol::TargetName("db", "target");
    record.candidate = "onceswap_c";
    record.aside = "onceswap_c__aside";
    record.operation_id = std::string(64, 'a');
    record.phase = phase;
    record.members = {{{"ch-1", 9000}, 1, numbered_uuid(1)}, {{"ch-2", 9000}, 2, numbered_uuid(2)}};
    record.desired.uuid = numbered_uuid(100);
    if (existing_target)
        record.predecessor.emplace().uuid = numbered_uuid(101);
    return record;
}

/// What a member of that record shows in that state. FOREIGN: another table under the candidate's name.
inline protocol::MemberState
shown_state(const protocol::AuthorityRecord& record, std::size_t member, protocol::State state) {
    using protocol::Role;
    using protocol::State;
    protocol::MemberState out;
    out.at = record.members.at(member).at;
    out.state = state;
    const Role old = record.predecessor ? Role::predecessor : Role::absent;
    switch (state) {
    case State::pending:
        out.target.role = old;
        out.candidate.role = Role::desired;
        break;
    case State::committed:
        out.target.role = Role::desired;
        out.candidate.role = old;
        break;
    case State::aside:
        out.target.role = Role::desired;
        out.aside.role = old;
        break;
    case State::cleaned:
        out.target.role = Role::desired;
        break;
    case State::kept_old:
        out.target.role = old;
        out.aside.role = Role::desired;
        break;
    case State::foreign:
        out.target.role = old;
        out.candidate.role = Role::other;
        break;
    case State::unavailable:
        out.reason = "no answer";
        break;
    }
    return out;
}

inline constexpr std::array all_states{
    protocol::State::pending,
    protocol::State::committed,
    protocol::State::aside,
    protocol::State::cleaned,
    protocol::State::kept_old,
    protocol::State::foreign,
    protocol::State::unavailable,
};

inline constexpr std::array all_evidence{
    protocol::QueueEvidence::none,
    protocol::QueueEvidence::in_progress,
    protocol::QueueEvidence::success,
    protocol::QueueEvidence::failure,
    protocol::QueueEvidence::several,
    protocol::QueueEvidence::unreadable,
    protocol::QueueEvidence::changed,
    protocol::QueueEvidence::gone,
    protocol::QueueEvidence::unknown_rows,
    protocol::QueueEvidence::diverged,
};

} // namespace onceswap::testing
