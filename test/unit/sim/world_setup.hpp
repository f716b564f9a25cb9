#pragma once

#include "sent.hpp"

#include <string>

// What most tests of the model need first: the facade, a candidate, a row of authority.

namespace onceswap::sim::test {

inline const protocol::TargetName target{"db", "target"};
inline const std::string candidate = "cand";
inline const std::string candidate_uuid = "11111111-2222-4333-8444-555555555555";
inline const std::string facade_sql = "CREATE TABLE IF NOT EXISTS db.__onceswap_authority ON CLUSTER c1 "
                                      "(`target_key` String, `operation_id` String, "
                                      "`fence_token` String, `phase` String, `dispatch_epoch` UInt64, "
                                      "`payload` String, `payload_sha256` FixedString(64)) "
                                      "ENGINE = KeeperMap('/onceswap/authority/v1') PRIMARY KEY target_key";
inline const std::string candidate_sql =
    "CREATE TABLE db.cand UUID '11111111-2222-4333-8444-555555555555' ON CLUSTER c1 AS db.target";
inline const std::string exchange_sql = "EXCHANGE TABLES db.target AND db.cand ON CLUSTER c1";

inline protocol::Settings ddl_settings(std::string token, unsigned timeout_s = 30) {
    return {
        {"log_comment", std::move(token)},
        {"distributed_ddl_output_mode", "throw"},
        {"distributed_ddl_task_timeout", std::to_string(timeout_s)}
    };
}

inline protocol::Settings strict_settings() {
    return {{"keeper_map_strict_mode", "1"}, {"insert_keeper_max_retries", "0"}, {"async_insert", "0"}};
}

inline Sent run_ddl(
    World& world,
    MemberIndex member,
    const std::string& text,
    const std::string& token = "t",
    unsigned timeout_s = 30
) {
    using protocol::StatementKind;
    StatementKind kind = StatementKind::exchange;
    if (text.starts_with("CREATE"))
        kind = text.find("KeeperMap") == std::string::npos ? StatementKind::create_candidate
                                                           : StatementKind::create_facade;
    else if (text.starts_with("RENAME"))
        kind = StatementKind::rename_aside;
    else if (text.starts_with("DROP"))
        kind = StatementKind::drop_aside;
    return ask(world, member, sql(text, kind, ddl_settings(token, timeout_s)));
}

inline Sent select(World& world, MemberIndex member, const std::string& text) {
    return ask(world, member, sql(text));
}

inline std::string uuid_of(World& world, MemberIndex member, const std::string& table) {
    const auto storage = world.cluster().state().members[member].find("db", table);
    return storage ? storage->uuid : std::string("absent");
}

/// The queue rows of a token, as `host|status|code;` in the order of the answer.
inline std::string queue_rows(World& world, MemberIndex member, const std::string& token) {
    const Sent sent = select(
        world,
        member,
        "SELECT toString(serverUUID()) AS server_uuid, (SELECT groupArray(CAST(tuple(host, toString(status), "
        "exception_code) "
        "AS Tuple(h Nullable(String), s Nullable(String), c Nullable(Int64)))) FROM "
        "system.distributed_ddl_queue WHERE "
        "settings['log_comment'] = '" +
            token + "') AS queue"
    );
    if (sent.code != 0)
        return "error " + std::to_string(sent.code);
    std::string rows;
    std::size_t at = 0;
    const auto field = [&](const char* name) {
        const std::string key = std::string("\"") + name + "\":";
        const std::size_t begin = sent.body.find(key, at) + key.size();
        const std::size_t end = sent.body.find_first_of(",}", begin);
        std::string value = sent.body.substr(begin, end - begin);
        std::erase(value, '"');
        return value;
    };
    for (at = sent.body.find("{\"h\""); at != std::string::npos; at = sent.body.find("{\"h\"", at + 1))
        rows += field("h") + "|" + field("s") + "|" + field("c") + ";";
    return rows;
}

} // namespace onceswap::sim::test
