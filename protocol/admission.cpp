#include "protocol/admission.hpp"

#include "protocol/admission_checks.hpp"
#include "protocol/differing_part.hpp"
#include "protocol/leading_refusal.hpp"
#include "protocol/own_answers.hpp"

#include <algorithm>

namespace onceswap::protocol {

namespace {

std::vector<NamedEndpoint> named(const AdmissionFacts& facts, const Admission& admission) {
    std::vector<NamedEndpoint> out;
    for (std::size_t i = 0; i < facts.endpoints.size(); ++i) {
        NamedEndpoint& each = out.emplace_back();
        each.facts = &facts.endpoints[i];
        each.host = each.facts->endpoint;
        for (const AdmittedMember& member : admission.members)
            if (member.endpoint == i)
                each.host = text(member.member.at);
    }
    return out;
}

void check_contents(const AdmissionFacts& facts, Admission& admission) {
    const std::vector<NamedEndpoint> endpoints = named(facts, admission);
    check_capabilities(endpoints, facts, admission);
    check_database(endpoints, facts, admission);
    check_facade(endpoints, facts, admission);
    check_target(endpoints, facts, admission);
    check_hazards(endpoints, facts, admission);
    check_lost_authority(endpoints, facts, admission);
}

} // namespace

const Finding* leading_refusal(const std::vector<Finding>& findings) {
    const auto refuses = [](const Finding& finding) { return finding.severity == Severity::refuse; };
    auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
        return refuses(finding) && finding.code == Code::access_insufficient;
    });
    if (found == findings.end())
        found = std::find_if(findings.begin(), findings.end(), refuses);
    return found == findings.end() ? nullptr : &*found;
}

std::string problem_text(const EndpointFacts& endpoint, std::string_view part) {
    std::string out = "no answer for " + std::string(part);
    for (std::size_t i = 0; i < endpoint.problems.size(); ++i)
        out += (i == 0 ? ": " : "; ") + endpoint.problems[i];
    return out;
}

const TableRow* find_table(const CatalogueFacts& catalogue, const TargetName& name) {
    const auto found =
        std::find_if(catalogue.tables.begin(), catalogue.tables.end(), [&name](const TableRow& row) {
            return row.database == name.database && row.name == name.table;
        });
    return found == catalogue.tables.end() ? nullptr : &*found;
}

std::string_view engine_name(std::string_view engine_full) {
    return engine_full.substr(0, engine_full.find_first_of("( "));
}

std::string
describe_difference(const Generation& seen, const Generation& reference, std::string_view reference_called) {
    std::string out;
    const auto add = [&](std::string_view field, std::string_view here, std::string_view there) {
        if (here != there)
            out += (out.empty() ? "" : "; ") + std::string(field) + " has " + differing_part(here, there) +
                   " where " + std::string(reference_called) + " has " + differing_part(there, here);
    };
    add("uuid", seen.uuid.text(), reference.uuid.text());
    add("zookeeper_name", seen.zookeeper_name, reference.zookeeper_name);
    add("zookeeper_path", seen.zookeeper_path, reference.zookeeper_path);
    add("engine_full", seen.engine_full, reference.engine_full);
    if (seen.schema_digest != reference.schema_digest)
        out += (out.empty() ? "" : "; ") + std::string("the schema differs from that of ") +
               std::string(reference_called);
    return out;
}

bool Admission::refused() const {
    return first_refusal() != nullptr;
}

const Finding* Admission::first_refusal() const {
    return leading_refusal(findings);
}

bool CandidateAdmission::refused() const {
    return first_refusal() != nullptr;
}

const Finding* CandidateAdmission::first_refusal() const {
    return leading_refusal(findings);
}

Admission admit(const AdmissionFacts& given) {
    Admission admission;
    check_endpoints(given, admission);
    check_inventory(given, admission);
    if (!std::ranges::all_of(given.endpoints, answers_as_one_server)) {
        const AdmissionFacts own = own_answers(given);
        check_contents(own, admission);
    } else {
        check_contents(given, admission);
    }
    return admission;
}

} // namespace onceswap::protocol
