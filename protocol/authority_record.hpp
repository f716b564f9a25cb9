#pragma once

#include "protocol/generation.hpp"
#include "protocol/inventory.hpp"
#include "protocol/names.hpp"
#include "protocol/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace onceswap::protocol {

enum class Phase {
    prepared,
    dispatching,
    committed,
    set_aside_dispatching,
    cleanup_dispatching,
    retiring,
    completed,
    abandoned,
};
/// The word in the record: PREPARED, DISPATCHING, ...
std::string_view text(Phase phase);
std::optional<Phase> phase_from_text(std::string_view text);
/// The phases whose CAS brings a permit when the epoch rose.
bool is_dispatching(Phase phase);

struct RecordedMember {
    HostPort at;
    std::uint32_t replica_num = 0;
    Uuid server_uuid;
    friend bool operator==(const RecordedMember&, const RecordedMember&) = default;
};

/// A server's text kept short: at most the first 256 bytes (cut at a UTF-8 border) and the SHA-256 of all of
/// it.
struct ExceptionDigest {
    std::string head;
    std::string sha256;
    friend bool operator==(const ExceptionDigest&, const ExceptionDigest&) = default;
};

ExceptionDigest digest_exception(std::string_view text);

/// Terminal result of one member as the queue stated it.
struct HostReceipt {
    HostPort at;
    std::uint16_t code = 0;    ///< 0 is success
    ExceptionDigest exception; ///< the head is kept for the first limits::exception_heads failing hosts only
    friend bool operator==(const HostReceipt&, const HostReceipt&) = default;
};

/// All members' terminal results of one queue entry, persisted before the queue forgets. One row per member,
/// in the record's order of members (persist_receipt in transitions.hpp puts them there).
struct Receipt {
    std::vector<HostReceipt> hosts;
    std::int64_t observed_at = 0; ///< seconds since the Unix epoch, UTC
    friend bool operator==(const Receipt&, const Receipt&) = default;
};

/// Whether any host failed.
bool is_failure(const Receipt& receipt);

/// What the permit holder itself saw of the DDL it sent. A hint, except for not_sent and rejected.
enum class HolderResult { none, acknowledged, host_failed, rejected, not_sent, outcome_unknown };
std::string_view text(HolderResult result);

/// One permitted DDL: the token is written by the dispatching CAS, the rest by later binding writes.
struct DdlAttempt {
    std::uint64_t epoch = 0;
    std::string token;
    std::string query_digest; ///< empty until bound
    std::string entry;        ///< `query-0000000007`, empty until bound
    HolderResult result = HolderResult::none;
    std::optional<Receipt> receipt;
    friend bool operator==(const DdlAttempt&, const DdlAttempt&) = default;
};

struct NamedTable {
    NamedTable() = default;

    NamedTable(std::string name_, const Uuid& uuid_) : name(std::move(name_)), uuid(uuid_) {}

    std::string name;
    Uuid uuid;
    friend bool operator==(const NamedTable&, const NamedTable&) = default;
};

static_assert(!std::is_aggregate_v<NamedTable>);

struct RecentOperation {
    std::string operation_id;
    Phase outcome = Phase::completed; ///< completed or abandoned
    std::uint64_t epoch = 0;
    friend bool operator==(const RecentOperation&, const RecentOperation&) = default;
};

struct CanaryReceipt {
    std::vector<std::string> versions; ///< one per member, in member order
    std::vector<Uuid> servers;
    std::string entry;
    friend bool operator==(const CanaryReceipt&, const CanaryReceipt&) = default;
};

struct RecordedError {
    std::string code; ///< stable name
    std::string summary;
    friend bool operator==(const RecordedError&, const RecordedError&) = default;
};

/// The one row of a target: the only memory of a publication. Everything that resume, cleanup and the
/// operator's commands need is in it. Limits are those of `limits` below and are checked by the codec.
struct AuthorityRecord {
    AuthorityRecord() = default;
    std::string target_key;
    std::string cluster;
    TargetName target;
    std::string candidate;
    std::string aside;
    std::string operation_id;
    std::string plan_digest;
    std::string inventory_digest;
    std::vector<RecordedMember> members;
    std::optional<Generation> predecessor; ///< none: the target did not exist
    Generation desired;
    std::uint64_t staged_rows = 0;
    Phase phase = Phase::prepared;
    std::uint64_t dispatch_epoch = 0;
    std::string fence_token; ///< 32 hex digits, one worker's ownership
    std::string write_id;    ///< 32 hex digits, new in every write
    // In the three lists below only the last attempt keeps its receipt; older ones keep entry, token and
    // digest.
    std::optional<DdlAttempt> publication; ///< none in PREPARED
    std::vector<DdlAttempt> set_aside;
    std::vector<DdlAttempt> cleanup;
    std::vector<DdlAttempt> retire;
    std::vector<NamedTable> orphans;
    std::vector<NamedTable> retained;
    std::vector<RecentOperation> recent; ///< oldest first
    std::optional<CanaryReceipt> canary;
    std::int64_t created_at = 0; ///< seconds since the Unix epoch, UTC
    std::int64_t updated_at = 0;
    std::optional<RecordedError> error;

    friend bool operator==(const AuthorityRecord&, const AuthorityRecord&) = default;
};

static_assert(!std::is_aggregate_v<AuthorityRecord>);

namespace limits {
inline constexpr std::size_t payload_bytes = 64 * 1024;
inline constexpr std::size_t exception_head_bytes = 256;
/// Per receipt; the other failing hosts keep code and SHA-256.
inline constexpr std::size_t exception_heads = 4;
inline constexpr std::size_t attempts_per_action = 16;
inline constexpr std::size_t recent_operations = 64;
inline constexpr std::size_t listed_tables = 32; ///< orphans, and again retained tables
inline constexpr std::size_t members = 64;
inline constexpr std::size_t name_bytes = 255; ///< cluster, database, table, host
inline constexpr std::size_t version_bytes = 48;
inline constexpr std::size_t error_code_bytes = 64;
inline constexpr std::size_t error_summary_bytes = 512;
} // namespace limits

/// The columns of the row as the authority table returns them, undecoded. `_version` is the KeeperMap
/// version.
struct AuthorityRow {
    std::string target_key;
    std::string operation_id;
    std::string fence_token;
    std::string phase;
    std::uint64_t dispatch_epoch = 0;
    std::string payload;
    std::string payload_sha256;
    std::int32_t version = 0;
    friend bool operator==(const AuthorityRow&, const AuthorityRow&) = default;
};

/// The attempt whose evidence decides in this phase: publication in DISPATCHING, the last set_aside, cleanup
/// or retire in theirs; null elsewhere.
const DdlAttempt* current_attempt(const AuthorityRecord& record);

} // namespace onceswap::protocol
