#include "protocol/admission_checks.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/doctor_checks.hpp"
#include "protocol/engine_clause.hpp"
#include "protocol/statement_parser.hpp"
#include "protocol/utf8.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace onceswap::protocol {

namespace {

constexpr std::uint16_t plain_port = 9000;
constexpr std::uint16_t secure_port = 9440;
constexpr std::size_t shown_bytes = 200;

/// A value in the user's profile that a publication had better not meet.
struct ProfileRule {
    Rule rule;
    std::string_view setting;
    std::string_view wanted; ///< any other value is told
    std::string_view meaning;
};

constexpr auto profile_rules = std::to_array<ProfileRule>({
    {Rule::readonly_user, "readonly", "0", "this user can watch and not publish"},
    {Rule::skip_unavailable_shards,
     "skip_unavailable_shards",
     "0",
     "members that are away are left out of answers; this program asks for 0 wherever it may send a setting"},
    {Rule::ddl_allowed, "allow_distributed_ddl", "1", "every ON CLUSTER statement will be refused with 392"},
    {Rule::keeper_retries,
     "keeper_max_retries",
     "0",
     "without the Keeper readings try for long, one behind the other; the record's writes are sent with "
     "insert_keeper_max_retries=0"},
    {Rule::drop_waits,
     "database_atomic_wait_for_drop_and_detach_synchronously",
     "0",
     "a DROP waits for readers of the old table and holds up the member's DDL queue"},
});

class Besides {
  public:
    explicit Besides(const DoctorFacts& facts) : facts_(facts) {
        for (std::size_t i = 0; i < facts.facts.endpoints.size(); ++i)
            names_.push_back(name_of_endpoint(facts, i));
    }

    std::vector<DoctorLine> run() {
        for (std::size_t i = 0; i < facts_.facts.endpoints.size(); ++i) {
            look_at_addresses(i);
            look_at_profile(i);
            look_at_grants(i);
            look_at_replicas(i);
            look_at_macros(i);
            look_at_followers(i);
            look_at_prefix(i);
            look_at_limit(i);
        }
        look_at_ports();
        look_at_exchange();
        return std::move(lines_);
    }

  private:
    void add(Rule rule, Standing standing, std::string host, std::string seen) {
        DoctorLine line;
        line.rule = rule;
        line.standing = standing;
        line.host = std::move(host);
        line.seen = std::move(seen);
        lines_.push_back(std::move(line));
    }

    const EndpointFacts& endpoint(std::size_t i) const { return facts_.facts.endpoints[i]; }

    const EnvironmentFacts* environment(std::size_t i) const {
        return i < facts_.asked.size() && facts_.asked[i].environment ? &*facts_.asked[i].environment
                                                                      : nullptr;
    }

    const TableRow* target(std::size_t i) const {
        return endpoint(i).catalogue ? find_table(*endpoint(i).catalogue, facts_.facts.target) : nullptr;
    }

    void look_at_addresses(std::size_t i) {
        if (!endpoint(i).catalogue || !facts_.admission.inventory)
            return;
        for (const ClusterRow& row : endpoint(i).catalogue->clusters)
            if (row.cluster == facts_.admission.inventory->cluster() && row.host_address.empty())
                add(Rule::host_resolved,
                    Standing::warn,
                    names_[i],
                    "finds no address for " + text(HostPort{row.host_name, row.port}));
        for (const AdmittedMember& member : facts_.admission.members)
            if (member.endpoint == i && endpoint(i).catalogue->identity.tcp_port != member.member.at.port)
                add(Rule::port_equal,
                    Standing::warn,
                    names_[i],
                    "remote_servers says port " + std::to_string(member.member.at.port) +
                        ", the server's tcp_port is " +
                        std::to_string(endpoint(i).catalogue->identity.tcp_port));
    }

    void look_at_ports() {
        if (!facts_.admission.inventory)
            return;
        std::set<std::uint16_t> ports;
        for (const Member& member : facts_.admission.inventory->members())
            ports.insert(member.at.port);
        if (ports.contains(plain_port) && ports.contains(secure_port))
            add(Rule::port_equal, Standing::warn, {}, "the cluster mixes port 9000 (plain) with 9440 (secure)"
            );
    }

