#include "engine/doctor.hpp"

#include "engine/admission.hpp"
#include "engine/candidate.hpp"
#include "engine/discovery.hpp"
#include "engine/member_read.hpp"
#include "engine/queue.hpp"
#include "engine/task_group.hpp"
#include "protocol/names.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statement_parser.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Phase;
using protocol::RecordStanding;
using protocol::Rule;
using protocol::Severity;

namespace {

const protocol::Uuid any_server;

/// Every token of ours begins with it.
constexpr std::string_view own_tokens = "onceswap-v1-";

protocol::Finding finding_of(Severity severity, Rule rule, std::string host, std::string detail) {
    protocol::Finding finding;
    finding.severity = severity;
    finding.rule = rule;
    finding.code = protocol::code_of(rule);
    finding.check = std::string(protocol::text(rule));
    finding.host = std::move(host);
    finding.detail = std::move(detail);
    return finding;
}

/// What ended the discovery, as a rule of the checklist.
Rule rule_of(Code code) {
    switch (code) {
    case Code::access_insufficient:
        return Rule::user_accepted;
    case Code::capability_missing:
        return Rule::version;
    case Code::topology_unsupported:
        return Rule::cluster_shape;
    case Code::inventory_invalid:
        return Rule::members_unique;
    case Code::inventory_incomplete:
        return Rule::cluster_known;
    default:
        return Rule::reachable;
    }
}

bool is_open(Phase phase) {
    return phase != Phase::completed && phase != Phase::abandoned;
}

/// What a publication looks at before its admission: who answers, and the slot.
void look_at_slot(const Discovery& discovery, const DoctorRequest& request, protocol::DoctorFacts& facts) {
    if (discovery.problem) {
        auto finding =
            finding_of(Severity::refuse, rule_of(discovery.problem->code), {}, discovery.problem->detail);
        finding.code = discovery.problem->code;
        facts.before.push_back(std::move(finding));
        return;
    }
    const AuthorityReading& slot = discovery.authority;
    if (!slot.readable) {
        std::string detail = "no member could read the record";
        for (const std::string& gap : slot.gaps)
            detail += "; " + gap;
        facts.before.push_back(finding_of(Severity::refuse, Rule::slot_readable, {}, std::move(detail)));
        return;
    }
    facts.slot_known = true;
    if (slot.standing == RecordStanding::invalid || slot.standing == RecordStanding::foreign) {
        const Rule rule = slot.standing == RecordStanding::foreign ? Rule::slot_foreign : Rule::slot_valid;
        auto finding = finding_of(Severity::refuse, rule, {}, slot.problem.detail);
        finding.code = slot.problem.code;
        facts.before.push_back(std::move(finding));
        return;
    }
    if (!slot.current)
        return;
    const protocol::AuthorityRecord& record = slot.current->record;
    facts.ever_completed = record.phase == Phase::completed ||
                           std::ranges::any_of(record.recent, [](const protocol::RecentOperation& each) {
                               return each.outcome == Phase::completed;
                           });
    if (record.phase == Phase::prepared)
        facts.candidate = record.candidate;
    if (!is_open(record.phase) || record.operation_id == request.operation)
        return;
    // One that was dispatched is finished first by whoever comes next; one that was not stands in the way.
    const Severity severity = record.phase == Phase::prepared ? Severity::refuse : Severity::warn;
    facts.before.push_back(finding_of(
        severity,
        Rule::slot_free,
        {},
        "operation " + record.operation_id + " is " + std::string(protocol::text(record.phase))
    ));
}

asio::awaitable<void> ask_environment(
    Context& context, http::Endpoint endpoint, TimePoint deadline, protocol::DoctorFacts::Asked& asked
) {
    const auto statement = protocol::environment_statement();
    MemberRead read(endpoint, endpoint.text(), statement, false);
    co_await read_into(
        context,
        std::move(read),
        deadline,
        any_server,
        protocol::decode_environment,
        asked.environment,
        asked.problem
    );
}

/// Entries of ours that are still in the queue, from the first member that shows them.
asio::awaitable<void> ask_own_entries(
    Context& context, std::vector<BoundMember> speakers, TimePoint deadline, protocol::DoctorFacts& facts
) {
    Queue queue(context);
    for (const BoundMember& speaker : speakers) {
        std::vector<BoundMember> one{speaker};
        std::string prefix(own_tokens);
        const auto answers = co_await queue.read_by_prefix(std::move(one), std::move(prefix), deadline);
        for (const QueueAnswer& answer : answers) {
            if (answer.reading.readable) {
                facts.own_entries = answer.reading.rows;
                co_return;
            }
        }
    }
}

asio::awaitable<void> keep_admission(
    Context& context,
    const Discovery& discovery,
    PublishRequest request,
    std::string operation_id,
    Admitted& admitted
) {
    Discovery own = discovery;
    std::string before_staging;
    auto read = co_await admit_publication(
        context, std::move(own), std::move(request), std::move(operation_id), std::move(before_staging)
    );
    admitted = std::move(read);
}

/// Entries about this database's authority table are what tells of keeper_map_path_prefix.
void keep_facade_entries(std::vector<protocol::QueueRow>& rows, const std::string& database) {
    const std::vector<std::string> facade{std::string(protocol::authority_table)};
    std::erase_if(rows, [&](const protocol::QueueRow& row) {
        return !protocol::names_any_table(row.query, database, facade);
    });
}

/// The members' endpoints also where admission refuses, as long as each member has one.
void bind_members(Admitted& admitted, const Context& context) {
    if (!admitted.members.empty())
        return;
    for (const protocol::AdmittedMember& member : admitted.admission.members)
        admitted.members.emplace_back(
            member.member, member.server_uuid, context.cluster.endpoints.at(member.endpoint)
        );
}

asio::awaitable<void> ask_candidate(
    Context& context,
    const protocol::AuthorityRecord& record,
    Admitted& admitted,
    TimePoint deadline,
    protocol::DoctorFacts& facts
) {
    bind_members(admitted, context);
    if (admitted.members.empty() || !admitted.admission.inventory)
        co_return;
    StagedCandidate candidate;
    candidate.name = record.candidate;
    candidate.uuid = record.desired.uuid;
    candidate.staged_rows = record.staged_rows;
    const std::string& engine = record.desired.engine_full;
    candidate.with_final = protocol::is_merging_engine(engine.substr(0, engine.find('(')));
    protocol::TargetName target = record.target;
    const std::chrono::milliseconds no_patience{0};
    auto admission =
        co_await admit_staged(context, admitted, candidate, std::move(target), no_patience, deadline);
    facts.candidate_admission = std::move(admission);
}

} // namespace

