#include "protocol/correlation_token.hpp"
#include "protocol/digest.hpp"
#include "protocol/transitions.hpp"
#include "record_generator.hpp"
#include "row_encoding.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>

namespace {

using namespace onceswap::protocol;
using namespace onceswap::testing;

constexpr std::array all_steps{EpochStep::same, EpochStep::plus_one, EpochStep::other};

/// A publication in the making: fresh ids for each write.
class Story {
  public:
    explicit Story(std::uint64_t seed) : random(seed) {}

    WriteStamp stamp() { return {random.hex(32), ++now_}; }

    DispatchGrant grant() { return {random.hex(32), random.bytes16()}; }

    Preparation preparation(bool existing_target = true) {
        Preparation out;
        out.cluster = "c";
        out.target = {"db", "events"};
        out.operation_id = random.hex(64);
        out.plan_digest = random.hex(64);
        out.inventory_digest = sha256_hex("inventory");
        out.members = {
            {{"ch-1", 9000}, 1, random.uuid()},
            {{"ch-2", 9000}, 2, random.uuid()},
            {{"ch-3", 9000}, 3, random.uuid()}
        };
        if (existing_target)
            out.predecessor = random.generation();
        restage(out);
        return out;
    }

    void restage(Preparation& preparation) {
        preparation.desired = random.generation();
        preparation.candidate = candidate_name(
            target_key(preparation.cluster, preparation.target),
            preparation.operation_id,
            static_cast<std::uint32_t>(random.below(1ULL << 32))
        );
        preparation.fence_token = random.hex(32);
        preparation.staged_rows = random.below(1000);
    }

    AuthorityRecord bound(const AuthorityRecord& record) {
        return bind_entry(record, "query-0000000042", sha256_hex("statement"), stamp());
    }

    AuthorityRecord with_receipt(const AuthorityRecord& record) {
        return persist_receipt(record, random.receipt(record), stamp());
    }

    // The record in each phase, by the shortest way.
    AuthorityRecord prepared(bool existing_target = true) {
        return prepare_new(preparation(existing_target), stamp());
    }

    AuthorityRecord dispatching(bool existing_target = true) {
        return to_dispatching(prepared(existing_target), grant(), stamp());
    }

    AuthorityRecord committed(bool existing_target = true) {
        const AuthorityRecord record = bound(dispatching(existing_target));
        return to_committed(record, random.receipt(record), stamp());
    }

    AuthorityRecord set_aside() { return to_set_aside_dispatching(committed(), grant(), stamp()); }

    AuthorityRecord cleanup() {
        return to_cleanup_dispatching(with_receipt(bound(set_aside())), grant(), stamp());
    }

    AuthorityRecord retiring(bool existing_target = true) {
        return to_retiring(dispatching(existing_target), grant(), stamp());
    }

    AuthorityRecord completed() { return to_completed(with_receipt(bound(cleanup())), stamp()); }

    AuthorityRecord abandoned() { return to_abandoned(prepared(), stamp()); }

    AuthorityRecord in(Phase phase) {
        switch (phase) {
        case Phase::prepared:
            return prepared();
        case Phase::dispatching:
            return dispatching();
        case Phase::committed:
            return committed();
        case Phase::set_aside_dispatching:
            return set_aside();
        case Phase::cleanup_dispatching:
            return cleanup();
        case Phase::retiring:
            return retiring();
        case Phase::completed:
            return completed();
        case Phase::abandoned:
            return abandoned();
        }
        throw std::logic_error("no such phase");
    }

    RecordGenerator random;

