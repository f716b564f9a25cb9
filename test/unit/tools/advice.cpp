#include "tools/cli/advice.hpp"

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

BOOST_AUTO_TEST_CASE(every_command_in_an_advice_is_there_or_is_said_to_be_missing) {
    const auto verbs = all_verbs();
    for (const protocol::Code code : protocol::all_codes()) {
        for (const std::string_view text :
             {protocol::meaning(code), protocol::next_safe_action(code), protocol::what_not_to_do(code)}) {
            const std::string printed = with_missing_verbs(text);
            for (const std::string& command : commands_in(text)) {
                BOOST_TEST_CONTEXT(printed) {
                    BOOST_TEST(verbs.contains(command));
                    if (is_missing(command))
                        BOOST_TEST(printed.find("(not in this version of the tools: ") != std::string::npos);
                    else
                        BOOST_TEST(printed.starts_with(text));
                }
            }
        }
    }
}

// Whatever is missing at the time: the remark names it, and names nothing that is no command.
BOOST_AUTO_TEST_CASE(a_verb_in_quotes_is_a_command_and_another_word_is_not) {
    BOOST_TEST(with_missing_verbs("Run `resume`.") == "Run `resume`.");
    BOOST_TEST(with_missing_verbs("") == "");
    for (const std::string& verb : all_verbs()) {
        const std::string remark =
            is_missing(verb) ? " (not in this version of the tools: `" + verb + "`)" : std::string();
        for (const std::string& text : {"Run `" + verb + "`.", "Run `" + verb + " --table db.t`."})
            BOOST_TEST(with_missing_verbs(text) == text + remark);
        for (const std::string& text : {"It could " + verb + ".", "`" + verb + "d` is no verb."})
            BOOST_TEST(with_missing_verbs(text) == text);
    }
    BOOST_TEST(!is_missing("frobnicate"));
    BOOST_TEST(!is_missing("plan"));
}

BOOST_AUTO_TEST_SUITE_END()
