#include "engine/authority_reading.hpp"
#include "record_generator.hpp"
#include "row_encoding.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace onceswap;
using engine::conclude_slot;
using engine::SlotAnswer;
using protocol::RecordStanding;

namespace {

/// A record of three members that all show the same row of version 4.
struct Slot {
    testing::RecordGenerator generator{11};
    protocol::AuthorityRecord record = generator.record(protocol::Phase::dispatching);
    protocol::AuthorityRow row = at_version(testing::encoded(record), 4);
    std::vector<protocol::Uuid> servers;
    std::vector<SlotAnswer> answers;

    Slot() {
        for (const protocol::RecordedMember& member : record.members) {
            servers.push_back(member.server_uuid);
            SlotAnswer answer;
            answer.at = member.at;
            answer.answered = true;
            answer.row = row;
            answers.push_back(answer);
        }
    }

    static protocol::AuthorityRow at_version(protocol::AuthorityRow row, std::int32_t version) {
        row.version = version;
        return row;
    }

    engine::AuthorityReading conclude() const { return conclude_slot(record.target_key, servers, answers); }
};

} // namespace

BOOST_AUTO_TEST_SUITE(authority_reading)

BOOST_AUTO_TEST_CASE(what_all_show_is_valid) {
    const Slot slot;
    const auto reading = slot.conclude();
    BOOST_TEST((reading.standing == RecordStanding::valid));
    BOOST_TEST(reading.agreed());
    BOOST_TEST((reading.current->record == slot.record));
    BOOST_TEST((reading.current->row == slot.row));
}

BOOST_AUTO_TEST_CASE(two_rows_of_one_version_contradict) {
    Slot slot;
    slot.answers[1].row->payload_sha256 = std::string(64, '0');
    const auto reading = slot.conclude();
    BOOST_TEST((reading.standing == RecordStanding::invalid));
    BOOST_TEST((reading.problem.code == protocol::Code::authority_invalid));
    BOOST_TEST(!reading.current.has_value());
}

BOOST_AUTO_TEST_CASE(a_contradiction_below_the_highest_version_is_a_lag) {
    Slot slot;
    slot.answers[1].row = Slot::at_version(slot.row, 2);
    slot.answers[1].row->payload_sha256 = std::string(64, '0');
    const auto reading = slot.conclude();
    BOOST_TEST((reading.standing == RecordStanding::valid));
    BOOST_TEST(!reading.agreed());
    BOOST_REQUIRE(reading.laggards.size() == 1U);
    BOOST_TEST(reading.laggards[0] == protocol::text(slot.answers[1].at) + " shows version 2, not 4");
}

BOOST_AUTO_TEST_CASE(a_higher_version_counts_even_if_only_one_shows_it_and_it_is_broken) {
    Slot slot;
    slot.answers[0].row = Slot::at_version(slot.row, 5);
    slot.answers[0].row->payload += " ";
    const auto reading = slot.conclude();
    BOOST_TEST((reading.standing == RecordStanding::invalid));
    BOOST_TEST(reading.laggards.size() == slot.answers.size() - 1);
}

BOOST_AUTO_TEST_CASE(anothers_row_is_invalid_and_anothers_cluster_is_foreign) {
    Slot moved;
    const auto elsewhere = conclude_slot(std::string(64, 'a'), moved.servers, moved.answers);
    BOOST_TEST((elsewhere.standing == RecordStanding::invalid));

    Slot slot;
    const std::vector<protocol::Uuid> others = {slot.generator.uuid(), slot.generator.uuid()};
    const auto foreign = conclude_slot(slot.record.target_key, others, slot.answers);
    BOOST_TEST((foreign.standing == RecordStanding::foreign));
    BOOST_TEST((foreign.problem.code == protocol::Code::authority_foreign));
    BOOST_TEST(foreign.current.has_value());

    const std::vector<protocol::Uuid> one_shared = {slot.generator.uuid(), slot.servers[0]};
    BOOST_TEST(
        (conclude_slot(slot.record.target_key, one_shared, slot.answers).standing == RecordStanding::valid)
    );
}

BOOST_AUTO_TEST_CASE(who_does_not_answer_is_a_gap_and_no_absence) {
    Slot slot;
    for (SlotAnswer& answer : slot.answers) {
        answer.answered = false;
        answer.row.reset();
        answer.problem = "timed out";
    }
    const auto silent = slot.conclude();
    BOOST_TEST(!silent.readable);
    BOOST_TEST(silent.gaps.size() == slot.answers.size());
    BOOST_TEST(silent.gaps[0] == protocol::text(slot.answers[0].at) + ": timed out");

    slot.answers[0].answered = true;
    const auto one = slot.conclude();
    BOOST_TEST(one.readable);
    BOOST_TEST((one.standing == RecordStanding::absent));
    BOOST_TEST(!one.agreed());
}

BOOST_AUTO_TEST_CASE(a_pass_gives_the_same_answers) {
    const Slot slot;
    std::vector<protocol::MemberEvidence> evidence(2);
    evidence[0].at = slot.answers[0].at;
    evidence[0].keeper.emplace();
    evidence[0].keeper->authority = slot.row;
    evidence[1].at = slot.answers[1].at;
    evidence[1].keeper_problem = "its keeper hangs";
    const auto answers = engine::slot_answers(evidence);
    BOOST_REQUIRE(answers.size() == 2U);
    BOOST_TEST(answers[0].answered);
    BOOST_TEST((answers[0].row == slot.row));
    BOOST_TEST(!answers[1].answered);
    BOOST_TEST(answers[1].problem == "its keeper hangs");
}

BOOST_AUTO_TEST_SUITE_END()
