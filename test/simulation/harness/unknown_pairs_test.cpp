#include "fixtures/harness/unknown_pairs.hpp"

#include <boost/test/unit_test.hpp>

// Every unknown that the evidence cannot decide has two worlds that show it: the same bytes, the same word,
// and not the same happened.

using namespace onceswap;

namespace {

const char* const causes[] = {
    // no usable evidence of the publication
    "15 DISPATCHING DDL_UNBOUND none PENDING",
    "15 DISPATCHING DDL_UNBOUND none COMMITTED",
    "15 DISPATCHING DDL_UNBOUND none COMMITTED+PENDING",
    "15 DISPATCHING DDL_UNBOUND gone PENDING",
    "15 DISPATCHING DDL_UNBOUND gone COMMITTED",
    "15 DISPATCHING DDL_UNBOUND gone COMMITTED+PENDING",
    "15 DISPATCHING DDL_AMBIGUOUS several_entries PENDING",
    "15 DISPATCHING DDL_AMBIGUOUS several_entries COMMITTED",
    "15 DISPATCHING DDL_AMBIGUOUS several_entries COMMITTED+PENDING",
    "15 DISPATCHING QUEUE_UNREADABLE unreadable PENDING",
    "15 DISPATCHING QUEUE_UNREADABLE unreadable COMMITTED",
    "15 DISPATCHING QUEUE_UNREADABLE unreadable COMMITTED+PENDING",
    "15 DISPATCHING DDL_CHANGED changed PENDING",
    "15 DISPATCHING DDL_CHANGED changed COMMITTED",
    "15 DISPATCHING DDL_CHANGED changed COMMITTED+PENDING",
    "15 DISPATCHING OUTCOME_UNKNOWN unknown_rows PENDING",
    "15 DISPATCHING OUTCOME_UNKNOWN unknown_rows COMMITTED",
    "15 DISPATCHING OUTCOME_UNKNOWN unknown_rows COMMITTED+PENDING",
    "15 DISPATCHING QUEUE_DIVERGED diverged PENDING",
    "15 DISPATCHING QUEUE_DIVERGED diverged COMMITTED",
    "15 DISPATCHING QUEUE_DIVERGED diverged COMMITTED+PENDING",
    // the queue is done, the catalogues are not
    "18 DISPATCHING OUTCOME_UNKNOWN success PENDING",
    // somebody else at the names
    "10 DISPATCHING OUTCOME_UNKNOWN success FOREIGN",
    "10 DISPATCHING OUTCOME_UNKNOWN none COMMITTED+FOREIGN",
    "14 DISPATCHING OUTCOME_UNKNOWN success ASIDE",
    "14 DISPATCHING OUTCOME_UNKNOWN success ASIDE+COMMITTED",
    "14 DISPATCHING OUTCOME_UNKNOWN failure KEPT_OLD+PENDING",
    "14 DISPATCHING OUTCOME_UNKNOWN none CLEANED",
    "12 PREPARED OUTCOME_UNKNOWN none COMMITTED",
    "12 PREPARED OUTCOME_UNKNOWN none COMMITTED+PENDING",
    "10 PREPARED OUTCOME_UNKNOWN none FOREIGN+PENDING",
    "10 COMMITTED OUTCOME_UNKNOWN none COMMITTED+FOREIGN",
    "20 COMMITTED OUTCOME_UNKNOWN none PENDING",
    "20 COMMITTED OUTCOME_UNKNOWN none COMMITTED+PENDING",
    "20 SET_ASIDE_DISPATCHING OUTCOME_UNKNOWN success ASIDE+PENDING",
    "10 SET_ASIDE_DISPATCHING OUTCOME_UNKNOWN success ASIDE+FOREIGN",
    "20 CLEANUP_DISPATCHING OUTCOME_UNKNOWN success CLEANED+PENDING",
    "23 CLEANUP_DISPATCHING OUTCOME_UNKNOWN success CLEANED+COMMITTED",
    // no usable evidence of a cleanup statement
    "25 SET_ASIDE_DISPATCHING CLEANUP_UNKNOWN several_entries ASIDE",
    "25 SET_ASIDE_DISPATCHING CLEANUP_UNKNOWN unreadable ASIDE",
    "25 SET_ASIDE_DISPATCHING CLEANUP_UNKNOWN changed ASIDE+COMMITTED",
    "25 SET_ASIDE_DISPATCHING CLEANUP_UNKNOWN unknown_rows COMMITTED",
    "25 SET_ASIDE_DISPATCHING CLEANUP_UNKNOWN diverged ASIDE",
    "25 CLEANUP_DISPATCHING CLEANUP_UNKNOWN several_entries CLEANED",
    "25 CLEANUP_DISPATCHING CLEANUP_UNKNOWN unreadable ASIDE+CLEANED",
    "25 CLEANUP_DISPATCHING CLEANUP_UNKNOWN changed CLEANED",
    "25 CLEANUP_DISPATCHING CLEANUP_UNKNOWN unknown_rows CLEANED",
    "25 CLEANUP_DISPATCHING CLEANUP_UNKNOWN diverged ASIDE",
};

} // namespace

BOOST_AUTO_TEST_SUITE(unknown_pairs)

BOOST_AUTO_TEST_CASE(every_cause_has_two_worlds) {
    for (const char* const cause : causes) {
        const auto check = harness::check_pair(cause);
        BOOST_TEST(check.pair.has_value(), cause << ": " << check.why_not);
        if (check.pair)
            BOOST_TEST_MESSAGE(harness::describe(*check.pair));
    }
}

BOOST_AUTO_TEST_CASE(what_evidence_decides_has_none) {
    const char* const decided[] = {
        "17 DISPATCHING COMMITTED success COMMITTED",
        "15 DISPATCHING DDL_UNBOUND success COMMITTED",
        "18 DISPATCHING NOT_COMMITTED failure PENDING",
        "9 DISPATCHING OUTCOME_UNKNOWN none PENDING+UNAVAILABLE",
        "nonsense",
        "",
    };
    for (const char* const cause : decided)
        BOOST_TEST(!harness::pair_for(cause).has_value(), cause);
}

BOOST_AUTO_TEST_SUITE_END()
