#include "protocol/canonical_json.hpp"
#include "protocol/digest.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/payload_json.hpp"
#include "protocol/record_validation.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace onceswap::protocol {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/// A list of `items`, each turned into JSON by `encode`.
template <class Items, class Encode>
array encode_list(const Items& items, Encode encode) {
    array out;
    out.reserve(items.size());
    for (const auto& item : items)
        out.push_back(encode(item));
    return out;
}

template <class T, class Encode>
value encode_optional(const std::optional<T>& item, Encode encode) {
    return item ? value(encode(*item)) : value(nullptr);
}

value encode_text(std::string_view text) {
    return value(boost::json::string(text));
}

value encode_uuid(const Uuid& uuid) {
    return encode_text(uuid.text());
}

object encode_member(const RecordedMember& member) {
    return {
        {"host_name", member.at.host},
        {"port", member.at.port},
        {"replica_num", member.replica_num},
        {"server_uuid", member.server_uuid.text()},
    };
}

object encode_generation(const Generation& generation) {
    return {
        {"uuid", generation.uuid.text()},
        {"engine_full", generation.engine_full},
        {"schema_digest", generation.schema_digest},
        {"zookeeper_name", generation.zookeeper_name},
        {"zookeeper_path", generation.zookeeper_path},
    };
}

array encode_host(const HostReceipt& host) {
    array out;
    out.push_back(host.code);
    out.push_back(encode_text(host.exception.sha256));
    out.push_back(encode_text(host.exception.head));
    return out;
}

object encode_receipt(const Receipt& receipt) {
    return {{"hosts", encode_list(receipt.hosts, encode_host)}, {"observed_at", receipt.observed_at}};
}

object encode_attempt(const DdlAttempt& attempt) {
    return {
        {"epoch", attempt.epoch},
        {"token", attempt.token},
        {"query_digest", attempt.query_digest},
        {"entry", attempt.entry},
        {"result", text(attempt.result)},
        {"receipt", encode_optional(attempt.receipt, encode_receipt)},
    };
}

object encode_attempts(const std::vector<DdlAttempt>& attempts) {
    object out;
    out["attempts"] = encode_list(attempts, encode_attempt);
    return out;
}

object encode_table(const NamedTable& table) {
    return {{"name", table.name}, {"uuid", table.uuid.text()}};
}

object encode_recent(const RecentOperation& operation) {
    return {
        {"operation_id", operation.operation_id},
        {"outcome", text(operation.outcome)},
        {"epoch", operation.epoch},
    };
}

object encode_canary(const CanaryReceipt& canary) {
    return {
        {"versions", encode_list(canary.versions, encode_text)},
        {"servers", encode_list(canary.servers, encode_uuid)},
        {"entry", canary.entry},
    };
}

object encode_error(const RecordedError& error) {
    return {{"code", error.code}, {"summary", error.summary}};
}

Failure invalid(std::string reason) {
    return {Code::authority_invalid, std::move(reason)};
}

Failure too_long(std::size_t bytes, std::string_view what) {
    return invalid(
        std::string(what) + " " + std::to_string(bytes) + " bytes, the limit is " +
        std::to_string(limits::payload_bytes)
    );
}

} // namespace

object to_payload_json(const AuthorityRecord& record) {
    return {
        {"schema", payload_schema},
        {"target_key", record.target_key},
        {"cluster", record.cluster},
        {"database", record.target.database},
        {"target", record.target.table},
        {"candidate", record.candidate},
        {"aside", record.aside},
        {"operation_id", record.operation_id},
        {"plan_digest", record.plan_digest},
        {"inventory_digest", record.inventory_digest},
        {"members", encode_list(record.members, encode_member)},
        {"predecessor", encode_optional(record.predecessor, encode_generation)},
        {"desired", encode_generation(record.desired)},
        {"staged_rows", record.staged_rows},
        {"phase", text(record.phase)},
        {"dispatch_epoch", record.dispatch_epoch},
        {"fence_token", record.fence_token},
        {"write_id", record.write_id},
        {"publication", encode_optional(record.publication, encode_attempt)},
        {"set_aside", encode_attempts(record.set_aside)},
        {"cleanup", encode_attempts(record.cleanup)},
        {"retire", encode_attempts(record.retire)},
        {"orphans", encode_list(record.orphans, encode_table)},
        {"retained", encode_list(record.retained, encode_table)},
        {"recent", encode_list(record.recent, encode_recent)},
        {"canary", encode_optional(record.canary, encode_canary)},
        {"created_at", record.created_at},
        {"updated_at", record.updated_at},
        {"error", encode_optional(record.error, encode_error)},
    };
}

Result<AuthorityRow> encode_record(const AuthorityRecord& record) {
    if (auto violation = find_violation(record))
        return invalid(*std::move(violation));
    AuthorityRow row;
    row.payload = canonical_json(to_payload_json(record));
    if (row.payload.size() > limits::payload_bytes)
        return too_long(row.payload.size(), "the payload has");
    if (record.phase == Phase::prepared) {
        const std::size_t worst = worst_case_payload_bytes(record);
        if (worst > limits::payload_bytes)
            return too_long(worst, "the payload can grow to");
    }
    row.target_key = record.target_key;
    row.operation_id = record.operation_id;
    row.fence_token = record.fence_token;
    row.phase = text(record.phase);
    row.dispatch_epoch = record.dispatch_epoch;
    row.payload_sha256 = sha256_hex(row.payload);
    return row;
}

} // namespace onceswap::protocol
