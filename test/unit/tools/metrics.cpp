#include "tools/metrics/slot_metrics.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace onceswap;
using namespace onceswap::metrics;

BOOST_AUTO_TEST_SUITE(metrics_text)

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

protocol::Report a_report() {
    protocol::Report report;
    report.cluster = "c1";
    report.target = {"db", "t"};
    report.observed_at = 1'700'000'100;
    report.phase = protocol::Phase::dispatching;
    report.dispatch_epoch = 7;
    report.record_updated_at = 1'700'000'000;
    report.verdict.word = protocol::Word::partial_in_progress;
    report.verdict.row = 1;
    report.evidence_gaps = {"ch-2: timed out"};
    protocol::Report::Row committed;
    committed.state.at = {"ch-1", 9000};
    committed.state.state = protocol::State::committed;
    committed.state.health.known = true;
    committed.state.health.healthy = true;
    protocol::Report::Row away;
    away.state.at = {"ch-2", 9000};
    away.state.state = protocol::State::unavailable;
    report.members = {committed, away};
    return report;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_slot_and_its_members) {
    EventCounters counters(engine::no_events());
    const protocol::Report report = a_report();
    const std::string text = slot_metrics({&report, 1}, counters);
    const std::string slot = R"({cluster="c1",database="db",table="t")";
    for (const std::string& line :
         {"onceswap_verdict" + slot + ",verdict=\"PARTIAL_IN_PROGRESS\"} 1\n",
          "onceswap_exit_code" + slot + "} 3\n",
          "onceswap_observed_timestamp_seconds" + slot + "} 1700000100\n",
          "onceswap_record_updated_timestamp_seconds" + slot + "} 1700000000\n",
          "onceswap_dispatch_epoch" + slot + "} 7\n",
          "onceswap_evidence_gaps" + slot + "} 1\n",
          "onceswap_member_state" + slot + ",member=\"ch-1:9000\",state=\"COMMITTED\"} 1\n",
          "onceswap_member_state" + slot + ",member=\"ch-2:9000\",state=\"UNAVAILABLE\"} 1\n",
          "onceswap_member_healthy" + slot + ",member=\"ch-1:9000\"} 1\n",
          std::string("onceswap_passes_total 0\n")})
        BOOST_TEST(contains(text, "\n" + line), line << text);
    // What was not answered has no sample.
    BOOST_TEST(!contains(text, "onceswap_member_healthy" + slot + ",member=\"ch-2:9000\""));
}

BOOST_AUTO_TEST_CASE(records_without_a_name_are_one_series) {
    EventCounters counters(engine::no_events());
    protocol::Report unreadable;
    unreadable.cluster = "c1";
    unreadable.target.database = "db";
    unreadable.verdict.word = protocol::Word::authority_invalid;
    const std::vector<protocol::Report> reports{a_report(), unreadable, unreadable};
    const std::string text = slot_metrics(reports, counters);
    const std::string series =
        R"(onceswap_verdict{cluster="c1",database="db",table="",verdict="AUTHORITY_INVALID"})";
    const auto first = text.find(series);
    BOOST_TEST_REQUIRE(first != std::string::npos, text);
    BOOST_TEST(text.find(series, first + 1) == std::string::npos, text);
    BOOST_TEST(contains(text, R"(table="t",verdict="PARTIAL_IN_PROGRESS"} 1)"));
}

BOOST_AUTO_TEST_CASE(without_a_record_there_is_no_epoch_and_no_age) {
    EventCounters counters(engine::no_events());
    protocol::Report report;
    report.verdict.word = protocol::Word::no_record;
    const std::string text = slot_metrics({&report, 1}, counters);
    BOOST_TEST(!contains(text, "onceswap_dispatch_epoch{"));
    BOOST_TEST(!contains(text, "onceswap_record_updated_timestamp_seconds{"));
    BOOST_TEST(contains(text, "onceswap_exit_code{"));
}

BOOST_AUTO_TEST_CASE(events_are_counted_and_handed_on) {
    class Kept final : public engine::EventSink {
      public:
        void on_event(const engine::Event& event) override { names += event.name + ";"; }

        std::string names;
    };

    Kept kept;
    EventCounters counters(kept);
    engine::Event event;
    event.name = "a";
    event.kind = engine::EventKind::pass;
    counters.on_event(event);
    event.name = "b";
    event.kind = engine::EventKind::mutation;
    event.statement = protocol::StatementKind::exchange;
    event.outcome = protocol::Outcome::acknowledged;
    counters.on_event(event);
    counters.on_event(event);
    BOOST_TEST(kept.names == "a;b;b;");
    const std::string text = slot_metrics({}, counters);
    BOOST_TEST(contains(text, "onceswap_passes_total 1\n"), text);
    BOOST_TEST(contains(text, "onceswap_gaps_total 0\n"), text);
    BOOST_TEST(
        contains(
            text,
            "onceswap_mutations_total{statement=\"" +
                std::string(protocol::text(protocol::StatementKind::exchange)) + "\",outcome=\"" +
                std::string(protocol::text(protocol::Outcome::acknowledged)) + "\"} 2\n"
        ),
        text
    );
}

BOOST_AUTO_TEST_CASE(a_label_cannot_end_a_line_or_a_string) {
    Exposition exposition;
    exposition.family("f", Exposition::Type::gauge, "Help.");
    exposition.sample({{"a", "x\"y\\z\nw\xff"}}, std::int64_t{-1});
    const std::string& text = exposition.text();
    BOOST_TEST(text.starts_with("# HELP f Help.\n# TYPE f gauge\nf{a=\"x\\\"y\\\\z"));
    BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 3);
    BOOST_TEST(text.ends_with("\"} -1\n"));
    BOOST_TEST(!contains(text, "\xff"));
}

BOOST_AUTO_TEST_SUITE_END()
