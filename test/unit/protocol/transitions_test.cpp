// Which step leads where: the table of phases, and the builders against it.
#include "transition_story.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <vector>

namespace {

using namespace onceswap::protocol;
using namespace onceswap::testing;

constexpr std::array all_steps{EpochStep::same, EpochStep::plus_one, EpochStep::other};

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

BOOST_AUTO_TEST_SUITE_END()
