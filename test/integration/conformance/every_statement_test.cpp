#include "live_engine.hpp"
#include "protocol/statements.hpp"
#include "simulated_cluster.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

using namespace onceswap;
using namespace onceswap::testing;
using protocol::StatementKind;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(conformance)

namespace {

const std::string cluster = "c1";
const protocol::TargetName target("db", "target");
const std::string candidate = "onceswap_000000000000_11111111_22222222";
const std::string key = "key";
const std::string token = "onceswap:v1:token";
const std::string target_uuid = "6f1c1c2e-3333-4000-8000-000000000001";
const std::string candidate_uuid = "6f1c1c2e-3333-4000-8000-000000000002";

protocol::DdlOptions options(const std::string& suffix) {
    protocol::DdlOptions made;
    made.token = token + "/" + suffix;
    return made;
}

protocol::AuthorityRow row(const std::string& phase, char digit) {
    protocol::AuthorityRow made;
    made.target_key = key;
    made.operation_id = "operation";
    made.fence_token = "fence 'quoted' \\ and more";
    made.phase = phase;
    made.dispatch_epoch = 18446744073709551615U;
    made.payload = "{\"a\":\"\\n/\xc3\xa9\"}";
    made.payload_sha256 = std::string(64, digit);
    return made;
}

/// The statements of one kind, with what follows in the body. A kind without a case does not compile.
std::vector<std::pair<protocol::Statement, std::string>> of_kind(StatementKind kind) {
    const std::vector<std::string> tables{"target", candidate, "__onceswap_authority"};
    const auto plain = [](protocol::Statement statement) {
        std::vector<std::pair<protocol::Statement, std::string>> one;
        one.emplace_back(std::move(statement), std::string());
        return one;
    };
    const auto rename = [&](const std::string& from, const std::string& to) {
        return plain(
            protocol::rename_statement(kind, "db", from, to, cluster, options(std::string(text(kind))))
        );
    };
    switch (kind) {
    case StatementKind::catalogue:
        return plain(protocol::catalogue_statement("db", tables));
    case StatementKind::keeper: {
        auto both = plain(protocol::keeper_statement("db", tables, key));
        both.emplace_back(protocol::keeper_statement("db", tables, ""), std::string());
        return both;
    }
    case StatementKind::authority_row:
        return plain(protocol::authority_row_statement("db", key));
    case StatementKind::authority_all:
        return plain(protocol::authority_all_statement("db"));
    case StatementKind::capabilities:
        return plain(protocol::capabilities_statement("db", "onceswap_"));
    case StatementKind::row_policies:
        return plain(protocol::row_policies_statement("db"));
    case StatementKind::environment:
        return plain(protocol::environment_statement());
    case StatementKind::grants:
        return plain(protocol::grants_statement());
    case StatementKind::roster:
        return plain(protocol::roster_statement(cluster));
    case StatementKind::queue_by_token:
        return plain(protocol::queue_by_token_statement(token + "/exchange"));
    case StatementKind::queue_by_prefix:
        return plain(protocol::queue_by_prefix_statement(token));
    case StatementKind::queue_unfinished:
        return plain(protocol::queue_unfinished_statement());
    case StatementKind::row_count:
        return plain(protocol::row_count_statement(target, false));
    case StatementKind::row_count_final: // refused by a plain MergeTree, with the same code
        return plain(protocol::row_count_statement(target, true));
    case StatementKind::settings_probe:
        return plain(protocol::settings_probe_statement(
            protocol::create_facade_statement("db", "/root", cluster, "canary", options("probe")).settings
        ));
    case StatementKind::column_types:
        return plain(protocol::column_types_statement(target));
    case StatementKind::version:
        return plain(protocol::version_statement());
    case StatementKind::create_facade:
        return plain(protocol::create_facade_statement("db", "/root", cluster, "canary", options("facade")));
    case StatementKind::create_candidate:
        return plain(protocol::create_candidate_statement(
            target, candidate, *protocol::Uuid::parse(candidate_uuid), cluster, options("candidate")
        ));
    case StatementKind::insert_rows: {
        const protocol::TargetName into("db", candidate);
        std::vector<std::pair<protocol::Statement, std::string>> all;
        for (const char* block : {"t1", "t1", "t2"}) // the second is a retry
            all.emplace_back(
                protocol::insert_rows_statement(into, block),
                block == std::string("t2") ? "\n{\"id\":9,\"name\":\"nine\"}\n" : "\n" + new_rows(4)
            );
        all.emplace_back(protocol::insert_rows_statement(into, "t3"), "\n{\"id\":1,\"nothing\":2}\n");
        return all;
    }
    case StatementKind::authority_insert: {
        auto twice = plain(protocol::authority_insert_statement("db", row("PREPARED", 'a')));
        twice.push_back(twice.front()); // Node exists
        return twice;
    }
    case StatementKind::authority_update: {
        auto twice =
            plain(protocol::authority_update_statement("db", row("PREPARED", 'a'), row("DISPATCHING", 'b')));
        twice.push_back(twice.front()); // stale
        return twice;
    }
    case StatementKind::exchange:
        return plain(protocol::exchange_statement(target, candidate, cluster, options("exchange")));
    case StatementKind::rename_aside:
        return rename(candidate, "onceswap_aside");
    case StatementKind::drop_aside:
        return plain(protocol::drop_statement(kind, "db", "onceswap_aside", cluster, options("drop")));
    case StatementKind::rename_publish:
        return rename("target", "renamed");
    case StatementKind::rename_retire: // of what is not there: 60 on every host
        return rename("onceswap_absent", "onceswap_retired");
    case StatementKind::rename_adopt:
        return rename("renamed", "target");
    case StatementKind::drop_orphan: // IF EXISTS
        return plain(protocol::drop_statement(kind, "db", "onceswap_absent", cluster, options("orphan")));
    }
    return {};
}

/// The order in which their effects make sense; every read is asked again after every mutation.
const std::vector<StatementKind> mutations{
    StatementKind::create_facade,
    StatementKind::authority_insert,
    StatementKind::create_candidate,
    StatementKind::insert_rows,
    StatementKind::authority_update,
    StatementKind::exchange,
    StatementKind::rename_aside,
    StatementKind::drop_aside,
    StatementKind::rename_publish,
    StatementKind::rename_retire,
    StatementKind::rename_adopt,
    StatementKind::drop_orphan
};

/// A difference that is known, by the end of its path. docs/conformance.md has the same list, with the
/// reasons.
const std::vector<std::string> known_differences{
    "version",
    "host_name",
    "now",
    "entry",
    "query_create_time",
    "databases[db].uuid",
    "tables[db __onceswap_authority].uuid",
    "followers[db __onceswap_authority].uuid",
    "followers[_node replicas]",
    "total_bytes",
    "entries_in_queue",
    "num_hosts_remaining",
    "num_hosts_active"
};

/// What an element of a list is called: its order is not defined.
std::string name_of(const json::value& element) {
    if (!element.is_object())
        return json::serialize(element);
    std::string name;
    for (const char* part :
         {"cluster",
          "database",
          "table_name",
          "name",
          "shard_num",
          "replica_num",
          "position",
          "host",
          "port",
          "query",
          "target_key"})
        if (const json::value* value = element.as_object().if_contains(part);
            value != nullptr && !value->is_object())
            name += (name.empty() ? "" : " ") +
                    (value->is_string() ? std::string(value->as_string()) : json::serialize(*value));
    return name;
}

std::map<std::string, json::value> by_name(const json::array& list) {
    std::map<std::string, json::value> named;
    for (const json::value& element : list) {
        std::string name = name_of(element);
        while (named.contains(name))
            name += '\'';
        named[name] = element;
    }
    return named;
}

void differences(
    const std::string& path,
    const json::value& real,
    const json::value& modelled,
    std::vector<std::string>& found
) {
    if (real == modelled)
        return;
    const json::value nothing = "(nothing)";
    const auto both =
        [&](const auto& left, const auto& right, const std::string& open, const std::string& close) {
            for (const auto& [name, value] : left) {
                const auto other = right.find(name);
                differences(
                    path + open + std::string(name) + close,
                    value,
                    other == right.end() ? nothing : json::value(other->second),
                    found
                );
            }
            for (const auto& [name, value] : right)
                if (left.find(name) == left.end())
                    differences(path + open + std::string(name) + close, nothing, value, found);
        };
    if (real.is_array() && modelled.is_array()) {
        both(by_name(real.as_array()), by_name(modelled.as_array()), "[", "]");
    } else if (real.is_object() && modelled.is_object()) {
        std::map<std::string, json::value> left;
        std::map<std::string, json::value> right;
        for (const auto& [name, value] : real.as_object())
            left[std::string(name)] = value;
        for (const auto& [name, value] : modelled.as_object())
            right[std::string(name)] = value;
        both(left, right, ".", "");
    } else {
        const bool known =
            std::any_of(known_differences.begin(), known_differences.end(), [&](const std::string& end) {
                return path == end || path.ends_with("." + end) || path.ends_with(" " + end);
            });
        if (!known)
            found.push_back(
                path + ": engine " + json::serialize(real) + ", simulator " + json::serialize(modelled)
            );
    }
}

/// The UUID that the initiator chose for the record's table stands in the queue.
std::string without_new_uuids(std::string line) {
    static const std::string before = "CREATE TABLE IF NOT EXISTS db.__onceswap_authority UUID '";
    for (std::size_t at = line.find(before); at != std::string::npos;
         at = line.find(before, at + before.size()))
        line.replace(at + before.size(), 36, "chosen by the initiator");
    return line;
}

struct Table {
    json::value names;
    json::value types;
    json::array rows; ///< objects
};

/// JSONCompactEachRowWithNamesAndTypes.
Table table_of(const std::string& body) {
    Table table;
    std::vector<json::value> lines;
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t end = std::min(body.find('\n', at), body.size());
        lines.push_back(json::parse(without_new_uuids(body.substr(at, end - at))));
        at = end + 1;
    }
    if (lines.size() < 2)
        return table;
    table.names = lines[0];
    table.types = lines[1];
    for (std::size_t i = 2; i < lines.size(); ++i) {
        json::object cells;
        for (std::size_t column = 0; column < lines[i].as_array().size(); ++column)
            cells[table.names.as_array().at(column).as_string()] = lines[i].as_array()[column];
        table.rows.push_back(std::move(cells));
    }
    return table;
}

