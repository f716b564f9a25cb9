#include "fixtures/fault_proxy/proxy.hpp"
#include "live_engine.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <future>
#include <thread>

using namespace onceswap::testing;
namespace asio = boost::asio;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(publication)

namespace {

using Words = std::vector<std::string>;
using Counts = std::vector<std::int64_t>;

/// refresh-load with these words behind its verb and `--json`.
Ended load(Words words, const std::string& database, const Words& urls) {
    for (const std::string& url : urls) {
        words.emplace_back("--url");
        words.push_back(url);
    }
    const Words rest{"--cluster", "c1", "--table", database + ".target", "--json"};
    words.insert(words.end(), rest.begin(), rest.end());
    return run(std::string(ONCESWAP_BINARY_DIR) + "/refresh-load", words);
}

std::string verdict(const Ended& ended) {
    try {
        return std::string(json::parse(ended.out).at("verdict").at("word").as_string());
    } catch (const std::exception&) {
        return describe(ended);
    }
}

/// The token under which the queue has the only EXCHANGE of a database.
std::string exchange_token(LiveEngine& engine, const std::string& database) {
    std::string tokens = engine.rows(
        0,
        "SELECT DISTINCT settings['log_comment'] FROM system.distributed_ddl_queue WHERE startsWith(query, "
        "'EXCHANGE TABLES " +
            database + ".')"
    );
    if (tokens.ends_with('\n'))
        tokens.pop_back();
    return tokens;
}

void check_published(
    LiveEngine& engine, const std::string& database, const std::string& before, unsigned rows
) {
    const std::string token = exchange_token(engine, database);
    BOOST_TEST(!token.empty());
    BOOST_TEST(token.find('\n') == std::string::npos); // one entry
    BOOST_TEST((engine.executed(token, "EXCHANGE TABLES " + database) == Counts{1, 1}));
    const std::string after = engine.uuid(0, database, "target");
    BOOST_TEST(after != before);
    BOOST_TEST(engine.uuid(1, database, "target") == after);
    for (const std::size_t member : {0U, 1U})
        BOOST_TEST(
            engine.rows(member, "SELECT count() FROM " + database + ".target") == std::to_string(rows) + "\n"
        );
}

} // namespace

BOOST_AUTO_TEST_CASE(rows_of_a_file_become_the_new_generation_with_one_exchange_on_each_member) {
    LiveEngine& engine = LiveEngine::get();
    engine.make_target("whole", 100);
    const std::string before = engine.uuid(0, "whole", "target");
    const TemporaryFile rows(new_rows(1234));
    const Ended ended = load(
        {"publish", "--from", rows.name(), "--invocation-id", "i", "--execute"},
        "whole",
        {engine.url(0), engine.url(1)}
    );
    BOOST_TEST(ended.code == 0, describe(ended));
    BOOST_TEST(verdict(ended) == "COMPLETED");
    check_published(engine, "whole", before, 1234);
    // The old generation is gone everywhere.
    for (const std::size_t member : {0U, 1U})
        BOOST_TEST(
            engine.rows(member, "SELECT count() FROM system.tables WHERE database = 'whole'") == "2\n"
        ); // target and the authority
    // The same invocation again publishes nothing.
    const Ended again = load(
        {"publish", "--from", rows.name(), "--invocation-id", "i", "--execute"},
        "whole",
        {engine.url(0), engine.url(1)}
    );
    BOOST_TEST(verdict(again) == "COMPLETED", describe(again));
    check_published(engine, "whole", before, 1234);
}

BOOST_AUTO_TEST_CASE(a_lost_answer_to_the_exchange_is_not_followed_by_a_second_one) {
    LiveEngine& engine = LiveEngine::get();
    engine.make_target("lost", 10);
    const std::string before = engine.uuid(0, "lost", "target");
    asio::io_context loop;
    using onceswap::fault_proxy::Protocol;
    using onceswap::fault_proxy::Proxy;
    std::vector<std::unique_ptr<Proxy>> proxies;
    Words urls;
    for (const std::size_t member : {0U, 1U}) {
        proxies.push_back(std::make_unique<Proxy>(
            loop,
            std::uint16_t{0},
            Proxy::Endpoint(asio::ip::address_v4::loopback(), engine.http_port(member)),
            Protocol::http
        ));
        proxies.back()->add(onceswap::fault_proxy::rule_from_json(json::parse(
            R"({"name":"lost","on":"bytes","after":"EXCHANGE TABLES `lost`","direction":"to_client","action":"reset"})"
        )));
        urls.push_back("http://127.0.0.1:" + std::to_string(proxies.back()->port()));
    }
    std::thread thread([&] {
        const auto work = asio::make_work_guard(loop);
        loop.run();
    });
    const TemporaryFile rows(new_rows(20));
    const Ended ended =
        load({"publish", "--from", rows.name(), "--invocation-id", "i", "--execute"}, "lost", urls);
    asio::post(loop, [&] {
        for (const auto& proxy : proxies)
            proxy->close();
        loop.stop();
    });
    thread.join();
    BOOST_TEST(verdict(ended) == "COMPLETED", describe(ended));
    BOOST_TEST(proxies[0]->rules().fired().size() + proxies[1]->rules().fired().size() == 1U);
    loop.restart();
    loop.run();
    check_published(engine, "lost", before, 20);
}

