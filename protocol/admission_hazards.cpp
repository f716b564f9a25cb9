#include "protocol/admission_checks.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/delete_ttl.hpp"
#include "protocol/statement_parser.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace onceswap::protocol {

namespace {

constexpr std::int64_t stuck_after_s = 600;
constexpr std::size_t backlog_entries = 16;
/// Below the server's default of max_tasks_in_queue, 1000: beyond it entries are removed although they are
/// unfinished.
constexpr std::uint64_t full_queue_entries = 900;

std::vector<std::string> names_at_stake(const AdmissionFacts& facts) {
    std::vector<std::string> names{facts.target.table};
    if (!facts.candidate.empty())
        names.push_back(facts.candidate);
    return names;
}

void check_views(std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Check& check) {
    const std::vector<std::string> names = names_at_stake(facts);
    for (const NamedEndpoint& endpoint : endpoints) {
        std::set<std::string> views;
        std::set<std::string> dictionaries;
        if (endpoint.facts->catalogue)
            for (const std::string& name : names)
                if (const TableRow* row =
                        find_table(*endpoint.facts->catalogue, {facts.target.database, name})) {
                    views.insert(row->dependencies.begin(), row->dependencies.end());
                    dictionaries.insert(row->loading_dependents.begin(), row->loading_dependents.end());
                }
        if (endpoint.facts->capabilities)
            for (const TableRow& row : endpoint.facts->capabilities->views) {
                const std::string qualified = row.database + "." + row.name;
                if (row.engine == "MaterializedView" && names_qualified(row, facts.target.database, names))
                    views.insert(qualified);
                if (row.engine == "Dictionary" &&
                    names_any_table(row.create_table_query, facts.target.database, names))
                    dictionaries.insert(qualified);
            }
        for (const std::string& dictionary : dictionaries)
            views.erase(dictionary);
        for (const std::string& view : views) {
            const std::string detail =
                "materialized view " + view + " reads from or writes to " + facts.target.table;
            if (facts.allow_view_depends)
                check.warn(Rule::views, endpoint.host, detail);
            else
                check.refuse(Rule::views, endpoint.host, detail);
        }
        for (const std::string& dictionary : dictionaries)
            check.warn(
                Rule::dictionaries,
                endpoint.host,
                "dictionary " + dictionary + " loads from " + facts.target.table
            );
    }
}

void check_row_policies(std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Check& check) {
    const std::vector<std::string> names = names_at_stake(facts);
    for (const NamedEndpoint& endpoint : endpoints) {
        if (!endpoint.facts->catalogue)
            continue;
        if (!endpoint.facts->row_policies) {
            check.warn(
                Rule::policies_answer, endpoint.host, problem_text(*endpoint.facts, "the row policies")
            );
            continue;
        }
        for (const RowPolicies::Policy& policy : endpoint.facts->row_policies->policies) {
            const bool is_for_database = policy.table.empty() || policy.table == "*";
            if (is_for_database || std::find(names.begin(), names.end(), policy.table) != names.end())
                check.warn(
                    Rule::row_policies,
                    endpoint.host,
                    "row policy '" + policy.name + "' is on " +
                        (is_for_database ? "the whole database" : policy.table)
                );
        }
    }
}

void check_drop_limit(std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Check& check) {
    for (const NamedEndpoint& endpoint : endpoints) {
        if (!endpoint.facts->catalogue || !endpoint.facts->capabilities)
            continue;
        const TableRow* row = find_table(*endpoint.facts->catalogue, facts.target);
        const std::uint64_t limit = endpoint.facts->capabilities->max_table_size_to_drop.value_or(0);
        if (row != nullptr && row->total_bytes && limit != 0 && *row->total_bytes > limit)
            check.warn(
                Rule::drop_limit,
                endpoint.host,
                facts.target.table + " has " + std::to_string(*row->total_bytes) +
                    " bytes, max_table_size_to_drop is " + std::to_string(limit)
            );
    }
}

void check_ttl(std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Check& check) {
    for (const NamedEndpoint& endpoint : endpoints) {
        const TableRow* row =
            endpoint.facts->catalogue ? find_table(*endpoint.facts->catalogue, facts.target) : nullptr;
        if (row != nullptr && is_replicated_merge_tree(row->engine) && has_deleting_ttl(row->engine_full)) {
            check.warn(Rule::ttl, endpoint.host, row->name + " deletes rows by TTL");
            return; // a matter of the table, not of the member
        }
    }
}

/// One entry of somebody, with the members on which it is not finished.
struct Unfinished {
    const QueueRow* row = nullptr;
    std::set<std::string> hosts;
    bool is_being_removed = true; ///< no row is anything but Removing
};

std::map<std::string, Unfinished> by_entry(const std::vector<QueueRow>& rows) {
    std::map<std::string, Unfinished> entries;
    for (const QueueRow& row : rows) {
        Unfinished& entry = entries[row.entry];
        entry.row = &row;
        entry.hosts.insert(row.host && row.port ? text(HostPort{*row.host, *row.port}) : "an unnamed host");
        entry.is_being_removed = entry.is_being_removed && row.status == "Removing";
    }
    return entries;
}

std::string hosts_of(const Unfinished& entry) {
    std::string out;
    for (const std::string& host : entry.hosts)
        out += (out.empty() ? "" : ", ") + host;
    return out;
}

/// Our own creation of a facade or a candidate names the target and does nothing to it.
bool is_own_setup(const QueueRow& row) {
    const auto comment = row.settings.find("log_comment");
    const auto token =
        comment == row.settings.end() ? std::nullopt : CorrelationToken::parse(comment->second);
    return token && token->action == Action::setup;
}

std::int64_t latest_clock(std::span<const NamedEndpoint> endpoints) {
    std::int64_t now = 0;
    for (const NamedEndpoint& endpoint : endpoints)
        if (endpoint.facts->catalogue)
            now = std::max(now, endpoint.facts->catalogue->identity.now);
    return now;
}

void check_queue(std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Check& check) {
    const std::vector<std::string> names = names_at_stake(facts);
    const std::int64_t now = latest_clock(endpoints);
    std::size_t waiting = 0;
    std::size_t leftovers = 0;
    const Unfinished* oldest = nullptr;
    const auto entries = by_entry(facts.unfinished);
    for (const auto& [name, entry] : entries) {
        if (entry.is_being_removed) {
            ++leftovers;
            continue;
        }
        ++waiting;
        if (oldest == nullptr || entry.row->query_create_time < oldest->row->query_create_time)
            oldest = &entry;
        if (!is_own_setup(*entry.row) && names_any_table(entry.row->query, facts.target.database, names))
            check.refuse(
                Rule::foreign_ddl,
                {},
                name + " names " + facts.target.table + " or cannot be read, and is unfinished on " +
                    hosts_of(entry)
            );
    }
    if (leftovers != 0)
        check.warn(Rule::removing_leftovers, {}, std::to_string(leftovers) + " entries are half removed");
    if (waiting >= backlog_entries)
        check.warn(Rule::queue_backlog, {}, std::to_string(waiting) + " entries are unfinished on some host");
    if (facts.entries_in_queue >= full_queue_entries)
        check.warn(
            Rule::queue_full,
            {},
            std::to_string(facts.entries_in_queue) +
                " entries are in the queue; by default the oldest beyond 1000 are removed, finished or not"
        );
    if (oldest != nullptr && now - oldest->row->query_create_time > stuck_after_s)
        check.warn(
            Rule::queue_stuck,
            {},
            oldest->row->entry + " is unfinished for " +
                std::to_string(now - oldest->row->query_create_time) + " s on " + hosts_of(*oldest)
        );
}

} // namespace

