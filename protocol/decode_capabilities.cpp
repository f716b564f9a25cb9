#include "protocol/answer_reading.hpp"
#include "protocol/remembered_answer.hpp"

namespace onceswap::protocol {

namespace {

Result<CapabilityFacts> read_whole_capabilities(std::string_view body) {
    answer::Problem problem;
    const answer::Answer answer(body, problem);
    CapabilityFacts facts;
    facts.identity = answer.identity();
    for (const answer::Tuple& row : answer.list("settings", settings_columns)) {
        std::string name = row.text("name");
        if (row.number<std::uint8_t>("readonly") != 0)
            facts.readonly_settings.push_back(name);
        facts.settings.insert_or_assign(std::move(name), row.text("value"));
    }
    for (const answer::Tuple& row : answer.list("queue_columns", queue_columns_columns))
        facts.queue_columns.insert_or_assign(row.text("name"), row.text("type"));
    facts.views = answer::read_tables(answer, "views", problem);
    facts.ours = answer::read_tables(answer, "ours", problem);
    for (const answer::Tuple& row : answer.list("server_settings", server_settings_columns)) {
        if (row.text("name") != "max_table_size_to_drop")
            continue;
        facts.max_table_size_to_drop =
            answer::parse_unsigned(row.text("value"), std::numeric_limits<std::uint64_t>::max());
        if (!facts.max_table_size_to_drop)
            problem.note(row.place("value").text() + ": not a number of bytes");
    }
    if (!problem.none())
        return problem.failure(Code::generation_unknown);
    return facts;
}

} // namespace

Result<EnvironmentFacts> decode_environment(std::string_view body) {
    answer::Problem problem;
    const answer::Answer answer(body, problem);
    EnvironmentFacts facts;
    facts.server_uuid = answer.server_uuid();
    for (const answer::Tuple& row : answer.list("profile", profile_columns))
        facts.profile.insert_or_assign(row.text("name"), row.text("value"));
    for (const answer::Tuple& row : answer.list("macros", macros_columns))
        facts.macros.insert_or_assign(row.text("name"), row.text("value"));
    facts.followers = answer::read_tables(answer, "followers", problem);
    if (!problem.none())
        return problem.failure(Code::generation_unknown);
    return facts;
}

Result<CapabilityFacts> decode_capabilities(std::string_view body) {
    return answer::remembered<CapabilityFacts, read_whole_capabilities>(body);
}

namespace {

Result<RowPolicies> read_whole_row_policies(std::string_view body) {
    answer::Problem problem;
    const answer::Answer answer(body, problem);
    RowPolicies out;
    out.server_uuid = answer.server_uuid();
    for (const answer::Tuple& row : answer.list("row_policies", row_policies_columns))
        out.policies.push_back({row.text("name"), row.text("table_name")});
    if (!problem.none())
        return problem.failure(Code::generation_unknown);
    return out;
}

} // namespace

Result<RowPolicies> decode_row_policies(std::string_view body) {
    return answer::remembered<RowPolicies, read_whole_row_policies>(body);
}

namespace {

Result<std::vector<std::string>> read_whole_grants(std::string_view body) {
    const auto result = ResultSet::parse(body);
    if (!result)
        return result.error();
    // The column's name is a sentence that differs by version and user.
    if (result->types() != std::vector<std::string_view>{"String"})
        return Failure{Code::generation_unknown, "SHOW GRANTS: not one column of texts"};
    answer::Problem problem;
    std::vector<std::string> out;
    for (std::size_t row = 0; row < result->rows(); ++row)
        out.push_back(answer::read_text(result->cell(row, std::size_t{0}), {"grants", row, "text"}, problem));
    if (!problem.none())
        return problem.failure(Code::generation_unknown);
    return out;
}

} // namespace

Result<std::vector<std::string>> decode_grants(std::string_view body) {
    return answer::remembered<std::vector<std::string>, read_whole_grants>(body);
}

} // namespace onceswap::protocol
