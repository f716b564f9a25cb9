#pragma once

#include "protocol/admission_rules.hpp"
#include "protocol/authority_record.hpp"
#include "protocol/error_code.hpp"
#include "protocol/grants.hpp"
#include "protocol/member_facts.hpp"
#include "protocol/member_state.hpp"
#include "protocol/queue_evidence.hpp"
#include "protocol/row_decoding.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace onceswap::protocol {

enum class Severity { pass, warn, refuse };

/// One line of the admission checklist; `doctor` prints them all, `publish` stops on the first refusal.
struct Finding {
    Severity severity = Severity::pass;
    Code code = Code::outcome_unknown; ///< meaningless for pass
    std::string check;                 ///< short name: `inventory`, `database engine`, ...
    std::string host;                  ///< empty: the cluster as a whole
    std::string detail;
    Rule rule = Rule::reachable; ///< meaningless for pass
};

/// Everything that was read from one endpoint. A part that was not answered is nullopt with its problem.
struct EndpointFacts {
    std::string endpoint; ///< URL without credentials
    std::optional<CatalogueFacts> catalogue;
    std::optional<KeeperFacts> keeper;
    std::optional<CapabilityFacts> capabilities;
    std::optional<RowPolicies> row_policies;
    std::optional<std::vector<std::string>> grants;
    std::optional<std::uint64_t> target_rows;
    std::vector<std::string> problems;
};

struct AdmissionFacts {
    std::string cluster; ///< as the user named it
    TargetName target;
    std::string authority_root;
    std::string
        operation_id;      ///< empty where none is meant; its own staged tables are no trace of a lost record
    std::string candidate; ///< empty before staging
    std::vector<EndpointFacts> endpoints;
    std::vector<RosterRow> roster;
    std::string roster_problem;
    std::vector<QueueRow> unfinished;
    /// Why the unfinished entries are not known: unreadable everywhere, or a queue that was never used (no
    /// directory yet).
    std::string queue_problem;
    std::uint64_t entries_in_queue = 0;
    /// Records in the authority table, of all targets, as the member that shows the most of them does;
    /// nullopt: nobody showed them, or there is no table.
    std::optional<std::uint64_t> authority_records;
    bool accept_lost_authority = false;
    bool allow_view_depends = false; ///< materialized views of the target only warn
};

/// The members with the endpoint that speaks for each.
struct AdmittedMember {
    Member member;
    Uuid server_uuid;
    std::size_t endpoint = 0; ///< index into AdmissionFacts::endpoints
    std::string version;
};

enum class FacadeStanding { complete, absent_everywhere, absent_on_some };

struct Admission {
    std::vector<Finding> findings; ///< in the order of docs/protocol.md
    bool refused() const;
    const Finding* first_refusal() const;

    // Meaningful unless refused:
    std::optional<Inventory> inventory;
    std::vector<AdmittedMember> members; ///< in inventory order
    FacadeStanding facade = FacadeStanding::complete;
    std::optional<Generation> target; ///< nullopt: absent on all members
};

/// Part A: before the source is read and before any mutation. Pure and total.
Admission admit(const AdmissionFacts& facts);

/// What is expected of the staged candidate.
struct CandidateFacts {
    std::string name;
    Uuid uuid;
    std::uint64_t staged_rows = 0;

    struct PerMember {
        HostPort at;
        std::optional<CatalogueFacts> catalogue;
        std::optional<KeeperFacts> keeper;
        std::optional<std::uint64_t> rows;
        std::string problem;
    };

    std::vector<PerMember> members;
};

struct CandidateAdmission {
    std::vector<Finding> findings;
    bool refused() const;
    const Finding* first_refusal() const;
    std::optional<Generation> candidate;
};

/// Part B: after staging, before the authority is written, and again before the dispatching CAS.
CandidateAdmission admit_candidate(
    const Inventory& inventory, const std::optional<Generation>& target, const CandidateFacts& facts
);

/// Step A8 for a slot that was read: what an operation may do with it. Total over phases.
enum class SlotDecision {
    create,             ///< no record: create_if_absent
    prepare,            ///< COMPLETED or ABANDONED by another operation: CAS to PREPARED
    resume,             ///< our own unfinished operation
    answer_completed,   ///< our own, or in `recent`: already published, answered from the record
    refuse_abandoned,   ///< our own operation was abandoned
    resume_other_first, ///< another unfinished operation
};
SlotDecision decide_slot(const std::optional<AuthorityRecord>& record, std::string_view operation_id);

} // namespace onceswap::protocol
