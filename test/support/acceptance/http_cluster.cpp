#include "acceptance/http_cluster.hpp"

#include "acceptance/interruption.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

#include <set>
#include <sstream>
#include <stdexcept>

namespace onceswap::acceptance {

namespace json = boost::json;

namespace {

constexpr const char* columns = " (id UInt64, name String)";
constexpr const char* engine =
    " ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id";

std::string field(const json::object& row, std::string_view name) {
    return std::string(row.at(name).as_string());
}

} // namespace

HttpCluster::HttpCluster(std::vector<Origin> members, std::string cluster, std::unique_ptr<ToolClient> client)
    : origins_(std::move(members)), cluster_(std::move(cluster)), client_(std::move(client)) {}

std::string HttpCluster::ask(std::size_t member, const std::string& sql, const std::string& comment) {
    end_if_interrupted();
    std::vector<std::pair<std::string, std::string>> parameters;
    if (!comment.empty())
        parameters.emplace_back("log_comment", comment);
    const HttpAnswer answer = question(origins_.at(member), "POST", "/", parameters, sql);
    if (answer.status != 200 || answer.exception_code != 0)
        throw std::runtime_error(origins_.at(member).url + ": " + sql.substr(0, 200) + ": " + answer.body);
    return answer.body;
}

std::vector<json::object> HttpCluster::select(std::size_t member, const std::string& sql) {
    std::vector<json::object> rows;
    std::istringstream in(ask(member, sql + " FORMAT JSONEachRow"));
    for (std::string line; std::getline(in, line);)
        rows.push_back(json::parse(line).as_object());
    return rows;
}

json::object HttpCluster::versions() {
    json::array versions;
    for (std::size_t member = 0; member < members(); ++member)
        versions.emplace_back(field(select(member, "SELECT version() AS version").at(0), "version"));
    return {{"members", std::move(versions)}};
}

std::vector<std::string> HttpCluster::client_urls() const {
    std::vector<std::string> urls;
    for (const Origin& origin : origins_)
        urls.push_back(origin.url);
    return urls;
}

void HttpCluster::begin(const std::string& scenario, const Setup& setup) {
    database_ = database_of(scenario);
    const std::string on = " ON CLUSTER " + cluster_;
    ask(0, "CREATE DATABASE " + database_ + on + " ENGINE = Atomic");
    const std::string table = database_ + (setup.absent ? ".pattern" : ".target");
    ask(0, "CREATE TABLE " + table + on + columns + engine);
    if (!setup.absent) {
        std::string rows;
        for (std::uint64_t i = 1; i <= old_rows; ++i)
            rows += "{\"id\":" + std::to_string(i) + ",\"name\":\"old\"}\n";
        ask(0, "INSERT INTO " + table + " FORMAT JSONEachRow\n" + rows);
    }
    client_->aim(client_urls(), database_, setup.absent);
}

std::vector<Answer> HttpCluster::together(const std::vector<Call>& calls) {
    std::vector<std::unique_ptr<testing::Process>> processes;
    for (const Call& call : calls)
        processes.push_back(client_->start(call));
    std::vector<Answer> answers;
    for (const auto& process : processes)
        answers.push_back(client_->finish(*process));
    return answers;
}

std::string HttpCluster::outsider(std::size_t member, const std::string& sql, const std::string& comment) {
    std::vector<std::pair<std::string, std::string>> parameters{
        {"distributed_ddl_task_timeout", outsiders_patience}
    };
    if (!comment.empty())
        parameters.emplace_back("log_comment", comment);
    const HttpAnswer answer = question(origins_.at(member), "POST", "/", parameters, sql);
    return answer.status == 200 && answer.exception_code == 0 ? std::string() : answer.body;
}

/// A dictionary that loads from the table: ClickHouse then refuses to rename or drop it, on this host.
void HttpCluster::refuse_on_host(std::size_t member, Statement /*statement*/, const std::string& table) {
    ask(member,
        "CREATE DICTIONARY " + database_ +
            ".blocker (id UInt64, name String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB '" + database_ +
            "' TABLE '" + table + "')) LAYOUT(FLAT()) LIFETIME(0)");
}

void HttpCluster::heal_host(std::size_t member) {
    ask(member, "DROP DICTIONARY IF EXISTS " + database_ + ".blocker");
}

void HttpCluster::drift(Need what, std::size_t member) {
    const std::string target = database_ + ".target";
    if (what == Need::drift_schema) {
        // Of a Replicated table it is every member's schema that changes.
        const std::string refused = outsider(member, "ALTER TABLE " + target + " ADD COLUMN more UInt8", {});
        if (!refused.empty())
            throw NotOffered(std::string(text(what)) + ": " + refused.substr(0, refused.find('\n')));
        return;
    }
    std::string kept = uuid(member, "target");
    std::string definition = columns + std::string(engine);
    if (what == Need::drift_uuid) {
        constexpr std::string_view other = "f0f0f0f0";
        kept.replace(0, other.size(), other);
    } else if (what == Need::drift_engine) {
        definition = std::string(columns) + " ENGINE = MergeTree ORDER BY id";
    } else if (what == Need::drift_path) {
        definition =
            std::string(columns) +
            " ENGINE = ReplicatedMergeTree('/clickhouse/tables/elsewhere/{uuid}', '{replica}') ORDER BY id";
    } else {
        ClusterUnderTest::drift(what, member);
    }
    ask(member, "DROP TABLE " + target + " SYNC");
    ask(member, "CREATE TABLE " + target + " UUID '" + kept + "'" + definition);
}

/// As the client itself makes it, seen after a publication in another database.
std::string HttpCluster::authority_definition() {
    if (!definition_.empty())
        return definition_;
    const std::string here = database_;
    begin("pattern_of_the_control_table", Setup());
    client_->run(Call(Verb::publish));
    definition_ = field(
        select(
            0,
            "SELECT create_table_query AS text FROM system.tables WHERE database = '" + database_ +
                "' AND name = '__onceswap_authority'"
        )
            .at(0),
        "text"
    );
    const std::size_t at = definition_.find(database_ + ".");
    if (at == std::string::npos)
        throw std::runtime_error("no control table can be read from: " + definition_);
    definition_.replace(at, database_.size(), "{database}");
    database_ = here;
    client_->aim(client_urls(), database_, false);
    return definition_;
}

void HttpCluster::partial_authority(bool mismatched) {
    std::string definition = authority_definition();
    const std::string_view place = "{database}";
    definition.replace(definition.find(place), place.size(), database_);
    ask(0, definition);
    if (mismatched)
        ask(1,
            "CREATE TABLE " + database_ + ".__onceswap_authority (id UInt64) ENGINE = MergeTree ORDER BY id");
}

std::vector<Table> HttpCluster::tables(std::size_t member) {
    std::vector<Table> tables;
    for (const json::object& row : select(
             member,
             "SELECT name, toString(uuid) AS uuid FROM system.tables WHERE database = '" + database_ +
                 "' ORDER BY name"
         ))
        tables.emplace_back(field(row, "name"), field(row, "uuid"));
    return tables;
}

std::vector<Entry> HttpCluster::entries() {
    std::vector<Entry> entries;
    std::set<std::string> seen;
    for (const json::object& row : select(
             0,
             "SELECT entry, settings['log_comment'] AS token, query FROM system.distributed_ddl_queue WHERE "
             "position(query, ' " +
                 database_ + ".') > 0 ORDER BY entry"
         )) {
        Entry entry;
        entry.name = field(row, "entry");
        entry.token = field(row, "token");
        entry.query = field(row, "query");
        if (seen.insert(entry.name).second)
            entries.push_back(std::move(entry));
    }
    return entries;
}

std::int64_t HttpCluster::rows(std::size_t member, const std::string& table) {
    return std::stoll(field(
        select(member, "SELECT toString(count()) AS rows FROM " + database_ + "." + table).at(0), "rows"
    ));
}

} // namespace onceswap::acceptance
