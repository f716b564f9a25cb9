#include "scenarios/record_encoding.hpp"

#include "protocol/authority_record.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/digest.hpp"
#include "protocol/inventory.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/queue_evidence.hpp"

#include <algorithm>
#include <stdexcept>

namespace onceswap::scenarios {

namespace {

using protocol::AuthorityRecord;
using protocol::DdlAttempt;
using protocol::RecordedMember;
using sim::RecordDescription;

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument("record: " + what);
}

protocol::Uuid uuid_of(const std::string& text) {
    const auto uuid = protocol::Uuid::parse(text);
    if (!uuid)
        refuse("no uuid: " + text);
    return *uuid;
}

std::vector<RecordedMember> members_of(const RecordDescription& description, const sim::State& state) {
    std::vector<RecordedMember> members;
    const auto add =
        [&](const std::string& host, std::uint16_t port, std::uint32_t number, const std::string& uuid) {
            RecordedMember member;
            member.at = {host, port};
            member.replica_num = number;
            member.server_uuid = uuid_of(uuid);
            members.push_back(std::move(member));
        };
    for (const auto& one : description.members)
        add(one.host, one.port, one.replica_num, one.server_uuid);
    if (!members.empty())
        return members;
    const sim::ClusterSetup& cluster = state.clusters.front();
    for (const sim::MemberIndex index : state.members_of(cluster)) {
        const sim::MemberSetup& setup = state.members.at(index).setup;
        add(setup.host, setup.port, static_cast<std::uint32_t>(members.size() + 1), setup.server_uuid);
    }
    return members;
}

std::string inventory_digest(const std::string& cluster, const std::vector<RecordedMember>& members) {
    std::vector<protocol::ClusterRow> rows;
    for (const RecordedMember& member : members) {
        protocol::ClusterRow row;
        row.cluster = cluster;
        row.shard_num = 1;
        row.replica_num = member.replica_num;
        row.host_name = member.at.host;
        row.port = member.at.port;
        row.internal_replication = true;
        rows.push_back(std::move(row));
    }
    const auto inventory = protocol::Inventory::from_rows(cluster, rows);
    if (!inventory)
        refuse("members: " + inventory.error().detail);
    return inventory->digest();
}

/// The table of that uuid as any member has it; one that is gone was like the first table.
protocol::Generation generation_of(const std::string& uuid, const sim::State& state) {
    const sim::Storage* found = nullptr;
    const sim::Storage* pattern = nullptr;
    for (const sim::Member& member : state.members)
        for (const sim::NamedTable& table : member.tables) {
            if (!table.storage->replicated())
                continue;
            if (pattern == nullptr)
                pattern = table.storage.get();
            if (found == nullptr && table.storage->uuid == uuid)
                found = table.storage.get();
        }
    if (pattern == nullptr)
        refuse("the scenario has no table to describe a generation");
    const sim::TableShape& shape = (found != nullptr ? found : pattern)->shape;
    protocol::Generation generation;
    generation.uuid = uuid_of(uuid);
    generation.engine_full = protocol::normalize_engine_full(shape.engine_full, generation.uuid);
    std::vector<protocol::ColumnDefinition> columns;
    for (const sim::ColumnSetup& setup : shape.columns) {
        protocol::ColumnDefinition column;
        column.position = columns.size() + 1;
        column.name = setup.name;
        column.type = setup.type;
        column.default_kind = setup.default_kind;
        column.default_expression = setup.default_expression;
        column.compression_codec = setup.compression_codec;
        columns.push_back(std::move(column));
    }
    protocol::TableKeys keys;
    keys.partition_key = shape.partition_key;
    keys.sorting_key = shape.sorting_key;
    keys.primary_key = shape.primary_key;
    keys.sampling_key = shape.sampling_key;
    generation.schema_digest = protocol::schema_digest(columns, keys);
    generation.zookeeper_name = "default";
    generation.zookeeper_path =
        found != nullptr ? found->zookeeper_path : "/clickhouse/tables/" + uuid + "/01";
    return generation;
}

protocol::HolderResult result_of(const std::string& word) {
    using enum protocol::HolderResult;
    for (const auto result : {none, acknowledged, host_failed, rejected, not_sent, outcome_unknown})
        if (protocol::text(result) == word)
            return result;
    refuse("no result: " + word);
}

std::string stored_query(const RecordDescription::Attempt& attempt, const sim::State& state) {
    if (!attempt.query.empty())
        return attempt.query;
    for (const sim::State::Shown& shown : state.shown)
        if (shown.setup.entry == attempt.entry)
            return shown.setup.query;
    refuse("no entry " + attempt.entry + " in the scenario's queue, and no query");
}

DdlAttempt attempt_of(
    const RecordDescription::Attempt& description,
    protocol::Action action,
    const AuthorityRecord& record,
    const sim::State& state
) {
    DdlAttempt attempt;
    attempt.epoch = description.epoch;
    protocol::CorrelationToken token;
    token.operation = record.operation_id.substr(0, 20);
    token.action = action;
    token.epoch = description.epoch;
    token.random = description.random;
    attempt.token = token.text();
    attempt.entry = description.entry;
    if (!attempt.entry.empty())
        attempt.query_digest = protocol::sha256_hex(stored_query(description, state));
    attempt.result = result_of(description.result);
    if (description.receipt) {
        protocol::EntryReading reading;
        if (description.receipt->size() != record.members.size())
            refuse("a receipt has one row for each member");
        for (std::size_t i = 0; i < record.members.size(); ++i) {
            const RecordDescription::Host& host = (*description.receipt)[i];
            protocol::EntryReading::Host row;
            row.at = record.members[i].at;
            row.result = host.code == 0 ? protocol::RowResult::success : protocol::RowResult::failure;
            row.code = host.code;
            row.exception_text = host.text;
            reading.members.push_back(std::move(row));
        }
        attempt.receipt = protocol::make_receipt(reading, record.updated_at);
    }
    return attempt;
}

std::vector<protocol::NamedTable> tables_of(const std::vector<std::pair<std::string, std::string>>& named) {
    std::vector<protocol::NamedTable> tables;
    for (const auto& [name, uuid] : named)
        tables.push_back({name, uuid_of(uuid)});
    return tables;
}

std::string phase_word(const std::string& phase) {
    if (!protocol::phase_from_text(phase))
        refuse("no phase: " + phase);
    return phase;
}

} // namespace

