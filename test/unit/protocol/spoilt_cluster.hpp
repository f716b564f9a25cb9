#pragma once

#include "healthy_cluster.hpp"
#include "protocol/admission.hpp"
#include "protocol/doctor.hpp"
#include "protocol/leading_refusal.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

// Tables of defects for admission A: each row spoils a healthy cluster and says what must be found.

namespace spoilt {

using namespace onceswap::protocol;
using Spoil = std::function<void(AdmissionFacts&)>;

inline std::string list(const std::vector<Finding>& findings) {
    std::string out;
    for (const Finding& finding : findings)
        if (finding.severity != Severity::pass)
            out += "\n  " + std::string(finding.severity == Severity::warn ? "warn " : "refuse ") +
                   std::string(stable_name(finding.code)) + " [" + finding.check + "] " + finding.host +
                   ": " + finding.detail;
    return out;
}

inline bool
has(const std::vector<Finding>& findings,
    Severity severity,
    Code code,
    const std::string& host,
    const std::string& part) {
    return std::ranges::any_of(findings, [&](const Finding& finding) {
        return finding.severity == severity && finding.code == code && finding.host == host &&
               finding.detail.find(part) != std::string::npos;
    });
}

struct Row {
    const char* what;
    Spoil spoil;
    Severity severity;
    Code code;
    const char* host;
    std::string part;
};

/// doctor refuses where admission refuses, with the same code and about the same members, and nowhere else.
inline void compare_with_doctor(const AdmissionFacts& facts, const Admission& admission) {
    DoctorFacts asked;
    asked.facts = facts;
    asked.admission = admission;
    asked.slot_known = true;
    const Diagnosis diagnosis = diagnose(asked);
    const Finding* leading = leading_refusal(admission.findings);
    BOOST_TEST((diagnosis.refused_with == (leading == nullptr ? std::nullopt : std::optional(leading->code)))
    );
    std::vector<std::string> refused;
    std::vector<std::string> lines;
    for (const Finding& finding : admission.findings)
        if (finding.severity == Severity::refuse)
            refused.push_back(
                std::string(stable_name(finding.code)) + " " + finding.host + " " + finding.detail
            );
    for (const DoctorLine& line : diagnosis.lines)
        if (line.standing == Standing::refuse)
            lines.push_back(std::string(stable_name(code_of(line.rule))) + " " + line.host + " " + line.seen);
    std::ranges::sort(refused);
    std::ranges::sort(lines);
    BOOST_TEST(refused == lines, boost::test_tools::per_element());
}

inline void run(const std::vector<Row>& rows, const AdmissionFacts& good) {
    for (const Row& row : rows) {
        AdmissionFacts facts = good;
        row.spoil(facts);
        const Admission admission = admit(facts);
        BOOST_TEST_CONTEXT(row.what << list(admission.findings)) {
            compare_with_doctor(facts, admission);
            BOOST_TEST(has(admission.findings, row.severity, row.code, row.host, row.part));
            BOOST_TEST(admission.refused() == (row.severity == Severity::refuse));
            // Nothing else is refused for a reason of its own: one defect, one code.
            for (const Finding& finding : admission.findings)
                if (finding.severity == Severity::refuse && row.severity == Severity::warn)
                    BOOST_TEST(stable_name(finding.code) == stable_name(row.code));
        }
    }
}

inline CatalogueFacts& catalogue(AdmissionFacts& facts, std::size_t member = 1) {
    return *facts.endpoints[member].catalogue;
}

inline KeeperFacts& keeper(AdmissionFacts& facts, std::size_t member = 1) {
    return *facts.endpoints[member].keeper;
}

inline CapabilityFacts& capability(AdmissionFacts& facts, std::size_t member = 1) {
    return *facts.endpoints[member].capabilities;
}

inline TableRow& target_row(AdmissionFacts& facts, std::size_t member = 1) {
    return catalogue(facts, member).tables.at(1);
}

inline void for_each_member(AdmissionFacts& facts, const std::function<void(EndpointFacts&)>& change) {
    for (EndpointFacts& endpoint : facts.endpoints)
        change(endpoint);
}

inline AuthorityRow record_at(std::int32_t version, std::string operation = {}) {
    AuthorityRow row;
    row.version = version;
    row.operation_id = std::move(operation);
    return row;
}

} // namespace spoilt
