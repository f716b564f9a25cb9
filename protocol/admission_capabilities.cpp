#include "protocol/admission_checks.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace onceswap::protocol {

namespace {

struct Version {
    unsigned major = 0;
    unsigned minor = 0;
    friend auto operator<=>(const Version&, const Version&) = default;
};

// The first with everything that is relied on: internal_replication in system.clusters,
// keeper_map_strict_mode, and entries of the DDL queue that keep the settings.
constexpr Version oldest{23, 10};
constexpr std::uint64_t oldest_entry_format = 2; // the first that keeps settings, and so log_comment
constexpr std::string_view entry_format = "distributed_ddl_entry_format_version";

// What the answer to a mutation, or its evidence, depends on. Newer or cosmetic ones are not asked for.
constexpr auto needed_settings = std::to_array<std::string_view>({
    "async_insert",
    "distributed_ddl_output_mode",
    "distributed_ddl_task_timeout",
    "insert_keeper_max_retries",
    "keeper_map_strict_mode",
    "log_comment",
    "max_execution_time",
    "skip_unavailable_shards",
});

constexpr auto needed_queue_columns = std::to_array<std::string_view>({
    "cluster",
    "entry",
    "entry_version",
    "exception_code",
    "exception_text",
    "host",
    "port",
    "query",
    "query_create_time",
    "settings",
    "status",
});

std::optional<Version> parse_version(std::string_view text) {
    Version version;
    const char* end = text.data() + text.size();
    const auto [dot, error] = std::from_chars(text.data(), end, version.major);
    if (error != std::errc{} || dot == end || *dot != '.')
        return std::nullopt;
    if (std::from_chars(dot + 1, end, version.minor).ec != std::errc{})
        return std::nullopt;
    return version;
}

void check_version(const NamedEndpoint& endpoint, Check& check) {
    const std::string& version = endpoint.facts->catalogue->identity.version;
    const auto parsed = parse_version(version);
    if (!parsed || *parsed < oldest)
        check.refuse(Rule::version, endpoint.host, "version '" + version + "', needed is 23.10 or later");
}

void check_settings(const NamedEndpoint& endpoint, const CapabilityFacts& capabilities, Check& check) {
    for (const std::string_view name : needed_settings) {
        if (!capabilities.settings.contains(std::string(name)))
            check.refuse(Rule::settings_known, endpoint.host, "there is no setting " + std::string(name));
        else if (std::find(
                     capabilities.readonly_settings.begin(), capabilities.readonly_settings.end(), name
                 ) != capabilities.readonly_settings.end())
            check.refuse(
                Rule::settings_changeable, endpoint.host, "this user may not change " + std::string(name)
            );
    }
    const auto format = capabilities.settings.find(std::string(entry_format));
    std::uint64_t value = 0;
    if (format != capabilities.settings.end())
        std::from_chars(format->second.data(), format->second.data() + format->second.size(), value);
    if (value < oldest_entry_format)
        check.refuse(
            Rule::entry_format,
            endpoint.host,
            std::string(entry_format) + " is " +
                (format == capabilities.settings.end() ? "not there" : format->second) +
                ", needed is 2 or later: entries before do not keep log_comment"
        );
}

void check_queue_columns(const NamedEndpoint& endpoint, const CapabilityFacts& capabilities, Check& check) {
    for (const std::string_view name : needed_queue_columns)
        if (!capabilities.queue_columns.contains(std::string(name)))
            check.refuse(
                Rule::queue_columns,
                endpoint.host,
                "system.distributed_ddl_queue has no column " + std::string(name)
            );
    const auto settings = capabilities.queue_columns.find("settings");
    if (settings != capabilities.queue_columns.end() && !settings->second.starts_with("Map("))
        check.refuse(
            Rule::queue_columns,
            endpoint.host,
            "system.distributed_ddl_queue.settings is " + settings->second + ", not a Map"
        );
}

std::string join(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& each : texts)
        out += (out.empty() ? "" : ", ") + each;
    return out;
}

void check_grants(const NamedEndpoint& endpoint, const AdmissionFacts& facts, Check& check) {
    if (!endpoint.facts->grants) {
        check.refuse(Rule::grants_answer, endpoint.host, problem_text(*endpoint.facts, "SHOW GRANTS"));
        return;
    }
    const std::vector<std::string> missing = missing_grants(*endpoint.facts->grants, facts.target, false);
    if (missing.empty())
        return;
    const std::vector<std::string> roles = granted_roles(*endpoint.facts->grants);
    check.refuse(
        Rule::grants,
        endpoint.host,
        "missing: " + join(missing) +
            (roles.empty() ? ""
                           : "; what the roles " + join(roles) +
                                 " bring cannot be seen here, grant the privileges to the user")
    );
}

} // namespace

void check_capabilities(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
) {
    {
        Check check(admission.findings, "version");
        for (const NamedEndpoint& endpoint : endpoints)
            if (endpoint.facts->catalogue)
                check_version(endpoint, check);
    }
    {
        Check check(admission.findings, "capabilities");
        for (const NamedEndpoint& endpoint : endpoints) {
            if (!endpoint.facts->catalogue)
                continue; // said by the first check
            if (!endpoint.facts->capabilities) {
                check.refuse(
                    Rule::capabilities_answer,
                    endpoint.host,
                    problem_text(*endpoint.facts, "the capabilities")
                );
                continue;
            }
            check_settings(endpoint, *endpoint.facts->capabilities, check);
            check_queue_columns(endpoint, *endpoint.facts->capabilities, check);
        }
    }
    Check check(admission.findings, "grants");
    for (const NamedEndpoint& endpoint : endpoints)
        if (endpoint.facts->catalogue)
            check_grants(endpoint, facts, check);
}

void check_database(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
) {
    Check check(admission.findings, "database engine");
    for (const NamedEndpoint& endpoint : endpoints) {
        if (!endpoint.facts->catalogue)
            continue;
        const auto& databases = endpoint.facts->catalogue->databases;
        const auto found = std::find_if(databases.begin(), databases.end(), [&facts](const DatabaseRow& row) {
            return row.name == facts.target.database;
        });
        if (found == databases.end())
            check.refuse(
                Rule::database_exists,
                endpoint.host,
                "there is no database '" + facts.target.database + "', or this user may not see it"
            );
        else if (found->engine != "Atomic")
            check.refuse(
                Rule::database_atomic,
                endpoint.host,
                "database '" + found->name + "' has engine " + found->engine + ", needed is Atomic"
            );
    }
}

} // namespace onceswap::protocol
