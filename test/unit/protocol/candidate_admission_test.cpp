#include "healthy_cluster.hpp"
#include "protocol/admission.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace onceswap::protocol;

const std::optional<Generation> existing = healthy::generation(healthy::uuid('a'));

std::string list(const CandidateAdmission& admission) {
    std::string out;
    for (const Finding& finding : admission.findings)
        if (finding.severity != Severity::pass)
            out += "\n  " + std::string(finding.severity == Severity::warn ? "warn " : "refuse ") +
                   std::string(stable_name(finding.code)) + " " + finding.host + ": " + finding.detail;
    return out;
}

struct Row {
    const char* what;
    std::function<void(CandidateFacts&)> spoil;
    Code code;
    const char* host;
    const char* part;
};

ReplicaRow& replica(CandidateFacts& facts, std::size_t member = 1) {
    return facts.members[member].keeper->replicas[0];
}

TableRow& row(CandidateFacts& facts, std::size_t member = 1) {
    return facts.members[member].catalogue->tables[0];
}

void everywhere(CandidateFacts& facts, const std::function<void(CandidateFacts::PerMember&)>& change) {
    for (auto& member : facts.members)
        change(member);
}

BOOST_AUTO_TEST_SUITE(candidate_admission)

BOOST_AUTO_TEST_CASE(a_complete_candidate_passes) {
    for (const std::size_t members : {2U, 3U})
        for (const auto& target : {existing, std::optional<Generation>{}}) {
            const CandidateAdmission admission =
                admit_candidate(healthy::inventory(members), target, healthy::staged(members));
            BOOST_TEST(list(admission) == "");
            BOOST_TEST(!admission.refused());
            BOOST_REQUIRE(admission.candidate);
            BOOST_TEST((*admission.candidate == healthy::generation(healthy::uuid('c'))));
        }
    CandidateFacts empty = healthy::staged();
    empty.staged_rows = 0;
    everywhere(empty, [](auto& m) {
        m.rows = 0;
        m.keeper->replicas[0].log_max_index = m.keeper->replicas[0].log_pointer = 0;
    });
    BOOST_TEST(list(admit_candidate(healthy::inventory(), existing, empty)) == "");
}

