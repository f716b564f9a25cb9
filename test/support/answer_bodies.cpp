#include "answer_bodies.hpp"

#include "protocol/answer_columns.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace onceswap::testing {

namespace json = boost::json;
using protocol::Uuid;

namespace {

json::string str(std::string_view text) {
    return json::string(text.data(), text.size());
}

/// A result set that is written column by column.
class Body {
  public:
    Body() = default;

    explicit Body(const Uuid& server) { cell("server_uuid", "String", str(server.text())); }

    void cell(std::string_view name, const std::string& type, json::value value) {
        names_.push_back(str(name));
        types_.push_back(str(type));
        row_.push_back(std::move(value));
    }

    void list(std::string_view name, protocol::AnswerColumns columns, json::array elements) {
        std::string type = "Array(Tuple(";
        for (const protocol::AnswerColumn& column : columns) {
            if (&column != &columns.front())
                type += ", ";
            type.append(column.name).append(" ").append(column.type);
        }
        cell(name, type + "))", std::move(elements));
    }

    void identity() {
        cell("version", "String", "24.8.14.39");
        cell("host_name", "String", "node");
        cell("tcp_port", "UInt16", 9000);
        cell("now", "UInt32", 1'750'000'000);
    }

    std::string text() const {
        return json::serialize(names_) + "\n" + json::serialize(types_) + "\n" + json::serialize(row_) + "\n";
    }

  private:
    json::array names_;
    json::array types_;
    json::array row_;
};

std::string
rows_text(const json::array& names, const json::array& types, const std::vector<json::array>& rows) {
    std::string text = json::serialize(names) + "\n" + json::serialize(types) + "\n";
    for (const json::array& row : rows)
        text += json::serialize(row) + "\n";
    return text;
}

json::array authority_elements(const std::vector<protocol::AuthorityRow>& rows) {
    json::array elements;
    for (const protocol::AuthorityRow& row : rows)
        elements.push_back(json::array(
            {str(row.target_key),
             str(row.operation_id),
             str(row.fence_token),
             str(row.phase),
             str(std::to_string(row.dispatch_epoch)),
             str(row.payload),
             str(row.payload_sha256),
             row.version}
        ));
    return elements;
}

template <class T>
json::value or_null(const std::optional<T>& value) {
    if (!value)
        return nullptr;
    return json::value(*value);
}

json::value or_null(const std::optional<std::string>& value) {
    if (!value)
        return nullptr;
    return str(*value);
}

json::array queue_elements(const std::vector<protocol::QueueRow>& rows) {
    json::array elements;
    for (const protocol::QueueRow& row : rows) {
        json::object settings;
        for (const auto& [name, value] : row.settings)
            settings[name] = str(value);
        elements.push_back(json::array(
            {str(row.entry),
             or_null(row.entry_version),
             str(row.cluster),
             str(row.query),
             settings,
             row.query_create_time,
             or_null(row.host),
             or_null(row.port),
             or_null(row.status),
             or_null(row.exception_code),
             or_null(row.exception_text)}
        ));
    }
    return elements;
}

json::array table_elements(const std::vector<std::string>& tables) {
    json::array elements;
    for (const std::string& table : tables)
        elements.push_back(json::array(
            {"db",
             str(table),
             "11111111-1111-4111-8111-111111111111",
             "ReplicatedMergeTree",
             "engine",
             "create",
             "",
             "id",
             "id",
             "",
             json::array(),
             json::array(),
             json::array(),
             json::array(),
             nullptr}
        ));
    return elements;
}

json::array replica_elements(const std::vector<std::string>& tables) {
    json::array elements;
    for (const std::string& table : tables)
        elements.push_back(json::array(
            {str(table),
             0,
             0,
             2,
             2,
             0,
             "0",
             "0",
             "0",
             "default",
             str("/clickhouse/tables/" + table),
             "r1",
             "",
             ""}
        ));
    return elements;
}

} // namespace

std::string authority_body(const Uuid& server, const std::vector<protocol::AuthorityRow>& rows) {
    Body body(server);
    body.list("authority", protocol::authority_columns, authority_elements(rows));
    return body.text();
}

std::string queue_body(const Uuid& server, const std::vector<protocol::QueueRow>& rows) {
    Body body(server);
    body.list("queue", protocol::queue_row_columns, queue_elements(rows));
    return body.text();
}

std::string
unfinished_body(const Uuid& server, std::uint64_t entries, const std::vector<protocol::QueueRow>& rows) {
    Body body(server);
    body.cell("entries_in_queue", "UInt64", str(std::to_string(entries)));
    body.list("queue", protocol::queue_row_columns, queue_elements(rows));
    return body.text();
}

std::string catalogue_body(const Uuid& server, const std::vector<std::string>& tables) {
    Body body(server);
    body.identity();
    body.list("clusters", protocol::clusters_columns, {});
    body.list("databases", protocol::databases_columns, {});
    body.list("tables", protocol::tables_columns, table_elements(tables));
    body.list("columns", protocol::columns_columns, {});
    return body.text();
}

std::string keeper_body(
    const Uuid& server,
    const std::vector<std::string>& tables,
    const std::optional<std::vector<protocol::AuthorityRow>>& authority
) {
    Body body(server);
    body.list("replicas", protocol::replicas_columns, replica_elements(tables));
    if (authority)
        body.list("authority", protocol::authority_columns, authority_elements(*authority));
    return body.text();
}

std::string capabilities_body(const Uuid& server) {
    Body body(server);
    body.identity();
    body.list("settings", protocol::settings_columns, {});
    body.list("queue_columns", protocol::queue_columns_columns, {});
    body.list("views", protocol::tables_columns, {});
    body.list("ours", protocol::tables_columns, {});
    body.list("server_settings", protocol::server_settings_columns, {});
    return body.text();
}

std::string row_policies_body(const Uuid& server) {
    Body body(server);
    body.list("row_policies", protocol::row_policies_columns, {});
    return body.text();
}

std::string grants_body(const std::vector<std::string>& grants) {
    std::vector<json::array> rows;
    for (const std::string& grant : grants)
        rows.push_back(json::array({str(grant)}));
    return rows_text({"GRANTS FOR default"}, {"String"}, rows);
}

std::string roster_body(const std::vector<Uuid>& servers) {
    std::vector<json::array> rows;
    for (std::size_t i = 0; i < servers.size(); ++i)
        rows.push_back(json::array({i + 1, str(servers[i].text()), str("node-" + std::to_string(i + 1))}));
    return rows_text({"shard_num", "server_uuid", "host_name"}, {"UInt32", "String", "String"}, rows);
}

std::string count_body(const Uuid& server, std::uint64_t rows) {
    Body body(server);
    body.cell("rows", "UInt64", str(std::to_string(rows)));
    return body.text();
}

std::string ddl_body(const std::vector<protocol::DdlHostRow>& hosts) {
    std::vector<json::array> rows;
    for (const protocol::DdlHostRow& host : hosts)
        rows.push_back(json::array(
            {str(host.at.host), host.at.port, str(std::to_string(host.status)), str(host.error), "0", "0"}
        ));
    return rows_text(
        {"host", "port", "status", "error", "num_hosts_remaining", "num_hosts_active"},
        {"String", "UInt16", "Int64", "String", "UInt64", "UInt64"},
        rows
    );
}

} // namespace onceswap::testing
