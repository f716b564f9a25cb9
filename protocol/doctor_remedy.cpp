#include "protocol/doctor_checks.hpp"
#include "protocol/grants.hpp"
#include "protocol/statements.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace onceswap::protocol {

namespace {

struct Value {
    std::string_view place;
    std::string text;
};

void fill(std::string& text, std::string_view place, const std::string& value) {
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size()))
        text.replace(at, place.size(), value);
}

std::string first_member(const DoctorFacts& facts) {
    if (facts.admission.inventory)
        return facts.admission.inventory->members().front().at.host;
    return "a member";
}

/// `ch-1` of `ch-1:9000`, `[::1]:9000` and `http://ch-1:8123`.
std::string host_alone(std::string host) {
    if (const std::size_t scheme = host.find("://"); scheme != std::string::npos)
        host.erase(0, scheme + 3);
    if (host.find('/') != std::string::npos)
        host.erase(host.find('/'));
    const std::size_t colon = host.rfind(':');
    if (colon != std::string::npos && host.find(']', colon) == std::string::npos)
        host.erase(colon);
    return host;
}

std::uint64_t bytes_of_target(const DoctorFacts& facts) {
    std::uint64_t most = 0;
    for (const EndpointFacts& endpoint : facts.facts.endpoints)
        if (endpoint.catalogue)
            for (const TableRow& row : endpoint.catalogue->tables)
                if (row.name == facts.facts.target.table)
                    most = std::max(most, row.total_bytes.value_or(0));
    return most;
}

/// What a privilege is for, for the person who is asked to grant it.
std::string_view purpose(const Privilege& privilege, const TargetName& target) {
    struct Row {
        std::string_view name;
        std::string_view table; ///< of `system`; empty: any
        std::string_view text;
    };

    static constexpr auto rows = std::to_array<Row>({
        {"SELECT", "clusters", "both programs: who the members are"},
        {"SELECT", "replicas", "both programs: health of the replicas"},
        {"SELECT", "distributed_ddl_queue", "both programs: what became of a statement"},
        {"SHOW TABLES", "", "both programs: which table stands behind a name"},
        {"SHOW COLUMNS", "", "both programs: the schema"},
        {"SELECT", "row_policies", "refresh-load: row policies on the target"},
        {"SELECT", "server_settings", "refresh-load: the limit of a DROP"},
        {"INSERT", "", "refresh-load publish, stage: the rows and the record"},
        {"CREATE TABLE", "", "refresh-load publish, stage: the candidate, the authority table, EXCHANGE"},
        {"DROP TABLE", "", "refresh-load publish, retire, orphans: EXCHANGE, RENAME, the old generation"},
        {"ALTER UPDATE", "", "refresh-load, every verb with --execute: the record"},
        {"CLUSTER", "", "refresh-load: ON CLUSTER"},
        {"REMOTE", "", "refresh-load: clusterAllReplicas, the members' list"},
    });
    if (privilege.name == "SELECT" && privilege.database == target.database)
        return privilege.table.empty() ? "refresh-load: the rows are counted" : "both programs: the record";
    for (const Row& row : rows)
        if (row.name == privilege.name && (row.table.empty() || row.table == privilege.table))
            return row.text;
    return {};
}

std::string grant_line(const Privilege& privilege, const DoctorFacts& facts) {
    const auto name = [](const std::string& text) {
        return text.empty() ? std::string("*") : quote_identifier(text);
    };
    return "    GRANT " + privilege.name + " ON " + name(privilege.database) + "." + name(privilege.table) +
           " TO " + quote_identifier(facts.user) + ";  -- " +
           std::string(purpose(privilege, facts.facts.target)) + "\n";
}

/// One GRANT for each missing privilege.
std::string grants_remedy(const DoctorFacts& facts, const DoctorLine& line, bool read_only) {
    const auto endpoint = endpoint_named(facts, line.host);
    if (!endpoint || !facts.facts.endpoints[*endpoint].grants)
        return {};
    const auto missing =
        missing_privileges(*facts.facts.endpoints[*endpoint].grants, facts.facts.target, read_only);
    std::string out =
        "On every member, as a user that may grant (a user of users.xml has them under <grants>):\n";
    for (const Privilege& privilege : missing)
        out += grant_line(privilege, facts);
    out.pop_back();
    return out;
}

