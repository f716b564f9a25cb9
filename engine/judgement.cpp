#include "engine/judgement.hpp"

#include "engine/action_statement.hpp"
#include "protocol/mutant.hpp"
#include "protocol/repairs.hpp"

#include <algorithm>
#include <utility>

namespace onceswap::engine {

using protocol::QueueEvidence;
using protocol::State;
using protocol::Word;

namespace {

/// The answering members must show the recorded inventory; who does not answer says nothing about it.
bool inventory_matches(const PassFacts& facts, std::vector<std::string>& gaps) {
    bool matches = true;
    const protocol::AuthorityRecord& record = facts.current.record;
    for (const protocol::MemberEvidence& answer : facts.answers) {
        if (!answer.catalogue) {
            continue;
        }
        const auto inventory = protocol::Inventory::from_rows(record.cluster, answer.catalogue->clusters);
        if (!inventory) {
            gaps.push_back(protocol::text(answer.at) + ": inventory: " + inventory.error().detail);
            matches = false;
        } else if (inventory->digest() != record.inventory_digest &&
                   !mutated(protocol::Mutant::inventory_not_read_again)) {
            gaps.push_back(protocol::text(answer.at) + ": inventory differs from the record's");
            matches = false;
        }
    }
    return matches;
}

std::vector<protocol::MemberState> states_of(const PassFacts& facts) {
    std::vector<protocol::MemberState> states;
    for (const protocol::RecordedMember& recorded : facts.current.record.members) {
        const auto answer =
            std::ranges::find_if(facts.answers, [&](const protocol::MemberEvidence& candidate) {
                return candidate.at == recorded.at;
            });
        if (answer != facts.answers.end()) {
            states.push_back(protocol::member_state(facts.current.record, *answer));
            continue;
        }
        protocol::MemberEvidence silent;
        silent.at = recorded.at;
        silent.catalogue_problem = "no endpoint answers as this server";
        silent.keeper_problem = silent.catalogue_problem;
        states.push_back(protocol::member_state(facts.current.record, silent));
    }
    return states;
}

protocol::Verdict verdict_of(
    const protocol::AuthorityRecord& record,
    const std::vector<protocol::MemberState>& states,
    QueueEvidence evidence,
    protocol::HolderResult holder,
    bool inventory
) {
    const protocol::DdlAttempt* attempt = protocol::current_attempt(record);
    std::vector<State> words;
    for (const auto& state : states) {
        if (state.state == State::unavailable && mutated(protocol::Mutant::unavailable_member_skipped)) {
            continue;
        }
        words.push_back(state.state);
    }
    protocol::VerdictInput input;
    input.record = protocol::RecordStanding::valid;
    input.phase = record.phase;
    input.has_predecessor = record.predecessor.has_value();
    input.has_publication_token = record.publication.has_value();
    input.holder_result = holder;
    input.evidence = evidence;
    if (attempt != nullptr) {
        input.has_receipt = attempt->receipt.has_value();
        if (attempt->result != protocol::HolderResult::none) {
            input.holder_result = attempt->result;
        }
    }
    input.inventory_matches = inventory;
    input.members = words;
    auto verdict = protocol::classify(input);
    for (const auto& state : states) {
        if (!state.reason.empty()) {
            verdict.detail +=
                (verdict.detail.empty() ? "" : "; ") + protocol::text(state.at) + ": " + state.reason;
        }
    }
    return verdict;
}

std::string signature_of(const Observation& observation) {
    std::string signature(protocol::text(observation.word()));
    for (const auto& state : observation.states) {
        signature += '|';
        signature += protocol::text(state.state);
        for (const auto* holding : {&state.target, &state.candidate, &state.aside}) {
            signature += ' ' + holding->uuid.text() + ' ' + holding->difference;
        }
    }
    return signature;
}

/// The attempt that a report tells of: the phase's own; where the phase has none, the one that settled the
/// members' targets, whose receipt stays in the record.
const protocol::DdlAttempt* told_attempt(const protocol::AuthorityRecord& record) {
    if (const auto* attempt = protocol::current_attempt(record); attempt != nullptr) {
        return attempt;
    }
    if (!record.retire.empty()) {
        return &record.retire.back();
    }
    return record.publication ? &*record.publication : nullptr;
}

/// The queue's columns of the report: from the live reading, else from the persisted receipt.
void fill_queue_columns(Observation& observation, const protocol::AuthorityRecord& record) {
    const protocol::DdlAttempt* attempt = told_attempt(record);
    for (auto& row : observation.report.members) {
        if (observation.queue.reading) {
            for (const auto& host : observation.queue.reading->members) {
                if (host.at == row.state.at) {
                    row.queue_status = host.status;
                    row.queue_code = host.code;
                    row.queue_text = protocol::digest_exception(host.exception_text).head;
                }
            }
        } else if (attempt != nullptr && attempt->receipt) {
            for (const auto& host : attempt->receipt->hosts) {
                if (host.at == row.state.at) {
                    row.queue_status = "Finished";
                    row.queue_code = host.code;
                    row.queue_text = host.exception.head;
                }
            }
        }
    }
}

/// What a person can send to single hosts, where nothing else helps.
void fill_repairs(Observation& observation) {
    observation.report.repairs.clear();
    if (observation.word() == Word::retired_mixed) {
        observation.report.repairs = protocol::repairs(observation.current->record, observation.states);
    }
}

void describe_record(protocol::Report& report, const VersionedRecord& current) {
    const protocol::AuthorityRecord& record = current.record;
    report.cluster = record.cluster;
    report.target = record.target;
    report.operation_id = record.operation_id;
    report.inventory_digest = record.inventory_digest;
    report.phase = record.phase;
    report.dispatch_epoch = record.dispatch_epoch;
    report.record_version = current.version();
    report.record_updated_at = record.updated_at;
    report.candidate = record.candidate;
    report.retained = record.retained;
    report.orphans = record.orphans;
    report.entry.clear();
    if (const auto* attempt = told_attempt(record); attempt != nullptr) {
        report.entry = attempt->entry;
    }
}

} // namespace

bool Observation::healthy() const {
    return !states.empty() && std::ranges::all_of(states, [](const auto& state) {
        return state.health.known && state.health.healthy;
    });
}

std::string Observation::unhealthy() const {
    std::string all;
    for (const auto& state : states) {
        if (state.health.known && state.health.healthy) {
            continue;
        }
        all += (all.empty() ? "" : "; ") + protocol::text(state.at) + ":";
        if (state.health.problems.empty()) {
            all += " replication state not known";
        }
        for (const auto& problem : state.health.problems) {
            all += " " + problem;
        }
    }
    return all;
}

Observation judge(const PassFacts& facts) {
    Observation seen;
    seen.current = facts.current;
    seen.members = facts.members;
    seen.queue = facts.queue;
    seen.report.observed_at = facts.observed_at;
    seen.report.evidence = facts.queue.evidence;
    seen.report.evidence_gaps = facts.gaps;
    describe_record(seen.report, facts.current);
    if (seen.report.entry.empty() && facts.queue.reading) {
        seen.report.entry = facts.queue.reading->entry;
    }
    const bool inventory = inventory_matches(facts, seen.report.evidence_gaps);
    seen.states = states_of(facts);
    seen.report.verdict =
        verdict_of(facts.current.record, seen.states, facts.queue.evidence, facts.holder_result, inventory);
    for (const auto& state : seen.states) {
        protocol::Report::Row row;
        row.state = state;
        for (const BoundMember& member : facts.members) {
            if (member.member.at == state.at) {
                row.endpoint = member.endpoint.text();
            }
        }
        for (const std::string& warning : state.warnings) {
            seen.report.warnings.push_back(protocol::text(state.at) + ": " + warning);
        }
        seen.report.members.push_back(std::move(row));
    }
    for (const std::string& problem : facts.queue.problems) {
        seen.report.evidence_gaps.push_back("queue: " + problem);
    }
    fill_queue_columns(seen, facts.current.record);
    fill_repairs(seen);
    seen.signature = signature_of(seen);
    return seen;
}

void adopt(Observation& observation, const VersionedRecord& now) {
    observation.current = now;
    const std::string entry = observation.report.entry;
    describe_record(observation.report, now);
    if (protocol::current_attempt(now.record) == nullptr) {
        observation.report.entry = entry; // of the action that has just ended
    }
}

void rejudge(Observation& observation, const VersionedRecord& now) {
    adopt(observation, now);
    observation.report.verdict = verdict_of(
        now.record, observation.states, observation.queue.evidence, protocol::HolderResult::none, true
    );
    fill_repairs(observation);
}

Observation
judge_without_record(const AuthorityReading& reading, protocol::TargetName target, std::string cluster) {
    Observation seen;
    seen.report.cluster = std::move(cluster);
    seen.report.target = std::move(target);
    protocol::VerdictInput input;
    input.record = reading.standing;
    seen.report.verdict = protocol::classify(input);
    if (!reading.problem.detail.empty()) {
        seen.report.verdict.detail = reading.problem.detail;
    }
    if (reading.current) {
        describe_record(seen.report, *reading.current);
    } else if (reading.row) {
        seen.report.record_version = reading.row->version;
    }
    seen.report.evidence_gaps = reading.gaps;
    seen.report.evidence_gaps.insert(
        seen.report.evidence_gaps.end(), reading.laggards.begin(), reading.laggards.end()
    );
    return seen;
}

bool is_odd(const protocol::Verdict& verdict) {
    switch (verdict.row) {
    case 8:  // inventory differs
    case 10: // foreign
    case 12: // moved before dispatch
    case 14: // candidate missing
    case 20: // regressed
    case 23: // candidate came back
        return true;
    case 4: // drifted after completion
        return verdict.word == Word::drifted;
    case 5: // retiring, foreign
        return true;
    case 18: // the queue is done, the catalogue is not
        return verdict.word == Word::outcome_unknown;
    default:
        return false;
    }
}

bool is_transient(QueueEvidence evidence) {
    switch (evidence) {
    case QueueEvidence::none:
    case QueueEvidence::in_progress:
    case QueueEvidence::unreadable:
    case QueueEvidence::unknown_rows:
    case QueueEvidence::diverged:
        return true;
    case QueueEvidence::success:
    case QueueEvidence::failure:
    case QueueEvidence::several:
    case QueueEvidence::changed:
    case QueueEvidence::gone:
        return false;
    }
    return false;
}

} // namespace onceswap::engine
