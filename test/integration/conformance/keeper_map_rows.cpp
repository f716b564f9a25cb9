#include "keeper_map_rows.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>

namespace onceswap::testing {

namespace json = boost::json;

const std::string record_columns =
    "target_key, operation_id, fence_token, phase, dispatch_epoch, payload, payload_sha256";

RecordRow record_row(const std::string& key) {
    RecordRow row;
    row.key = key;
    row.operation = "operation of " + key;
    row.fence = "fence of " + key;
    row.phase = "PREPARED";
    row.epoch = "1";
    row.payload = "payload of " + key;
    row.digest = key + std::string(64 - key.size(), 'a');
    return row;
}

RecordRow written_over(RecordRow row) {
    row.operation += " again";
    row.fence += " again";
    row.phase = "DISPATCHING";
    row.epoch = "2";
    row.payload += " again";
    row.digest.back() = 'b';
    return row;
}

bool Predicate::holds(const RecordRow& row) const {
    return (!key || *key == row.key) && (!version || *version == row.version) &&
           (!operation || *operation == row.operation) && (!fence || *fence == row.fence) &&
           (!phase || *phase == row.phase) && (!digest || *digest == row.digest);
}

std::string Predicate::sql() const {
    std::string text;
    const auto add = [&](const char* column, const std::string& value) {
        text += (text.empty() ? "" : " AND ") + std::string(column) + " = " + value;
    };
    const auto add_text = [&](const char* column, const std::optional<std::string>& value) {
        if (value)
            add(column, "'" + *value + "'");
    };
    add_text("target_key", key);
    if (version)
        add("_version", std::to_string(*version));
    add_text("operation_id", operation);
    add_text("fence_token", fence);
    add_text("phase", phase);
    add_text("payload_sha256", digest);
    return text.empty() ? "1 = 1" : text;
}

std::string values_of(const RecordRow& row) {
    return "('" + row.key + "', '" + row.operation + "', '" + row.fence + "', '" + row.phase + "', " +
           row.epoch + ", '" + row.payload + "', '" + row.digest + "')";
}

std::string assignments_of(const RecordRow& row) {
    return "operation_id = '" + row.operation + "', fence_token = '" + row.fence + "', phase = '" +
           row.phase + "', dispatch_epoch = " + row.epoch + ", payload = '" + row.payload +
           "', payload_sha256 = '" + row.digest + "'";
}

std::string select_rows(const std::string& table, const Predicate& predicate) {
    return "SELECT toString(serverUUID()) AS server_uuid, (SELECT groupArray(CAST(tuple(target_key, "
           "operation_id, fence_token, phase, dispatch_epoch, payload, toString(payload_sha256), _version) "
           "AS Tuple(target_key String, operation_id String, fence_token String, phase String, "
           "dispatch_epoch UInt64, payload String, payload_sha256 String, _version Int32))) FROM " +
           table + " WHERE " + predicate.sql() + ") AS authority";
}

std::vector<RecordRow> rows_of(const std::string& body) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t end = std::min(body.find('\n', at), body.size());
        lines.push_back(body.substr(at, end - at));
        at = end + 1;
    }
    std::vector<RecordRow> rows;
    const json::value answer = json::parse(lines.at(2));
    for (const json::value& each : answer.as_array().at(1).as_array()) {
        const auto text = [&](const char* name) { return std::string(each.at(name).as_string()); };
        RecordRow row;
        row.key = text("target_key");
        row.operation = text("operation_id");
        row.fence = text("fence_token");
        row.phase = text("phase");
        row.epoch = text("dispatch_epoch");
        row.payload = text("payload");
        row.digest = text("payload_sha256");
        row.version = each.at("_version").to_number<std::int64_t>();
        rows.push_back(std::move(row));
    }
    std::ranges::sort(rows);
    return rows;
}

std::string text_of(const std::vector<RecordRow>& rows) {
    std::string text;
    for (const RecordRow& row : rows)
        text += "  " + values_of(row) + " version " + std::to_string(row.version) + "\n";
    return text;
}

} // namespace onceswap::testing
