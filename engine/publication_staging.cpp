// From admission A to PREPARED.
#include "engine/authority.hpp"
#include "engine/bootstrap.hpp"
#include "engine/cancellation.hpp"
#include "engine/deadline.hpp"
#include "engine/publication.hpp"
#include "protocol/payload_codec.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;

namespace {

std::vector<protocol::RecordedMember> recorded_members(const Admitted& admitted) {
    std::vector<protocol::RecordedMember> members;
    for (const protocol::AdmittedMember& member : admitted.admission.members) {
        protocol::RecordedMember recorded;
        recorded.at = member.member.at;
        recorded.replica_num = member.member.replica_num;
        recorded.server_uuid = member.server_uuid;
        members.push_back(std::move(recorded));
    }
    return members;
}

bool same_place(const std::optional<protocol::Generation>& a, const std::optional<protocol::Generation>& b) {
    return a.has_value() == b.has_value() && (!a || protocol::same_storage(*a, *b));
}

/// A member whose own Keeper session shows the row that the write is compared with.
BoundMember writer_among(const Admitted& admitted, const std::optional<VersionedRecord>& current) {
    for (std::size_t i = 0; i < admitted.members.size(); ++i) {
        const auto& facts = admitted.facts.endpoints.at(admitted.admission.members[i].endpoint);
        if (current && facts.keeper && facts.keeper->authority == current->row) {
            return admitted.members[i];
        }
    }
    return admitted.members.front();
}

} // namespace

asio::awaitable<void> Publication::admit() {
    step("admission");
    admitted_ = co_await admit_publication(context_, discovery_, request_, operation_id_, std::string());
    if (admitted_.refused()) {
        refuse(admitted_.admission.findings);
        co_return;
    }
    report_.inventory_digest = admitted_.inventory().digest();
    for (const protocol::Finding& finding : admitted_.admission.findings) {
        if (finding.severity == protocol::Severity::warn) {
            report_.warnings.push_back(std::string(protocol::stable_name(finding.code)) + ": " + finding.detail);
        }
    }
}

/// A pipe gives its rows once. Where an earlier try took some of them, they are gone.
void Publication::refuse_second_reading() {
    if (request_.source_is_repeatable || (admitted_.leftovers.empty() && own_record() == nullptr)) {
        return;
    }
    std::string which;
    for (const auto& table : admitted_.leftovers) {
        which = table.name;
    }
    if (own_record() != nullptr) {
        which = own_record()->candidate;
    }
    end(Code::input_not_repeatable,
        "an earlier try of this invocation staged into " + which +
            " and did not finish; its source cannot be read again");
}

/// The authority table exists everywhere, and this queue is known to behave.
asio::awaitable<void> Publication::check_authority_table() {
    std::optional<protocol::CanaryReceipt> recorded;
    if (discovery_.authority.current) {
        recorded = discovery_.authority.current->record.canary;
    }
    const bool complete = admitted_.admission.facade == protocol::FacadeStanding::complete;
    if (complete && !canary_is_due(recorded, admitted_)) {
        co_return;
    }
    auto receipt = co_await bootstrap(context_, admitted_, operation_id_, request_.deadline);
    if (!receipt) {
        end(receipt.error());
        co_return;
    }
    canary_ = std::move(*receipt);
    if (complete) {
        co_return;
    }
    admitted_ = co_await admit_publication(context_, discovery_, request_, operation_id_, std::string());
    if (admitted_.refused()) {
        refuse(admitted_.admission.findings);
    } else if (admitted_.admission.facade != protocol::FacadeStanding::complete) {
        end(Code::authority_bootstrap_unknown, "the authority table is not on every member");
    }
}

/// PREPARED by an earlier try of this operation: without a CAS on this version nothing was dispatched, so its candidate
/// is as good as a new one if it is still complete and the target is still the one it was prepared for.
asio::awaitable<bool> Publication::take_over() {
    step("take over");
    const protocol::AuthorityRecord record = *own_record();
    if (record.inventory_digest != admitted_.inventory().digest() ||
        record.members != recorded_members(admitted_) ||
        !same_place(record.predecessor, admitted_.admission.target)) {
        co_return false;
    }
    StagedCandidate candidate;
    candidate.name = record.candidate;
    candidate.uuid = record.desired.uuid;
    candidate.staged_rows = record.staged_rows;
    const std::string& engine = record.desired.engine_full;
    candidate.with_final = protocol::is_merging_engine(engine.substr(0, engine.find('(')));
    const auto patience = context_.limits.visibility_wait;
    auto admission = co_await admit_staged(
        context_, admitted_, candidate, request_.target, patience, request_.deadline
    );
    if (admission.refused()) {
        co_return false;
    }
    candidate_ = candidate;
    in_record_ = true;
    generation_ = admission.candidate;
    co_return true;
}

/// A new candidate, filled by the loader, complete and healthy on every member.
asio::awaitable<void> Publication::stage() {
    step("stage");
    candidate_ = choose_candidate(context_, discovery_, operation_id_);
    auto created = co_await create_candidate(context_, admitted_, request_, candidate_, operation_id_);
    if (!created) {
        end(created.error());
    } else {
        const bool filled = co_await fill();
        if (filled) {
            co_return;
        }
    }
    co_await discard();
}

