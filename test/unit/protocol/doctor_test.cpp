#include "protocol/doctor.hpp"
#include "protocol/leading_refusal.hpp"
#include "spoilt_cluster.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace spoilt;

namespace {

DoctorFacts doctor_facts(AdmissionFacts admission = healthy::cluster()) {
    DoctorFacts facts;
    facts.user = "onceswap";
    facts.slot_known = true;
    facts.ever_completed = true;
    for (std::size_t i = 0; i < admission.endpoints.size(); ++i) {
        EnvironmentFacts& seen = facts.asked.emplace_back().environment.emplace();
        seen.server_uuid = healthy::server(i);
        seen.profile = {
            {"allow_distributed_ddl", "1"},
            {"database_atomic_wait_for_drop_and_detach_synchronously", "0"},
            {"keeper_max_retries", "0"},
            {"readonly", "0"},
            {"skip_unavailable_shards", "0"},
        };
        seen.macros = {{"shard", "1"}, {"replica", "r" + std::to_string(i + 1)}};
    }
    facts.admission = admit(admission);
    facts.facts = std::move(admission);
    return facts;
}

std::string list(const Diagnosis& diagnosis) {
    std::string out;
    for (const DoctorLine& line : diagnosis.lines)
        if (line.standing != Standing::pass)
            out += "\n  " + std::string(text(line.standing)) + " " + std::string(text(line.rule)) + " " +
                   line.host + ": " + line.seen + "\n    -> " + line.remedy;
    return out;
}

struct Case {
    const char* what;
    std::function<void(DoctorFacts&)> spoil;
    Rule rule;
    Standing standing;
    const char* host;
    std::string seen;
    std::string remedy;
};

EnvironmentFacts& environment(DoctorFacts& facts, std::size_t member = 1) {
    return *facts.asked[member].environment;
}

TableRow follower(const std::string& engine, const std::string& engine_full, const std::string& query = {}) {
    TableRow row;
    row.database = "other";
    row.name = "f";
    row.engine = engine;
    row.engine_full = engine_full;
    row.create_table_query = query;
    return row;
}

void again(DoctorFacts& facts) {
    facts.admission = admit(facts.facts);
}

QueueRow failed_facade() {
    QueueRow row =
        healthy::unfinished("query-0000000003", "CREATE TABLE IF NOT EXISTS d.__onceswap_authority");
    row.status = "Finished";
    row.exception_code = 36;
    row.exception_text = "KeeperMap is disabled because 'keeper_map_path_prefix' config is not defined";
    return row;
}

void take_facade(DoctorFacts& facts) {
    for_each_member(facts.facts, [](EndpointFacts& endpoint) {
        endpoint.catalogue->tables.erase(endpoint.catalogue->tables.begin());
    });
    again(facts);
}

const std::vector<Case> cases{
    {"readonly user",
     [](DoctorFacts& f) { environment(f).profile["readonly"] = "1"; },
     Rule::readonly_user,
     Standing::warn,
     "ch2:9000",
     "readonly is 1",
     "<readonly>0</readonly>"},
    {"members left out",
     [](DoctorFacts& f) { environment(f).profile["skip_unavailable_shards"] = "1"; },
     Rule::skip_unavailable_shards,
     Standing::warn,
     "ch2:9000",
     "skip_unavailable_shards is 1",
     "    <skip_unavailable_shards>0</skip_unavailable_shards>"},
    {"no ON CLUSTER",
     [](DoctorFacts& f) { environment(f).profile["allow_distributed_ddl"] = "0"; },
     Rule::ddl_allowed,
     Standing::warn,
     "ch2:9000",
     "392",
     "<allow_distributed_ddl>1"},
    {"retries",
     [](DoctorFacts& f) { environment(f).profile["keeper_max_retries"] = "10"; },
     Rule::keeper_retries,
     Standing::warn,
     "ch2:9000",
     "keeper_max_retries is 10",
     "<keeper_max_retries>0"},
    {"DROP waits",
     [](DoctorFacts& f) {
         environment(f).profile["database_atomic_wait_for_drop_and_detach_synchronously"] = "1";
     },
     Rule::drop_waits,
     Standing::warn,
     "ch2:9000",
     "holds up",
     "synchronously>0<"},
    {"a macro is missing",
     [](DoctorFacts& f) { environment(f).macros.erase("replica"); },
     Rule::macros,
     Standing::warn,
     "ch2:9000",
     "no macro {replica}",
     "<replica>ch2</replica>"},
    {"one replica macro for two",
     [](DoctorFacts& f) { environment(f).macros["replica"] = "r1"; },
     Rule::macros,
     Standing::warn,
     "ch2:9000",
     "like that of ch1:9000",
     "<replica>ch2</replica>"},
    {"a Distributed table",
     [](DoctorFacts& f) {
         environment(f).followers.push_back(follower("Distributed", "Distributed('c', 'd', 't', rand())"));
     },
     Rule::followers,
     Standing::warn,
     "ch2:9000",
     "Distributed other.f names t",
     "Buffer"},
    {"a view",
     [](DoctorFacts& f) {
         environment(f).followers.push_back(
             follower("View", "", "CREATE VIEW other.f (`id` UInt64) AS SELECT id FROM d.t")
         );
     },
     Rule::followers,
     Standing::warn,
     "ch2:9000",
     "View other.f names t",
     "Readers"},
    {"another port",
     [](DoctorFacts& f) { catalogue(f.facts).identity.tcp_port = 9001; },
     Rule::port_equal,
     Standing::warn,
     "ch2:9000",
     "port 9000, the server's tcp_port is 9001",
     "--key tcp_port"},
    {"a name without an address",
     [](DoctorFacts& f) { catalogue(f.facts).clusters.front().host_address.clear(); },
     Rule::host_resolved,
     Standing::warn,
     "ch2:9000",
     "no address for ch1:9000",
     "getent hosts ch2"},
    {"a replica that is away",
     [](DoctorFacts& f) { keeper(f.facts).replicas.at(0).active_replicas = 1; },
     Rule::replicas_active,
     Standing::warn,
     "ch2:9000",
     "1 of 2 replicas",
     "SYSTEM RESTART REPLICA `d`.`t`"},
    {"a replica that lags",
     [](DoctorFacts& f) { keeper(f.facts).replicas.at(0).absolute_delay = 70; },
     Rule::target_lag,
     Standing::warn,
     "ch2:9000",
     "absolute_delay 70 s",
     "system.replicas"},
    {"no KeeperMap table",
     take_facade,
     Rule::keeper_map_prefix,
     Standing::not_known,
     "ch2:9000",
     "shows no KeeperMap table",
     "clickhouse extract-from-config"},
    {"the authority table could not be made",
     [](DoctorFacts& f) {
         take_facade(f);
         f.own_entries.push_back(failed_facade());
     },
     Rule::keeper_map_prefix,
     Standing::warn,
     "ch2:9000",
     "query-0000000003 failed here",
     "<keeper_map_path_prefix>/clickhouse/keeper_map</keeper_map_path_prefix>"},
    {"never published",
     [](DoctorFacts& f) { f.ever_completed = false; },
     Rule::exchange_proven,
     Standing::not_known,
     "",
     "no completed publication",
     "stat -f -c %T"},
    {"may not even watch",
     [](DoctorFacts& f) {
         f.facts.endpoints[1].grants = {"GRANT SELECT ON d.* TO onceswap"};
         again(f);
     },
     Rule::watch_grants,
     Standing::warn,
     "ch2:9000",
     "missing: SELECT ON system.clusters",
     "GRANT SELECT ON `system`.`distributed_ddl_queue` TO `onceswap`;  -- both programs"},
    {"may not publish",
     [](DoctorFacts& f) {
         f.facts.endpoints[1].grants = {
             "GRANT SELECT ON *.* TO onceswap",
             "GRANT SHOW ON *.* TO onceswap",
             "GRANT INSERT ON d.* TO onceswap"
         };
         again(f);
     },
     Rule::grants,
     Standing::refuse,
     "ch2:9000",
     "missing: CREATE TABLE ON d.*",
     "GRANT CREATE TABLE ON `d`.* TO `onceswap`;  -- refresh-load publish"},
    {"the drop limit",
     [](DoctorFacts& f) {
         target_row(f.facts).total_bytes = 60'000'000'000;
         again(f);
     },
     Rule::drop_limit,
     Standing::warn,
     "ch2:9000",
     "max_table_size_to_drop is 50000000000",
     "<max_table_size_to_drop>120000000000</max_table_size_to_drop>"},
    {"a silent environment",
     [](DoctorFacts& f) { f.asked[1].environment.reset(), f.asked[1].problem = "timeout"; },
     Rule::readonly_user,
     Standing::not_known,
     "ch2:9000",
     "timeout",
     "GRANT SELECT ON system.macros"},
    {"a silent member",
     [](DoctorFacts& f) {
         f.facts.endpoints[1].catalogue.reset();
         f.facts.endpoints[1].problems = {"no byte within 10 s"};
         again(f);
     },
     Rule::version,
     Standing::not_known,
     "http://ch2:8123",
     "no byte within 10 s",
     "curl -sS http://ch2:8123/ping"},
    {"a queue that cannot be read",
     [](DoctorFacts& f) {
         f.facts.queue_problem = "Code: 62";
         again(f);
     },
     Rule::foreign_ddl,
     Standing::not_known,
     "",
     "Code: 62",
     "system.distributed_ddl_queue"},
    {"a limit that is not shown",
     [](DoctorFacts& f) { capability(f.facts).max_table_size_to_drop.reset(); },
     Rule::drop_limit,
     Standing::not_known,
     "ch2:9000",
     "does not show max_table_size_to_drop",
     "--key max_table_size_to_drop"},
    {"what stands behind a refusal was not looked at",
     [](DoctorFacts& f) {
         target_row(f.facts).engine = "MergeTree";
         again(f);
     },
     Rule::target_equal,
     Standing::not_known,
     "ch2:9000",
     "because of target-engine",
     "Mend what refuses first"},
    {"a list of members that is none",
     [](DoctorFacts& f) {
         catalogue(f.facts).clusters.at(0).internal_replication = false;
         again(f);
     },
     Rule::inventory_equal,
     Standing::not_known,
     "http://ch2:8123",
     "because of internal-replication",
     "Mend what refuses first"},
    {"a candidate that could not be asked for",
     [](DoctorFacts& f) { f.candidate = "onceswap_c"; },
     Rule::candidate_rows,
     Standing::not_known,
     "",
     "not looked at",
     "Mend what refuses first"},
};

bool has(const Diagnosis& diagnosis, const Case& row) {
    return std::ranges::any_of(diagnosis.lines, [&](const DoctorLine& line) {
        return line.rule == row.rule && line.standing == row.standing && line.host == row.host &&
               line.seen.find(row.seen) != std::string::npos &&
               line.remedy.find(row.remedy) != std::string::npos;
    });
}

} // namespace

