#pragma once

#include "engine/authority_reading.hpp"
#include "engine/bound_member.hpp"
#include "protocol/member_state.hpp"
#include "protocol/queue_evidence.hpp"
#include "protocol/report.hpp"
#include "protocol/verdict.hpp"

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace onceswap::engine {

/// Everything that one pass read of a valid record, undecided.
struct PassFacts {
    PassFacts() = default;

    VersionedRecord current;                       ///< known before the pass and seen unchanged in it
    std::vector<BoundMember> members;              ///< those that could be asked
    std::vector<protocol::MemberEvidence> answers; ///< of `members`, in their order
    protocol::QueueConclusion queue;               ///< of the phase's attempt
    /// What this invocation's own permit came to, where the record does not say it yet.
    protocol::HolderResult holder_result = protocol::HolderResult::none;
    std::vector<std::string> gaps;
    std::int64_t observed_at = 0;
};

static_assert(!std::is_aggregate_v<PassFacts>);

/// What a pass concluded.
struct Observation {
    Observation() = default;

    protocol::Report report;
    std::optional<VersionedRecord> current;    ///< with a valid record only
    std::vector<BoundMember> members;          ///< those that answered as themselves
    std::vector<BoundMember> writers;          ///< those among them that showed the record as it stands
    std::vector<protocol::MemberState> states; ///< one per member of the record
    protocol::QueueConclusion queue;
    std::string signature; ///< equal for two passes that saw the same catalogues

    protocol::Word word() const { return report.verdict.word; }

    /// The target's replication is healthy on every member of the record.
    bool healthy() const;
    /// The members' problems, for the report of a step that waits for health.
    std::string unhealthy() const;
};

static_assert(!std::is_aggregate_v<Observation>);

/// Facts in, verdict and report out. Pure.
Observation judge(const PassFacts& facts);

/// Our own write stands there now: the report describes it, the verdict stays that of the pass.
void adopt(Observation& observation, const VersionedRecord& now);

/// The same, and the facts are judged again under it.
void rejudge(Observation& observation, const VersionedRecord& now);

/// No record, or one that must not be touched: verdict rows 1 and 2.
Observation
judge_without_record(const AuthorityReading& reading, protocol::TargetName target, std::string cluster);

/// Whether the verdict rests on catalogues that do not fit together. One such reading is not believed: two
/// system tables in one SELECT are two instants.
bool is_odd(const protocol::Verdict& verdict);

/// Whether waiting can change what the queue shows. Several entries, a changed one and a lost one stay what
/// they are.
bool is_transient(protocol::QueueEvidence evidence);

} // namespace onceswap::engine
