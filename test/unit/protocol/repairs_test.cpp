#include "operator_record.hpp"
#include "protocol/repairs.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

// Carrying out what is printed makes the members agree, for each pair of states in which it is printed.

namespace {

using namespace onceswap::protocol;
using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(repairs_of_a_mixed_retirement)

/// The target's role after the printed statement, by exchanging what its two names hold.
Role after(const MemberState& member, const Report::Repair& step) {
    BOOST_TEST(step.sql.find("ON CLUSTER") == std::string::npos);
    if (step.sql == "RENAME TABLE `db`.`target` TO `db`.`onceswap_c__aside`")
        return Role::absent;
    BOOST_TEST(
        (step.sql == "EXCHANGE TABLES `db`.`target` AND `db`.`onceswap_c__aside`" ||
         step.sql == "RENAME TABLE `db`.`onceswap_c__aside` TO `db`.`target`")
    );
    return member.aside.role;
}

BOOST_AUTO_TEST_CASE(every_pair_of_states) {
    for (const bool existing : {true, false}) {
        const auto record = operator_record(Phase::retiring, existing);
        const Role old = existing ? Role::predecessor : Role::absent;
        for (const State first : all_states)
            for (const State second : all_states) {
                if (!existing && (first == State::aside || second == State::aside))
                    continue;
                const std::vector<MemberState> members{
                    shown_state(record, 0, first), shown_state(record, 1, second)
                };
                const auto steps = repairs(record, members);
                for (const Role serve : {Role::desired, old}) {
                    std::vector<Role> targets{members[0].target.role, members[1].target.role};
                    bool any = false;
                    for (const auto& step : steps) {
                        if (step.serve != serve)
                            continue;
                        any = true;
                        const std::size_t at = step.at == members[0].at ? 0 : 1;
                        BOOST_TEST((members[at].target.role != serve));
                        targets[at] = after(members[at], step);
                        BOOST_TEST(step.before.is_nil() == (members[at].target.role == Role::absent));
                        BOOST_TEST(step.after.is_nil() == (serve == Role::absent));
                    }
                    if (any)
                        BOOST_TEST(
                            std::ranges::all_of(targets, [&](Role role) { return role == serve; }),
                            text(first) << ' ' << text(second) << ' ' << text(serve)
                        );
                }
            }
    }
}

BOOST_AUTO_TEST_CASE(a_mixed_retirement_has_both_ways_and_an_unreachable_one_is_left_out) {
    const auto record = operator_record(Phase::retiring);
    const auto steps_of = [&](State first, State second) {
        const std::vector<MemberState> members{shown_state(record, 0, first), shown_state(record, 1, second)};
        return repairs(record, members);
    };
    const auto both = steps_of(State::aside, State::kept_old);
    BOOST_REQUIRE(both.size() == 2U);
    BOOST_TEST((both[0].serve == Role::desired && both[0].at == record.members[1].at));
    BOOST_TEST((both[0].before == record.predecessor->uuid && both[0].after == record.desired.uuid));
    BOOST_TEST((both[1].serve == Role::predecessor && both[1].at == record.members[0].at));
    const auto forward_only = steps_of(State::cleaned, State::kept_old); // one host has lost the old one
    BOOST_REQUIRE(forward_only.size() == 1U);
    BOOST_TEST((forward_only[0].serve == Role::desired));
    BOOST_TEST(steps_of(State::unavailable, State::kept_old).empty());
    BOOST_TEST(steps_of(State::pending, State::committed).empty()); // the candidate's name is still there
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
