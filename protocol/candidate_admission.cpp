#include "protocol/admission_checks.hpp"
#include "protocol/member_state.hpp"
#include "protocol/mutant.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace onceswap::protocol {

namespace {

using PerMember = CandidateFacts::PerMember;

/// Admission B looks at one member after the other and keeps what they must have in common.
class CandidateChecks {
  public:
    CandidateChecks(
        const Inventory& inventory,
        const std::optional<Generation>& target,
        const CandidateFacts& facts,
        CandidateAdmission& admission
    )
        : inventory_(inventory), target_(target), facts_(facts), admission_(admission) {}

    void run() {
        Check check(admission_.findings, "candidate");
        for (const Member& member : inventory_.members()) {
            const std::string host = text(member.at);
            const auto of_member =
                std::count_if(facts_.members.begin(), facts_.members.end(), [&member](const PerMember& each) {
                    return each.at == member.at;
                });
            if (of_member != 1) {
                not_ready(
                    check, Rule::candidate_asked, host, of_member == 0 ? "was not asked" : "was asked twice"
                );
                continue;
            }
            const auto& each =
                *std::find_if(facts_.members.begin(), facts_.members.end(), [&member](const PerMember& one) {
                    return one.at == member.at;
                });
            check_member(check, host, each);
        }
        for (const PerMember& each : facts_.members)
            if (!inventory_.find(each.at))
                check.refuse(Rule::candidate_member, text(each.at), "is no member of the cluster");
        if (admission_.refused())
            admission_.candidate.reset();
    }

  private:
    void not_ready(Check& check, Rule rule, const std::string& host, const std::string& what) {
        check.refuse(rule, host, facts_.name + ": " + what);
    }

    void check_member(Check& check, const std::string& host, const PerMember& member) {
        if (!member.catalogue || !member.keeper) {
            check.refuse(
                Rule::candidate_answers,
                host,
                facts_.name + ": " + (member.problem.empty() ? "no answer" : member.problem)
            );
            return;
        }
        check_identity(check, host, member);
        const auto row = std::find_if(
            member.catalogue->tables.begin(),
            member.catalogue->tables.end(),
            [this](const TableRow& each) { return each.name == facts_.name; }
        );
        if (row == member.catalogue->tables.end()) {
            not_ready(check, Rule::candidate_present, host, "is not there");
            return;
        }
        if (!is_replicated_merge_tree(row->engine)) {
            check.refuse(
                Rule::candidate_engine,
                host,
                facts_.name + " has engine " + row->engine + ", needed is one of Replicated*MergeTree"
            );
            return;
        }
        for (const std::string& view : row->dependencies)
            check.refuse(
                Rule::candidate_views, host, "materialized view " + view + " reads from " + facts_.name
            );
        check_generation(check, host, member);
        check_replication(check, host, member);
        if (!member.rows)
            not_ready(
                check,
                Rule::candidate_rows,
                host,
                "its rows could not be counted" + (member.problem.empty() ? "" : ": " + member.problem)
            );
        else if (*member.rows != facts_.staged_rows && !mutated(Mutant::candidate_rows_not_compared))
            not_ready(
                check,
                Rule::candidate_rows,
                host,
                "has " + std::to_string(*member.rows) + " rows, staged were " +
                    std::to_string(facts_.staged_rows)
            );
    }

    void check_identity(Check& check, const std::string& host, const PerMember& member) {
        const Uuid& server = member.catalogue->identity.server_uuid;
        if (server.is_nil() || member.keeper->server_uuid != server)
            check.refuse(
                Rule::candidate_server,
                host,
                "the catalogue was answered by server " + server.text() + ", the Keeper-backed part by " +
                    member.keeper->server_uuid.text()
            );
        else if (!servers_.insert(server).second)
            check.refuse(
                Rule::candidate_server, host, "server " + server.text() + " answered for another member too"
            );
    }

    void check_generation(Check& check, const std::string& host, const PerMember& member) {
        const auto generation = generation_of(*member.catalogue, member.keeper->replicas, facts_.name);
        if (!generation || generation->zookeeper_path.empty()) {
            check.refuse(
                Rule::candidate_identity, host, facts_.name + ": columns or Keeper path could not be read"
            );
            return;
        }
        if ((generation->uuid != facts_.uuid || generation->uuid.is_nil()) &&
            !mutated(Mutant::candidate_uuid_left_to_server)) {
            not_ready(
                check,
                Rule::candidate_uuid,
                host,
                "has uuid " + generation->uuid.text() + ", it was created with " + facts_.uuid.text()
            );
            return;
        }
        if (!path_argument_has_uuid(generation->engine_full))
            check.refuse(
                Rule::candidate_path,
                host,
                facts_.name + ": the path in " + generation->engine_full + " does not contain {uuid}"
            );
        if (target_)
            compare_with_target(check, host, *generation);
        if (!admission_.candidate) {
            admission_.candidate = generation;
            first_host_ = host;
        } else if (*generation != *admission_.candidate) {
            check.refuse(
                Rule::candidate_equal,
                host,
                facts_.name + ": " + describe_difference(*generation, *admission_.candidate, first_host_)
            );
        }
    }

    void compare_with_target(Check& check, const std::string& host, const Generation& generation) {
        if (generation.uuid == target_->uuid)
            not_ready(check, Rule::candidate_own_path, host, "is the target itself");
        if (generation.zookeeper_name == target_->zookeeper_name &&
            generation.zookeeper_path == target_->zookeeper_path)
            not_ready(
                check,
                Rule::candidate_own_path,
                host,
                "shares the target's Keeper path " + generation.zookeeper_path
            );
        if (generation.schema_digest != target_->schema_digest)
            not_ready(check, Rule::candidate_schema, host, "its columns or keys are not the target's");
        if (engine_name(generation.engine_full) != engine_name(target_->engine_full))
            not_ready(
                check,
                Rule::candidate_same_engine,
                host,
                "its engine is " + std::string(engine_name(generation.engine_full)) + ", the target's is " +
                    std::string(engine_name(target_->engine_full))
            );
        else if (generation.engine_full != target_->engine_full)
            check.warn(
                Rule::candidate_clause,
                host,
                facts_.name + ": its engine clause " + generation.engine_full + " is not the target's " +
                    target_->engine_full
            );
    }

    void check_replication(Check& check, const std::string& host, const PerMember& member) {
        const Health health = table_health(*member.keeper, facts_.name, inventory_.size());
        for (const std::string& problem : health.problems)
            if (!mutated(Mutant::candidate_lag_not_checked))
                not_ready(check, Rule::candidate_converged, host, problem);
        for (const ReplicaRow& replica : member.keeper->replicas)
            if (replica.table == facts_.name) {
                const auto [at, is_new] = host_by_replica_.emplace(replica.replica_name, host);
                if (!is_new)
                    check.refuse(
                        Rule::candidate_replicas,
                        host,
                        facts_.name + ": replica name '" + replica.replica_name + "' is also that of " +
                            at->second
                    );
            }
    }

    const Inventory& inventory_;
    const std::optional<Generation>& target_;
    const CandidateFacts& facts_;
    CandidateAdmission& admission_;
    std::set<Uuid> servers_;
    std::map<std::string, std::string> host_by_replica_;
    std::string first_host_;
};

} // namespace

CandidateAdmission admit_candidate(
    const Inventory& inventory, const std::optional<Generation>& target, const CandidateFacts& facts
) {
    CandidateAdmission admission;
    CandidateChecks(inventory, target, facts, admission).run();
    return admission;
}

} // namespace onceswap::protocol
