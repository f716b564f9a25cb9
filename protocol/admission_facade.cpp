#include "protocol/admission_checks.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/names.hpp"
#include "protocol/statement_parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

namespace onceswap::protocol {

namespace {

struct Column {
    std::string_view name;
    std::string_view type;
};

constexpr auto facade_columns = std::to_array<Column>({
    {"target_key", "String"},
    {"operation_id", "String"},
    {"fence_token", "String"},
    {"phase", "String"},
    {"dispatch_epoch", "UInt64"},
    {"payload", "String"},
    {"payload_sha256", "FixedString(64)"},
});

TargetName facade_name(const AdmissionFacts& facts) {
    return {facts.target.database, std::string(authority_table)};
}

/// Why the columns are not those of the facade; empty if they are.
std::string columns_problem(const CatalogueFacts& catalogue, const std::string& table) {
    const auto found = catalogue.columns.find(table);
    if (found == catalogue.columns.end())
        return "its columns could not be read";
    std::vector<ColumnDefinition> columns = found->second;
    std::sort(columns.begin(), columns.end(), [](const ColumnDefinition& a, const ColumnDefinition& b) {
        return a.position < b.position;
    });
    if (columns.size() != facade_columns.size())
        return "it has " + std::to_string(columns.size()) + " columns instead of " +
               std::to_string(facade_columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const ColumnDefinition& column = columns[i];
        if (column.name != facade_columns[i].name || column.type != facade_columns[i].type ||
            !column.default_kind.empty())
            return "column " + std::to_string(i + 1) + " is " + column.name + " " + column.type +
                   " instead of " + std::string(facade_columns[i].name) + " " +
                   std::string(facade_columns[i].type);
    }
    return {};
}

/// Where `KeeperMap('<root>', LIMIT)` has its limit.
constexpr std::size_t limit_at = 4;

bool has_limit(const std::vector<Token>& clause) {
    return clause.size() > limit_at + 1 && clause[limit_at - 1].value == "," &&
           clause[limit_at].kind == TokenKind::number;
}

/// How many keys the server lets into its KeeperMap table; nullopt: as many as come. Its definition stands on
/// each server for itself.
std::optional<std::uint64_t> keys_limit(const TableRow& row) {
    const auto tokens = tokenize(row.engine_full);
    if (!tokens || !has_limit(*tokens))
        return std::nullopt;
    const std::string_view digits = (*tokens)[limit_at].value;
    std::uint64_t limit = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), limit);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    return is_number && limit != 0 ? std::optional(limit) : std::nullopt;
}

/// Why the engine clause is not `KeeperMap('<root>'[, limit]) PRIMARY KEY target_key`; empty if it is.
std::string engine_problem(const TableRow& row, const std::string& root) {
    const std::string wanted = "KeeperMap('" + root + "') PRIMARY KEY target_key";
    const std::string problem = "its engine is " + row.engine_full + " instead of " + wanted;
    const auto tokens = tokenize(row.engine_full);
    if (!tokens || row.engine != "KeeperMap")
        return problem;
    std::vector<Token> seen = *tokens;
    if (has_limit(seen))
        seen.erase(seen.begin() + limit_at - 1, seen.begin() + limit_at + 1);
    const bool has_brackets =
        seen.size() > 2 && seen[seen.size() - 3].value == "(" && seen.back().value == ")";
    if (has_brackets) {
        seen.pop_back();
        seen.erase(seen.end() - 2);
    }
    const std::vector<Token> expected = *tokenize("KeeperMap('x') PRIMARY KEY target_key");
    if (seen.size() != expected.size())
        return problem;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const bool is_root = expected[i].kind == TokenKind::string_literal;
        if (is_root ? seen[i].kind != TokenKind::string_literal || seen[i].value != root
                    : seen[i].value != expected[i].value)
            return problem;
    }
    return {};
}

void check_structure(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission, Check& check
) {
    std::size_t present = 0;
    std::size_t asked = 0;
    for (const NamedEndpoint& endpoint : endpoints) {
        if (!endpoint.facts->catalogue)
            continue;
        ++asked;
        const TableRow* row = find_table(*endpoint.facts->catalogue, facade_name(facts));
        if (row == nullptr)
            continue;
        ++present;
        for (const std::string& problem :
             {engine_problem(*row, facts.authority_root),
              columns_problem(*endpoint.facts->catalogue, row->name)})
            if (!problem.empty())
                check.refuse(Rule::authority_definition, endpoint.host, row->name + ": " + problem);
    }
    admission.facade = present == 0       ? FacadeStanding::absent_everywhere
                       : present == asked ? FacadeStanding::complete
                                          : FacadeStanding::absent_on_some;
}

std::string shown(const std::optional<AuthorityRow>& row) {
    return row ? "version " + std::to_string(row->version) + " of operation " +
                     row->operation_id.substr(0, 12)
               : "no record";
}

