// What no step may change, forget or enter without evidence.
#include "transition_story.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace onceswap::protocol;
using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(transitions)

BOOST_AUTO_TEST_CASE(what_no_step_may_change) {
    struct Change {
        const char* name;
        Phase phase;
        void (*make)(AuthorityRecord&);
    };

    constexpr Phase dispatching = Phase::dispatching;
    const std::vector<Change> table{
        {"target", dispatching, [](AuthorityRecord& r) { r.target.table += "x"; }},
        {"target key", dispatching, [](AuthorityRecord& r) { r.target_key = sha256_hex("x"); }},
        {"cluster", dispatching, [](AuthorityRecord& r) { r.cluster += "x"; }},
        {"plan", dispatching, [](AuthorityRecord& r) { r.plan_digest = sha256_hex("x"); }},
        {"inventory", dispatching, [](AuthorityRecord& r) { r.inventory_digest = sha256_hex("x"); }},
        {"members", dispatching, [](AuthorityRecord& r) { r.members.pop_back(); }},
        {"candidate", dispatching, [](AuthorityRecord& r) { r.candidate += "x"; }},
        {"aside", dispatching, [](AuthorityRecord& r) { r.aside += "x"; }},
        {"predecessor", dispatching, [](AuthorityRecord& r) { r.predecessor.reset(); }},
        {"desired", dispatching, [](AuthorityRecord& r) { r.desired.uuid = Uuid(); }},
        {"rows", dispatching, [](AuthorityRecord& r) { ++r.staged_rows; }},
        {"canary", dispatching, [](AuthorityRecord& r) { r.canary.emplace(); }},
        {"recent", dispatching, [](AuthorityRecord& r) { r.recent.push_back({}); }},
        {"creation", dispatching, [](AuthorityRecord& r) { ++r.created_at; }},
        {"time back", dispatching, [](AuthorityRecord& r) { r.updated_at = 0; }},
        {"fence without a dispatch",
         dispatching,
         [](AuthorityRecord& r) { r.fence_token = std::string(32, 'f'); }},
        {"token", dispatching, [](AuthorityRecord& r) { r.publication->token += "x"; }},
        {"entry", dispatching, [](AuthorityRecord& r) { r.publication->entry = "query-0000000001"; }},
        {"entry unbound", dispatching, [](AuthorityRecord& r) { r.publication->entry.clear(); }},
        {"digest", dispatching, [](AuthorityRecord& r) { r.publication->query_digest.clear(); }},
        {"result", dispatching, [](AuthorityRecord& r) { r.publication->result = HolderResult::not_sent; }},
        {"receipt lost", dispatching, [](AuthorityRecord& r) { r.publication->receipt.reset(); }},
        {"receipt changed",
         dispatching,
         [](AuthorityRecord& r) { r.publication->receipt->hosts[0].code ^= 1; }},
        {"publication lost", dispatching, [](AuthorityRecord& r) { r.publication.reset(); }},
        {"epoch without an attempt", dispatching, [](AuthorityRecord& r) { ++r.dispatch_epoch; }},
        {"attempt without an epoch",
         Phase::cleanup_dispatching,
         [](AuthorityRecord& r) { r.cleanup.push_back(r.cleanup.back()); }},
        {"attempt forgotten", Phase::cleanup_dispatching, [](AuthorityRecord& r) { r.set_aside.clear(); }},
        {"orphan forgotten", dispatching, [](AuthorityRecord& r) { r.orphans.clear(); }},
        {"retained forgotten", dispatching, [](AuthorityRecord& r) { r.retained.clear(); }},
    };
    Story story(14);
    for (const Change& change : table) {
        BOOST_TEST_CONTEXT(change.name) {
            AuthorityRecord from = story.in(change.phase);
            append_table(from.orphans, {"onceswap_orphan", story.random.uuid()});
            append_table(from.retained, {"onceswap_retained", story.random.uuid()});
            from = set_holder_result(
                story.with_receipt(story.bound(from)), HolderResult::acknowledged, story.stamp()
            );
            AuthorityRecord to = set_error(from, "ONCESWAP_READY", "", story.stamp());
            BOOST_TEST(is_allowed_transition(from, to));
            change.make(to);
            BOOST_TEST(!is_allowed_transition(from, to));
        }
    }
    const AuthorityRecord from = story.dispatching();
    BOOST_TEST(
        !is_allowed_transition(from, set_error(from, "X", "", WriteStamp(from.write_id, from.updated_at)))
    );
}

BOOST_AUTO_TEST_CASE(evidence_without_which_no_phase_is_entered) {
    Story story(15);
    const AuthorityRecord dispatching = story.dispatching();
    AuthorityRecord committed = dispatching;
    committed.phase = Phase::committed;
    committed.write_id = story.random.hex(32);
    BOOST_TEST(!is_allowed_transition(dispatching, committed));

    AuthorityRecord abandoned = dispatching;
    abandoned.phase = Phase::abandoned;
    abandoned.write_id = story.random.hex(32);
    append_table(abandoned.orphans, {abandoned.candidate, abandoned.desired.uuid});
    BOOST_TEST(!is_allowed_transition(dispatching, abandoned)); // nobody knows that nothing was dispatched

    const AuthorityRecord cleanup = story.cleanup();
    AuthorityRecord completed = cleanup;
    completed.phase = Phase::completed;
    completed.write_id = story.random.hex(32);
    BOOST_TEST(!is_allowed_transition(cleanup, completed));
    completed.retained = {{cleanup.aside, cleanup.predecessor->uuid}};
    BOOST_TEST(is_allowed_transition(cleanup, completed)); // closed, and it says what it keeps

    const AuthorityRecord retiring = story.retiring();
    for (const Phase phase : {Phase::completed, Phase::abandoned}) {
        AuthorityRecord settled = retiring;
        settled.phase = phase;
        settled.write_id = story.random.hex(32);
        settled.retained = {{retiring.aside, retiring.desired.uuid}};
        BOOST_TEST(!is_allowed_transition(retiring, settled));
    }
}

BOOST_AUTO_TEST_CASE(a_new_operation_must_not_forget_the_old_one) {
    Story story(16);
    const AuthorityRecord settled = story.completed();
    const AuthorityRecord next = prepare_next(settled, story.preparation(), story.stamp());
    check_step(settled, next);
    AuthorityRecord forgetful = next;
    forgetful.recent.clear();
    BOOST_TEST(!is_allowed_transition(settled, forgetful));
    AuthorityRecord same_fence = next;
    same_fence.fence_token = settled.fence_token;
    BOOST_TEST(!is_allowed_transition(settled, same_fence));
    AuthorityRecord with_token = next;
    with_token.publication = settled.publication;
    BOOST_TEST(!is_allowed_transition(settled, with_token));
    AuthorityRecord again = next;
    again.operation_id = settled.operation_id;
    BOOST_TEST(!is_allowed_transition(settled, again));
}

BOOST_AUTO_TEST_SUITE_END()
