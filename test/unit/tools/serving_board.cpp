// What the board keeps while slots come and go, and when it must be called stuck: on a clock that the test
// moves.
#include "manual_clock.hpp"
#include "tools/serving/routes.hpp"
#include "tools/serving/slot_board.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace onceswap;
using namespace onceswap::serving;
using onceswap::testing::ManualClock;

BOOST_AUTO_TEST_SUITE(serving_board)

namespace {

constexpr std::chrono::seconds silence{100};

struct Bench {
    Bench() : routes(board, events, Access(true, {}, std::nullopt), silence) {}

    static Watched everything() {
        Watched watched;
        watched.cluster = "c1";
        watched.database = "db";
        watched.interval = std::chrono::seconds(5);
        return watched;
    }

    void list(const std::vector<std::string>& tables) {
        engine::Slots slots;
        for (const std::string& table : tables)
            slots.targets.emplace_back("db", table);
        std::ranges::sort(slots.targets);
        board.listed(slots);
    }

    void read(const std::string& table, protocol::Word word) {
        SlotReading reading;
        reading.report.cluster = "c1";
        reading.report.target = {"db", table};
        reading.report.verdict.word = word;
        board.observed(reading);
    }

    std::vector<std::string> shown() const {
        std::vector<std::string> names;
        for (const auto& [target, history] : board.slots())
            names.push_back(target.table);
        return names;
    }

    HttpAnswer get(const std::string& path) {
        HttpRequest request;
        request.method = "GET";
        request.target = path;
        request.hosts = {"localhost"};
        return routes.answer(request);
    }

    boost::asio::io_context loop;
    ManualClock clock{loop.get_executor()};
    SlotBoard board{everything(), clock};
    metrics::EventCounters events{engine::no_events()};
    Routes routes;
};

using Names = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_CASE(a_board_that_learns_nothing_is_unhealthy_until_it_does) {
    Bench bench;
    BOOST_TEST(bench.get("/healthz").status == 200U);
    bench.clock.advance(silence);
    BOOST_TEST(bench.get("/healthz").status == 200U, "not yet longer than the limit");
    bench.clock.advance(std::chrono::seconds(1));
    BOOST_TEST(bench.get("/healthz").status == 503U);
    bench.board.listing_failed("ONCESWAP_CONNECTION_FAILED: nobody");
    BOOST_TEST(bench.get("/healthz").status == 200U, "a failure that ended is a sign of life");
    bench.clock.advance(silence + std::chrono::seconds(1));
    BOOST_TEST(bench.get("/healthz").status == 503U);
    bench.list({"a"});
    BOOST_TEST(bench.get("/healthz").status == 200U);
    bench.clock.advance(silence + std::chrono::seconds(1));
    bench.read("a", protocol::Word::outcome_unknown);
    BOOST_TEST(bench.get("/healthz").status == 200U);
    bench.clock.advance(silence + std::chrono::seconds(1));
    bench.board.round_ended();
    BOOST_TEST(bench.get("/healthz").status == 200U);
}

BOOST_AUTO_TEST_CASE(a_slot_goes_when_its_reading_says_so) {
    Bench bench;
    bench.list({"a", "b"});
    bench.read("a", protocol::Word::completed);
    bench.read("b", protocol::Word::completed);
    bench.list({"a"});
    BOOST_TEST(bench.shown() == (Names{"a", "b"}), boost::test_tools::per_element());
    bench.read("b", protocol::Word::authority_lost);
    bench.list({"a"});
    BOOST_TEST(bench.shown() == (Names{"a", "b"}), boost::test_tools::per_element());
    bench.board.listing_failed("nobody");
    BOOST_TEST(bench.shown() == (Names{"a", "b"}), boost::test_tools::per_element());
    bench.read("b", protocol::Word::no_record);
    bench.list({"a"});
    BOOST_TEST(bench.shown() == Names{"a"}, boost::test_tools::per_element());
    bench.read("b", protocol::Word::completed); // of a round that began before
    BOOST_TEST(bench.shown() == Names{"a"}, boost::test_tools::per_element());
    bench.list({"a", "b"});
    bench.read("b", protocol::Word::ready);
    BOOST_TEST(bench.board.slots().rbegin()->second.passes() == 1U, "without the history of the other");
}

BOOST_AUTO_TEST_CASE(more_slots_than_are_kept_are_counted) {
    Bench bench;
    Names names;
    for (unsigned i = 0; i < SlotBoard::most_slots + 7; ++i)
        names.push_back("t" + std::to_string(1'000 + i));
    bench.list(names);
    BOOST_TEST(bench.board.targets().size() == SlotBoard::most_slots);
    BOOST_TEST(bench.board.omitted() == 7U);
    for (const std::string& name : names)
        bench.read(name, protocol::Word::completed);
    BOOST_TEST(bench.board.slots().size() == SlotBoard::most_slots);
    const std::string metrics = *bench.get("/metrics").body;
    BOOST_TEST(metrics.find("\nonceswap_watch_omitted_slots 7\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_history_keeps_the_newest) {
    Bench bench;
    bench.list({"a"});
    for (unsigned i = 0; i < 200; ++i)
        bench.read("a", i % 2 == 0 ? protocol::Word::completed : protocol::Word::outcome_unknown);
    const SlotHistory& history = bench.board.slots().begin()->second;
    BOOST_TEST(history.happenings().size() == SlotHistory::most_happenings);
    BOOST_TEST(history.forgotten() == 200U - SlotHistory::most_happenings);
    BOOST_TEST(history.runs().size() == SlotHistory::most_runs);
    BOOST_TEST(history.happenings().back().to == "OUTCOME_UNKNOWN");
}

BOOST_AUTO_TEST_SUITE_END()