BOOST_AUTO_TEST_SUITE(doctor)

BOOST_AUTO_TEST_CASE(rules_are_named_once_and_every_one_has_a_remedy) {
    std::set<std::string_view> names;
    for (const RuleRow& row : admission_rules()) {
        BOOST_TEST_CONTEXT(row.name) {
            BOOST_TEST(names.insert(row.name).second);
            BOOST_TEST(!row.question.empty());
            const bool is_made = row.rule == Rule::grants || row.rule == Rule::watch_grants;
            BOOST_TEST(row.remedy.empty() == is_made);
            BOOST_TEST((&row_of(row.rule) == &row));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_healthy_cluster_passes_every_rule) {
    const Diagnosis diagnosis = diagnose(doctor_facts());
    BOOST_TEST_CONTEXT(list(diagnosis)) {
        BOOST_TEST(diagnosis.lines.size() == admission_rules().size());
        BOOST_TEST(std::ranges::all_of(diagnosis.lines, [](const DoctorLine& line) {
            return line.standing == Standing::pass && line.remedy.empty();
        }));
        BOOST_TEST(exit_code(diagnosis) == 0);
    }
}

BOOST_AUTO_TEST_CASE(each_hazard_has_its_line_and_a_remedy_to_paste) {
    for (const Case& row : cases) {
        DoctorFacts facts = doctor_facts();
        row.spoil(facts);
        const Diagnosis diagnosis = diagnose(facts);
        BOOST_TEST_CONTEXT(row.what << list(diagnosis)) {
            BOOST_TEST(has(diagnosis, row));
            BOOST_TEST(diagnosis.refused_with.has_value() == facts.admission.refused());
            for (const DoctorLine& line : diagnosis.lines)
                if (line.standing != Standing::pass) {
                    BOOST_TEST(!line.remedy.empty());
                    BOOST_TEST(line.remedy.find("{host}") == std::string::npos);
                    BOOST_TEST(line.remedy.find("{user}") == std::string::npos);
                }
            // Every rule has its line, also beside a refusal.
            for (const RuleRow& rule : admission_rules())
                BOOST_TEST(std::ranges::any_of(diagnosis.lines, [&](const DoctorLine& line) {
                    return line.rule == rule.rule;
                }));
        }
    }
}

BOOST_AUTO_TEST_CASE(exits) {
    DoctorFacts warned = doctor_facts();
    environment(warned).profile["readonly"] = "1";
    BOOST_TEST(exit_code(diagnose(warned)) == 0);

    DoctorFacts refused = doctor_facts();
    refused.facts.endpoints[1].grants = {"GRANT SELECT ON d.* TO onceswap"};
    again(refused);
    BOOST_TEST(exit_code(diagnose(refused)) == 8);

    DoctorFacts unread = doctor_facts();
    unread.facts.queue_problem = "Code: 62";
    again(unread);
    BOOST_TEST(exit_code(diagnose(unread)) == 4);

    DoctorFacts unused = doctor_facts();
    unused.facts.queue_problem = "Code: 999: No node (No node)";
    again(unused);
    BOOST_TEST(exit_code(diagnose(unused)) == 0);

    DoctorFacts silent = doctor_facts();
    Finding nobody;
    nobody.severity = Severity::refuse;
    nobody.rule = Rule::reachable;
    nobody.code = code_of(nobody.rule);
    silent.before.push_back(nobody);
    BOOST_TEST(exit_code(diagnose(silent)) == 1);
}

BOOST_AUTO_TEST_CASE(a_candidate_that_lags_is_told_with_its_member) {
    for (const bool meant : {false, true}) {
        CandidateFacts staged = healthy::staged();
        staged.members[1].keeper->replicas[0].queue_size = 3;
        DoctorFacts facts = doctor_facts();
        facts.candidate = healthy::candidate;
        facts.candidate_is_meant = meant;
        facts.candidate_admission =
            admit_candidate(healthy::inventory(), healthy::generation(healthy::uuid('a')), staged);
        const Diagnosis diagnosis = diagnose(facts);
        BOOST_TEST_CONTEXT(list(diagnosis)) {
            BOOST_TEST(std::ranges::any_of(diagnosis.lines, [&](const DoctorLine& line) {
                return line.rule == Rule::candidate_converged && line.host == "ch2:9000" &&
                       line.standing == (meant ? Standing::refuse : Standing::warn) &&
                       line.seen.find("queue_size 3") != std::string::npos &&
                       line.remedy.find("table = 'onceswap_candidate'") != std::string::npos;
            }));
            BOOST_TEST(exit_code(diagnosis) == (meant ? 8 : 0));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
