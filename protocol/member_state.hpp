#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/member_facts.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::protocol {

/// Where the two generations are on one member, from the names target, candidate and aside.
enum class State { pending, committed, aside, cleaned, kept_old, foreign, unavailable };
std::string_view text(State state);

/// What a name holds, in the words of the report: the desired generation, the predecessor, nothing, something
/// else.
enum class Role { desired, predecessor, absent, other };
std::string_view text(Role role);

struct NameHolding {
    Role role = Role::absent;
    Uuid uuid;                  ///< nil when absent
    std::string zookeeper_path; ///< empty when absent or not replicated
    std::string difference;     ///< for other: the first field that differs and its differing part
};

/// Readiness beside the state: it blocks dispatch and cleanup and is no evidence of an outcome.
struct Health {
    bool known = false; ///< the Keeper part was answered
    bool healthy = false;
    std::vector<std::string> problems; ///< `is_readonly`, `session expired`, `queue_size 3`, ...
};

struct MemberState {
    HostPort at;
    State state = State::unavailable;
    /// False where there is no record to judge by: then only what the names hold is said, and `state` says
    /// nothing.
    bool judged = true;
    NameHolding target;
    NameHolding candidate;
    NameHolding aside;
    std::string reason;                ///< for foreign and unavailable
    std::vector<std::string> warnings; ///< a schema or engine text that an ALTER changed since dispatch
    Health health;
};

/// What was learnt about one member in one pass. A part that could not be read is nullopt with the reason
/// beside it.
struct MemberEvidence {
    HostPort at;
    std::optional<CatalogueFacts> catalogue;
    std::string catalogue_problem;
    std::optional<KeeperFacts> keeper;
    std::string keeper_problem; ///< with a keeper part too: it came without the authority row, and why
};

/// Total over all evidence. A name holds a generation if uuid, zookeeper_name and zookeeper_path are its own;
/// where the Keeper part did not answer, or shows no path, the uuid alone decides. A changed schema or engine
/// text is a warning. An answer of another server than the recorded one makes the member unavailable.
MemberState member_state(const AuthorityRecord& record, const MemberEvidence& evidence);

/// Health of one table on one member: not readonly, session alive, queue empty, no exceptions, all replicas
/// active, log caught up (log_pointer = log_max_index + 1, or both 0).
Health table_health(const KeeperFacts& keeper, std::string_view table, std::size_t replicas_expected);

} // namespace onceswap::protocol
