#include "protocol/canonical_json.hpp"
#include "protocol/digest.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/payload_json.hpp"
#include "protocol/recent_values.hpp"
#include "protocol/record_validation.hpp"
#include "protocol/strict_object.hpp"

#include <array>
#include <utility>

namespace onceswap::protocol {

namespace {

using boost::json::value;

constexpr std::array holder_results{
    HolderResult::none,
    HolderResult::acknowledged,
    HolderResult::host_failed,
    HolderResult::rejected,
    HolderResult::not_sent,
    HolderResult::outcome_unknown,
};

Phase decode_phase(StrictObject& from, std::string_view name) {
    const auto phase = phase_from_text(from.text(name));
    from.violation().demand(phase.has_value(), from.where(name), "not a phase");
    return phase.value_or(Phase::prepared);
}

HolderResult decode_result(StrictObject& from, std::string_view name) {
    const std::string word = from.text(name);
    for (const HolderResult result : holder_results)
        if (text(result) == word)
            return result;
    from.violation().demand(false, from.where(name), "not a result");
    return HolderResult::none;
}

/// Decodes each element with decode(element, path, violation).
template <class T, class Decode>
std::vector<T> decode_list(StrictObject& from, std::string_view name, std::size_t max_size, Decode decode) {
    std::vector<T> out;
    for (const value& element : from.list(name, max_size))
        out.push_back(decode(element, from.where(name), from.violation()));
    return out;
}

RecordedMember decode_member(const value& element, std::string path, FirstViolation& violation) {
    StrictObject from(element, std::move(path), violation);
    RecordedMember member;
    member.at.host = from.text("host_name");
    member.at.port = from.integer<std::uint16_t>("port");
    member.replica_num = from.integer<std::uint32_t>("replica_num");
    member.server_uuid = from.uuid("server_uuid");
    from.done();
    return member;
}

Generation decode_generation(const value& element, std::string path, FirstViolation& violation) {
    StrictObject from(element, std::move(path), violation);
    Generation generation;
    generation.uuid = from.uuid("uuid");
    generation.engine_full = from.text("engine_full");
    generation.schema_digest = from.text("schema_digest");
    generation.zookeeper_name = from.text("zookeeper_name");
    generation.zookeeper_path = from.text("zookeeper_path");
    from.done();
    return generation;
}

HostReceipt decode_host(StrictObject& receipt, const value& element, const HostPort& at) {
    constexpr std::size_t parts = 3;
    const std::string where = receipt.where("hosts");
    HostReceipt host;
    host.at = at;
    const bool is_triple = element.is_array() && element.get_array().size() == parts;
    receipt.violation().demand(is_triple, where, "not [code, SHA-256, head]");
    if (!is_triple)
        return host;
    const boost::json::array& triple = element.get_array();
    host.code = receipt.to_integer<std::uint16_t>(triple[0], where);
    host.exception.sha256 = receipt.to_text(triple[1], where);
    host.exception.head = receipt.to_text(triple[2], where);
    return host;
}

using Members = std::vector<RecordedMember>;

Receipt
decode_receipt(const value& element, std::string path, FirstViolation& violation, const Members& members) {
    StrictObject from(element, std::move(path), violation);
    Receipt receipt;
    const boost::json::array& hosts = from.list("hosts", limits::members);
    violation.demand(hosts.size() == members.size(), from.where("hosts"), "not one row for each member");
    for (std::size_t i = 0; i < hosts.size() && i < members.size(); ++i)
        receipt.hosts.push_back(decode_host(from, hosts[i], members[i].at));
    receipt.observed_at = from.integer<std::int64_t>("observed_at");
    from.done();
    return receipt;
}

DdlAttempt
decode_attempt(const value& element, std::string path, FirstViolation& violation, const Members& members) {
    StrictObject from(element, std::move(path), violation);
    DdlAttempt attempt;
    attempt.epoch = from.integer<std::uint64_t>("epoch");
    attempt.token = from.text("token");
    attempt.query_digest = from.text("query_digest");
    attempt.entry = from.text("entry");
    attempt.result = decode_result(from, "result");
    if (const value* receipt = from.nullable("receipt"))
        attempt.receipt = decode_receipt(*receipt, from.where("receipt"), violation, members);
    from.done();
    return attempt;
}

std::vector<DdlAttempt> decode_attempts(StrictObject& record, std::string_view name, const Members& members) {
    StrictObject from(record.any(name), record.where(name), record.violation());
    auto attempts = decode_list<DdlAttempt>(
        from,
        "attempts",
        limits::attempts_per_action,
        [&members](const value& element, std::string path, FirstViolation& violation) {
            return decode_attempt(element, std::move(path), violation, members);
        }
    );
    from.done();
    return attempts;
}

NamedTable decode_table(const value& element, std::string path, FirstViolation& violation) {
    StrictObject from(element, std::move(path), violation);
    NamedTable table;
    table.name = from.text("name");
    table.uuid = from.uuid("uuid");
    from.done();
    return table;
}

RecentOperation decode_recent(const value& element, std::string path, FirstViolation& violation) {
    StrictObject from(element, std::move(path), violation);
    RecentOperation operation;
    operation.operation_id = from.text("operation_id");
    operation.outcome = decode_phase(from, "outcome");
    operation.epoch = from.integer<std::uint64_t>("epoch");
    from.done();
    return operation;
}

CanaryReceipt decode_canary(const value& element, std::string path, FirstViolation& violation) {
    StrictObject from(element, std::move(path), violation);
    CanaryReceipt canary;
    for (const value& version : from.list("versions", limits::members))
        canary.versions.push_back(from.to_text(version, from.where("versions")));
    for (const value& server : from.list("servers", limits::members))
        canary.servers.push_back(from.to_uuid(server, from.where("servers")));
    canary.entry = from.text("entry");
    from.done();
    return canary;
}

RecordedError decode_error(const value& element, std::string path, FirstViolation& violation) {
    StrictObject from(element, std::move(path), violation);
    RecordedError error;
    error.code = from.text("code");
    error.summary = from.text("summary");
    from.done();
    return error;
}

void decode_names(StrictObject& from, AuthorityRecord& record) {
    from.violation().demand(from.text("schema") == payload_schema, "schema", "not one that is known here");
    record.target_key = from.text("target_key");
    record.cluster = from.text("cluster");
    record.target.database = from.text("database");
    record.target.table = from.text("target");
    record.candidate = from.text("candidate");
    record.aside = from.text("aside");
    record.operation_id = from.text("operation_id");
    record.plan_digest = from.text("plan_digest");
    record.inventory_digest = from.text("inventory_digest");
    record.fence_token = from.text("fence_token");
    record.write_id = from.text("write_id");
}

void decode_state(StrictObject& from, AuthorityRecord& record) {
    record.members = decode_list<RecordedMember>(from, "members", limits::members, decode_member);
    if (const value* predecessor = from.nullable("predecessor"))
        record.predecessor = decode_generation(*predecessor, "predecessor", from.violation());
    record.desired = decode_generation(from.any("desired"), "desired", from.violation());
    record.staged_rows = from.integer<std::uint64_t>("staged_rows");
    record.phase = decode_phase(from, "phase");
    record.dispatch_epoch = from.integer<std::uint64_t>("dispatch_epoch");
    record.created_at = from.integer<std::int64_t>("created_at");
    record.updated_at = from.integer<std::int64_t>("updated_at");
}

void decode_history(StrictObject& from, AuthorityRecord& record) {
    if (const value* publication = from.nullable("publication"))
        record.publication = decode_attempt(*publication, "publication", from.violation(), record.members);
    record.set_aside = decode_attempts(from, "set_aside", record.members);
    record.cleanup = decode_attempts(from, "cleanup", record.members);
    record.retire = decode_attempts(from, "retire", record.members);
    record.orphans = decode_list<NamedTable>(from, "orphans", limits::listed_tables, decode_table);
    record.retained = decode_list<NamedTable>(from, "retained", limits::listed_tables, decode_table);
    record.recent = decode_list<RecentOperation>(from, "recent", limits::recent_operations, decode_recent);
    if (const value* canary = from.nullable("canary"))
        record.canary = decode_canary(*canary, "canary", from.violation());
    if (const value* error = from.nullable("error"))
        record.error = decode_error(*error, "error", from.violation());
}

/// Columns exist so that a predicate can name them; they say nothing that the payload does not.
std::optional<std::string> find_disagreement(const AuthorityRow& row, const AuthorityRecord& record) {
    FirstViolation violation;
    violation.demand(row.target_key == record.target_key, "target_key", "column and payload disagree");
    violation.demand(row.operation_id == record.operation_id, "operation_id", "column and payload disagree");
    violation.demand(row.fence_token == record.fence_token, "fence_token", "column and payload disagree");
    violation.demand(row.phase == text(record.phase), "phase", "column and payload disagree");
    violation.demand(
        row.dispatch_epoch == record.dispatch_epoch, "dispatch_epoch", "column and payload disagree"
    );
    return violation.take();
}

Failure invalid(std::string reason) {
    return {Code::authority_invalid, std::move(reason)};
}

} // namespace

Result<AuthorityRecord> from_payload_json(const value& document) {
    FirstViolation violation;
    StrictObject from(document, "", violation);
    AuthorityRecord record;
    decode_names(from, record);
    decode_state(from, record);
    decode_history(from, record);
    from.done();
    if (auto first = violation.take())
        return invalid(*std::move(first));
    return record;
}

namespace {

/// What the bytes say, whether they may say it or not. Whoever waits reads the same record again and again,
/// so the last ones are remembered.
Result<AuthorityRecord> read_payload(const AuthorityRow& row) {
    constexpr std::size_t most_records = 8;
    using DigestWithPayload = std::pair<std::string, std::string>;
    static thread_local RecentValues<DigestWithPayload, AuthorityRecord, most_records> recent;
    const auto is_asked = [&row](const DigestWithPayload& known) {
        return known.first == row.payload_sha256 && known.second == row.payload;
    };
    if (const AuthorityRecord* known = recent.find(is_asked); known != nullptr)
        return *known;
    if (row.payload_sha256 != sha256_hex(row.payload))
        return invalid("payload_sha256: not the digest of the payload");
    const auto document = parse_canonical_json(row.payload, limits::payload_bytes);
    if (!document)
        return invalid("payload: " + document.error().detail);
    auto record = from_payload_json(*document);
    if (record)
        recent.keep({row.payload_sha256, row.payload}, *record);
    return record;
}

} // namespace

Result<AuthorityRecord> decode_row(const AuthorityRow& row) {
    if (row.payload.size() > limits::payload_bytes)
        return invalid("payload: " + std::to_string(row.payload.size()) + " bytes, too long");
    auto record = read_payload(row);
    if (!record)
        return record;
    if (auto violation = find_violation(*record))
        return invalid(*std::move(violation));
    if (auto disagreement = find_disagreement(row, *record))
        return invalid(*std::move(disagreement));
    return record;
}

} // namespace onceswap::protocol
