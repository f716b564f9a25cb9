#include "engine/authority_reading.hpp"

#include "protocol/mutant.hpp"
#include "protocol/payload_codec.hpp"

#include <algorithm>

namespace onceswap::engine {

using protocol::Code;
using protocol::Failure;
using protocol::RecordStanding;

namespace {

void invalidate(AuthorityReading& reading, std::string detail) {
    reading.standing = RecordStanding::invalid;
    reading.problem = Failure(Code::authority_invalid, std::move(detail));
}

bool shares_a_server(const protocol::AuthorityRecord& record, std::span<const protocol::Uuid> servers) {
    return std::ranges::any_of(record.members, [servers](const protocol::RecordedMember& member) {
        return std::ranges::find(servers, member.server_uuid) != servers.end();
    });
}

} // namespace

AuthorityReading conclude_slot(
    std::string_view target_key, std::span<const protocol::Uuid> servers, std::span<const SlotAnswer> answers
) {
    AuthorityReading reading;
    const SlotAnswer* leader = nullptr;
    for (const SlotAnswer& answer : answers) {
        if (!answer.answered) {
            reading.gaps.push_back(text(answer.at) + ": " + answer.problem);
            continue;
        }
        reading.readable = true;
        const bool newer = answer.row && (!leader || answer.row->version > leader->row->version);
        const bool older = answer.row && leader && answer.row->version < leader->row->version;
        if (newer || (older && mutated(protocol::Mutant::lowest_version_wins)))
            leader = &answer;
    }
    if (!leader)
        return reading;

    reading.row = leader->row;
    const std::string version = std::to_string(leader->row->version);
    for (const SlotAnswer& answer : answers) {
        if (!answer.answered)
            continue;
        if (!answer.row)
            reading.laggards.push_back(text(answer.at) + " shows no row, not version " + version);
        else if (answer.row->version != leader->row->version)
            reading.laggards.push_back(
                text(answer.at) + " shows version " + std::to_string(answer.row->version) + ", not " + version
            );
    }
    for (const SlotAnswer& answer : answers)
        if (answer.answered && answer.row && answer.row->version == leader->row->version &&
            answer.row != leader->row) {
            invalidate(
                reading,
                text(leader->at) + " and " + text(answer.at) + " show different rows of version " + version
            );
            return reading;
        }

    if (leader->row->target_key != target_key) {
        invalidate(reading, text(leader->at) + " shows another target's row");
        return reading;
    }
    auto record = protocol::decode_row(*leader->row);
    if (!record) {
        invalidate(reading, record.error().detail);
        return reading;
    }
    reading.standing = RecordStanding::valid;
    reading.current.emplace(*leader->row, std::move(*record));
    return read_among(std::move(reading), servers);
}

AuthorityReading read_among(AuthorityReading reading, std::span<const protocol::Uuid> servers) {
    if (reading.standing != RecordStanding::valid || !reading.current ||
        shares_a_server(reading.current->record, servers) || mutated(protocol::Mutant::foreign_record_taken))
        return reading;
    reading.standing = RecordStanding::foreign;
    const std::size_t named = reading.current->record.members.size();
    reading.problem = Failure(
        Code::authority_foreign, "none of the record's " + std::to_string(named) + " servers is a member here"
    );
    return reading;
}

std::vector<SlotAnswer> slot_answers(std::span<const protocol::MemberEvidence> evidence) {
    std::vector<SlotAnswer> answers;
    answers.reserve(evidence.size());
    for (const protocol::MemberEvidence& of_member : evidence) {
        SlotAnswer answer;
        answer.at = of_member.at;
        answer.answered = of_member.keeper.has_value() && of_member.keeper_problem.empty();
        if (answer.answered)
            answer.row = of_member.keeper->authority;
        else
            answer.problem = of_member.keeper_problem;
        answers.push_back(std::move(answer));
    }
    return answers;
}

AuthorityReading conclude_slot(
    std::string_view target_key,
    const std::vector<BoundMember>& members,
    std::span<const protocol::MemberEvidence> evidence
) {
    std::vector<protocol::Uuid> servers;
    servers.reserve(members.size());
    for (const BoundMember& member : members)
        servers.push_back(member.server_uuid);
    const std::vector<SlotAnswer> answers = slot_answers(evidence);
    return conclude_slot(target_key, servers, answers);
}

} // namespace onceswap::engine
