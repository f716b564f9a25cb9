#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/inventory.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace onceswap::protocol {

/// One row of system.distributed_ddl_queue, undecided. Fields are as the server gave them, NULL is nullopt.
struct QueueRow {
    std::string entry;
    std::optional<std::uint32_t> entry_version;
    std::string cluster; ///< parsed by the server; evidence only, never a filter
    std::string query;
    std::map<std::string, std::string> settings;
    std::int64_t query_create_time = 0;
    std::optional<std::string> host;
    std::optional<std::uint16_t> port;
    std::optional<std::string> status;
    std::optional<std::int64_t> exception_code;
    std::optional<std::string> exception_text;
    friend bool operator==(const QueueRow&, const QueueRow&) = default;
};

/// What one host's row of an entry means. Closed: everything that is not recognized is unknown.
enum class RowResult { in_progress, success, failure, unknown };
RowResult normalize_row(const QueueRow& row);

/// What all rows of one entry mean for the whole inventory. Missing, extra or duplicate hosts: unknown.
struct EntryReading {
    std::string entry;
    RowResult aggregate = RowResult::unknown;

    struct Host {
        HostPort at;
        RowResult result = RowResult::unknown;
        std::string status; ///< raw word, `NULL` where it was NULL, empty where there was no row
        std::int64_t code = 0;
        std::string exception_text;
    };

    std::vector<Host> members;         ///< one per member, in inventory order
    std::vector<std::string> problems; ///< named missing, extra and duplicate hosts and malformed rows
};

EntryReading read_entry(const Inventory& inventory, std::string_view entry, std::span<const QueueRow> rows);

/// Evidence of one action, the second axis of the verdict table.
enum class QueueEvidence {
    none, ///< no entry with the token, within the reading
    in_progress,
    success,      ///< terminal, every host succeeded
    failure,      ///< terminal, at least one host failed
    several,      ///< more than one entry carries the token
    unreadable,   ///< the queue could not be read
    changed,      ///< the bound entry shows another statement, token or host set
    gone,         ///< the bound entry is not there any more and there is no receipt
    unknown_rows, ///< the entry has rows that mean nothing we know
    diverged,     ///< members that can read the queue disagree about it
};
std::string_view text(QueueEvidence evidence);
/// success or failure
bool is_terminal(QueueEvidence evidence);

/// What reading the queue on one member gave: rows with the token (all entries), or why not.
struct QueueReading {
    bool readable = false;
    std::string problem;
    std::vector<QueueRow> rows;
};

/// What is expected of the entry that belongs to an attempt.
struct ExpectedEntry {
    std::string token;
    std::string statement; ///< the SQL that was sent; the stored text must parse to it, by tokens
    std::string cluster;
    std::string entry;        ///< empty: not bound yet
    std::string query_digest; ///< empty: not bound yet
};

struct QueueConclusion {
    QueueEvidence evidence = QueueEvidence::unreadable;
    std::optional<EntryReading> reading; ///< where exactly one entry matched
    std::string query_digest;            ///< of the stored text, where exactly one entry matched
    std::vector<std::string> problems;
};

/// Concludes from the persisted receipt if there is one, else from the live readings of the members that were
/// asked.
QueueConclusion conclude_queue(
    const Inventory& inventory,
    const ExpectedEntry& expected,
    const std::optional<Receipt>& receipt,
    std::span<const QueueReading> readings
);

/// The receipt of a terminal reading. Precondition: reading.aggregate is success or failure.
Receipt make_receipt(const EntryReading& reading, std::int64_t observed_at);

} // namespace onceswap::protocol
