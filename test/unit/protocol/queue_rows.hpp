#pragma once

#include "protocol/digest.hpp"
#include "protocol/queue_evidence.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace onceswap::testing {

using namespace onceswap::protocol;

inline constexpr const char* token =
    "onceswap-v1-0123456789abcdef0123-publish-1-00112233445566778899aabbccddeeff";
inline constexpr const char* sent = "EXCHANGE TABLES `d`.`t` AND `d`.`onceswap_x` ON CLUSTER `c`";
inline constexpr const char* stored = "EXCHANGE TABLES d.t AND d.onceswap_x ON CLUSTER c";
inline constexpr const char* entry7 = "query-0000000007";
inline constexpr const char* entry8 = "query-0000000008";

inline Inventory inventory_of(std::uint32_t members) {
    std::vector<ClusterRow> rows;
    for (std::uint32_t i = 1; i <= members; ++i)
        rows.push_back(
            {"c", 1, i, "ch" + std::to_string(i), "10.0.0." + std::to_string(i), 9000, i == 1, true}
        );
    return Inventory::from_rows("c", rows).value();
}

inline QueueRow base_row(const std::string& host) {
    QueueRow row;
    row.entry = entry7;
    row.entry_version = 5;
    row.cluster = "c";
    row.query = stored;
    row.settings = {{"log_comment", token}, {"distributed_ddl_task_timeout", "30"}};
    row.host = host;
    row.port = 9000;
    row.status = "Inactive";
    return row;
}

inline QueueRow finished(const std::string& host, std::int64_t code = 0, std::string text = {}) {
    QueueRow row = base_row(host);
    row.status = "Finished";
    row.exception_code = code;
    row.exception_text = code == 0 ? "" : text.empty() ? "Code: " + std::to_string(code) + ". Failed" : text;
    return row;
}

inline QueueRow with_status(const std::string& host, const char* status) {
    QueueRow row = base_row(host);
    row.status = status;
    return row;
}

inline QueueRow of_entry(QueueRow row, const char* entry) {
    row.entry = entry;
    return row;
}

inline QueueReading reads(std::vector<QueueRow> rows) {
    return {true, {}, std::move(rows)};
}

inline QueueReading fails(std::string problem) {
    return {false, std::move(problem), {}};
}

inline ExpectedEntry unbound() {
    return {token, sent, "c", {}, {}};
}

inline ExpectedEntry bound() {
    return {token, sent, "c", entry7, sha256_hex(stored)};
}

} // namespace onceswap::testing
