#pragma once

#include "protocol/admission.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

// The steps of admission A, one function for each number of docs/protocol.md. Internal to this module.

namespace onceswap::protocol {

/// Collects one check's findings; a check without any leaves a pass behind when it ends.
class Check {
  public:
    Check(std::vector<Finding>& findings, std::string name)
        : findings_(findings), name_(std::move(name)), before_(findings.size()) {}

    Check(const Check&) = delete;
    Check& operator=(const Check&) = delete;

    ~Check() {
        if (findings_.size() == before_)
            findings_.push_back({Severity::pass, Code::outcome_unknown, name_, {}, {}, Rule::reachable});
    }

    void refuse(Rule rule, std::string host, std::string detail) {
        add(Severity::refuse, rule, std::move(host), std::move(detail));
    }

    void warn(Rule rule, std::string host, std::string detail) {
        add(Severity::warn, rule, std::move(host), std::move(detail));
    }

    bool found_nothing() const { return findings_.size() == before_; }

  private:
    void add(Severity severity, Rule rule, std::string host, std::string detail) {
        findings_.push_back({severity, code_of(rule), name_, std::move(host), std::move(detail), rule});
    }

    std::vector<Finding>& findings_;
    std::string name_;
    std::size_t before_;
};

/// An endpoint with the name that findings use: the member it speaks for, or its URL until that is known.
struct NamedEndpoint {
    const EndpointFacts* facts = nullptr;
    std::string host;
};

/// Why a part of an endpoint's answer is not there, for a finding.
std::string problem_text(const EndpointFacts& endpoint, std::string_view part);

const TableRow* find_table(const CatalogueFacts& catalogue, const TargetName& name);

/// Whether a view's definition names one of `tables` of `database`. system.tables prints definitions with
/// every table qualified; a column of the same name is not meant. A text that cannot be read names them all.
bool names_qualified(
    const TableRow& row, const std::string& database, const std::vector<std::string>& tables
);

/// The engine's name alone: what stands before the first parenthesis or space.
std::string_view engine_name(std::string_view engine_full);

/// Which fields of two generations differ, the first one first, each with its differing part; empty if none.
std::string
describe_difference(const Generation& seen, const Generation& reference, std::string_view reference_called);

void check_endpoints(const AdmissionFacts& facts, Admission& admission); // 1
void check_inventory(const AdmissionFacts& facts, Admission& admission); // 2
void check_capabilities(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
);
void check_database(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
);
void check_facade(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
);
void check_target(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
);
void check_hazards(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
);
void check_lost_authority(
    std::span<const NamedEndpoint> endpoints, const AdmissionFacts& facts, Admission& admission
); // the part of 8 that needs no record

} // namespace onceswap::protocol
