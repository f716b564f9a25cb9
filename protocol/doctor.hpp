#pragma once

#include "protocol/admission.hpp"

#include <optional>
#include <string>
#include <vector>

namespace onceswap::protocol {

/// How one rule stands on one member. `not_known`: what it needs could not be read, or no reading can show
/// it.
enum class Standing { pass, warn, refuse, not_known };
std::string_view text(Standing standing);

/// Everything that `doctor` read: what admission asks, and what only an operator wants to know before.
struct DoctorFacts {
    AdmissionFacts facts;
    /// As a publication would be told: protocol::admit and what the engine found besides.
    Admission admission;
    /// What ends a publication before its admission: nobody answers, the slot is not free. The first refusal
    /// among these is the code that it ends with.
    std::vector<Finding> before;

    /// One per endpoint, in order.
    struct Asked {
        std::optional<EnvironmentFacts> environment;
        std::string problem;
    };

    std::vector<Asked> asked;
    std::vector<QueueRow> own_entries; ///< entries of the DDL queue with a token of ours
    bool slot_known = false;           ///< the record, or its absence, was read
    bool ever_completed = false;       ///< the record tells of a publication that was completed
    std::string candidate;             ///< of the slot's PREPARED operation; empty: none
    std::optional<CandidateAdmission> candidate_admission;
    bool candidate_is_meant = false; ///< the caller pinned that operation: its candidate must be ready
    std::string user;
    bool readonly_user = false; ///< no probe of settings was sent
};

struct DoctorLine {
    Rule rule = Rule::reachable;
    Standing standing = Standing::pass;
    std::string host;   ///< member, or endpoint while that is not known; empty: the cluster as a whole
    std::string seen;   ///< may be empty for pass
    std::string remedy; ///< what can be done, with lines to paste; empty for pass
};

struct Diagnosis {
    std::vector<DoctorLine> lines; ///< in the order of the rules, at least one for each
    /// What a publication would be refused with.
    std::optional<Code> refused_with;
    /// Something that decides could not be read, although nothing refuses.
    bool undecided = false;
};

/// Pure and total. Refuses exactly where the publication's own admission refuses, with its code: the findings
/// are that admission's, none is added to or taken from what refuses.
Diagnosis diagnose(const DoctorFacts& facts);

/// 0 nothing refuses; 8 refused; 4 what decides is not known; 1 nobody could be reached.
int exit_code(const Diagnosis& diagnosis);

} // namespace onceswap::protocol