BOOST_AUTO_TEST_CASE(every_defect_is_named_with_its_host) {
    const std::vector<Row> rows{
        {"a member was not asked",
         [](auto& f) { f.members.pop_back(); },
         Code::candidate_not_ready,
         "ch2:9000",
         "not asked"},
        {"a member was asked twice",
         [](auto& f) { f.members.push_back(f.members[1]); },
         Code::candidate_not_ready,
         "ch2:9000",
         "twice"},
        {"a stranger",
         [](auto& f) { f.members.push_back(f.members[1]), f.members[2].at.host = "x"; },
         Code::inventory_incomplete,
         "x:9000",
         "no member"},
        {"no catalogue",
         [](auto& f) { f.members[1].catalogue.reset(), f.members[1].problem = "timed out"; },
         Code::generation_unknown,
         "ch2:9000",
         "timed out"},
        {"no Keeper part",
         [](auto& f) { f.members[1].keeper.reset(), f.members[1].problem = "timed out"; },
         Code::generation_unknown,
         "ch2:9000",
         "timed out"},
        {"two servers in one answer",
         [](auto& f) { f.members[1].keeper->server_uuid = healthy::server(0); },
         Code::endpoint_mismatch,
         "ch2:9000",
         "answered by server"},
        {"one server for two members",
         [](auto& f) {
             f.members[1].keeper->server_uuid = f.members[1].catalogue->identity.server_uuid =
                 healthy::server(0);
         },
         Code::endpoint_mismatch,
         "ch2:9000",
         "another member too"},
        {"no identity",
         [](auto& f) {
             f.members[1].keeper->server_uuid = f.members[1].catalogue->identity.server_uuid = Uuid{};
         },
         Code::endpoint_mismatch,
         "ch2:9000",
         "answered by server"},
        {"not there",
         [](auto& f) { f.members[1].catalogue->tables.clear(); },
         Code::candidate_not_ready,
         "ch2:9000",
         "is not there"},
        {"another engine",
         [](auto& f) { row(f).engine = "MergeTree"; },
         Code::engine_unsupported,
         "ch2:9000",
         "MergeTree"},
        {"a view reads it",
         [](auto& f) { row(f).dependencies = {"d.mv"}; },
         Code::hazard_view_depends,
         "ch2:9000",
         "d.mv"},
        {"another uuid",
         [](auto& f) { row(f).uuid = healthy::uuid('e'); },
         Code::candidate_not_ready,
         "ch2:9000",
         "has uuid eeeeeeee"},
        {"the uuid is another everywhere",
         [](auto& f) { f.uuid = healthy::uuid('e'); },
         Code::candidate_not_ready,
         "ch1:9000",
         "it was created with eeeeeeee"},
        {"no uuid",
         [](auto& f) {
             f.uuid = Uuid{}, everywhere(f, [](auto& m) { m.catalogue->tables[0].uuid = Uuid{}; });
         },
         Code::candidate_not_ready,
         "ch1:9000",
         "has uuid 00000000"},
        {"no columns",
         [](auto& f) { f.members[1].catalogue->columns.clear(); },
         Code::generation_unknown,
         "ch2:9000",
         "could not be read"},
        {"no replica row",
         [](auto& f) { f.members[1].keeper->replicas.clear(); },
         Code::generation_unknown,
         "ch2:9000",
         "could not be read"},
        {"no path",
         [](auto& f) { replica(f).zookeeper_path.clear(); },
         Code::generation_unknown,
         "ch2:9000",
         "could not be read"},
        {"a path without uuid",
         [](auto& f) {
             everywhere(f, [](auto& m) {
                 m.catalogue->tables[0].engine_full =
                     "ReplicatedMergeTree('/x/{shard}', '{replica}') ORDER BY id";
             });
         },
         Code::engine_unsupported,
         "ch1:9000",
         "does not contain {uuid}"},
        {"the target itself",
         [](auto& f) {
             f.uuid = healthy::uuid('a');
             everywhere(f, [](auto& m) { m.catalogue->tables[0].uuid = healthy::uuid('a'); });
         },
         Code::candidate_not_ready,
         "ch1:9000",
         "is the target itself"},
        {"the target's path",
         [](auto& f) {
             everywhere(f, [](auto& m) { m.keeper->replicas[0].zookeeper_path = existing->zookeeper_path; });
         },
         Code::candidate_not_ready,
         "ch1:9000",
         "shares the target's Keeper path"},
        {"another path on one member",
         [](auto& f) { replica(f).zookeeper_path += "_x"; },
         Code::generation_diverged,
         "ch2:9000",
         "_x'"},
        {"another schema",
         [](auto& f) {
             everywhere(f, [](auto& m) {
                 m.catalogue->columns[healthy::candidate].push_back({3, "x", "String", "", "", ""});
             });
         },
         Code::candidate_not_ready,
         "ch1:9000",
         "not the target's"},
        {"another kind of engine",
         [](auto& f) {
             everywhere(f, [](auto& m) {
                 m.catalogue->tables[0].engine = "ReplicatedReplacingMergeTree";
                 m.catalogue->tables[0].engine_full = "ReplicatedReplacingMergeTree('/clickhouse/tables/"
                                                      "{uuid}/{shard}', '{replica}') ORDER BY id";
             });
         },
         Code::candidate_not_ready,
         "ch2:9000",
         "its engine is ReplicatedReplacingMergeTree"},
        {"read-only",
         [](auto& f) { replica(f).is_readonly = true; },
         Code::candidate_not_ready,
         "ch2:9000",
         "is_readonly"},
        {"expired",
         [](auto& f) { replica(f).is_session_expired = true; },
         Code::candidate_not_ready,
         "ch2:9000",
         "session expired"},
        {"a queue",
         [](auto& f) { replica(f).queue_size = 1; },
         Code::candidate_not_ready,
         "ch2:9000",
         "queue_size 1"},
        {"an inactive replica",
         [](auto& f) { replica(f).active_replicas = 1; },
         Code::candidate_not_ready,
         "ch2:9000",
         "active_replicas 1 of 2"},
        {"another replica",
         [](auto& f) { replica(f).total_replicas = 3; },
         Code::candidate_not_ready,
         "ch2:9000",
         "total_replicas 3 of 2"},
        {"the log is not read",
         [](auto& f) { replica(f).log_pointer = 2; },
         Code::candidate_not_ready,
         "ch2:9000",
         "log_pointer 2"},
        {"an exception",
         [](auto& f) { replica(f).zookeeper_exception = "x"; },
         Code::candidate_not_ready,
         "ch2:9000",
         "zookeeper_exception: x"},
        {"one replica name twice",
         [](auto& f) { replica(f).replica_name = "r1"; },
         Code::generation_diverged,
         "ch2:9000",
         "'r1' is also that of ch1:9000"},
        {"not counted",
         [](auto& f) { f.members[1].rows.reset(); },
         Code::candidate_not_ready,
         "ch2:9000",
         "counted"},
        {"a row missing",
         [](auto& f) { f.members[1].rows = 9; },
         Code::candidate_not_ready,
         "ch2:9000",
         "has 9 rows, staged were 10"},
        {"a row too many",
         [](auto& f) { f.members[1].rows = 11; },
         Code::candidate_not_ready,
         "ch2:9000",
         "has 11 rows"},
    };
    for (const Row& each : rows) {
        CandidateFacts facts = healthy::staged();
        each.spoil(facts);
        const CandidateAdmission admission = admit_candidate(healthy::inventory(), existing, facts);
        BOOST_TEST_CONTEXT(each.what << list(admission)) {
            BOOST_TEST(admission.refused());
            BOOST_TEST(!admission.candidate);
            BOOST_TEST(std::ranges::any_of(admission.findings, [&each](const Finding& finding) {
                return finding.severity == Severity::refuse && finding.code == each.code &&
                       finding.host == each.host && finding.detail.find(each.part) != std::string::npos;
            }));
        }
    }
}

BOOST_AUTO_TEST_CASE(other_settings_of_the_table_are_a_warning) {
    CandidateFacts facts = healthy::staged();
    everywhere(facts, [](auto& m) {
        m.catalogue->tables[0].engine_full = "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', "
                                             "'{replica}') ORDER BY id SETTINGS index_granularity = 1024";
    });
    const CandidateAdmission admission = admit_candidate(healthy::inventory(), existing, facts);
    BOOST_TEST(!admission.refused());
    BOOST_TEST(list(admission).find("1024") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
