#include "engine/admission.hpp"

#include "engine/backoff.hpp"
#include "engine/catalog.hpp"
#include "engine/deadline.hpp"
#include "engine/other_keys.hpp"
#include "engine/pass.hpp"
#include "engine/queue.hpp"
#include "engine/settings_probe.hpp"
#include "engine/task_group.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/mutant.hpp"
#include "protocol/own_answers.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Rule;
using protocol::Severity;

namespace {

/// Candidates that carry the operation's eight digits. A name with two uuids is two tables: nothing of ours
/// can be said about it, so it stays in sight of admission. A name that only begins like one of ours is not
/// ours, and no record can list it.
std::vector<protocol::NamedTable> tables_of_operation(
    const protocol::AdmissionFacts& facts, const std::string& target_key, const std::string& prefix
) {
    std::map<std::string, std::vector<protocol::Uuid>> found;
    for (const auto& endpoint : facts.endpoints) {
        if (!endpoint.capabilities) {
            continue;
        }
        for (const auto& table : endpoint.capabilities->ours) {
            if (table.name.starts_with(prefix) && protocol::is_candidate_name(target_key, table.name)) {
                found[table.name].push_back(table.uuid);
            }
        }
    }
    std::vector<protocol::NamedTable> tables;
    for (const auto& [name, uuids] : found) {
        if (std::ranges::all_of(uuids, [&](const auto& uuid) { return uuid == uuids.front(); })) {
            tables.push_back(protocol::NamedTable{name, uuids.front()});
        }
    }
    return tables;
}

bool is_recorded(const protocol::AuthorityRecord& record, const std::string& name) {
    const auto named = [&](const protocol::NamedTable& table) { return table.name == name; };
    return record.candidate == name || record.aside == name || std::ranges::any_of(record.orphans, named) ||
           std::ranges::any_of(record.retained, named);
}

protocol::Finding refusal(Rule rule, std::string check, std::string detail) {
    protocol::Finding finding;
    finding.severity = Severity::refuse;
    finding.rule = rule;
    finding.code = protocol::code_of(rule);
    finding.check = std::move(check);
    finding.detail = std::move(detail);
    return finding;
}

std::vector<BoundMember> bind_admitted(const protocol::Admission& admission, const Context& context) {
    std::vector<BoundMember> members;
    for (const protocol::AdmittedMember& admitted : admission.members) {
        members.emplace_back(
            admitted.member, admitted.server_uuid, context.cluster.endpoints.at(admitted.endpoint)
        );
    }
    return members;
}

bool shows_table(const protocol::AdmissionFacts& facts, const std::string& name) {
    return std::ranges::all_of(facts.endpoints, [&](const protocol::EndpointFacts& endpoint) {
        return endpoint.catalogue &&
               std::ranges::any_of(endpoint.catalogue->tables, [&](const protocol::TableRow& table) {
                   return table.name == name;
               });
    });
}

/// An absent target can only be made like another table.
void check_pattern(Admitted& admitted, const PublishRequest& request) {
    if (admitted.refused() || admitted.admission.target) {
        return;
    }
    auto& findings = admitted.admission.findings;
    if (request.like.table.empty()) {
        findings.push_back(refusal(
            Rule::target_pattern,
            "target",
            request.target.database + "." + request.target.table +
                " exists on no member, and no table to be like was given"
        ));
    } else if (!shows_table(admitted.facts, request.like.table)) {
        findings.push_back(refusal(
            Rule::target_pattern,
            "target",
            request.like.database + "." + request.like.table + ", to be like, is not on every member"
        ));
    }
}

/// Members that show different versions of the record are read again: one of them lags, or the record is on
/// its way.
bool records_differ(const protocol::AdmissionFacts& facts) {
    const protocol::KeeperFacts* first = nullptr;
    for (const auto& endpoint : facts.endpoints) {
        if (!endpoint.keeper) {
            continue;
        }
        if (first != nullptr && endpoint.keeper->authority != first->authority) {
            return true;
        }
        first = &*endpoint.keeper;
    }
    return false;
}

asio::awaitable<void> keep_probes(
    Context& context, PublishRequest request, std::string cluster, std::vector<protocol::Finding>& findings
) {
    auto found = co_await probe_settings(context, request.target, std::move(cluster), request.deadline);
    findings = std::move(found);
}

/// A record under another name of the cluster is one of this table; where nobody can say that there is none,
/// there may be one.
void check_other_keys(Admitted& admitted, const OtherKeys& others) {
    auto& findings = admitted.admission.findings;
    for (const std::string& record : others.records) {
        findings.push_back(refusal(
            Rule::other_names_free,
            "authority",
            "a record stands under another name of the cluster, " + record
        ));
    }
    if (!others.problem.empty()) {
        findings.push_back(refusal(
            Rule::other_names_known,
            "authority",
            "no member could show whether a record stands under another name of the cluster: " +
                others.problem
        ));
    }
}

asio::awaitable<protocol::AdmissionFacts>
read_settled(Context& context, AdmissionQuestion question, TimePoint deadline) {
    const TimePoint until = earlier_of(context.clock, context.limits.visibility_wait, deadline);
    Catalog catalog(context);
    Backoff backoff(context.limits.poll_initial, context.limits.poll_max);
    while (true) {
        auto endpoints = context.cluster.endpoints;
        auto facts = co_await catalog.read_admission(std::move(endpoints), question, deadline);
        const TimePoint next = context.clock.now() + backoff.next(context.entropy);
        if (!records_differ(facts) || next >= until) {
            co_return facts;
        }
        co_await context.clock.wait_until(next);
    }
}

asio::awaitable<void> keep_facts(
    Context& context, AdmissionQuestion question, TimePoint deadline, protocol::AdmissionFacts& facts
) {
    auto read = co_await read_settled(context, std::move(question), deadline);
    facts = std::move(read);
}

} // namespace

