#include "protocol/answer_reading.hpp"
#include "protocol/remembered_answer.hpp"

namespace onceswap::protocol {

namespace answer {

// The row as it is: whether it is a valid record is for the payload codec to say.
std::vector<AuthorityRow> read_authority(const Answer& answer) {
    std::vector<AuthorityRow> out;
    for (const Tuple& row : answer.list("authority", authority_columns)) {
        AuthorityRow authority;
        authority.target_key = row.text("target_key");
        authority.operation_id = row.text("operation_id");
        authority.fence_token = row.text("fence_token");
        authority.phase = row.text("phase");
        authority.dispatch_epoch = row.number<std::uint64_t>("dispatch_epoch");
        authority.payload = row.text("payload");
        authority.payload_sha256 = row.text("payload_sha256");
        authority.version = row.number<std::int32_t>("_version");
        out.push_back(std::move(authority));
    }
    return out;
}

} // namespace answer

namespace {

Result<KeeperFacts> read_whole_keeper(std::string_view body) {
    answer::Problem problem;
    const answer::Answer answer(body, problem);
    KeeperFacts facts;
    facts.server_uuid = answer.server_uuid();
    for (const answer::Tuple& row : answer.list("replicas", replicas_columns)) {
        ReplicaRow replica;
        replica.table = row.text("table_name");
        replica.is_readonly = row.flag("is_readonly");
        replica.is_session_expired = row.flag("is_session_expired");
        replica.total_replicas = row.number<std::uint32_t>("total_replicas");
        replica.active_replicas = row.number<std::uint32_t>("active_replicas");
        replica.queue_size = row.number<std::uint32_t>("queue_size");
        replica.absolute_delay = row.number<std::uint64_t>("absolute_delay");
        replica.log_max_index = row.number<std::uint64_t>("log_max_index");
        replica.log_pointer = row.number<std::uint64_t>("log_pointer");
        replica.zookeeper_name = row.text("zookeeper_name");
        replica.zookeeper_path = row.text("zookeeper_path");
        replica.replica_name = row.text("replica_name");
        replica.last_queue_update_exception = row.text("last_queue_update_exception");
        replica.zookeeper_exception = row.text("zookeeper_exception");
        for (const ReplicaRow& other : facts.replicas) {
            if (other.table == replica.table)
                problem.note("replicas: " + replica.table + " twice");
        }
        facts.replicas.push_back(std::move(replica));
    }
    // Before the facade exists the statement has no such column.
    if (answer.has("authority")) {
        auto rows = answer::read_authority(answer);
        if (rows.size() > 1)
            problem.note("authority: " + std::to_string(rows.size()) + " rows under one key");
        if (!rows.empty())
            facts.authority = std::move(rows.front());
    }
    if (!problem.none())
        return problem.failure(Code::generation_unknown);
    return facts;
}

} // namespace

Result<KeeperFacts> decode_keeper(std::string_view body) {
    return answer::remembered<KeeperFacts, read_whole_keeper>(body);
}

namespace {

Result<AuthorityRows> read_whole_authority(std::string_view body) {
    answer::Problem problem;
    const answer::Answer answer(body, problem);
    AuthorityRows out;
    out.server_uuid = answer.server_uuid();
    out.rows = answer::read_authority(answer);
    if (!problem.none())
        return problem.failure(Code::outcome_unknown);
    return out;
}

} // namespace

Result<AuthorityRows> decode_authority(std::string_view body) {
    return answer::remembered<AuthorityRows, read_whole_authority>(body);
}

} // namespace onceswap::protocol