/// Every member that has the facade must read the same record at the same version.
void check_one_record(std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Check& check) {
    const NamedEndpoint* first = nullptr;
    for (const NamedEndpoint& endpoint : endpoints) {
        if (!endpoint.facts->catalogue || !find_table(*endpoint.facts->catalogue, facade_name(facts)))
            continue;
        if (!endpoint.facts->keeper) {
            check.refuse(
                Rule::authority_answers,
                endpoint.host,
                problem_text(*endpoint.facts, "the Keeper-backed part")
            );
            continue;
        }
        if (first == nullptr)
            first = &endpoint;
        else if (endpoint.facts->keeper->authority != first->facts->keeper->authority)
            check.refuse(
                Rule::authority_equal,
                endpoint.host,
                "reads " + shown(endpoint.facts->keeper->authority) + " where " + first->host + " reads " +
                    shown(first->facts->keeper->authority)
            );
    }
}

/// Who has a record writes over it; another target needs one key more. A table without a limit has room.
void check_room(std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Check& check) {
    if (!facts.authority_records)
        return;
    const bool is_new = std::ranges::none_of(endpoints, [](const NamedEndpoint& endpoint) {
        return endpoint.facts->keeper && endpoint.facts->keeper->authority;
    });
    const std::uint64_t needed = *facts.authority_records + (is_new ? 1 : 0);
    for (const NamedEndpoint& endpoint : endpoints) {
        const TableRow* row =
            endpoint.facts->catalogue ? find_table(*endpoint.facts->catalogue, facade_name(facts)) : nullptr;
        const auto limit = row == nullptr ? std::nullopt : keys_limit(*row);
        if (!limit)
            continue;
        const std::string seen = row->name + " has " + std::to_string(*facts.authority_records) +
                                 (*facts.authority_records == 1 ? " record" : " records") +
                                 "; the limit in its definition is " + std::to_string(*limit);
        constexpr std::uint64_t nearly_full = 10; // less than a tenth is free
        if (is_new && needed > *limit)
            check.refuse(Rule::authority_room, endpoint.host, seen);
        else if (needed >= *limit || *limit - needed < *limit / nearly_full)
            check.warn(Rule::authority_room, endpoint.host, seen);
    }
}

bool is_trace(const AdmissionFacts& facts, const std::string& prefix, const std::string& table) {
    if (!table.starts_with(prefix))
        return false;
    if (!facts.candidate.empty() && (table == facts.candidate || table == aside_name(facts.candidate)))
        return false;
    // A try of this operation that ended while it staged leaves a candidate and never had a record.
    constexpr std::size_t operation_digits = 8;
    const bool is_staged_by_us =
        facts.operation_id.size() >= operation_digits && !table.ends_with("__aside") &&
        table.substr(prefix.size()).starts_with(facts.operation_id.substr(0, operation_digits) + "_");
    return !is_staged_by_us;
}

} // namespace

void check_facade(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
) {
    Check check(admission.findings, "authority");
    check_structure(endpoints, facts, admission, check);
    check_one_record(endpoints, facts, check);
    check_room(endpoints, facts, check);
}

void check_lost_authority(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
) {
    Check check(admission.findings, "lost authority");
    if (!admission.inventory)
        return;
    for (const NamedEndpoint& endpoint : endpoints)
        if (endpoint.facts->keeper && endpoint.facts->keeper->authority)
            return;
    const auto found = [&](Rule rule, const std::string& host, const std::string& detail) {
        if (facts.accept_lost_authority)
            check.warn(rule, host, detail);
        else
            check.refuse(rule, host, detail);
    };
    const std::string prefix = candidate_prefix(target_key(admission.inventory->cluster(), facts.target));
    for (const NamedEndpoint& endpoint : endpoints) {
        if (!endpoint.facts->capabilities)
            continue;
        for (const TableRow& table : endpoint.facts->capabilities->ours)
            if (table.database == facts.target.database && is_trace(facts, prefix, table.name))
                found(
                    Rule::lost_tables,
                    endpoint.host,
                    "there is no record, but a table " + table.name + " of a publication"
                );
    }
    std::set<std::string> told; // an entry has a row for each host
    for (const QueueRow& row : facts.unfinished) {
        const auto comment = row.settings.find("log_comment");
        const auto token =
            comment == row.settings.end() ? std::nullopt : CorrelationToken::parse(comment->second);
        if (token && token->action != Action::setup && told.insert(row.entry).second &&
            names_any_table(row.query, facts.target.database, {facts.target.table}))
            found(
                Rule::lost_entries,
                {},
                "there is no record, but an unfinished " + std::string(text(token->action)) +
                    " statement in " + row.entry
            );
    }
}

} // namespace onceswap::protocol
