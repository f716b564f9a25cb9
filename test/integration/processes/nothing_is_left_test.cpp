#include "process.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

// What the tests start ends with them: however a server is ended, or the tests, and whatever it was doing.

using namespace onceswap::testing;
using namespace std::chrono_literals;
namespace files = std::filesystem;

BOOST_AUTO_TEST_SUITE(nothing_is_left)

namespace {

struct Program {
    const char* name;
    std::vector<std::string> arguments;
    bool keeper; ///< it starts a ZooKeeper first, and others after it
};

const std::vector<Program> programs{
    {"engine-clickhouse", {}, true},
    {"legacy-clickhouse", {}, true},
    {"sim-clickhouse", {}, false},
    {"fault-proxy", {"--to", "127.0.0.1:1"}, false},
};

enum class When { coming_up, up };
enum class End { terminated, interrupted, killed, tests_killed };

const char* text(When when) {
    return when == When::up ? "while up" : "while coming up";
}

const char* text(End end) {
    switch (end) {
    case End::terminated:
        return "by SIGTERM";
    case End::interrupted:
        return "by SIGINT";
    case End::killed:
        return "by SIGKILL";
    case End::tests_killed:
        return "with the tests, by SIGKILL";
    }
    return "";
}

std::string content_of(const files::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Processes that have the mark in their environment, and their names.
std::vector<std::pair<pid_t, std::string>> marked(const std::string& mark) {
    std::vector<std::pair<pid_t, std::string>> found;
    std::error_code gone;
    for (const auto& entry : files::directory_iterator("/proc", gone)) {
        const std::string number = entry.path().filename();
        if (number.find_first_not_of("0123456789") != std::string::npos)
            continue;
        if (content_of(entry.path() / "environ").find(mark) != std::string::npos)
            found.emplace_back(std::stoi(number), content_of(entry.path() / "comm"));
    }
    return found;
}

/// False: not within a minute.
template <class Condition>
bool wait_until(const Condition& condition, std::chrono::milliseconds limit = 60s) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        ::poll(nullptr, 0, 10); // other people's processes: nothing tells
    }
    return true;
}

std::string list_of(const std::vector<std::pair<pid_t, std::string>>& processes) {
    std::string list;
    for (const auto& [pid, name] : processes)
        list += std::to_string(pid) + " " + name;
    return list;
}

/// Stands still before its keeper answers, so that it comes up no further.
bool stop_keeper(const std::string& mark) {
    pid_t keeper = 0;
    return wait_until([&] {
               for (const auto& [pid, name] : marked(mark))
                   if (name == "java\n")
                       keeper = pid;
               return keeper != 0;
           }) &&
           ::kill(keeper, SIGSTOP) == 0;
}

/// Goes as far as `when`. False: it did not come there.
bool come_to(When when, Process& process, const std::string& mark) {
    return when == When::up ? process.wait_for_output("\n") : stop_keeper(mark);
}

