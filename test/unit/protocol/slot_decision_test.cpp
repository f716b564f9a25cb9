#include "protocol/admission.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace onceswap::protocol;

BOOST_AUTO_TEST_SUITE(slot_decision)

BOOST_AUTO_TEST_CASE(an_empty_slot_is_created) {
    BOOST_TEST((decide_slot(std::nullopt, "ours") == SlotDecision::create));
}

// Every phase x whose record it is x what the slot remembers of us.
BOOST_AUTO_TEST_CASE(every_phase_and_memory) {
    const std::vector<std::pair<Phase, bool>> phases{
        {Phase::prepared, false},
        {Phase::dispatching, false},
        {Phase::committed, false},
        {Phase::retiring, false},
        {Phase::set_aside_dispatching, false},
        {Phase::cleanup_dispatching, false},
        {Phase::completed, true},
        {Phase::abandoned, true},
    };
    using Memory = std::vector<RecentOperation>;
    const Memory nothing{{"other1", Phase::completed, 1}, {"other2", Phase::abandoned, 2}};
    const Memory done{
        {"other1", Phase::completed, 1}, {"ours", Phase::completed, 2}, {"other3", Phase::completed, 3}
    };
    const Memory gone{{"ours", Phase::abandoned, 1}, {"other1", Phase::completed, 2}};
    const Memory both{{"ours", Phase::abandoned, 1}, {"ours", Phase::completed, 2}};
    for (const auto& [phase, is_settled] : phases) {
        const auto decide = [phase_ = phase](const char* holder, const Memory& recent) {
            AuthorityRecord record;
            record.phase = phase_;
            record.operation_id = holder;
            record.recent = recent;
            return decide_slot(record, "ours");
        };
        BOOST_TEST_CONTEXT("phase " << static_cast<int>(phase)) {
            const SlotDecision own = phase == Phase::completed   ? SlotDecision::answer_completed
                                     : phase == Phase::abandoned ? SlotDecision::refuse_abandoned
                                                                 : SlotDecision::resume;
            for (const Memory& recent : {nothing, done, gone})
                BOOST_TEST((decide("ours", recent) == own));
            BOOST_TEST(
                (decide("other", nothing) ==
                 (is_settled ? SlotDecision::prepare : SlotDecision::resume_other_first))
            );
            BOOST_TEST((
                decide("other", {}) == (is_settled ? SlotDecision::prepare : SlotDecision::resume_other_first)
            ));
            BOOST_TEST((decide("other", done) == SlotDecision::answer_completed));
            BOOST_TEST((decide("other", gone) == SlotDecision::refuse_abandoned));
            BOOST_TEST((decide("other", both) == SlotDecision::answer_completed));
            BOOST_TEST((decide("our", nothing) == decide("other", nothing)));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