asio::awaitable<bool> Publication::fill() {
    Candidate candidate;
    candidate.name = candidate_.name;
    candidate.uuid = candidate_.uuid;
    std::optional<protocol::Result<std::uint64_t>> staged;
    std::exception_ptr error;
    try {
        auto rows = co_await stage_(context_, candidate);
        staged.emplace(std::move(rows));
    } catch (...) {
        error = std::current_exception();
    }
    if (error && is_cancellation(error)) {
        std::rethrow_exception(error);
    }
    if (!staged) {
        end(Code::staging_failed, "the loader threw an exception");
        co_return false;
    }
    if (!*staged) {
        end(staged->error());
        co_return false;
    }
    candidate_.staged_rows = **staged;
    if (candidate_.with_final) {
        auto measured =
            co_await measure_rows(context_, admitted_, candidate_, request_.target.database, request_.deadline);
        if (!measured) {
            end(measured.error());
            co_return false;
        }
        candidate_.staged_rows = *measured;
    }
    step("admission of the candidate");
    const auto patience = context_.limits.candidate_wait;
    auto admission = co_await admit_staged(
        context_, admitted_, candidate_, request_.target, patience, request_.deadline
    );
    if (admission.refused()) {
        refuse(admission.findings);
        co_return false;
    }
    generation_ = admission.candidate;
    co_return true;
}

/// Nothing of the authority was sent by this try, so nobody else can know its candidate.
asio::awaitable<void> Publication::discard() {
    if (!candidate_.created) {
        co_return;
    }
    std::string why;
    const bool dropped = co_await discard_candidate(
        context_, admitted_, candidate_, request_.target.database, operation_id_, why
    );
    if (dropped) {
        candidate_.requested = false;
    }
}

protocol::AuthorityRecord Publication::prepared_record(const protocol::Generation& desired) {
    protocol::Preparation preparation;
    preparation.cluster = discovery_.cluster;
    preparation.target = request_.target;
    preparation.operation_id = operation_id_;
    preparation.plan_digest = request_.plan_digest;
    preparation.inventory_digest = admitted_.inventory().digest();
    preparation.members = recorded_members(admitted_);
    preparation.predecessor = admitted_.admission.target;
    preparation.desired = desired;
    preparation.candidate = candidate_.name;
    preparation.staged_rows = candidate_.staged_rows;
    preparation.fence_token = context_.entropy.hex32();
    preparation.canary = canary_;
    const auto stamp = fresh_stamp(context_);
    protocol::AuthorityRecord record;
    if (!discovery_.authority.current) {
        record = protocol::prepare_new(preparation, stamp);
    } else if (own_record() != nullptr) {
        record = protocol::re_prepare(*own_record(), preparation, stamp);
    } else {
        record = protocol::prepare_next(discovery_.authority.current->record, preparation, stamp);
    }
    for (const auto& leftover : admitted_.leftovers) {
        protocol::append_table(record.orphans, leftover);
    }
    return record;
}

/// The operation takes the slot. From the first byte of this write on the candidate may be the record's.
asio::awaitable<void> Publication::prepare() {
    step("prepare");
    auto next = prepared_record(*generation_);
    if (protocol::worst_case_payload_bytes(next) > protocol::limits::payload_bytes) {
        end(Code::authority_invalid, "the record of this operation could outgrow its limit");
        co_await discard();
        co_return;
    }
    Authority authority(context_, request_.target.database, discovery_.target_key);
    const auto& current = discovery_.authority.current;
    auto member = writer_among(admitted_, current);
    const TimePoint deadline =
        earlier_of(context_.clock, context_.limits.mutation_timeout, request_.deadline);
    WriteResult written;
    if (current) {
        written =
            co_await authority.compare_and_swap(std::move(member), *current, std::move(next), deadline);
    } else {
        written = co_await authority.create_if_absent(std::move(member), std::move(next), deadline);
    }
    if (const auto* won = std::get_if<Won>(&written); won != nullptr) {
        in_record_ = true;
        discovery_.authority.current = won->now;
        co_return;
    }
    const Failure problem = *problem_of(written);
    if (std::holds_alternative<NotSent>(written)) {
        end(problem);
        co_await discard();
    } else if (std::holds_alternative<Rejected>(written)) {
        end(problem);
    } else {
        co_await follow_winner(problem);
    }
}

/// A conflict, or nobody knows: the record decides. If it is this operation's, prepared by whichever of its workers,
/// that is what is gone on with; the candidate that it does not name stays where it is.
asio::awaitable<void> Publication::follow_winner(Failure problem) {
    const std::string ours = candidate_.name;
    discovery_ = co_await discover(context_, request_.target, request_.deadline);
    const protocol::AuthorityRecord* record = own_record();
    if (record == nullptr) {
        end(problem);
        co_return;
    }
    in_record_ = record->candidate == ours;
    if (record->phase != protocol::Phase::prepared || in_record_) {
        co_return;
    }
    const StagedCandidate left = candidate_;
    const bool ready = co_await take_over();
    if (!ready) {
        end(problem);
        co_return;
    }
    left_behind_.push_back(protocol::NamedTable{left.name, left.uuid});
}

} // namespace onceswap::engine