sim::AuthorityRowSetup encode(const RecordDescription& description, const sim::State& state) {
    const std::string plan_digest(64, 'a');
    AuthorityRecord record;
    record.cluster = description.cluster.empty() ? state.clusters.front().name : description.cluster;
    record.target = protocol::TargetName(description.database, description.target);
    record.target_key = protocol::target_key(record.cluster, record.target);
    const auto operation = [&](const std::string& invocation) {
        return protocol::operation_id(record.cluster, record.target, invocation, plan_digest);
    };
    record.operation_id = operation(description.invocation);
    record.plan_digest = plan_digest;
    record.candidate = protocol::candidate_prefix(record.target_key) + record.operation_id.substr(0, 8) +
                       "_" + description.candidate_random;
    record.aside = protocol::aside_name(record.candidate);
    record.members = members_of(description, state);
    record.inventory_digest = inventory_digest(record.cluster, record.members);
    if (!description.predecessor.empty())
        record.predecessor = generation_of(description.predecessor, state);
    record.desired = generation_of(description.desired, state);
    record.staged_rows = description.staged_rows;
    record.phase = *protocol::phase_from_text(phase_word(description.phase));
    record.dispatch_epoch = description.dispatch_epoch;
    record.fence_token = std::string(32, 'f');
    record.write_id = std::string(32, 'e');
    record.created_at = description.created_at;
    record.updated_at = description.updated_at;
    if (description.publication)
        record.publication = attempt_of(*description.publication, protocol::Action::publish, record, state);
    const auto attempts = [&](const auto& described, protocol::Action action, auto& into) {
        for (const auto& one : described)
            into.push_back(attempt_of(one, action, record, state));
    };
    attempts(description.set_aside, protocol::Action::aside, record.set_aside);
    attempts(description.cleanup, protocol::Action::cleanup, record.cleanup);
    attempts(description.retire, protocol::Action::retire, record.retire);
    record.orphans = tables_of(description.orphans);
    record.retained = tables_of(description.retained);
    for (const auto& one : description.recent) {
        protocol::RecentOperation recent;
        recent.operation_id = operation(one.invocation);
        recent.outcome = *protocol::phase_from_text(phase_word(one.outcome));
        recent.epoch = one.epoch;
        record.recent.push_back(std::move(recent));
    }
    const auto row = protocol::encode_record(record);
    if (!row)
        refuse(row.error().detail);
    const auto decoded = protocol::decode_row(*row);
    if (!decoded)
        refuse(decoded.error().detail);
    sim::AuthorityRowSetup setup;
    setup.target_key = row->target_key;
    setup.operation_id = row->operation_id;
    setup.fence_token = row->fence_token;
    setup.phase = row->phase;
    setup.dispatch_epoch = row->dispatch_epoch;
    setup.payload = row->payload;
    setup.payload_sha256 = row->payload_sha256;
    return setup;
}

} // namespace onceswap::scenarios