  private:
    std::int64_t now_ = 1'750'000'000;
};

/// The phase table of docs/protocol.md, written down a second time and in another form.
struct Cell {
    Phase from;
    Phase to;
    EpochStep step;
    bool same_operation;
};

const std::vector<Cell> allowed_cells{
    {Phase::completed, Phase::prepared, EpochStep::plus_one, false},
    {Phase::abandoned, Phase::prepared, EpochStep::plus_one, false},
    {Phase::prepared, Phase::prepared, EpochStep::same, true},
    {Phase::prepared, Phase::dispatching, EpochStep::plus_one, true},
    {Phase::prepared, Phase::abandoned, EpochStep::same, true},
    {Phase::dispatching, Phase::dispatching, EpochStep::same, true},
    {Phase::dispatching, Phase::prepared, EpochStep::same, true},
    {Phase::dispatching, Phase::committed, EpochStep::same, true},
    {Phase::dispatching, Phase::abandoned, EpochStep::same, true},
    {Phase::dispatching, Phase::retiring, EpochStep::plus_one, true},
    {Phase::committed, Phase::set_aside_dispatching, EpochStep::plus_one, true},
    {Phase::committed, Phase::retiring, EpochStep::plus_one, true},
    {Phase::committed, Phase::completed, EpochStep::same, true},
    {Phase::set_aside_dispatching, Phase::set_aside_dispatching, EpochStep::same, true},
    {Phase::set_aside_dispatching, Phase::set_aside_dispatching, EpochStep::plus_one, true},
    {Phase::set_aside_dispatching, Phase::cleanup_dispatching, EpochStep::plus_one, true},
    {Phase::set_aside_dispatching, Phase::completed, EpochStep::same, true},
    {Phase::cleanup_dispatching, Phase::cleanup_dispatching, EpochStep::same, true},
    {Phase::cleanup_dispatching, Phase::cleanup_dispatching, EpochStep::plus_one, true},
    {Phase::cleanup_dispatching, Phase::completed, EpochStep::same, true},
    {Phase::retiring, Phase::retiring, EpochStep::same, true},
    {Phase::retiring, Phase::retiring, EpochStep::plus_one, true},
    {Phase::retiring, Phase::completed, EpochStep::same, true},
    {Phase::retiring, Phase::abandoned, EpochStep::same, true},
};

bool is_listed(const Cell& cell) {
    return std::any_of(allowed_cells.begin(), allowed_cells.end(), [&cell](const Cell& each) {
        return each.from == cell.from && each.to == cell.to && each.step == cell.step &&
               each.same_operation == cell.same_operation;
    });
}

void check_step(const AuthorityRecord& from, const AuthorityRecord& to) {
    BOOST_TEST_CONTEXT(text(from.phase) << " -> " << text(to.phase)) {
        BOOST_TEST(is_allowed_transition(from, to));
        encoded(to);
        BOOST_TEST(from.write_id != to.write_id);
        const bool rises = to.dispatch_epoch == from.dispatch_epoch + 1;
        BOOST_TEST((rises || to.dispatch_epoch == from.dispatch_epoch));
    }
}

/// Every builder that starts from a record, with arguments that fit wherever the step itself is allowed.
struct Builder {
    const char* name;
    std::set<Phase> starts; ///< from the records of Story::in
    std::function<AuthorityRecord(const AuthorityRecord&, Story&)> build;
};

std::vector<Builder> builders() {
    using R = const AuthorityRecord&;
    const auto retained = [](R record) {
        return std::vector<NamedTable>{
            {record.candidate, record.predecessor ? record.predecessor->uuid : Uuid()}
        };
    };
    return {
        {"prepare_next",
         {Phase::completed, Phase::abandoned},
         [](R r, Story& s) { return prepare_next(r, s.preparation(), s.stamp()); }},
        {"re_prepare",
         {Phase::prepared},
         [](R r, Story& s) {
             Preparation again = s.preparation();
             again.operation_id = r.operation_id;
             again.plan_digest = r.plan_digest;
             s.restage(again);
             return re_prepare(r, again, s.stamp());
         }},
        {"back_to_prepared",
         {Phase::dispatching},
         [](R r, Story& s) {
             AuthorityRecord not_sent = r;
             if (not_sent.publication)
                 not_sent.publication->result = HolderResult::not_sent;
             return back_to_prepared(not_sent, s.stamp());
         }},
        {"to_dispatching",
         {Phase::prepared},
         [](R r, Story& s) { return to_dispatching(r, s.grant(), s.stamp()); }},
        {"to_committed",
         {Phase::dispatching},
         [](R r, Story& s) { return to_committed(s.bound(r), s.random.receipt(r), s.stamp()); }},
        {"to_set_aside_dispatching",
         {Phase::committed},
         [](R r, Story& s) { return to_set_aside_dispatching(r, s.grant(), s.stamp()); }},
        {"to_cleanup_dispatching",
         {Phase::set_aside_dispatching},
         [](R r, Story& s) {
             return to_cleanup_dispatching(s.with_receipt(s.bound(r)), s.grant(), s.stamp());
         }},
        {"to_retiring",
         {Phase::dispatching, Phase::committed},
         [](R r, Story& s) { return to_retiring(r, s.grant(), s.stamp()); }},
        {"redispatch",
         {Phase::set_aside_dispatching, Phase::cleanup_dispatching, Phase::retiring},
         [](R r, Story& s) { return redispatch(r, s.grant(), s.stamp()); }},
        {"bind_entry",
         {Phase::dispatching, Phase::set_aside_dispatching, Phase::cleanup_dispatching, Phase::retiring},
         [](R r, Story& s) { return s.bound(r); }},
        {"set_holder_result",
         {Phase::dispatching, Phase::set_aside_dispatching, Phase::cleanup_dispatching, Phase::retiring},
         [](R r, Story& s) { return set_holder_result(r, HolderResult::outcome_unknown, s.stamp()); }},
        {"persist_receipt",
         {Phase::dispatching, Phase::set_aside_dispatching, Phase::cleanup_dispatching, Phase::retiring},
         [](R r, Story& s) { return s.with_receipt(s.bound(r)); }},
        {"to_completed",
         {Phase::committed, Phase::cleanup_dispatching},
         [](R r, Story& s) {
             return to_completed(
                 r.phase == Phase::cleanup_dispatching ? s.with_receipt(s.bound(r)) : r, s.stamp()
             );
         }},
        {"to_abandoned", {Phase::prepared}, [](R r, Story& s) { return to_abandoned(r, s.stamp()); }},
        {"retire_to_completed",
         {Phase::retiring},
         [](R r, Story& s) { return retire_to_completed(s.with_receipt(s.bound(r)), s.stamp()); }},
        {"retire_to_abandoned",
         {Phase::retiring},
         [](R r, Story& s) { return retire_to_abandoned(s.with_receipt(s.bound(r)), s.stamp()); }},
        {"close_keeping_predecessor",
         {Phase::committed, Phase::set_aside_dispatching, Phase::cleanup_dispatching},
         [retained](R r, Story& s) { return close_keeping_predecessor(r, retained(r), s.stamp()); }},
    };
}

} // namespace

