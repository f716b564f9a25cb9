// What a slot keeps from one operation to the next: times, settled operations, tables that remain.
#include "transition_story.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

using namespace onceswap::protocol;
using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(transitions)

BOOST_AUTO_TEST_CASE(a_clock_that_runs_behind_moves_no_time_back) {
    Story story(4);
    const AuthorityRecord prepared = story.prepared();
    const AuthorityRecord next =
        to_dispatching(prepared, story.grant(), WriteStamp(story.random.hex(32), prepared.updated_at - 600));
    BOOST_TEST(next.updated_at == prepared.updated_at);
    BOOST_TEST(is_allowed_transition(prepared, next));
}

BOOST_AUTO_TEST_CASE(a_slot_written_by_a_clock_that_runs_ahead_can_be_prepared) {
    Story story(4);
    const AuthorityRecord settled = story.abandoned();
    const WriteStamp behind(story.random.hex(32), settled.updated_at - 3600);
    const AuthorityRecord next = prepare_next(settled, story.preparation(), behind);
    check_step(settled, next);
    BOOST_TEST(next.created_at == behind.now);
    BOOST_TEST(next.updated_at == settled.updated_at);
    Preparation again = story.preparation();
    again.operation_id = next.operation_id;
    again.plan_digest = next.plan_digest;
    story.restage(again);
    check_step(next, re_prepare(next, again, WriteStamp(story.random.hex(32), behind.now - 3600)));
}

BOOST_AUTO_TEST_CASE(the_slot_remembers_settled_operations) {
    Story story(5);
    AuthorityRecord record = story.abandoned();
    std::vector<std::string> operations;
    for (std::size_t i = 0; i < limits::recent_operations + 10; ++i) {
        operations.push_back(record.operation_id);
        const Preparation preparation = story.preparation();
        const AuthorityRecord next = prepare_next(record, preparation, story.stamp());
        check_step(record, next);
        BOOST_TEST(next.recent.back().operation_id == record.operation_id);
        BOOST_TEST((next.recent.back().outcome == record.phase));
        BOOST_TEST(next.recent.back().epoch == record.dispatch_epoch);
        BOOST_TEST(next.dispatch_epoch == record.dispatch_epoch + 1);
        const std::size_t expected = std::min(operations.size(), limits::recent_operations);
        BOOST_REQUIRE(next.recent.size() == expected);
        BOOST_TEST(next.recent.front().operation_id == operations[operations.size() - expected]);
        record = to_abandoned(next, story.stamp());
    }
    BOOST_TEST(record.orphans.size() == limits::listed_tables);

    Preparation same = story.preparation();
    same.operation_id = record.operation_id;
    BOOST_CHECK_THROW(prepare_next(record, same, story.stamp()), std::invalid_argument);
    same.operation_id = record.recent.front().operation_id;
    BOOST_CHECK_THROW(prepare_next(record, same, story.stamp()), std::invalid_argument);
    same.target.table = "other";
    same.operation_id = story.random.hex(64);
    BOOST_CHECK_THROW(prepare_next(record, same, story.stamp()), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_canary_outlives_an_operation_unless_there_is_a_newer_one) {
    Story story(6);
    Preparation first = story.preparation();
    first.canary =
        CanaryReceipt{{"24.8", "24.8"}, {story.random.uuid(), story.random.uuid()}, "query-0000000001"};
    const AuthorityRecord settled = to_abandoned(prepare_new(first, story.stamp()), story.stamp());
    BOOST_TEST((prepare_next(settled, story.preparation(), story.stamp()).canary == first.canary));
    Preparation second = story.preparation();
    second.canary =
        CanaryReceipt{{"25.3", "25.3"}, {story.random.uuid(), story.random.uuid()}, "query-0000000002"};
    BOOST_TEST((prepare_next(settled, second, story.stamp()).canary == second.canary));
}

BOOST_AUTO_TEST_CASE(only_the_same_operation_prepares_again_and_never_under_the_old_name) {
    Story story(7);
    Preparation preparation = story.preparation();
    const AuthorityRecord prepared = prepare_new(preparation, story.stamp());
    BOOST_CHECK_THROW(
        re_prepare(prepared, preparation, story.stamp()), std::invalid_argument
    ); // the same candidate
    BOOST_CHECK_THROW(re_prepare(prepared, story.preparation(), story.stamp()), std::invalid_argument);
    story.restage(preparation);
    const AuthorityRecord again = re_prepare(prepared, preparation, story.stamp());
    check_step(prepared, again);
    BOOST_TEST((again.orphans == std::vector<NamedTable>{{prepared.candidate, prepared.desired.uuid}}));
    BOOST_TEST(again.created_at == prepared.created_at);
    BOOST_TEST(again.dispatch_epoch == 0U);
}

BOOST_AUTO_TEST_CASE(listed_tables_are_bounded_and_unique) {
    std::vector<NamedTable> tables;
    for (std::size_t i = 0; i < limits::listed_tables + 3; ++i)
        append_table(tables, {"t" + std::to_string(i), Uuid()});
    BOOST_TEST(tables.size() == limits::listed_tables);
    BOOST_TEST(tables.front().name == "t3");
    append_table(tables, {"t5", Uuid()});
    BOOST_TEST(tables.size() == limits::listed_tables);
    BOOST_TEST(tables.back().name == "t5");
}

BOOST_AUTO_TEST_CASE(what_remains_is_listed) {
    Story story(12);
    const AuthorityRecord retiring = story.with_receipt(story.bound(story.retiring()));
    BOOST_TEST(
        (retire_to_completed(retiring, story.stamp()).retained ==
         std::vector<NamedTable>{{retiring.aside, retiring.predecessor->uuid}})
    );
    BOOST_TEST(
        (retire_to_abandoned(retiring, story.stamp()).retained ==
         std::vector<NamedTable>{{retiring.aside, retiring.desired.uuid}})
    );
    const AuthorityRecord absent = story.with_receipt(story.bound(story.retiring(false)));
    BOOST_TEST(retire_to_completed(absent, story.stamp()).retained.empty());

    const AuthorityRecord committed = story.committed();
    const Uuid predecessor = committed.predecessor->uuid;
    const std::vector<NamedTable> both{{committed.candidate, predecessor}, {committed.aside, predecessor}};
    BOOST_TEST((close_keeping_predecessor(committed, both, story.stamp()).retained == both));
    for (const auto& wrong : std::vector<std::vector<NamedTable>>{
             {}, {{committed.target.table, predecessor}}, {{committed.candidate, committed.desired.uuid}}
         })
        BOOST_CHECK_THROW(close_keeping_predecessor(committed, wrong, story.stamp()), std::invalid_argument);
    BOOST_CHECK_THROW(
        close_keeping_predecessor(story.committed(false), both, story.stamp()), std::invalid_argument
    );
    const AuthorityRecord abandoned = story.abandoned();
    BOOST_TEST((abandoned.orphans == std::vector<NamedTable>{{abandoned.candidate, abandoned.desired.uuid}}));
}

BOOST_AUTO_TEST_CASE(an_error_is_kept_short_and_printable) {
    Story story(13);
    const AuthorityRecord record = story.bound(story.dispatching());
    const AuthorityRecord next = set_error(
        record, "ONCESWAP_DDL_AMBIGUOUS", "two\nentries \xff" + std::string(600, 'x'), story.stamp()
    );
    check_step(record, next);
    BOOST_TEST(next.error->summary.size() == limits::error_summary_bytes);
    BOOST_TEST(next.error->summary.starts_with("two entries ?"));
    BOOST_TEST(!set_error(next, "", "", story.stamp()).error.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