void compare(
    LiveEngine& engine,
    SimulatedCluster& simulator,
    const protocol::Statement& statement,
    const std::string& rows,
    const std::string& when
) {
    for (const std::size_t member : {0U, 1U}) {
        if (protocol::is_mutation(statement.kind) && member == 1)
            return;
        const bool bare =
            statement.kind == StatementKind::version; // without a setting, and in another format
        const Settings plain{
            {"wait_end_of_query", "1"}, {"default_format", "JSONCompactEachRowWithNamesAndTypes"}
        };
        const Settings settings = bare ? Settings()
                                  : protocol::is_without_settings(statement.kind)
                                      ? plain
                                      : with_transport(statement.settings);
        const Reply theirs = engine.ask(member, statement.sql + rows, settings);
        const Reply ours = simulator.ask(member, statement.sql + rows, settings);
        BOOST_TEST_CONTEXT(text(statement.kind) << " at member " << member << " " << when) {
            BOOST_TEST(
                theirs.status == ours.status,
                "engine " << theirs.status << ", simulator " << ours.status << " " << theirs.body
            );
            BOOST_TEST(theirs.code() == ours.code(), "engine " << theirs.body << " simulator " << ours.body);
            if (theirs.status != 200 || ours.status != 200)
                continue;
            if (bare) {
                BOOST_TEST(theirs.body == ours.body);
                continue;
            }
            const Table real = table_of(theirs.body);
            const Table modelled = table_of(ours.body);
            BOOST_TEST(json::serialize(real.types) == json::serialize(modelled.types));
            if (statement.kind == StatementKind::grants)
                continue; // what a user may is the configuration's, and what the column is called names the
                          // user
            BOOST_TEST(json::serialize(real.names) == json::serialize(modelled.names));
            std::vector<std::string> found;
            differences(std::string(text(statement.kind)), real.rows, modelled.rows, found);
            for (const std::string& difference : found)
                BOOST_ERROR(difference);
        }
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(the_page_lists_what_is_passed_over) {
    std::ifstream in(std::string(ONCESWAP_SOURCE_DIR) + "/docs/conformance.md");
    std::vector<std::string> listed;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("## "))
            inside = line == "## Known differences";
        else if (inside && line.starts_with("| `"))
            listed.push_back(line.substr(3, line.find('`', 3) - 3));
    }
    BOOST_TEST(listed == known_differences, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_statement_answers_the_same_on_the_engine_and_in_the_simulator) {
    std::set<StatementKind> sent;
    LiveEngine& engine = LiveEngine::get();
    SimulatedCluster simulator(
        {"db"},
        R"([{"database":"db","name":"target","uuid":")" + target_uuid +
            R"(","rows":3,"columns":[{"name":"id","type":"UInt64"},{"name":"name","type":"String"}]}])"
    );
    engine.rows(0, "CREATE DATABASE db ON CLUSTER c1 ENGINE = Atomic");
    engine.rows(
        0,
        "CREATE TABLE db.target UUID '" + target_uuid +
            "' ON CLUSTER c1 (id UInt64, name String) ENGINE = "
            "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id"
    );
    engine.rows(0, "INSERT INTO db.target FORMAT JSONEachRow\n" + new_rows(3));
    BOOST_TEST(wait_for_rows(engine, 1, "SELECT count() FROM db.target", "3\n") == "3\n");
    const auto read_everything = [&](const std::string& when) {
        for (const StatementKind kind : protocol::all_statement_kinds()) {
            if (protocol::is_mutation(kind))
                continue;
            for (const auto& [statement, rows] : of_kind(kind)) {
                sent.insert(statement.kind);
                compare(engine, simulator, statement, rows, when);
            }
        }
    };
    read_everything("at first");
    for (const StatementKind kind : mutations) {
        for (const auto& [statement, rows] : of_kind(kind)) {
            sent.insert(statement.kind);
            compare(engine, simulator, statement, rows, "as a mutation");
        }
        if (kind == StatementKind::insert_rows)
            BOOST_TEST(wait_for_rows(engine, 1, "SELECT count() FROM db." + candidate, "5\n") == "5\n");
        read_everything("after " + std::string(text(kind)));
    }
    for (const StatementKind kind : protocol::all_statement_kinds())
        BOOST_TEST(sent.contains(kind), text(kind));
}

BOOST_AUTO_TEST_SUITE_END()