asio::awaitable<Checklist> examine(Context& context, DoctorRequest request) {
    Checklist list;
    list.observed_at = context.clock.wall_seconds();
    list.facts.user = request.user;
    list.facts.readonly_user = request.readonly_user;
    list.facts.candidate_is_meant = !request.operation.empty();
    list.facts.asked.resize(context.cluster.endpoints.size());
    auto discovery = co_await discover(context, request.target, request.deadline);
    look_at_slot(discovery, request, list.facts);

    PublishRequest publication;
    publication.target = request.target;
    publication.like = request.like;
    publication.invocation_id = context.entropy.hex32(); // a run that nobody knows yet
    publication.plan_digest = std::string(64, '0');
    publication.accept_lost_authority = request.accept_lost_authority;
    publication.allow_view_depends = request.allow_view_depends;
    publication.deadline = request.deadline;
    std::string operation_id = request.operation;
    if (operation_id.empty()) {
        operation_id = protocol::operation_id(
            discovery.cluster, request.target, publication.invocation_id, publication.plan_digest
        );
    }
    std::vector<BoundMember> speakers;
    for (const Discovery::Speaker& speaker : discovery.speakers)
        speakers.emplace_back(protocol::Member(), speaker.facts.identity.server_uuid, speaker.endpoint);

    Admitted admitted;
    auto executor = co_await asio::this_coro::executor;
    {
        TaskGroup group(executor);
        group.spawn(keep_admission(context, discovery, publication, operation_id, admitted));
        for (std::size_t i = 0; i < list.facts.asked.size(); ++i) {
            group.spawn(
                ask_environment(context, context.cluster.endpoints[i], request.deadline, list.facts.asked[i])
            );
        }
        group.spawn(ask_own_entries(context, std::move(speakers), request.deadline, list.facts));
        co_await group.join();
    }
    keep_facade_entries(list.facts.own_entries, request.target.database);
    if (!list.facts.candidate.empty()) {
        const auto& record = discovery.authority.current->record;
        co_await ask_candidate(context, record, admitted, request.deadline, list.facts);
    }
    list.facts.facts = std::move(admitted.facts);
    list.facts.admission = std::move(admitted.admission);
    list.diagnosis = protocol::diagnose(list.facts);
    co_return list;
}

} // namespace onceswap::engine
