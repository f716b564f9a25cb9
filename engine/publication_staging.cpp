// From admission A to a staged candidate.
#include "engine/bootstrap.hpp"
#include "engine/cancellation.hpp"
#include "engine/publication.hpp"
#include "protocol/leading_refusal.hpp"
#include "protocol/mutant.hpp"

#include <exception>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;

namespace {

bool same_place(const std::optional<protocol::Generation>& a, const std::optional<protocol::Generation>& b) {
    return a.has_value() == b.has_value() && (!a || protocol::same_storage(*a, *b));
}

} // namespace

asio::awaitable<void> Publication::admit() {
    step("admission");
    admitted_ = co_await admit_publication(context_, discovery_, request_, operation_id_, std::string());
    if (admitted_.refused()) {
        refuse(admitted_.admission.findings);
        co_return;
    }
    refuse_foreign_record();
    if (ended_) {
        co_return;
    }
    report_.inventory_digest = admitted_.inventory().digest();
    for (const protocol::Finding& finding : admitted_.admission.findings) {
        if (finding.severity == protocol::Severity::warn) {
            report_.warnings.push_back(
                std::string(protocol::stable_name(finding.code)) + ": " + finding.detail
            );
        }
    }
}

/// The servers may have become others since the slot was read: then the record is no longer ours.
void Publication::refuse_foreign_record() {
    std::vector<protocol::Uuid> servers;
    for (const protocol::AdmittedMember& member : admitted_.admission.members) {
        servers.push_back(member.server_uuid);
    }
    const auto slot = read_among(discovery_.authority, servers);
    if (slot.standing == protocol::RecordStanding::foreign) {
        end_with_unusable(slot);
    }
}

/// Without rows only the recorded candidate can be published, and it is not ready. An adopted table has one
/// name of ours, which is the record's already.
void Publication::refuse_staging_again() {
    if (request_.only_staged || (!adopted_from_.empty() && own_record() != nullptr)) {
        end(*not_taken_over_);
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

/// PREPARED by an earlier try of this operation: without a CAS on this version nothing was dispatched, so its
/// candidate is as good as a new one if it is still complete and the target is still the one it was prepared
/// for.
asio::awaitable<bool> Publication::take_over() {
    step("take over");
    const protocol::AuthorityRecord record = *own_record();
    if (record.inventory_digest != admitted_.inventory().digest() ||
        record.members != admitted_.recorded_members()) {
        not_taken_over_ = Failure(Code::inventory_drift, "the members are not those that it was staged for");
        co_return false;
    }
    if (!same_place(record.predecessor, admitted_.admission.target)) {
        not_taken_over_ =
            Failure(Code::generation_diverged, "the target is not the one that it was staged for");
        co_return false;
    }
    StagedCandidate candidate;
    candidate.name = record.candidate;
    candidate.uuid = record.desired.uuid;
    candidate.staged_rows = record.staged_rows;
    const std::string& engine = record.desired.engine_full;
    candidate.with_final = protocol::is_merging_engine(engine.substr(0, engine.find('(')));
    const auto patience = context_.limits.visibility_wait;
    auto admission =
        co_await admit_staged(context_, admitted_, candidate, request_.target, patience, request_.deadline);
    if (admission.refused() && !mutated(protocol::Mutant::unready_candidate_taken_over)) {
        const protocol::Finding first = *protocol::leading_refusal(admission.findings);
        not_taken_over_ = Failure(
            first.code, candidate.name + (first.host.empty() ? "" : " on " + first.host) + ": " + first.detail
        );
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
        auto measured = co_await measure_rows(
            context_, admitted_, candidate_, request_.target.database, request_.deadline
        );
        if (!measured) {
            end(measured.error());
            co_return false;
        }
        candidate_.staged_rows = *measured;
    }
    step("admission of the candidate");
    const auto patience = context_.limits.candidate_wait;
    auto admission =
        co_await admit_staged(context_, admitted_, candidate_, request_.target, patience, request_.deadline);
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

} // namespace onceswap::engine
