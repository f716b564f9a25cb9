#include "target.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace {

using namespace onceswap;
namespace fs = std::filesystem;

const fs::path corpora = fs::path(ONCESWAP_SOURCE_DIR) / "test" / "fuzz" / "corpora";

std::string content_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    BOOST_REQUIRE_MESSAGE(stream.good(), file << " can be read");
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(corpora_replayed)

BOOST_AUTO_TEST_CASE(every_input_of_every_target) {
    for (const fuzz::Target& target : fuzz::targets()) {
        std::size_t inputs = 0;
        for (const fs::directory_entry& entry : fs::directory_iterator(corpora / target.name)) {
            BOOST_TEST_CONTEXT(
                "replay: ONCESWAP_FUZZ_TARGET=" << target.name << " build/fuzz/bin/onceswap-fuzz "
                                                << entry.path().string()
            ) {
                BOOST_CHECK_NO_THROW(target.run(content_of(entry.path())));
            }
            ++inputs;
        }
        BOOST_TEST_CONTEXT(target.name) {
            BOOST_TEST(inputs >= 5U);
        }
    }
}

BOOST_AUTO_TEST_CASE(no_corpus_without_a_target) {
    std::set<std::string, std::less<>> names;
    for (const fuzz::Target& target : fuzz::targets())
        names.insert(std::string(target.name));
    for (const fs::directory_entry& entry : fs::directory_iterator(corpora))
        BOOST_TEST(names.contains(entry.path().filename().string()), entry.path() << " belongs to a target");
}

BOOST_AUTO_TEST_CASE(a_broken_promise_is_seen) {
    BOOST_CHECK_THROW(fuzz::must(false, "a promise"), fuzz::Broken);
}

BOOST_AUTO_TEST_SUITE_END()
