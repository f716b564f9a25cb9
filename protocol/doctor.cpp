#include "protocol/doctor.hpp"

#include "protocol/doctor_checks.hpp"
#include "protocol/leading_refusal.hpp"
#include "protocol/report.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace onceswap::protocol {

namespace {

/// A part of an endpoint's answer, and why it is not there.
struct Part {
    Needs bit;
    std::string_view name;
    bool (*is_missing)(const EndpointFacts&);
};

constexpr auto parts = std::to_array<Part>({
    {needs::catalogue, "the catalogue", [](const EndpointFacts& each) { return !each.catalogue; }},
    {needs::keeper, "the Keeper-backed part", [](const EndpointFacts& each) { return !each.keeper; }},
    {needs::capabilities, "the capabilities", [](const EndpointFacts& each) { return !each.capabilities; }},
    {needs::row_policies, "the row policies", [](const EndpointFacts& each) { return !each.row_policies; }},
    {needs::grants, "SHOW GRANTS", [](const EndpointFacts& each) { return !each.grants; }},
});

std::string problem_of(const EndpointFacts& endpoint, std::string_view part) {
    std::string out = "no answer for " + std::string(part);
    for (std::size_t i = 0; i < endpoint.problems.size(); ++i)
        out += (i == 0 ? ": " : "; ") + endpoint.problems[i];
    return out;
}

/// Where a rule of the first range is broken, those behind it up to the end of the second were not looked at:
/// on that member, or anywhere.
struct Blocking {
    Rule first_blocker;
    Rule last_blocker;
    Rule first_blocked;
    Rule last_blocked;
    bool everywhere;
};

constexpr auto blockings = std::to_array<Blocking>({
    {Rule::cluster_known, Rule::internal_replication, Rule::members_unique, Rule::inventory_equal, false},
    {Rule::roster_answers, Rule::servers_differ, Rule::endpoint_is_member, Rule::member_has_endpoint, true},
    {Rule::database_exists, Rule::database_exists, Rule::database_atomic, Rule::database_atomic, false},
    {Rule::target_everywhere, Rule::target_path, Rule::target_engine, Rule::target_equal, false},
    {Rule::candidate_asked, Rule::candidate_asked, Rule::candidate_answers, Rule::candidate_rows, false},
    {Rule::candidate_answers, Rule::candidate_answers, Rule::candidate_server, Rule::candidate_rows, false},
    {Rule::candidate_present, Rule::candidate_engine, Rule::candidate_engine, Rule::candidate_rows, false},
    {Rule::candidate_identity, Rule::candidate_uuid, Rule::candidate_uuid, Rule::candidate_equal, false},
});

Standing standing_of(Severity severity) {
    switch (severity) {
    case Severity::pass:
        return Standing::pass;
    case Severity::warn:
        return Standing::warn;
    case Severity::refuse:
        return Standing::refuse;
    }
    return Standing::not_known;
}

bool shows_target(const DoctorFacts& facts) {
    return std::ranges::any_of(facts.facts.endpoints, [&](const EndpointFacts& endpoint) {
        return endpoint.catalogue &&
               std::ranges::any_of(endpoint.catalogue->tables, [&](const TableRow& row) {
                   return row.name == facts.facts.target.table;
               });
    });
}

/// A queue that nobody ever used has no directory in the Keeper.
bool was_never_used(const std::string& queue_problem) {
    return queue_problem.find("No node") != std::string::npos;
}

class Examination {
  public:
    explicit Examination(const DoctorFacts& facts) : facts_(facts), besides_(look_besides(facts)) {}

    Diagnosis run() {
        for (const Finding& finding : facts_.before)
            keep(finding);
        for (const Finding& finding : facts_.admission.findings)
            keep(finding);
        if (facts_.candidate_admission)
            for (Finding finding : facts_.candidate_admission->findings) {
                if (!facts_.candidate_is_meant && finding.severity == Severity::refuse)
                    finding.severity = Severity::warn;
                keep(finding);
            }
        for (const RuleRow& row : admission_rules())
            examine(row);
        for (DoctorLine& line : out_.lines)
            if (line.standing != Standing::pass)
                line.remedy = remedy_for(facts_, line);
        out_.refused_with = leading_code();
        return std::move(out_);
    }

  private:
    void keep(const Finding& finding) {
        if (finding.severity == Severity::pass)
            return;
        DoctorLine line;
        line.rule = finding.rule;
        line.standing = standing_of(finding.severity);
        line.host = finding.host;
        // Some warnings are found before an endpoint is known to be a member.
        if (const auto endpoint = endpoint_named(facts_, finding.host);
            endpoint && line.standing == Standing::warn)
            line.host = name_of_endpoint(facts_, *endpoint);
        line.seen = finding.detail;
        found_.push_back(std::move(line));
    }

    void examine(const RuleRow& row) {
        const std::size_t before = out_.lines.size();
        for (const auto* lines : {&found_, &besides_})
            for (const DoctorLine& line : *lines)
                if (line.rule == row.rule)
                    out_.lines.push_back(line);
        look_for_gaps(row);
        look_for_blocks(row);
        if (out_.lines.size() == before)
            add(row, Standing::pass, {}, why_passed(row));
    }

