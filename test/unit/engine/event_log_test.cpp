#include "engine/event_log.hpp"
#include "manual_clock.hpp"
#include "recorded_events.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

using namespace onceswap;
using namespace onceswap::engine;

BOOST_AUTO_TEST_SUITE(event_log)

namespace {

Event event_of(EventKind kind) {
    Event event;
    event.kind = kind;
    event.outcome = protocol::Outcome::acknowledged;
    event.verdict = protocol::Word::committed;
    event.statement = protocol::StatementKind::exchange;
    event.count = 5;
    event.delay_ms = 250;
    return event;
}

} // namespace

BOOST_AUTO_TEST_CASE(each_kind_has_what_it_has) {
    const struct {
        EventKind kind;
        std::string rest;
    } rows[] = {
        {EventKind::step, ""},
        {EventKind::finding, ""},
        {EventKind::pass, ",\"verdict\":\"COMMITTED\""},
        {EventKind::verdict_change, ",\"verdict\":\"COMMITTED\""},
        {EventKind::permit, ""},
        {EventKind::mutation,
         ",\"statement\":\"" + std::string(protocol::text(protocol::StatementKind::exchange)) +
             "\",\"outcome\":\"" + std::string(protocol::text(protocol::Outcome::acknowledged)) + "\""},
        {EventKind::read_retry, ""},
        {EventKind::gap, ""},
        {EventKind::wait, ",\"delay_ms\":250"},
        {EventKind::rows_staged, ",\"count\":5"},
    };

    for (const auto& row : rows) {
        const std::string kind(text(row.kind));
        BOOST_TEST(
            json_line(event_of(row.kind), 1'700'000'000) ==
            "{\"at\":\"2023-11-14T22:13:20Z\",\"event\":\"" + kind + "\"" + row.rest + "}"
        );
    }
}

BOOST_AUTO_TEST_CASE(a_servers_text_stays_one_line_of_json) {
    Event event = event_of(EventKind::gap);
    event.name = "queue";
    event.host = "ch-1:9000";
    event.detail = "line\nbreak \xff \"quoted\"" + std::string(10'000, 'x');
    event.query_id = "q1";
    const std::string line = json_line(event, 0);
    BOOST_TEST(line.find('\n') == std::string::npos);
    BOOST_TEST(line.size() < 5'000U);
    const boost::json::value parsed = boost::json::parse(line);
    BOOST_TEST(parsed.at("detail").as_string().starts_with("line break ? \"quoted\"xxx"), line);
    BOOST_TEST(parsed.at("name").as_string() == "queue");
    BOOST_TEST(parsed.at("host").as_string() == "ch-1:9000");
    BOOST_TEST(parsed.at("query_id").as_string() == "q1");
}

BOOST_AUTO_TEST_CASE(the_sink_writes_a_line_and_hands_the_event_on) {
    boost::asio::io_context loop;
    testing::ManualClock clock(loop.get_executor());
    testing::RecordedEvents next;
    std::string written;
    JsonLineSink sink(clock, [&](std::string_view line) { written += line; }, next);
    sink.on_event(event_of(EventKind::pass));
    sink.on_event(event_of(EventKind::wait));
    BOOST_TEST(next.events.size() == 2U);
    BOOST_TEST(
        written == json_line(event_of(EventKind::pass), clock.wall_seconds()) + "\n" +
                       json_line(event_of(EventKind::wait), clock.wall_seconds()) + "\n"
    );
}

BOOST_AUTO_TEST_SUITE_END()
