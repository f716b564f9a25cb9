#include "live_engine.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <poll.h>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(cluster)

namespace {

/// Whether a process is there and no zombie.
bool lives(std::int64_t pid) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(in, text);
    const std::size_t name = text.rfind(") ");
    return name != std::string::npos && text.substr(name + 2, 1) != "Z";
}

bool wait_for_end(std::int64_t pid) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (lives(pid) && std::chrono::steady_clock::now() < end)
        ::poll(nullptr, 0, 10); // it is no child of ours: nothing tells
    return !lives(pid);
}

std::vector<std::int64_t> processes(const boost::json::value& ports) {
    std::vector<std::int64_t> pids{ports.at("keeper_pid").as_int64()};
    for (const boost::json::value& member : ports.at("members").as_array())
        pids.push_back(member.at("pid").as_int64());
    return pids;
}

} // namespace

BOOST_AUTO_TEST_CASE(it_starts_quickly_and_leaves_nothing_behind) {
    const auto begin = std::chrono::steady_clock::now();
    LiveEngine engine({"--members", "1", "--rows", "3"});
    BOOST_TEST_MESSAGE(
        "started in " << std::chrono::duration_cast<std::chrono::milliseconds>(
                             std::chrono::steady_clock::now() - begin
                         )
                             .count()
                      << " ms"
    );
    BOOST_TEST(engine.rows(0, "SELECT count() FROM db.target") == "3\n");
    const std::string folder(engine.ports().at("folder").as_string());
    BOOST_TEST(std::filesystem::exists(folder));
    engine.process().send(SIGINT);
    BOOST_TEST(engine.process().wait().code == 0);
    BOOST_TEST(!std::filesystem::exists(folder));
    for (const std::int64_t pid : processes(engine.ports()))
        BOOST_TEST(!lives(pid));
}

BOOST_AUTO_TEST_CASE(nothing_outlives_one_that_is_killed) {
    LiveEngine engine({"--members", "1"});
    const std::string folder(engine.ports().at("folder").as_string());
    engine.process().send(SIGKILL);
    BOOST_TEST(engine.process().wait().signal == SIGKILL);
    for (const std::int64_t pid : processes(engine.ports()))
        BOOST_TEST(wait_for_end(pid));
    std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(wrong_usage_is_2_and_a_missing_library_is_1) {
    const std::string program = std::string(ONCESWAP_BINARY_DIR) + "/engine-clickhouse";
    for (const std::vector<std::string>& wrong :
         {std::vector<std::string>{"--members", "0"}, {"--members"}, {"--user", "x"}, {"--color", "red"}})
        BOOST_TEST(run(program, wrong).code == 2);
    BOOST_TEST(run(program, {"--help"}).out.find("Examples") != std::string::npos);
    const Ended missing = run(program, {"--members", "1", "--libchdb", "/nowhere/libchdb.so"});
    BOOST_TEST(missing.code == 1, describe(missing));
}

BOOST_AUTO_TEST_SUITE_END()
