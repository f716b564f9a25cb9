#pragma once

#include "answer_bodies.hpp"
#include "engine/authority.hpp"
#include "engine/context.hpp"
#include "engine/dispatch.hpp"
#include "loop.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/statements.hpp"
#include "protocol/transitions.hpp"
#include "recorded_events.hpp"
#include "scripted_transport.hpp"
#include "seeded_entropy.hpp"
#include "slot_server.hpp"

#include <string>
#include <vector>

namespace onceswap::testing {

inline protocol::Uuid uuid_of(int number) {
    const std::string digits = std::to_string(number);
    return *protocol::Uuid::parse("00000000-0000-4000-8000-" + std::string(12 - digits.size(), '0') + digits);
}

/// Two members, a slot server behind their Keeper, and everything that a port works with.
class Stage {
  public:
    Loop loop;
    ScriptedTransport transport{loop.clock};
    SeededEntropy entropy{42};
    RecordedEvents events;
    SlotServer slot;
    std::vector<engine::BoundMember> members;
    engine::Context context;
    std::string target_key = protocol::target_key("c", target());

    explicit Stage(std::size_t count = 2)
        : members(make_members(count)), context(transport, loop.clock, entropy, events, cluster_of(members)) {
        transport.script = [this](const Call& call) { return answer(call); };
    }

    static protocol::TargetName target() {
        protocol::TargetName name;
        name.database = "db";
        name.table = "target";
        return name;
    }

    /// The member behind an endpoint.
    const engine::BoundMember& at(const http::Endpoint& endpoint) const {
        for (const engine::BoundMember& member : members)
            if (member.endpoint == endpoint)
                return member;
        throw std::logic_error("nobody lives at " + endpoint.text());
    }

    /// What a healthy cluster answers; tests put their own scripts before it.
    Reply answer(const Call& call) {
        const protocol::Uuid& server = at(call.endpoint).server_uuid;
        using protocol::StatementKind;
        if (call.statement.kind == StatementKind::authority_row)
            return reply_ok(authority_body(server, rows()));
        if (call.statement.kind == StatementKind::authority_insert ||
            call.statement.kind == StatementKind::authority_update)
            return slot.execute(call.statement);
        if (protocol::is_on_cluster(call.statement.kind))
            return reply_ok(ddl_body(ddl_rows()));
        throw std::logic_error(
            "the script has no answer to " + std::string(protocol::text(call.statement.kind))
        );
    }

    std::vector<protocol::AuthorityRow> rows() const {
        if (!slot.row)
            return {};
        return {*slot.row};
    }

    std::vector<protocol::DdlHostRow> ddl_rows() const {
        std::vector<protocol::DdlHostRow> hosts;
        for (const engine::BoundMember& member : members) {
            protocol::DdlHostRow row;
            row.at = member.member.at;
            hosts.push_back(row);
        }
        return hosts;
    }

    protocol::WriteStamp stamp() { return {entropy.hex32(), loop.clock.wall_seconds()}; }

    protocol::AuthorityRecord prepared() {
        protocol::Preparation preparation;
        preparation.cluster = "c";
        preparation.target = target();
        preparation.operation_id = protocol::operation_id("c", target(), "run", std::string(64, '1'));
        preparation.plan_digest = std::string(64, '1');
        preparation.inventory_digest = std::string(64, '2');
        for (const engine::BoundMember& member : members) {
            protocol::RecordedMember recorded;
            recorded.at = member.member.at;
            recorded.replica_num = member.member.replica_num;
            recorded.server_uuid = member.server_uuid;
            preparation.members.push_back(recorded);
        }
        preparation.predecessor = generation(100);
        preparation.desired = generation(200);
        preparation.candidate = protocol::candidate_name(target_key, preparation.operation_id, 7);
        preparation.staged_rows = 3;
        preparation.fence_token = entropy.hex32();
        return protocol::prepare_new(preparation, stamp());
    }

    static protocol::Generation generation(int number) {
        protocol::Generation generation;
        generation.uuid = uuid_of(number);
        generation.engine_full = "ReplicatedMergeTree('/t/{uuid}/{shard}','{replica}') ORDER BY id";
        generation.schema_digest = std::string(64, 'e');
        generation.zookeeper_name = "default";
        generation.zookeeper_path = "/t/" + generation.uuid.text() + "/1";
        return generation;
    }

    /// Puts a record into the slot at a version.
    engine::VersionedRecord stored(const protocol::AuthorityRecord& record, std::int32_t version = 0) {
        protocol::AuthorityRow row = *protocol::encode_record(record);
        row.version = version;
        slot.row = row;
        return {row, record};
    }

    protocol::AuthorityRecord dispatching(const protocol::AuthorityRecord& from) {
        return protocol::to_dispatching(from, {entropy.hex32(), entropy.bytes16()}, stamp());
    }

    protocol::Statement exchange_for(const protocol::AuthorityRecord& record) const {
        protocol::DdlOptions options;
        options.token = record.publication->token;
        return protocol::exchange_statement(record.target, record.candidate, record.cluster, options);
    }

    engine::DispatchOrder order(engine::TimePoint deadline = engine::TimePoint::max()) {
        engine::DispatchOrder order;
        order.member = members.front();
        order.current = stored(prepared());
        order.next = dispatching(order.current.record);
        order.statement = exchange_for(order.next);
        order.hosts = engine::hosts_of(members);
        order.deadline = deadline;
        return order;
    }

    engine::Authority authority() { return {context, "db", target_key}; }

    /// Names of the mutation events with their outcomes.
    std::vector<std::string> mutations() const {
        std::vector<std::string> found;
        for (const engine::Event& event : events.of(engine::EventKind::mutation))
            found.push_back(event.name + " " + std::string(protocol::text(event.outcome)));
        return found;
    }

  private:
    static std::vector<engine::BoundMember> make_members(std::size_t count) {
        std::vector<engine::BoundMember> members;
        for (std::size_t i = 0; i < count; ++i) {
            protocol::Member member;
            member.at.host = "ch-" + std::to_string(i + 1);
            member.at.port = 9000;
            member.replica_num = static_cast<std::uint32_t>(i + 1);
            members.emplace_back(
                member,
                uuid_of(static_cast<int>(i + 1)),
                *http::Endpoint::parse("http://" + member.at.host + ":8123")
            );
        }
        return members;
    }

    static engine::Cluster cluster_of(const std::vector<engine::BoundMember>& members) {
        engine::Cluster cluster;
        cluster.name = "c";
        for (const engine::BoundMember& member : members)
            cluster.endpoints.push_back(member.endpoint);
        return cluster;
    }
};

} // namespace onceswap::testing