BOOST_AUTO_TEST_CASE(a_stopped_worker_is_seen_and_the_original_entry_converges) {
    LiveEngine& engine = LiveEngine::get();
    engine.make_target("race", 10);
    const std::string before = engine.uuid(0, "race", "target");
    engine.worker(1, {{"do", "hold"}, {"at", "before_active"}, {"match", "EXCHANGE TABLES race."}});
    const TemporaryFile rows(new_rows(30));
    const Words urls{engine.url(0), engine.url(1)};
    const Ended ended = load(
        {"publish", "--from", rows.name(), "--invocation-id", "i", "--execute", "--timeout", "20s"},
        "race",
        urls
    );
    BOOST_TEST(ended.code != 0, describe(ended)); // its time was over while it waited for the hosts
    const Ended looked = load({"resume", "--execute", "--timeout", "8s"}, "race", urls);
    BOOST_TEST(verdict(looked) == "PARTIAL_IN_PROGRESS", describe(looked));
    BOOST_TEST(engine.uuid(0, "race", "target") != before);
    BOOST_TEST(engine.uuid(1, "race", "target") == before);
    BOOST_TEST(engine.worker(1, {{"do", "show"}}).at("held").as_bool());
    engine.worker(1, {{"do", "release"}});
    const Ended resumed = load({"resume", "--execute"}, "race", urls);
    BOOST_TEST(verdict(resumed) == "COMPLETED", describe(resumed));
    check_published(engine, "race", before, 30);
}

/// Every write of the record in turn is committed by the keeper and its answer is lost. Only the one that
/// would have given the right to dispatch ends a publication: nobody can tell whose write it was, so nothing
/// is ever sent.
BOOST_AUTO_TEST_CASE(whichever_record_write_loses_its_answer_there_is_at_most_one_exchange) {
    LiveEngine& engine = LiveEngine::get();
    const Words urls{engine.url(0), engine.url(1)};
    constexpr int dispatching = 2; // PREPARED, DISPATCHING, COMMITTED, two of the cleanup, COMPLETED
    constexpr int writes = 6;
    for (int nth = 1; nth <= writes + 1; ++nth) {
        BOOST_TEST_CONTEXT("write " << nth) {
            const std::string database = "cas" + std::to_string(nth);
            engine.make_target(database, 10);
            const std::string before = engine.uuid(0, database, "target");
            engine.keeper_proxy(0, R"({"do":"clear"})");
            const auto fired = [&] {
                return engine.keeper_proxy(0, R"({"do":"status"})").at("fired").as_array().size();
            };
            const std::size_t fired_before = fired();
            engine.keeper_proxy(
                0,
                R"({"do":"add","rule":{"name":"lost","on":"transaction","type":14,"contains":"/authority/v1/data/",)"
                R"("action":"cut_reply","nth":)" +
                    std::to_string(nth) + "}}"
            );
            const TemporaryFile rows(new_rows(20));
            Ended ended;
            for (int attempt = 0; attempt < 3; ++attempt) { // the scheduler runs it again
                ended = load(
                    {"publish",
                     "--from",
                     rows.name(),
                     "--invocation-id",
                     "i",
                     "--execute",
                     "--timeout",
                     nth == dispatching ? "10s" : "60s"},
                    database,
                    urls
                );
                if (verdict(ended) == "COMPLETED")
                    break;
            }
            BOOST_TEST(fired() - fired_before == (nth <= writes ? 1U : 0U));
            if (nth != dispatching) {
                BOOST_TEST(verdict(ended) == "COMPLETED", describe(ended));
                check_published(engine, database, before, 20);
                continue;
            }
            BOOST_TEST(verdict(ended) == "OUTCOME_UNKNOWN", describe(ended));
            BOOST_TEST(exchange_token(engine, database) == "");
            for (const std::size_t member : {0U, 1U})
                BOOST_TEST(engine.uuid(member, database, "target") == before);
        }
    }
    engine.keeper_proxy(0, R"({"do":"clear"})");
}

BOOST_AUTO_TEST_SUITE_END()
