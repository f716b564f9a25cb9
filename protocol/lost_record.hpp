#pragma once

#include "protocol/member_facts.hpp"
#include "protocol/queue_evidence.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::protocol {

/// What is in sight of a publication whose record is not.
struct RecordTraces {
    std::vector<std::string> proofs;    ///< only a publication that was dispatched leaves these
    std::vector<std::string> leftovers; ///< tables that a killed staging leaves too, before any record
};

/// A set-aside table, or a queue entry with a dispatched statement's token about tables of `prefix`
/// (candidate_prefix of the target), proves that there was a record. A table under a candidate's name does
/// not: a first publication is staged before its record is written. Pure.
RecordTraces record_traces(
    std::string_view database,
    std::string_view prefix,
    std::span<const TableRow> tables,
    std::span<const QueueRow> entries
);

} // namespace onceswap::protocol
