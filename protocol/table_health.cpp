#include "protocol/member_state.hpp"
#include "protocol/utf8.hpp"

#include <algorithm>

namespace onceswap::protocol {

namespace {

constexpr std::size_t exception_bytes = 256;

/// All log entries copied: `log_pointer` is the next index to copy, `log_max_index` the greatest there is;
/// both are 0 for a log that never had an entry.
bool log_is_caught_up(const ReplicaRow& row) {
    const bool is_empty = row.log_pointer == 0 && row.log_max_index == 0;
    return is_empty || row.log_pointer == row.log_max_index + 1;
}

} // namespace

Health table_health(const KeeperFacts& keeper, std::string_view table, std::size_t replicas_expected) {
    Health health;
    health.known = true;
    const auto row =
        std::find_if(keeper.replicas.begin(), keeper.replicas.end(), [table](const ReplicaRow& each) {
            return each.table == table;
        });
    if (row == keeper.replicas.end()) {
        health.problems.push_back("no row in system.replicas");
        return health;
    }
    const auto add = [&health](bool wrong, std::string problem) {
        if (wrong)
            health.problems.push_back(std::move(problem));
    };
    const auto replicas = [&](std::uint32_t count, std::string_view what) {
        add(count != replicas_expected,
            std::string(what) + " " + std::to_string(count) + " of " + std::to_string(replicas_expected));
    };
    add(row->is_readonly, "is_readonly");
    add(row->is_session_expired, "session expired");
    if (!row->is_session_expired) { // everything below is zero without a session
        replicas(row->total_replicas, "total_replicas");
        replicas(row->active_replicas, "active_replicas");
        add(!log_is_caught_up(*row),
            "log_pointer " + std::to_string(row->log_pointer) + ", log_max_index " +
                std::to_string(row->log_max_index));
    }
    add(row->queue_size != 0, "queue_size " + std::to_string(row->queue_size));
    add(row->absolute_delay != 0, "absolute_delay " + std::to_string(row->absolute_delay) + " s");
    add(!row->last_queue_update_exception.empty(),
        "last_queue_update_exception: " + printable_head(row->last_queue_update_exception, exception_bytes));
    add(!row->zookeeper_exception.empty(),
        "zookeeper_exception: " + printable_head(row->zookeeper_exception, exception_bytes));
    health.healthy = health.problems.empty();
    return health;
}

} // namespace onceswap::protocol
