#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

// Members that contradict each other about the queue: what one of them says alone is never believed after all
// of them were asked, in no later pass and by no later call.

using namespace onceswap;
using namespace onceswap::simulation;
using sim::Effect;
using sim::Fault;
using sim::QueueEdit;

namespace {

/// From the beginning, member 1 shows the publication's entry otherwise than it is.
sim::Scenario contradicted(QueueEdit edit) {
    auto scenario = sim::simple_scenario(2);
    edit.token = "-publish-";
    edit.seen_from = 1;
    Fault fault(sim::Time{}, Effect::edit_queue);
    fault.queue_edit = std::move(edit);
    scenario.faults.push_back(fault);
    return scenario;
}

QueueEdit another_end() {
    QueueEdit edit;
    edit.status = "Finished";
    edit.exception_code = "341";
    edit.exception_text = "Code: 341. DB::Exception: so it says";
    return edit;
}

QueueEdit another_entry() {
    QueueEdit edit;
    edit.what = QueueEdit::What::repeat_entry;
    edit.entry = "query-0000000977";
    return edit;
}

QueueEdit another_statement() {
    QueueEdit edit;
    edit.query = "EXCHANGE TABLES db.a AND db.b ON CLUSTER c1";
    return edit;
}

} // namespace

BOOST_AUTO_TEST_SUITE(contradictions)

BOOST_AUTO_TEST_CASE(no_later_pass_forgets_what_another_member_showed) {
    const std::pair<const char*, QueueEdit> edits[] = {
        {"another end", another_end()},
        {"another entry", another_entry()},
        {"another statement", another_statement()},
    };
    for (const auto& [name, edit] : edits) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            Bench bench(contradicted(edit), seed);
            const auto first = bench.publish("run-1");
            const auto resumed = bench.resume();
            const auto successor = bench.publish("run-2");
            BOOST_TEST_CONTEXT(
                name << ", first: " << describe(first) << ", resumed: " << describe(resumed)
                     << ", successor: " << describe(successor)
            ) {
                for (const auto* report : {&first, &resumed, &successor}) {
                    BOOST_REQUIRE(report->has_value());
                    BOOST_TEST(protocol::text((*report)->verdict.word) == "OUTCOME_UNKNOWN");
                }
                BOOST_REQUIRE(successor->stopped_by.has_value());
                BOOST_TEST(protocol::stable_name(*successor->stopped_by) == "ONCESWAP_AUTHORITY_CONFLICT");
                BOOST_TEST(bench.world.truth().authority_writes.back().phase == "DISPATCHING");
                check_invariants(bench, name);
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