    void look_at_profile(std::size_t i) {
        const EnvironmentFacts* seen = environment(i);
        if (seen == nullptr)
            return;
        for (const ProfileRule& rule : profile_rules) {
            const auto value = seen->profile.find(std::string(rule.setting));
            if (value != seen->profile.end() && value->second != rule.wanted)
                add(rule.rule,
                    Standing::warn,
                    names_[i],
                    std::string(rule.setting) + " is " + printable_head(value->second, shown_bytes) + ": " +
                        std::string(rule.meaning));
        }
    }

    void look_at_grants(std::size_t i) {
        if (!endpoint(i).grants)
            return;
        std::string missing;
        for (const std::string& each : missing_grants(*endpoint(i).grants, facts_.facts.target, true))
            missing += (missing.empty() ? "" : ", ") + each;
        if (!missing.empty())
            add(Rule::watch_grants, Standing::warn, names_[i], "missing: " + missing);
    }

    void look_at_replicas(std::size_t i) {
        if (!endpoint(i).keeper)
            return;
        for (const ReplicaRow& row : endpoint(i).keeper->replicas) {
            if (row.table != facts_.facts.target.table || row.is_session_expired)
                continue;
            if (row.active_replicas < row.total_replicas)
                add(Rule::replicas_active,
                    Standing::warn,
                    names_[i],
                    std::to_string(row.active_replicas) + " of " + std::to_string(row.total_replicas) +
                        " replicas are active; a member that is away leaves the publication waiting for it");
            std::string lag;
            if (row.queue_size != 0)
                lag += "queue_size " + std::to_string(row.queue_size);
            if (row.absolute_delay != 0)
                lag += (lag.empty() ? "" : ", ") + std::string("absolute_delay ") +
                       std::to_string(row.absolute_delay) + " s";
            for (const std::string* problem : {&row.last_queue_update_exception, &row.zookeeper_exception})
                if (!problem->empty())
                    lag += (lag.empty() ? "" : ", ") + printable_head(*problem, shown_bytes);
            if (!lag.empty())
                add(Rule::target_lag, Standing::warn, names_[i], row.table + ": " + lag);
        }
    }

    /// Macros that the target's engine clause leaves to each member.
    static std::set<std::string> macros_in(const std::string& engine_full) {
        std::set<std::string> macros;
        const auto tokens = tokenize_engine_clause(engine_full);
        if (!tokens)
            return macros;
        const ArgumentRange arguments = engine_arguments(*tokens);
        for (std::size_t at = arguments.first; at < arguments.last; ++at) {
            const std::string& value = (*tokens)[at].value;
            if ((*tokens)[at].kind != EngineToken::Kind::string_literal)
                continue;
            for (std::size_t open = value.find('{'); open != std::string::npos;
                 open = value.find('{', open + 1)) {
                const std::size_t close = value.find('}', open);
                if (close != std::string::npos)
                    macros.insert(value.substr(open + 1, close - open - 1));
            }
        }
        for (const char* known : {"uuid", "database", "table", "server_uuid"})
            macros.erase(known);
        return macros;
    }

    void look_at_macros(std::size_t i) {
        const EnvironmentFacts* seen = environment(i);
        const TableRow* row = target(i);
        if (seen == nullptr || row == nullptr)
            return;
        for (const std::string& macro : macros_in(row->engine_full)) {
            const auto value = seen->macros.find(macro);
            if (value == seen->macros.end()) {
                add(Rule::macros, Standing::warn, names_[i], "has no macro {" + macro + "}");
                continue;
            }
            if (macro != "replica")
                continue;
            const auto [first, is_new] = replica_macros_.emplace(value->second, names_[i]);
            if (!is_new && first->second != names_[i])
                add(Rule::macros,
                    Standing::warn,
                    names_[i],
                    "its macro {replica} is '" + printable_head(value->second, shown_bytes) +
                        "' like that of " + first->second);
        }
    }