void check(const Program& program, When when, End end) {
    static int count = 0;
    const std::string mark =
        "ONCESWAP_TEST_MARK=" + std::to_string(::getpid()) + "-" + std::to_string(++count) + "-";
    std::string folder = "/tmp/onceswap-left-XXXXXX";
    BOOST_REQUIRE(::mkdtemp(folder.data()) != nullptr);
    std::map<std::string, std::string> environment{
        {"ONCESWAP_TEST_MARK", mark.substr(mark.find('=') + 1)}, {"TMPDIR", folder}
    };
    for (const char* name : {"ONCESWAP_LIBCHDB", "XDG_CACHE_HOME"})
        if (const char* value = std::getenv(name))
            environment[name] = value;
    const std::string binary = std::string(ONCESWAP_BINARY_DIR "/") + program.name;

    if (end == End::tests_killed) {
        int ready[2];
        BOOST_REQUIRE(::pipe(ready) == 0);
        const pid_t tests = ::fork();
        if (tests == 0) {
            Process process(binary, program.arguments, environment);
            const char good = come_to(when, process, mark) ? '1' : '0';
            if (::write(ready[1], &good, 1) == 1)
                ::pause();
            ::_exit(1);
        }
        char good = '0';
        BOOST_TEST(::read(ready[0], &good, 1) == 1);
        BOOST_TEST(good == '1');
        BOOST_TEST(!marked(mark).empty());
        ::kill(tests, SIGKILL);
        ::waitpid(tests, nullptr, 0);
        ::close(ready[0]);
        ::close(ready[1]);
    } else {
        Process process(binary, program.arguments, environment);
        BOOST_REQUIRE_MESSAGE(come_to(when, process, mark), process.err());
        BOOST_TEST(!marked(mark).empty());
        process.send(end == End::terminated ? SIGTERM : end == End::interrupted ? SIGINT : SIGKILL);
        const Ended ended = process.wait(20s);
        BOOST_TEST(ended.signal == (end == End::killed ? SIGKILL : 0), describe(ended));
        BOOST_TEST((end == End::killed || ended.code == 0), describe(ended));
        if (end != End::killed)
            BOOST_TEST(files::is_empty(folder), "it leaves its folder");
    }
    BOOST_TEST(wait_until([&] { return marked(mark).empty(); }, 20s), list_of(marked(mark)));
    for (const auto& [pid, name] : marked(mark)) // not into the next check
        ::kill(pid, SIGKILL);
    std::error_code ignored;
    files::remove_all(folder, ignored);
}

} // namespace

BOOST_AUTO_TEST_CASE(of_what_the_tests_start) {
    for (const Program& program : programs)
        for (const When when : {When::coming_up, When::up}) {
            if (when == When::coming_up && !program.keeper)
                continue; // it is up at once
            for (const End end : {End::terminated, End::interrupted, End::killed, End::tests_killed})
                BOOST_TEST_CONTEXT(program.name << " ended " << text(when) << " " << text(end))
            check(program, when, end);
        }
}

/// Everything that the tests start, at once: proportional set sizes, so that a page that several share counts
/// once.
BOOST_AUTO_TEST_CASE(memory_of_all_at_once) {
    const std::string mark = std::to_string(::getpid()) + "-memory-";
    std::map<std::string, std::string> environment{{"ONCESWAP_TEST_MARK", mark}};
    for (const char* name : {"ONCESWAP_LIBCHDB", "XDG_CACHE_HOME"})
        if (const char* value = std::getenv(name))
            environment[name] = value;
    std::vector<std::unique_ptr<Process>> all;
    for (const Program& program : programs)
        all.push_back(std::make_unique<Process>(
            std::string(ONCESWAP_BINARY_DIR "/") + program.name, program.arguments, environment
        ));
    for (const auto& process : all)
        BOOST_REQUIRE_MESSAGE(process->wait_for_output("\n"), process->err());
    std::size_t total_kib = 0;
    std::map<std::string, std::size_t> by_name;
    for (const auto& [pid, name] : marked("ONCESWAP_TEST_MARK=" + mark)) {
        const std::string rollup = content_of("/proc/" + std::to_string(pid) + "/smaps_rollup");
        const std::size_t at = rollup.find("\nPss:");
        BOOST_REQUIRE_MESSAGE(at != std::string::npos, name);
        const std::size_t kib = std::stoul(rollup.substr(at + 5));
        total_kib += kib;
        by_name[name.substr(0, name.find('\n'))] += kib;
    }
    for (const auto& [name, kib] : by_name)
        std::cout << name << ": " << kib / 1024 << " MiB\n";
    std::cout << "together: " << total_kib / 1024 << " MiB\n";
    BOOST_TEST(by_name.size() >= 7U); // two clusters, their servers and keepers, simulator, proxy
    BOOST_TEST(total_kib < 6U * 1024 * 1024);
    for (const auto& process : all)
        process->send(SIGTERM);
    for (const auto& process : all)
        process->wait();
}

BOOST_AUTO_TEST_SUITE_END()
