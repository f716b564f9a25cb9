#include "live_engine.hpp"

#include <boost/test/unit_test.hpp>

#include <future>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(keeper)

namespace {

const Settings strict{
    {"keeper_map_strict_mode", "1"}, {"insert_keeper_max_retries", "0"}, {"async_insert", "0"}
};

std::string rule(const std::string& action) {
    return R"({"do":"add","rule":{"name":"write","on":"transaction","type":14,"action":")" + action + "\"}}";
}

void make_record(LiveEngine& engine, const std::string& database) {
    engine.rows(0, "CREATE DATABASE " + database + " ON CLUSTER c1 ENGINE = Atomic");
    engine.rows(
        0,
        "CREATE TABLE " + database + ".r ON CLUSTER c1 (k String, v String) ENGINE = KeeperMap('/" +
            database + "') PRIMARY KEY k"
    );
    engine.rows(0, "INSERT INTO " + database + ".r VALUES ('a', 'one')", strict);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_write_that_is_cut_off_looks_the_same_whether_it_is_committed_or_not) {
    struct Row {
        const char* action;
        const char* record; ///< afterwards
    };

    LiveEngine& engine = LiveEngine::get();
    make_record(engine, "cut");
    for (const Row& row : {Row{"drop", "one\t0\n"}, Row{"cut_reply", "two\t1\n"}}) {
        BOOST_TEST_CONTEXT(row.action) {
            engine.keeper_proxy(0, R"({"do":"clear"})");
            engine.keeper_proxy(0, rule(row.action));
            const Reply reply =
                engine.ask(0, "ALTER TABLE cut.r UPDATE v = 'two' WHERE k = 'a' AND _version = 0", strict);
            BOOST_TEST(reply.status == 500U, reply.body);
            BOOST_TEST(reply.code() == 999);
            BOOST_TEST(reply.body.find("Connection loss") != std::string::npos, reply.body);
            BOOST_TEST(engine.rows(1, "SELECT v, _version FROM cut.r") == row.record);
        }
    }
    engine.keeper_proxy(0, R"({"do":"clear"})");
    BOOST_TEST(wait_for_rows(engine, 0, "SELECT v, _version FROM cut.r", "two\t1\n") == "two\t1\n");
}

BOOST_AUTO_TEST_CASE(with_retries_a_write_that_won_says_that_it_lost) {
    LiveEngine& engine = LiveEngine::get();
    make_record(engine, "retry");
    engine.keeper_proxy(0, R"({"do":"clear"})");
    engine.keeper_proxy(0, rule("cut_reply"));
    const Reply reply = engine.ask(
        0,
        "ALTER TABLE retry.r UPDATE v = 'two' WHERE k = 'a' AND _version = 0",
        {{"keeper_map_strict_mode", "1"}, {"insert_keeper_max_retries", "20"}}
    );
    engine.keeper_proxy(0, R"({"do":"clear"})");
    BOOST_TEST(reply.code() == 999);
    BOOST_TEST(reply.body.find("(Bad version)") != std::string::npos, reply.body);
    BOOST_TEST(engine.rows(1, "SELECT v, _version FROM retry.r") == "two\t1\n");
}

BOOST_AUTO_TEST_CASE(a_write_that_is_held_between_reading_and_writing_loses_to_another) {
    LiveEngine& engine = LiveEngine::get();
    make_record(engine, "held");
    engine.keeper_proxy(0, R"({"do":"clear"})");
    engine.keeper_proxy(0, rule("hold"));
    std::future<Reply> slow = std::async(std::launch::async, [&] {
        return engine.ask(0, "ALTER TABLE held.r UPDATE v = 'slow' WHERE k = 'a' AND _version = 0", strict);
    });
    BOOST_TEST(engine.keeper_proxy(0, R"({"do":"wait","held":1})").at("held").as_int64() == 1);
    engine.rows(1, "ALTER TABLE held.r UPDATE v = 'fast' WHERE k = 'a' AND _version = 0", strict);
    engine.keeper_proxy(0, R"({"do":"release"})");
    const Reply reply = slow.get();
    engine.keeper_proxy(0, R"({"do":"clear"})");
    BOOST_TEST(reply.code() == 999);
    BOOST_TEST(reply.body.find("(Bad version)") != std::string::npos, reply.body);
    BOOST_TEST(engine.rows(0, "SELECT v, _version FROM held.r") == "fast\t1\n");
}

BOOST_AUTO_TEST_CASE(without_the_keeper_the_catalogue_answers_and_the_queue_does_not) {
    LiveEngine& engine = LiveEngine::get();
    make_record(engine, "outage");
    BOOST_TEST(engine.control(R"({"do":"kill","process":"keeper"})").as_object().contains("done"));
    BOOST_TEST(engine.rows(0, "SELECT count() FROM system.tables WHERE database = 'outage'") == "1\n");
    const Reply queue = engine.ask(0, "SELECT count() FROM system.distributed_ddl_queue");
    BOOST_TEST(queue.code() == 999, queue.body);
    const Reply ddl = engine.ask(0, "CREATE DATABASE outage2 ON CLUSTER c1");
    BOOST_TEST(ddl.code() == 999, ddl.body);
    const Reply write =
        engine.ask(0, "ALTER TABLE outage.r UPDATE v = 'two' WHERE k = 'a' AND _version = 0", strict);
    BOOST_TEST(write.code() == 999, write.body);
    BOOST_TEST(engine.control(R"({"do":"start","process":"keeper"})").as_object().contains("done"));
    for (const std::size_t member : {0U, 1U}) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        Reply back;
        do
            back = engine.ask(member, "SELECT v, _version FROM outage.r");
        while (back.status != 200 && std::chrono::steady_clock::now() < end);
        BOOST_TEST(back.body == "one\t0\n");
    }
    BOOST_TEST(engine.ask(0, "CREATE DATABASE outage3 ON CLUSTER c1").status == 200U);
}

BOOST_AUTO_TEST_SUITE_END()
