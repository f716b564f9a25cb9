#include "tools/cli/evidence_file.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace onceswap::cli;

BOOST_AUTO_TEST_SUITE(evidence_file)

namespace {

struct Directory {
    Directory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "onceswap_evidence_XXXXXX").string();
        BOOST_REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path = pattern;
    }

    ~Directory() { std::filesystem::remove_all(path); }

    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
    }

    std::filesystem::path path;
};

std::string content_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

mode_t mode_of(const std::filesystem::path& path) {
    struct stat status{};
    BOOST_REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_new_file_is_private_whatever_the_umask_says) {
    const Directory directory;
    const auto path = directory.path / "evidence.json";
    const mode_t before = ::umask(0);
    BOOST_TEST(write_evidence_file(path.string(), "{}\n").has_value());
    ::umask(before);
    BOOST_TEST(content_of(path) == "{}\n");
    BOOST_TEST(mode_of(path) == 0600U);
    BOOST_TEST(directory.files() == 1U);
}

BOOST_AUTO_TEST_CASE(an_older_file_is_replaced_as_a_whole) {
    const Directory directory;
    const auto path = directory.path / "evidence.json";
    std::ofstream(path) << std::string(100'000, 'x');
    std::filesystem::permissions(path, std::filesystem::perms::all);
    BOOST_TEST(write_evidence_file(path.string(), "new").has_value());
    BOOST_TEST(content_of(path) == "new");
    BOOST_TEST(mode_of(path) == 0600U);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written_is_named_and_leaves_nothing) {
    const Directory directory;
    const auto absent = (directory.path / "no" / "evidence.json").string();
    const auto written = write_evidence_file(absent, "x");
    BOOST_REQUIRE(!written.has_value());
    BOOST_TEST(written.error() == absent + ": cannot be written: No such file or directory");
    const auto occupied = directory.path / "occupied";
    std::filesystem::create_directories(occupied / "inside");
    BOOST_TEST(!write_evidence_file(occupied.string(), "x").has_value());
    BOOST_TEST(directory.files() == 1U); // no temporary file is left
}

BOOST_AUTO_TEST_SUITE_END()
