#pragma once

#include "protocol/admission.hpp"
#include "protocol/verdict.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace onceswap::protocol {

/// What a pass or a whole operation ended with, with the evidence per member. Holds no credentials, no row
/// values and no source SQL.
struct Report {
    std::string cluster;
    TargetName target;
    std::int64_t observed_at = 0; ///< seconds since the Unix epoch, UTC
    std::string operation_id;     ///< empty without a record
    std::string inventory_digest;
    std::optional<Phase> phase;
    std::uint64_t dispatch_epoch = 0;
    std::optional<std::int32_t> record_version;
    std::int64_t record_updated_at = 0; ///< of the record that was read, seconds UTC; 0 without one
    std::string candidate;
    std::string entry; ///< of the phase's attempt
    QueueEvidence evidence = QueueEvidence::none;
    Verdict verdict;

    struct Row {
        MemberState state;
        std::string queue_status; ///< raw word or empty
        std::int64_t queue_code = 0;
        std::string queue_text;
        std::string endpoint;
    };

    std::vector<Row> members; ///< one per expected member, absent ones included
    std::vector<std::string> evidence_gaps;
    std::vector<std::string> warnings;
    std::vector<Finding> findings;  ///< of an admission that refused
    std::optional<Code> stopped_by; ///< cancelled, deadline_reached, or the error that ended the call early
    std::string stopped_detail;
    std::vector<NamedTable> retained;
    std::vector<NamedTable> orphans;

    /// A statement for one host alone, to be sent by a person, never by this program.
    struct Repair {
        HostPort at;
        Role serve = Role::desired; ///< what the target holds afterwards: desired, predecessor, absent
        Uuid before;                ///< what the target must hold before; nil: nothing
        Uuid after;                 ///< nil: nothing
        std::string sql;
    };

    /// With RETIRED_MIXED: what makes the members agree, for each of the two outcomes.
    std::vector<Repair> repairs;
};

/// One document, `schema_version` 1; ids, versions and epochs are strings, times RFC 3339 in UTC. Its shape
/// is docs/cli/report.schema.json. Texts of servers are made valid UTF-8 without control characters and cut
/// at 4 KiB.
boost::json::object to_json(const Report& report);

/// The exit code for a call that `code` ended; total over the codes. 130 for cancelled: a tool that was
/// stopped by a signal knows better which.
int exit_code(Code code);

/// The exit code of a tool that ended with this report: the verdict's, or the stopping error's where it is
/// worse. Unknown is never 0, and what the verdict proves is not covered by a failure of this program. A
/// reached deadline is 3 whatever the verdict, as a signal is 130.
int exit_code(const Report& report);

} // namespace onceswap::protocol
