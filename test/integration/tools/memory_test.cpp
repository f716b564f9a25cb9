#include "workshop.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <fstream>
#include <string>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(memory)

namespace {

/// A file of at least `mebibytes`, in lines of about 100 bytes.
std::string big_file(const Workshop& workshop, const std::string& name, std::size_t mebibytes) {
    const std::string path = workshop.path(name);
    std::ofstream out(path, std::ios::binary);
    std::size_t written = 0;
    for (unsigned row = 0; written < mebibytes * 1024 * 1024; ++row) {
        const std::string line =
            "{\"id\":" + std::to_string(row) +
            ",\"name\":\"a name that makes the line about as long as lines of real tables are ....\"}\n";
        out << line;
        written += line.size();
    }
    return path;
}

/// VmHWM of a process in KiB.
long peak_kib(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string word; status >> word;) {
        long value = 0;
        if (word == "VmHWM:" && status >> value)
            return value;
    }
    return -1;
}

/// Peak memory of a loader once all rows are staged: it is held when it writes the record.
long peak_of_staging(const std::string& path) {
    SimProcess sim;
    sim.add_fault(R"({"point":"arrive","effect":"hold","match":{"class":"authority_insert"}})");
    Process loader(
        refresh_load(),
        Words{"publish"} + sim.where() + Words{"--from", path, "--execute", "--invocation-id", "i", "--quiet"}
    );
    BOOST_REQUIRE(sim.wait_until_fired(0, loader, std::chrono::minutes(10)));
    const long peak = peak_kib(loader.pid());
    sim.release();
    const Ended ended = loader.wait(std::chrono::minutes(10));
    BOOST_TEST(ended.code == 0, describe(ended));
    return peak;
}

} // namespace

BOOST_AUTO_TEST_CASE(does_not_grow_with_the_input) {
    const Workshop workshop;
    const std::size_t large = whole_tests() ? 1024 : 64;
    const long small_peak = peak_of_staging(big_file(workshop, "small", 10));
    const long large_peak = peak_of_staging(big_file(workshop, "large", large));
    BOOST_TEST_MESSAGE(
        "peak " << small_peak << " KiB for 10 MiB, " << large_peak << " KiB for " << large << " MiB"
    );
    BOOST_TEST(small_peak > 0);
    BOOST_TEST(large_peak <= small_peak + 16 * 1024);
}

BOOST_AUTO_TEST_SUITE_END()