std::vector<protocol::RecordedMember> Admitted::recorded_members() const {
    std::vector<protocol::RecordedMember> recorded;
    for (const protocol::AdmittedMember& member : admission.members) {
        protocol::RecordedMember each;
        each.at = member.member.at;
        each.replica_num = member.member.replica_num;
        each.server_uuid = member.server_uuid;
        recorded.push_back(std::move(each));
    }
    return recorded;
}

protocol::CanaryReceipt Admitted::canary() const {
    protocol::CanaryReceipt canary;
    for (const protocol::AdmittedMember& member : admission.members) {
        canary.versions.push_back(member.version);
        canary.servers.push_back(member.server_uuid);
    }
    return canary;
}

bool canary_is_due(const std::optional<protocol::CanaryReceipt>& recorded, const Admitted& admitted) {
    const auto now = admitted.canary();
    return !recorded || recorded->versions != now.versions || recorded->servers != now.servers;
}

asio::awaitable<Admitted> admit_publication(
    Context& context,
    Discovery discovery,
    PublishRequest request,
    std::string operation_id,
    std::string candidate
) {
    AdmissionQuestion question;
    question.cluster = discovery.cluster;
    question.target = request.target;
    question.authority_root = context.cluster.authority_root;
    question.target_key = discovery.target_key;
    question.candidate = candidate;
    question.candidate_prefix = protocol::candidate_prefix(discovery.target_key);
    question.accept_lost_authority = request.accept_lost_authority;
    question.allow_view_depends = request.allow_view_depends;
    if (!request.like.table.empty()) {
        question.more_tables.push_back(request.like.table);
    }
    if (!candidate.empty()) {
        question.more_tables.push_back(candidate);
    }
    const std::string own_prefix = question.candidate_prefix + operation_id.substr(0, 8);
    Admitted admitted;
    std::vector<protocol::Finding> probed;
    OtherKeys elsewhere;
    auto executor = co_await asio::this_coro::executor;
    {
        TaskGroup group(executor);
        group.spawn(keep_facts(context, std::move(question), request.deadline, admitted.facts));
        if (candidate.empty()) { // the same settings need no second probe
            group.spawn(keep_probes(context, request, discovery.cluster, probed));
        }
        group.spawn(find_other_keys(context, discovery, request.target, request.deadline, elsewhere));
        co_await group.join();
    }
    admitted.facts.operation_id = operation_id;
    admitted.facts.authority_records = elsewhere.of_all_targets;
    auto leftovers = tables_of_operation(admitted.facts, discovery.target_key, own_prefix);
    std::erase_if(leftovers, [&](const auto& table) { return table.name == candidate; });
    const bool recorded = discovery.authority.current.has_value();
    if (recorded) {
        const auto& record = discovery.authority.current->record;
        std::erase_if(leftovers, [&](const auto& table) { return is_recorded(record, table.name); });
    } else if (!leftovers.empty()) {
        // A killed staging leaves a candidate and no record. An entry that was more than a setup says that
        // there was one.
        std::vector<BoundMember> speakers;
        for (const Discovery::Speaker& speaker : discovery.speakers) {
            speakers.emplace_back(protocol::Member(), speaker.facts.identity.server_uuid, speaker.endpoint);
        }
        Queue queue(context);
        auto prefix = protocol::token_prefix(operation_id);
        auto answers =
            co_await queue.read_by_prefix(std::move(speakers), std::move(prefix), request.deadline);
        const bool dispatched = std::ranges::any_of(answers, [](const QueueAnswer& answer) {
            return !answer.reading.readable || !dispatched_entry(answer.reading.rows).empty();
        });
        if (dispatched) {
            leftovers.clear();
            admitted.facts.operation_id.clear(); // they are traces of a record that is gone
        }
    }
    admitted.leftovers = std::move(leftovers);
    admitted.admission = protocol::admit(admitted.facts);
    // Whoever looks at the facts again must not take another server's answer for the endpoint's.
    admitted.facts = protocol::own_answers(std::move(admitted.facts));
    admitted.admission.findings.insert(admitted.admission.findings.end(), probed.begin(), probed.end());
    check_pattern(admitted, request);
    check_other_keys(admitted, elsewhere);
    if (!admitted.refused()) {
        admitted.members = bind_admitted(admitted.admission, context);
    }
    for (const protocol::Finding& finding : admitted.admission.findings) {
        if (finding.severity == Severity::pass) {
            continue;
        }
        Event event;
        event.kind = EventKind::finding;
        event.name = std::string(protocol::stable_name(finding.code));
        event.host = finding.host;
        event.detail = finding.detail;
        context.events.on_event(event);
    }
    co_return admitted;
}

} // namespace onceswap::engine