/// Where a rule is not known because a part did not come: what makes the part come.
std::string how_to_read(const DoctorFacts& facts, const DoctorLine& line, const RuleRow& row) {
    if (line.seen.starts_with("not looked at") || line.seen.starts_with("looked at only"))
        return "Mend what refuses first, then run this again.";
    const auto endpoint = endpoint_named(facts, line.host);
    if (endpoint && !facts.facts.endpoints[*endpoint].catalogue)
        return std::string(row_of(Rule::endpoint_answers).remedy);
    if (line.rule == Rule::drop_limit)
        return "On {host}; the limit is 50000000000 bytes unless it is configured:\n"
               "    clickhouse extract-from-config --config-file /etc/clickhouse-server/config.xml --key "
               "max_table_size_to_drop\n"
               "    SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '{db}' AND table "
               "= "
               "'{table}';";
    if (line.seen.starts_with("no answer for the environment"))
        return "On every member:\n    GRANT SELECT ON system.macros TO {user};\n"
               "    GRANT SELECT ON system.settings TO {user};";
    if (line.seen.starts_with("no answer for the Keeper"))
        return std::string(row_of(Rule::authority_answers).remedy);
    if (line.seen.starts_with("no answer for the capabilities"))
        return std::string(row_of(Rule::capabilities_answer).remedy);
    if (line.seen.starts_with("no answer for the row policies"))
        return std::string(row_of(Rule::policies_answer).remedy);
    if (line.seen.starts_with("no answer for SHOW GRANTS"))
        return std::string(row_of(Rule::grants_answer).remedy);
    if ((row.needed & needs::queue) != 0)
        return "One entry that no version can read, or no Keeper, makes the whole queue unreadable; a queue "
               "that was "
               "never used has no directory yet. On a member:\n"
               "    SELECT count() FROM system.distributed_ddl_queue;\n"
               "    GRANT SELECT ON system.distributed_ddl_queue TO {user};";
    if ((row.needed & needs::probes) != 0)
        return "Run this once more with the user that publishes.";
    if ((row.needed & needs::slot) != 0)
        return std::string(row_of(Rule::slot_readable).remedy);
    if ((row.needed & needs::members) != 0)
        return std::string(row_of(Rule::member_has_endpoint).remedy);
    return std::string(row_of(Rule::roster_answers).remedy);
}

} // namespace

std::string remedy_for(const DoctorFacts& facts, const DoctorLine& line) {
    const RuleRow& row = row_of(line.rule);
    if (line.rule == Rule::grants && line.standing != Standing::not_known)
        return grants_remedy(facts, line, false);
    if (line.rule == Rule::watch_grants && line.standing != Standing::not_known)
        return grants_remedy(facts, line, true);
    const bool is_unread = line.standing == Standing::not_known && line.rule != Rule::keeper_map_prefix &&
                           line.rule != Rule::exchange_proven;
    std::string out = is_unread || line.seen.starts_with("no answer for the environment")
                          ? how_to_read(facts, line, row)
                          : std::string(row.remedy);
    const auto endpoint = endpoint_named(facts, line.host);
    const std::string host = line.host.empty() ? first_member(facts) : line.host;
    const auto values = std::to_array<Value>({
        {"{host}", line.host.empty() ? "every member" : line.host},
        {"{name}", host_alone(host)},
        {"{url}",
         endpoint                        ? facts.facts.endpoints[*endpoint].endpoint
         : facts.facts.endpoints.empty() ? "http://" + host_alone(host) + ":8123"
                                         : facts.facts.endpoints.front().endpoint},
        {"{cluster}", facts.admission.inventory ? facts.admission.inventory->cluster() : facts.facts.cluster},
        {"{db}", facts.facts.target.database},
        {"{table}", facts.facts.target.table},
        {"{user}", quote_identifier(facts.user)},
        {"{root}", facts.facts.authority_root},
        {"{candidate}", facts.candidate},
        {"{bytes}", std::to_string(bytes_of_target(facts) * 2)},
    });
    for (const Value& value : values)
        fill(out, value.place, value.text);
    return out;
}

} // namespace onceswap::protocol
