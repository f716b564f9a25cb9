#include "protocol/canonical_writer.hpp"
#include "protocol/digest.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/payload_json.hpp"
#include "protocol/record_validation.hpp"

#include <utility>

namespace onceswap::protocol {

namespace {

// The fields of every object stand in the order of their names: that is what canonical JSON demands.

template <class Sink>
using Writer = CanonicalWriter<Sink>;

/// A list of `items`, each written by `write`.
template <class Sink, class Items, class Write>
void write_list(Writer<Sink>& out, std::string_view name, const Items& items, Write write) {
    out.name(name);
    out.begin_array();
    for (const auto& item : items)
        write(out, item);
    out.end_array();
}

template <class Sink, class T, class Write>
void write_optional(Writer<Sink>& out, std::string_view name, const std::optional<T>& item, Write write) {
    out.name(name);
    if (item)
        write(out, *item);
    else
        out.null();
}

constexpr auto write_text = [](auto& out, std::string_view text) { out.text(text); };

constexpr auto write_uuid = [](auto& out, const Uuid& uuid) { out.text(uuid.text()); };

constexpr auto write_member = [](auto& out, const RecordedMember& member) {
    out.begin_object();
    out.text("host_name", member.at.host);
    out.number("port", member.at.port);
    out.number("replica_num", member.replica_num);
    out.text("server_uuid", member.server_uuid.text());
    out.end_object();
};

constexpr auto write_generation = [](auto& out, const Generation& generation) {
    out.begin_object();
    out.text("engine_full", generation.engine_full);
    out.text("schema_digest", generation.schema_digest);
    out.text("uuid", generation.uuid.text());
    out.text("zookeeper_name", generation.zookeeper_name);
    out.text("zookeeper_path", generation.zookeeper_path);
    out.end_object();
};

constexpr auto write_host = [](auto& out, const HostReceipt& host) {
    out.begin_array();
    out.number(host.code);
    out.text(host.exception.sha256);
    out.text(host.exception.head);
    out.end_array();
};

constexpr auto write_receipt = [](auto& out, const Receipt& receipt) {
    out.begin_object();
    write_list(out, "hosts", receipt.hosts, write_host);
    out.number("observed_at", receipt.observed_at);
    out.end_object();
};

constexpr auto write_attempt = [](auto& out, const DdlAttempt& attempt) {
    out.begin_object();
    out.text("entry", attempt.entry);
    out.number("epoch", attempt.epoch);
    out.text("query_digest", attempt.query_digest);
    write_optional(out, "receipt", attempt.receipt, write_receipt);
    out.text("result", text(attempt.result));
    out.text("token", attempt.token);
    out.end_object();
};

template <class Sink>
void write_attempts(Writer<Sink>& out, std::string_view name, const std::vector<DdlAttempt>& attempts) {
    out.name(name);
    out.begin_object();
    write_list(out, "attempts", attempts, write_attempt);
    out.end_object();
}

constexpr auto write_table = [](auto& out, const NamedTable& table) {
    out.begin_object();
    out.text("name", table.name);
    out.text("uuid", table.uuid.text());
    out.end_object();
};

constexpr auto write_recent = [](auto& out, const RecentOperation& operation) {
    out.begin_object();
    out.number("epoch", operation.epoch);
    out.text("operation_id", operation.operation_id);
    out.text("outcome", text(operation.outcome));
    out.end_object();
};

constexpr auto write_canary = [](auto& out, const CanaryReceipt& canary) {
    out.begin_object();
    out.text("entry", canary.entry);
    write_list(out, "servers", canary.servers, write_uuid);
    write_list(out, "versions", canary.versions, write_text);
    out.end_object();
};

constexpr auto write_error = [](auto& out, const RecordedError& error) {
    out.begin_object();
    out.text("code", error.code);
    out.text("summary", error.summary);
    out.end_object();
};

template <class Element, class Write>
std::size_t bytes_of(const Element& element, Write write) {
    CanonicalLength sink;
    Writer<CanonicalLength> out(sink);
    write(out, element);
    return sink.bytes;
}

template <class Sink>
void write_record(Sink& sink, const AuthorityRecord& record) {
    Writer<Sink> out(sink);
    out.begin_object();
    out.text("aside", record.aside);
    write_optional(out, "canary", record.canary, write_canary);
    out.text("candidate", record.candidate);
    write_attempts(out, "cleanup", record.cleanup);
    out.text("cluster", record.cluster);
    out.number("created_at", record.created_at);
    out.text("database", record.target.database);
    out.name("desired");
    write_generation(out, record.desired);
    out.number("dispatch_epoch", record.dispatch_epoch);
    write_optional(out, "error", record.error, write_error);
    out.text("fence_token", record.fence_token);
    out.text("inventory_digest", record.inventory_digest);
    write_list(out, "members", record.members, write_member);
    out.text("operation_id", record.operation_id);
    write_list(out, "orphans", record.orphans, write_table);
    out.text("phase", text(record.phase));
    out.text("plan_digest", record.plan_digest);
    write_optional(out, "predecessor", record.predecessor, write_generation);
    write_optional(out, "publication", record.publication, write_attempt);
    write_list(out, "recent", record.recent, write_recent);
    write_list(out, "retained", record.retained, write_table);
    write_attempts(out, "retire", record.retire);
    out.text("schema", payload_schema);
    write_attempts(out, "set_aside", record.set_aside);
    out.number("staged_rows", record.staged_rows);
    out.text("target", record.target.table);
    out.text("target_key", record.target_key);
    out.number("updated_at", record.updated_at);
    out.text("write_id", record.write_id);
    out.end_object();
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

std::string payload_text(const AuthorityRecord& record) {
    CanonicalText sink;
    write_record(sink, record);
    return std::move(sink.text);
}

std::size_t payload_bytes(const AuthorityRecord& record) {
    CanonicalLength sink;
    write_record(sink, record);
    return sink.bytes;
}

std::size_t element_bytes(const DdlAttempt& attempt) {
    return bytes_of(attempt, write_attempt);
}

std::size_t element_bytes(const NamedTable& table) {
    return bytes_of(table, write_table);
}

std::size_t element_bytes(const RecentOperation& operation) {
    return bytes_of(operation, write_recent);
}

Result<AuthorityRow> encode_record(const AuthorityRecord& record) {
    if (auto violation = find_violation(record))
        return invalid(*std::move(violation));
    AuthorityRow row;
    row.payload = payload_text(record);
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