bool names_qualified(
    const TableRow& row, const std::string& database, const std::vector<std::string>& tables
) {
    const auto tokens = tokenize(row.create_table_query);
    if (!tokens)
        return true;
    const auto is_identifier = [](const Token& token) {
        return token.kind == TokenKind::word || token.kind == TokenKind::quoted_identifier;
    };
    for (std::size_t i = 0; i + 2 < tokens->size(); ++i)
        if (is_identifier((*tokens)[i]) && (*tokens)[i].value == database &&
            (*tokens)[i + 1].kind == TokenKind::symbol && (*tokens)[i + 1].value == "." &&
            is_identifier((*tokens)[i + 2]) &&
            std::find(tables.begin(), tables.end(), (*tokens)[i + 2].value) != tables.end())
            return true;
    return false;
}

void check_hazards(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
) {
    {
        Check check(admission.findings, "views and dictionaries");
        check_views(endpoints, facts, check);
    }
    {
        Check check(admission.findings, "row policies");
        check_row_policies(endpoints, facts, check);
    }
    {
        Check check(admission.findings, "drop limit");
        check_drop_limit(endpoints, facts, check);
    }
    {
        Check check(admission.findings, "TTL");
        check_ttl(endpoints, facts, check);
    }
    Check check(admission.findings, "DDL queue");
    check_queue(endpoints, facts, check);
}

} // namespace onceswap::protocol
