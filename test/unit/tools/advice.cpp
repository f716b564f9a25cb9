#include "protocol/error_code.hpp"
#include "tools/cli/verb_table.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

using namespace onceswap;
using namespace onceswap::cli;

namespace {

std::set<std::string> all_verbs() {
    std::set<std::string> verbs;
    for (const Program program : {Program::refresh_load, Program::reconcile_watch})
        for (const Verb verb : verbs_of(program))
            verbs.insert(std::string(text(verb)));
    return verbs;
}

/// The first words of what stands in back-quotes.
std::set<std::string> commands_in(std::string_view advice) {
    std::set<std::string> commands;
    for (auto open = advice.find('`'); open != std::string_view::npos;) {
        const auto close = advice.find('`', open + 1);
        if (close == std::string_view::npos)
            break;
        const std::string_view command = advice.substr(open + 1, close - open - 1);
        commands.insert(std::string(command.substr(0, command.find(' '))));
        open = advice.find('`', close + 1);
    }
    return commands;
}

} // namespace

BOOST_AUTO_TEST_SUITE(advice)

BOOST_AUTO_TEST_CASE(every_command_in_an_advice_is_there) {
    const auto verbs = all_verbs();
    for (const protocol::Code code : protocol::all_codes()) {
        for (const std::string_view text :
             {protocol::meaning(code), protocol::next_safe_action(code), protocol::what_not_to_do(code)}) {
            for (const std::string& command : commands_in(text))
                BOOST_TEST(verbs.contains(command), text);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
