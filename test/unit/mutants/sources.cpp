// What is shipped holds no defect: no switch in a header, no switch that is not compiled twice, no symbol in
// a library.
#include "fixtures/mutants/defect.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>

namespace onceswap::mutants {

namespace {

namespace fs = std::filesystem;

const fs::path root = ONCESWAP_SOURCE_DIR;

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Paths from the root, of the sources of these folders.
std::set<std::string> sources_with(std::string_view part, std::string_view extension) {
    std::set<std::string> found;
    for (const char* folder :
         {"protocol", "engine", "http_transport", "tools", "fixtures/sim", "fixtures/harness"})
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
            if (entry.path().extension() == extension &&
                text_of(entry.path()).find(part) != std::string::npos)
                found.insert(fs::relative(entry.path(), root).generic_string());
    return found;
}

std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    BOOST_REQUIRE_MESSAGE(pipe, command);
    std::string output;
    std::array<char, 4096> block{};
    while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe.get()))
        output.append(block.data(), got);
    return output;
}

/// How many symbols of the file are the switch.
std::size_t switches_in(const std::string& file) {
    BOOST_REQUIRE_MESSAGE(fs::exists(file), file);
    const std::string symbols = output_of("nm -C '" + file + "' 2>/dev/null");
    BOOST_REQUIRE_MESSAGE(symbols.size() > 1000, "nm shows nothing of " + file);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = symbols.find("mutated(", at)) != std::string::npos; ++at)
        ++count;
    return count;
}

} // namespace

BOOST_AUTO_TEST_SUITE(mutant_sources)

BOOST_AUTO_TEST_CASE(every_switch_is_compiled_a_second_time) {
    std::istringstream words(ONCESWAP_MUTATED_SOURCES);
    const std::set<std::string> compiled{std::istream_iterator<std::string>(words), {}};
    const auto holding = sources_with("#include \"protocol/mutant.hpp\"", ".cpp");
    BOOST_CHECK_EQUAL_COLLECTIONS(compiled.begin(), compiled.end(), holding.begin(), holding.end());
}

BOOST_AUTO_TEST_CASE(no_header_holds_a_switch) {
    for (const std::string& header : sources_with("mutant.hpp", ".hpp"))
        BOOST_ERROR(header + " includes protocol/mutant.hpp: its switches would differ between two objects");
}

BOOST_AUTO_TEST_CASE(every_enumerator_is_named_and_used) {
    const std::string header = text_of(root / "protocol/mutant.hpp");
    std::string everything;
    for (const std::string& source : sources_with("#include \"protocol/mutant.hpp\"", ".cpp"))
        everything += text_of(root / source);
    std::size_t enumerators = 0;
    std::istringstream lines(header.substr(header.find("enum class Mutant {"), header.find("};")));
    for (std::string line; std::getline(lines, line) && line != "};";)
        enumerators +=
            line.starts_with("    ") && line.ends_with(",") && line.find(' ', 4) == std::string::npos ? 1 : 0;
    BOOST_TEST(enumerators == all_mutants().size());
    for (std::size_t i = 0; i < all_mutants().size(); ++i) {
        BOOST_TEST(static_cast<std::size_t>(all_mutants()[i]) == i);
        const std::string name(text(all_mutants()[i]));
        BOOST_TEST(header.find("    " + name + ",\n") != std::string::npos, name);
        BOOST_TEST(everything.find("mutated(") != std::string::npos);
        const bool used = everything.find("Mutant::" + name + ")") != std::string::npos;
        BOOST_TEST(used, name << " is asked nowhere");
    }
}

BOOST_AUTO_TEST_CASE(the_libraries_have_no_switch) {
    BOOST_TEST(switches_in(ONCESWAP_PROTOCOL_LIBRARY) == 0U);
    BOOST_TEST(switches_in(ONCESWAP_ENGINE_LIBRARY) == 0U);
    BOOST_TEST(switches_in(ONCESWAP_MUTATED_PROGRAM) != 0U); // nm finds it where it is
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::mutants