BOOST_AUTO_TEST_SUITE(transitions)

BOOST_AUTO_TEST_CASE(the_phase_table_cell_by_cell) {
    std::size_t allowed = 0;
    for (const Phase from : all_phases)
        for (const Phase to : all_phases)
            for (const EpochStep step : all_steps)
                for (const bool same_operation : {false, true}) {
                    BOOST_TEST_CONTEXT(
                        text(from) << " -> " << text(to) << ", epoch step " << static_cast<int>(step)
                                   << ", same operation " << same_operation
                    ) {
                        const bool expected = is_listed({from, to, step, same_operation});
                        BOOST_TEST(is_allowed_phase_step(from, to, step, same_operation) == expected);
                        allowed += expected ? 1U : 0U;
                    }
                }
    BOOST_TEST(allowed == allowed_cells.size());
}

BOOST_AUTO_TEST_CASE(epochs_step_by_nothing_or_one) {
    constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    BOOST_TEST((epoch_step(0, 0) == EpochStep::same));
    BOOST_TEST((epoch_step(last, last) == EpochStep::same));
    BOOST_TEST((epoch_step(0, 1) == EpochStep::plus_one));
    BOOST_TEST((epoch_step(last - 1, last) == EpochStep::plus_one));
    BOOST_TEST((epoch_step(1, 0) == EpochStep::other));
    BOOST_TEST((epoch_step(0, 2) == EpochStep::other));
    BOOST_TEST((epoch_step(last, 0) == EpochStep::other));
}

BOOST_AUTO_TEST_CASE(each_builder_starts_from_its_phases_only_and_yields_an_allowed_step) {
    Story story(1);
    for (const Builder& builder : builders()) {
        for (const Phase phase : all_phases) {
            BOOST_TEST_CONTEXT(builder.name << " from " << text(phase)) {
                const AuthorityRecord from = story.in(phase);
                if (builder.starts.contains(phase)) {
                    const AuthorityRecord to = builder.build(from, story);
                    // A withdrawn token was set to not_sent by the test: the step starts from that record.
                    AuthorityRecord start = from;
                    if (builder.name == std::string_view("back_to_prepared"))
                        start.publication->result = HolderResult::not_sent;
                    check_step(start, to);
                } else {
                    BOOST_CHECK_THROW(builder.build(from, story), std::invalid_argument);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(random_walks_stay_inside_the_rules) {
    const std::vector<Builder> steps = builders();
    std::set<std::pair<Phase, Phase>> seen;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Story story(seed);
        AuthorityRecord record = story.prepared(seed % 3 != 0);
        BOOST_TEST(is_allowed_creation(record));
        for (int length = 0; length < 200; ++length) {
            const Builder& builder = steps[story.random.below(steps.size())];
            AuthorityRecord next;
            try {
                next = builder.build(record, story);
            } catch (const std::invalid_argument&) {
                continue; // this step does not start here, or the record has what it would write
            }
            AuthorityRecord start = record;
            if (builder.name == std::string_view("back_to_prepared"))
                start.publication->result = HolderResult::not_sent;
            BOOST_TEST_CONTEXT("seed " << seed << ", step " << length << ", " << builder.name) {
                check_step(start, next);
                BOOST_TEST(
                    !is_allowed_creation(next) == (next.dispatch_epoch != 0 || next.phase != Phase::prepared)
                );
            }
            seen.insert({record.phase, next.phase});
            record = std::move(next);
        }
    }
    BOOST_TEST(seen.size() >= 18U); // the walks went through the table, not along its edge
}

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

BOOST_AUTO_TEST_CASE(a_token_is_withdrawn_in_a_write_of_its_own) {
    Story story(17);
    const AuthorityRecord record = story.dispatching();
    const AuthorityRecord known = set_holder_result(record, HolderResult::not_sent, story.stamp());
    BOOST_TEST(is_allowed_transition(record, known));
    BOOST_TEST(is_allowed_transition(known, back_to_prepared(known, story.stamp())));
    BOOST_TEST(!is_allowed_transition(record, back_to_prepared(known, story.stamp())));
    BOOST_TEST(!is_allowed_transition(record, to_abandoned(known, story.stamp())));
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