    /// What the rule needs and was not read. A member whose finding stands there already has been seen.
    void look_for_gaps(const RuleRow& row) {
        if ((row.needed & needs::target) != 0 && !shows_target(facts_))
            return;
        if ((row.needed & needs::candidate) != 0) {
            if (!facts_.candidate.empty() && !facts_.candidate_admission)
                miss(row, {}, "not looked at: the members' endpoints are not known");
            return; // what is not seen of a candidate refuses
        }
        for (std::size_t i = 0; i < facts_.facts.endpoints.size(); ++i)
            look_for_gap(row, i);
        const auto of_cluster = [&](Needs bit, bool missing, const std::string& problem) {
            if ((row.needed & bit) != 0 && missing)
                miss(row, {}, problem);
        };
        const AdmissionFacts& asked = facts_.facts;
        of_cluster(
            needs::roster,
            !asked.roster_problem.empty() || asked.roster.empty(),
            "the members could not be listed" +
                (asked.roster_problem.empty() ? std::string() : ": " + asked.roster_problem)
        );
        of_cluster(needs::queue, !asked.queue_problem.empty(), asked.queue_problem);
        of_cluster(needs::inventory, !facts_.admission.inventory, "no endpoint showed the cluster");
        of_cluster(
            needs::members, facts_.admission.members.empty(), "not every member has an endpoint that is known"
        );
        of_cluster(needs::slot, !facts_.slot_known, "no member could read the record");
        of_cluster(
            needs::probes,
            facts_.readonly_user,
            "a readonly = 1 user cannot send settings; ask with the user that publishes"
        );
    }

    void look_for_blocks(const RuleRow& row) {
        for (const Blocking& blocking : blockings) {
            if (row.rule < blocking.first_blocked || row.rule > blocking.last_blocked)
                continue;
            for (const DoctorLine& line : found_)
                if (line.rule >= blocking.first_blocker && line.rule <= blocking.last_blocker &&
                    line.rule < row.rule)
                    miss(
                        row,
                        blocking.everywhere ? std::string() : line.host,
                        "not looked at, because of " + std::string(text(line.rule))
                    );
        }
        if (row.rule == Rule::target_pattern && !shows_target(facts_) && facts_.admission.refused())
            miss(row, {}, "looked at only where nothing else refuses");
    }

    void look_for_gap(const RuleRow& row, std::size_t i) {
        const EndpointFacts& endpoint = facts_.facts.endpoints[i];
        std::string problem;
        for (const Part& part : parts)
            if (problem.empty() && (row.needed & part.bit) != 0 && part.is_missing(endpoint))
                problem = problem_of(endpoint, part.name);
        if (problem.empty() && (row.needed & needs::environment) != 0 &&
            (i >= facts_.asked.size() || !facts_.asked[i].environment))
            problem =
                "no answer for the environment" + (i < facts_.asked.size() && !facts_.asked[i].problem.empty()
                                                       ? ": " + facts_.asked[i].problem
                                                       : std::string());
        if (!problem.empty())
            miss(row, name_of_endpoint(facts_, i), problem);
    }

    void miss(const RuleRow& row, std::string host, const std::string& problem) {
        for (const DoctorLine& line : out_.lines)
            if (line.rule == row.rule && line.host == host)
                return;
        if (row.decides && !((row.needed & needs::queue) != 0 && was_never_used(problem)))
            out_.undecided = true;
        add(row, Standing::not_known, std::move(host), problem);
    }

    void add(const RuleRow& row, Standing standing, std::string host, std::string seen) {
        DoctorLine line;
        line.rule = row.rule;
        line.standing = standing;
        line.host = std::move(host);
        line.seen = std::move(seen);
        out_.lines.push_back(std::move(line));
    }

    std::string why_passed(const RuleRow& row) const {
        if ((row.needed & needs::target) != 0 && !shows_target(facts_))
            return "the target does not exist yet";
        if ((row.needed & needs::candidate) != 0 && facts_.candidate.empty())
            return "no candidate is staged";
        return {};
    }

    std::optional<Code> leading_code() const {
        for (const Finding& finding : facts_.before)
            if (finding.severity == Severity::refuse)
                return finding.code;
        if (const Finding* leading = leading_refusal(facts_.admission.findings))
            return leading->code;
        if (facts_.candidate_is_meant && facts_.candidate_admission)
            if (const Finding* leading = leading_refusal(facts_.candidate_admission->findings))
                return leading->code;
        return std::nullopt;
    }

    const DoctorFacts& facts_;
    std::vector<DoctorLine> besides_;
    std::vector<DoctorLine> found_;
    Diagnosis out_;
};

} // namespace

std::string_view text(Standing standing) {
    switch (standing) {
    case Standing::pass:
        return "pass";
    case Standing::warn:
        return "warn";
    case Standing::refuse:
        return "refuse";
    case Standing::not_known:
        return "not known";
    }
    return {};
}

Diagnosis diagnose(const DoctorFacts& facts) {
    return Examination(facts).run();
}

int exit_code(const Diagnosis& diagnosis) {
    constexpr int refused = 8;
    constexpr int unknown = 4;
    if (!diagnosis.refused_with)
        return diagnosis.undecided ? unknown : 0;
    // Nobody could be reached, or a publication would end because it cannot know.
    const bool unread = *diagnosis.refused_with == Code::connection_failed ||
                        *diagnosis.refused_with == Code::outcome_unknown;
    return unread ? exit_code(*diagnosis.refused_with) : refused;
}

} // namespace onceswap::protocol
