// What a record says of an attempt: its token, what was learnt of it, its receipt.
#include "protocol/correlation_token.hpp"
#include "transition_story.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <stdexcept>
#include <string>

using namespace onceswap::protocol;
using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(transitions)

BOOST_AUTO_TEST_CASE(a_dispatch_makes_the_token_of_its_epoch) {
    Story story(2);
    const AuthorityRecord prepared = story.prepared();
    const DispatchGrant grant = story.grant();
    const AuthorityRecord next = to_dispatching(prepared, grant, story.stamp());
    BOOST_TEST(next.dispatch_epoch == 1U);
    BOOST_TEST(next.fence_token == grant.fence_token);
    BOOST_TEST(
        current_attempt(next)->token ==
        make_token(prepared.operation_id, Action::publish, 1, grant.token_entropy).text()
    );
    const AuthorityRecord again = redispatch(story.cleanup(), grant, story.stamp());
    BOOST_TEST((CorrelationToken::parse(current_attempt(again)->token)->action == Action::cleanup));
    BOOST_TEST(again.cleanup.size() == 2U);
}

BOOST_AUTO_TEST_CASE(an_epoch_never_wraps) {
    Story story(3);
    AuthorityRecord prepared = story.prepared();
    prepared.dispatch_epoch = std::numeric_limits<std::uint64_t>::max();
    BOOST_CHECK_THROW(to_dispatching(prepared, story.grant(), story.stamp()), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_token_is_withdrawn_in_a_write_of_its_own) {
    Story story(17);
    const AuthorityRecord record = story.dispatching();
    const AuthorityRecord known = set_holder_result(record, HolderResult::not_sent, story.stamp());
    BOOST_TEST(is_allowed_transition(record, known));
    BOOST_TEST(is_allowed_transition(known, back_to_prepared(known, story.stamp())));
    BOOST_TEST(!is_allowed_transition(record, back_to_prepared(known, story.stamp())));
    BOOST_TEST(!is_allowed_transition(record, to_abandoned(known, story.stamp())));
}

BOOST_AUTO_TEST_CASE(a_token_is_withdrawn_only_when_nothing_can_have_been_dispatched) {
    Story story(8);
    for (const HolderResult result :
         {HolderResult::none,
          HolderResult::acknowledged,
          HolderResult::host_failed,
          HolderResult::rejected,
          HolderResult::not_sent,
          HolderResult::outcome_unknown}) {
        for (const bool is_bound : {false, true}) {
            BOOST_TEST_CONTEXT(text(result) << (is_bound ? ", bound" : "")) {
                AuthorityRecord record = story.dispatching();
                if (result != HolderResult::none)
                    record = set_holder_result(record, result, story.stamp());
                if (is_bound)
                    record = story.bound(record);
                const bool allowed =
                    !is_bound && (result == HolderResult::rejected || result == HolderResult::not_sent);
                if (allowed) {
                    check_step(record, back_to_prepared(record, story.stamp()));
                    check_step(record, to_abandoned(record, story.stamp()));
                    BOOST_TEST(!back_to_prepared(record, story.stamp()).publication.has_value());
                } else {
                    BOOST_CHECK_THROW(back_to_prepared(record, story.stamp()), std::invalid_argument);
                    BOOST_CHECK_THROW(to_abandoned(record, story.stamp()), std::invalid_argument);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(what_was_learnt_of_an_attempt_is_never_exchanged) {
    Story story(9);
    const AuthorityRecord record = story.dispatching();
    BOOST_CHECK_THROW(
        persist_receipt(record, story.random.receipt(record), story.stamp()), std::invalid_argument
    );
    BOOST_CHECK_THROW(bind_entry(record, "", "d", story.stamp()), std::invalid_argument);
    BOOST_CHECK_THROW(bind_entry(record, "query-0000000001", "", story.stamp()), std::invalid_argument);

    const AuthorityRecord bound = story.bound(record);
    BOOST_CHECK_THROW(
        bind_entry(bound, "query-0000000043", sha256_hex("statement"), story.stamp()), std::invalid_argument
    );
    BOOST_CHECK_THROW(
        bind_entry(bound, "query-0000000042", sha256_hex("another"), story.stamp()), std::invalid_argument
    );
    BOOST_CHECK_NO_THROW(story.bound(bound));

    Receipt receipt;
    receipt.observed_at = 5;
    receipt.hosts = {
        {{"ch-3", 9000}, 0, {}}, {{"ch-1", 9000}, 60, digest_exception("gone")}, {{"ch-2", 9000}, 0, {}}
    };
    const AuthorityRecord kept = persist_receipt(bound, receipt, story.stamp());
    check_step(bound, kept);
    BOOST_TEST(kept.publication->receipt->hosts[0].at.host == "ch-1"); // in member order
    BOOST_TEST(kept.publication->receipt->hosts[0].code == 60);

    Receipt later = receipt;
    later.observed_at = 6; // the same result read again: the first reading stays
    BOOST_TEST(persist_receipt(kept, later, story.stamp()).publication->receipt->observed_at == 5);
    Receipt other = receipt;
    other.hosts[0].code = 60;
    other.hosts[0].exception = digest_exception("gone");
    BOOST_CHECK_THROW(persist_receipt(kept, other, story.stamp()), std::invalid_argument);
    Receipt incomplete = receipt;
    incomplete.hosts.pop_back();
    BOOST_CHECK_THROW(persist_receipt(bound, incomplete, story.stamp()), std::invalid_argument);
    Receipt doubled = receipt;
    doubled.hosts[0] = doubled.hosts[1];
    BOOST_CHECK_THROW(persist_receipt(bound, doubled, story.stamp()), std::invalid_argument);

    const AuthorityRecord known = set_holder_result(record, HolderResult::acknowledged, story.stamp());
    BOOST_CHECK_THROW(set_holder_result(known, HolderResult::not_sent, story.stamp()), std::invalid_argument);
    BOOST_CHECK_THROW(to_committed(bound, std::nullopt, story.stamp()), std::invalid_argument);
    BOOST_CHECK_NO_THROW(to_committed(kept, std::nullopt, story.stamp()));
}

BOOST_AUTO_TEST_CASE(nothing_is_dropped_without_the_receipt_before_it) {
    Story story(10);
    const AuthorityRecord set_aside = story.bound(story.set_aside());
    BOOST_CHECK_THROW(to_cleanup_dispatching(set_aside, story.grant(), story.stamp()), std::invalid_argument);
    BOOST_CHECK_THROW(to_completed(story.bound(story.cleanup()), story.stamp()), std::invalid_argument);
    BOOST_CHECK_THROW(retire_to_completed(story.retiring(), story.stamp()), std::invalid_argument);
    BOOST_CHECK_THROW(retire_to_abandoned(story.retiring(), story.stamp()), std::invalid_argument);
    BOOST_CHECK_THROW(
        to_set_aside_dispatching(story.committed(false), story.grant(), story.stamp()), std::invalid_argument
    );
    const AuthorityRecord absent = story.committed(false);
    check_step(absent, to_completed(absent, story.stamp()));
}

BOOST_AUTO_TEST_CASE(attempts_are_bounded_and_only_the_last_keeps_its_receipt) {
    Story story(11);
    AuthorityRecord record = story.set_aside();
    while (can_redispatch(record)) {
        const AuthorityRecord settled = story.with_receipt(story.bound(record));
        const AuthorityRecord next = redispatch(settled, story.grant(), story.stamp());
        check_step(settled, next);
        BOOST_TEST(!next.set_aside[next.set_aside.size() - 2].receipt.has_value());
        BOOST_TEST(!next.set_aside[next.set_aside.size() - 2].entry.empty());
        record = next;
    }
    BOOST_TEST(record.set_aside.size() == limits::attempts_per_action);
    BOOST_CHECK_THROW(redispatch(record, story.grant(), story.stamp()), std::invalid_argument);
    BOOST_CHECK_THROW(append_attempt(record.set_aside, DdlAttempt{}), std::invalid_argument);
    for (const Phase phase :
         {Phase::prepared, Phase::dispatching, Phase::committed, Phase::completed, Phase::abandoned})
        BOOST_TEST(!can_redispatch(story.in(phase)));
}

BOOST_AUTO_TEST_CASE(exception_heads_are_kept_for_the_first_failing_hosts) {
    Receipt receipt;
    for (int i = 0; i < 20; ++i) {
        const bool fails = i % 2 == 1;
        receipt.hosts.push_back(
            {{"h" + std::to_string(i), 9000},
             static_cast<std::uint16_t>(fails ? 60 : 0),
             fails ? digest_exception("text") : ExceptionDigest{}}
        );
    }
    const Receipt kept = trimmed(receipt);
    std::size_t heads = 0;
    for (std::size_t i = 0; i < kept.hosts.size(); ++i) {
        heads += kept.hosts[i].exception.head.empty() ? 0U : 1U;
        BOOST_TEST(kept.hosts[i].exception.sha256 == receipt.hosts[i].exception.sha256);
    }
    BOOST_TEST(heads == limits::exception_heads);
    BOOST_TEST(!kept.hosts[limits::exception_heads * 2 - 1].exception.head.empty());
    BOOST_TEST(kept.hosts[limits::exception_heads * 2 + 1].exception.head.empty());
}

BOOST_AUTO_TEST_SUITE_END()
