#include "protocol/answer_reading.hpp"
#include "protocol/remembered_answer.hpp"

#include <algorithm>

namespace onceswap::protocol {

namespace answer {

namespace {

// Two arrays of equal length name tables: database and name of each.
std::vector<std::string>
qualified_names(const Tuple& row, std::string_view databases, std::string_view tables, Problem& problem) {
    const auto database = row.texts(databases);
    const auto table = row.texts(tables);
    std::vector<std::string> out;
    if (database.size() != table.size()) {
        problem.note(row.place(tables).text() + ": not as many as in " + std::string(databases));
        return out;
    }
    for (std::size_t i = 0; i < table.size(); ++i)
        out.push_back(database[i] + "." + table[i]);
    std::ranges::sort(out);
    return out;
}

} // namespace

std::vector<TableRow> read_tables(const Answer& answer, std::string_view column, Problem& problem) {
    std::vector<TableRow> out;
    for (const Tuple& row : answer.list(column, tables_columns)) {
        TableRow table;
        table.database = row.text("database");
        table.name = row.text("name");
        table.uuid = row.uuid("uuid");
        table.engine = row.text("engine");
        table.engine_full = row.text("engine_full");
        table.create_table_query = row.text("create_table_query");
        table.keys.partition_key = row.text("partition_key");
        table.keys.sorting_key = row.text("sorting_key");
        table.keys.primary_key = row.text("primary_key");
        table.keys.sampling_key = row.text("sampling_key");
        table.dependencies = qualified_names(row, "dependencies_database", "dependencies_table", problem);
        table.loading_dependents =
            qualified_names(row, "loading_dependent_database", "loading_dependent_table", problem);
        table.total_bytes = row.optional_number<std::uint64_t>("total_bytes");
        out.push_back(std::move(table));
    }
    const auto by_name = [](const TableRow& row) { return std::tie(row.database, row.name); };
    std::ranges::sort(out, {}, by_name);
    if (std::ranges::adjacent_find(out, {}, by_name) != out.end())
        problem.note(std::string(column) + ": one table twice");
    return out;
}

} // namespace answer

Result<Uuid> decode_identity(std::string_view body) {
    answer::Problem problem;
    const answer::Answer answer(body, problem);
    if (!problem.none())
        return problem.failure(Code::generation_unknown);
    return answer.server_uuid();
}

namespace {

Result<CatalogueFacts> read_whole_catalogue(std::string_view body) {
    answer::Problem problem;
    const answer::Answer answer(body, problem);
    CatalogueFacts facts;
    facts.identity = answer.identity();
    for (const answer::Tuple& row : answer.list("clusters", clusters_columns)) {
        ClusterRow cluster;
        cluster.cluster = row.text("cluster");
        cluster.shard_num = row.number<std::uint32_t>("shard_num");
        cluster.replica_num = row.number<std::uint32_t>("replica_num");
        cluster.host_name = row.text("host_name");
        cluster.host_address = row.text("host_address");
        cluster.port = row.number<std::uint16_t>("port");
        cluster.is_local = row.flag("is_local");
        cluster.internal_replication = row.flag("internal_replication");
        facts.clusters.push_back(std::move(cluster));
    }
    for (const answer::Tuple& row : answer.list("databases", databases_columns))
        facts.databases.push_back({row.text("name"), row.text("engine"), row.uuid("uuid")});
    facts.tables = answer::read_tables(answer, "tables", problem);
    for (const answer::Tuple& row : answer.list("columns", columns_columns)) {
        ColumnDefinition column;
        column.position = row.number<std::uint64_t>("position");
        column.name = row.text("name");
        column.type = row.text("type");
        column.default_kind = row.text("default_kind");
        column.default_expression = row.text("default_expression");
        column.compression_codec = row.text("compression_codec");
        facts.columns[row.text("table_name")].push_back(std::move(column));
    }
    for (auto& [table, columns] : facts.columns) {
        std::ranges::sort(columns, {}, &ColumnDefinition::position);
        if (std::ranges::adjacent_find(columns, {}, &ColumnDefinition::position) != columns.end())
            problem.note("columns: two columns of " + table + " in one position");
    }
    if (!problem.none())
        return problem.failure(Code::generation_unknown);
    return facts;
}

} // namespace

Result<CatalogueFacts> decode_catalogue(std::string_view body) {
    return answer::remembered<CatalogueFacts, read_whole_catalogue>(body);
}

Result<LoaderColumns> decode_column_types(std::string_view body) {
    answer::Problem problem;
    const answer::Answer answer(body, problem);
    std::map<std::uint64_t, LoaderColumn> by_position;
    for (const answer::Tuple& row : answer.list("columns", loader_columns)) {
        LoaderColumn column;
        column.name = row.text("name");
        column.type = row.text("type");
        column.default_kind = row.text("default_kind");
        if (!by_position.emplace(row.number<std::uint64_t>("position"), std::move(column)).second)
            problem.note("columns: two in one position");
    }
    if (!problem.none())
        return problem.failure(Code::generation_unknown);
    LoaderColumns out;
    out.server_uuid = answer.server_uuid();
    for (auto& [position, column] : by_position)
        out.columns.push_back(std::move(column));
    return out;
}

namespace {

Result<RowCount> read_whole_row_count(std::string_view body) {
    answer::Problem problem;
    const answer::Answer answer(body, problem);
    RowCount out;
    out.server_uuid = answer.server_uuid();
    out.rows = answer.count("rows");
    if (!problem.none())
        return problem.failure(Code::generation_unknown);
    return out;
}

} // namespace

Result<RowCount> decode_row_count(std::string_view body) {
    return answer::remembered<RowCount, read_whole_row_count>(body);
}

} // namespace onceswap::protocol
