// The operation takes the slot.
#include "engine/authority.hpp"
#include "engine/deadline.hpp"
#include "engine/publication.hpp"
#include "protocol/mutant.hpp"
#include "protocol/payload_codec.hpp"

#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;

namespace {

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

protocol::AuthorityRecord Publication::prepared_record(const protocol::Generation& desired) {
    protocol::Preparation preparation;
    preparation.cluster = discovery_.cluster;
    preparation.target = request_.target;
    preparation.operation_id = operation_id_;
    preparation.plan_digest = request_.plan_digest;
    preparation.inventory_digest = admitted_.inventory().digest();
    preparation.members = admitted_.recorded_members();
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
        if (leftover.name != candidate_.name) { // adopted after an earlier try had renamed it
            protocol::append_table(record.orphans, leftover);
        }
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
    report_.verdict = protocol::Verdict(); // from here on the slot may hold this operation
    if (current) {
        written = co_await authority.compare_and_swap(std::move(member), *current, std::move(next), deadline);
    } else {
        written = co_await authority.create_if_absent(std::move(member), std::move(next), deadline);
    }
    if (const auto* won = std::get_if<Won>(&written); won != nullptr) {
        in_record_ = true;
        AuthorityReading stands;
        stands.readable = true;
        stands.standing = protocol::RecordStanding::valid;
        stands.row = won->now.row;
        stands.current = won->now;
        discovery_.authority = std::move(stands);
        co_return;
    }
    const Failure problem = *problem_of(written);
    if (std::holds_alternative<NotSent>(written) ||
        mutated(protocol::Mutant::candidate_dropped_after_lost_write)) {
        end(problem);
        co_await discard();
    } else if (std::holds_alternative<Rejected>(written)) {
        end(problem);
    } else {
        co_await follow_winner(problem);
    }
}

/// A conflict, or nobody knows: the record decides. If it is this operation's, prepared by whichever of its
/// workers, that is what is gone on with; the candidate that it does not name stays where it is.
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