    /// Views are printed with qualified names; the other engines take names as literals.
    bool follows(const TableRow& row) const {
        std::vector<std::string> names{facts_.facts.target.table};
        if (!facts_.candidate.empty())
            names.push_back(facts_.candidate);
        const std::string& database = facts_.facts.target.database;
        if (row.engine == "KeeperMap" || (row.database == database && row.name == facts_.facts.target.table))
            return false;
        return row.engine.ends_with("View") ? names_qualified(row, database, names)
                                            : names_any_table(row.engine_full, database, names);
    }

    void look_at_followers(std::size_t i) {
        const EnvironmentFacts* seen = environment(i);
        if (seen == nullptr)
            return;
        for (const TableRow& row : seen->followers)
            if (follows(row))
                add(Rule::followers,
                    Standing::warn,
                    names_[i],
                    row.engine + " " + row.database + "." + row.name + " names " + facts_.facts.target.table);
    }

    /// The configuration cannot be read; a KeeperMap table that stands proves it.
    void look_at_prefix(std::size_t i) {
        const EndpointFacts& asked = endpoint(i);
        const auto is_keeper_map = [](const TableRow& row) { return row.engine == "KeeperMap"; };
        if (asked.catalogue && std::ranges::any_of(asked.catalogue->tables, is_keeper_map))
            return;
        const EnvironmentFacts* seen = environment(i);
        if (seen != nullptr && std::ranges::any_of(seen->followers, is_keeper_map))
            return;
        for (const QueueRow& row : facts_.own_entries) {
            const bool of_member = row.host && row.port && text(HostPort{*row.host, *row.port}) == names_[i];
            if (of_member && row.exception_text &&
                row.exception_text->find("keeper_map_path_prefix") != std::string::npos) {
                add(Rule::keeper_map_prefix,
                    Standing::warn,
                    names_[i],
                    row.entry + " failed here: " + printable_head(*row.exception_text, shown_bytes));
                return;
            }
        }
        if (seen != nullptr)
            add(Rule::keeper_map_prefix,
                Standing::not_known,
                names_[i],
                "shows no KeeperMap table, and no statement shows the server's configuration");
    }

    /// Some versions do not show the limit, some engines not the size.
    void look_at_limit(std::size_t i) {
        const TableRow* row = target(i);
        if (row == nullptr || !endpoint(i).capabilities)
            return;
        if (!endpoint(i).capabilities->max_table_size_to_drop || !row->total_bytes)
            add(Rule::drop_limit,
                Standing::not_known,
                names_[i],
                row->total_bytes ? "the server does not show max_table_size_to_drop"
                                 : "the server does not show the size of " + row->name);
    }

    void look_at_exchange() {
        const bool exists = [&] {
            for (std::size_t i = 0; i < facts_.facts.endpoints.size(); ++i)
                if (target(i) != nullptr)
                    return true;
            return false;
        }();
        if (exists && facts_.slot_known && !facts_.ever_completed)
            add(Rule::exchange_proven,
                Standing::not_known,
                {},
                "no completed publication of this table is on record, and no reading can show it");
    }

    const DoctorFacts& facts_;
    std::vector<std::string> names_;
    std::vector<DoctorLine> lines_;
    std::map<std::string, std::string> replica_macros_;
};

} // namespace

std::string name_of_endpoint(const DoctorFacts& facts, std::size_t endpoint) {
    for (const AdmittedMember& member : facts.admission.members)
        if (member.endpoint == endpoint)
            return text(member.member.at);
    return facts.facts.endpoints[endpoint].endpoint;
}

std::optional<std::size_t> endpoint_named(const DoctorFacts& facts, std::string_view host) {
    for (const AdmittedMember& member : facts.admission.members)
        if (text(member.member.at) == host)
            return member.endpoint;
    for (std::size_t i = 0; i < facts.facts.endpoints.size(); ++i)
        if (facts.facts.endpoints[i].endpoint == host)
            return i;
    return std::nullopt;
}

std::vector<DoctorLine> look_besides(const DoctorFacts& facts) {
    return Besides(facts).run();
}

} // namespace onceswap::protocol
