#include "simulation/operator_calls.hpp"

#include <boost/test/unit_test.hpp>

// A queue that shows the cleanup's entries to nobody: the predecessor is dropped, and no receipt ever says
// so.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::Phase;

namespace {

/// The statement that is to drop the predecessor runs, and nobody will ever see its entry.
std::unique_ptr<Bench> bench_with_hidden_drop(sim::QueueEdit::What what) {
    auto bench = bench_in(Phase::cleanup_dispatching, sim::simple_scenario(3), 31);
    sim::Fault hidden(sim::Point::at_time, sim::Match(), sim::Effect::edit_queue);
    hidden.queue_edit.what = what;
    hidden.queue_edit.token = "-cleanup-";
    hidden.queue_edit.entry = "query-0000009999";
    hidden.queue_edit.query = "DROP TABLE db.other";
    bench->world.add(hidden);
    bench->world.run_until_idle();
    return bench;
}

bool nobody_shows(Bench& bench, const std::string& table) {
    for (sim::MemberIndex member = 0; member < bench.members(); ++member)
        if (!uuid_of(bench, member, table).empty())
            return false;
    return true;
}

} // namespace

BOOST_AUTO_TEST_SUITE(hidden_cleanup)

BOOST_AUTO_TEST_CASE(what_nobody_can_receive_is_ended_by_its_operator) {
    auto bench = bench_with_hidden_drop(sim::QueueEdit::What::hide_entry);
    // It is sent again as often as the record allows, and never believed.
    std::optional<protocol::Report> resumed;
    for (int call = 0; call < 8; ++call)
        resumed = run(*bench, Command::resume);
    BOOST_TEST_CONTEXT(describe(resumed) << bench->facts()) {
        BOOST_TEST(word(resumed) == "CLEANUP_LOST");
        BOOST_REQUIRE(resumed.has_value());
        for (const protocol::Report::Row& member : resumed->members)
            BOOST_TEST((member.state.state == protocol::State::cleaned));
    }
    const std::size_t drops = bench->world.truth().drops.size();
    BOOST_TEST(drops == bench->members());

    const auto closed = run(*bench, Command::close);
    check_settled(*bench, closed, "closed");
    BOOST_TEST_CONTEXT(describe(closed) << bench->facts()) {
        BOOST_TEST(word(closed) == "COMPLETED");
        BOOST_REQUIRE(closed.has_value());
        BOOST_REQUIRE(closed->retained.size() == 1U);
        BOOST_TEST(closed->retained.front().name.ends_with("__aside"));
        BOOST_TEST(nobody_shows(*bench, closed->retained.front().name));
        BOOST_TEST(closed->warnings.size() == 1U);
    }
    const auto listing = list(*bench);
    BOOST_REQUIRE(listing);
    BOOST_REQUIRE(listing->tables.size() == 1U);
    BOOST_TEST((listing->tables.front().standing == protocol::TableStanding::gone));
    BOOST_TEST(bench->world.truth().drops.size() == drops);
}

/// Two entries with one token, or another statement in it: neither gives a receipt.
BOOST_AUTO_TEST_CASE(evidence_that_stays_unusable_is_no_dead_end) {
    for (const auto what : {sim::QueueEdit::What::repeat_entry, sim::QueueEdit::What::set}) {
        auto bench = bench_with_hidden_drop(what);
        const auto resumed = run(*bench, Command::resume);
        BOOST_TEST(word(resumed) == "CLEANUP_UNKNOWN", describe(resumed));
        const auto closed = run(*bench, Command::close);
        check_settled(*bench, closed, "closed");
        BOOST_TEST(word(closed) == "COMPLETED", describe(closed) << bench->facts());
        const auto next = bench->publish("run-2");
        check_invariants(*bench, describe(next), 2);
    }
}

/// While a member still has it, it is kept under the name that it has.
BOOST_AUTO_TEST_CASE(what_one_member_still_has_is_kept) {
    auto bench = bench_in(Phase::cleanup_dispatching, sim::simple_scenario(3), 32);
    const auto closed = run(*bench, Command::close);
    BOOST_REQUIRE(closed.has_value());
    BOOST_REQUIRE(closed->retained.size() == 1U);
    BOOST_TEST(!nobody_shows(*bench, closed->retained.front().name));
}

/// A queue that shows the end again: it is completed by the receipt, and close has nothing to do.
BOOST_AUTO_TEST_CASE(with_a_receipt_in_sight_close_is_refused) {
    auto bench = bench_in(Phase::cleanup_dispatching, sim::simple_scenario(2), 33);
    const engine::Pin before = pin_of(*bench);
    const auto resumed = run(*bench, Command::resume);
    BOOST_TEST(word(resumed) == "COMPLETED", describe(resumed));
    BOOST_TEST(resumed->retained.empty());
    BOOST_TEST(stopped_by(run(*bench, Command::close, before)) == "ONCESWAP_CAS_CONFLICT");
    BOOST_TEST(stopped_by(run(*bench, Command::close)) == "ONCESWAP_TRANSITION_REFUSED");
}

BOOST_AUTO_TEST_SUITE_END()
