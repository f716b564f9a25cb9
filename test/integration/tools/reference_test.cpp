// The manual pages and completions that are installed, read by the programs that they are for.
#include "workshop.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(reference)

namespace {

const std::string share = std::string(ONCESWAP_BINARY_DIR) + "/../share/";

std::set<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::set<std::string> words;
    for (std::string word; stream >> word;)
        words.insert(word);
    return words;
}

/// `--name` of each line of a help that begins with an option.
std::set<std::string> options_in_help(const std::string& help) {
    std::istringstream stream(help);
    std::set<std::string> options;
    for (std::string line; std::getline(stream, line);)
        if (line.starts_with("  --"))
            options.insert(line.substr(2, line.find_first_of(" \n", 2) - 2));
    return options;
}

std::set<std::string> verbs_in_help(const std::string& help) {
    std::istringstream stream(help.substr(help.find("Subcommands:")));
    std::string line;
    std::getline(stream, line);
    std::set<std::string> verbs;
    while (std::getline(stream, line) && line.starts_with("  "))
        if (line[2] != ' ')
            verbs.insert(line.substr(2, line.find(' ', 2) - 2));
    return verbs;
}

/// What bash offers for a command line whose last word is being typed.
std::set<std::string> offered(const std::string& program, const std::string& line) {
    std::string name = program;
    std::replace(name.begin(), name.end(), '-', '_');
    const Ended ended =
        run("/bin/bash",
            {"--norc",
             "-euc",
             "source " + share + "bash-completion/completions/" + program + "; COMP_WORDS=(" + line +
                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _" + name +
                 "; printf '%s\\n' ${COMPREPLY[@]+\"${COMPREPLY[@]}\"}"});
    BOOST_TEST(ended.err == "", describe(ended));
    BOOST_TEST(ended.code == 0, describe(ended));
    return words_of(ended.out);
}

using Set = std::set<std::string>;

} // namespace

BOOST_AUTO_TEST_CASE(bash_offers_what_help_lists) {
    for (const std::string& binary : {refresh_load(), reconcile_watch()}) {
        const std::string program = binary.substr(binary.rfind('/') + 1);
        const auto verbs = verbs_in_help(run(binary, {"--help"}).out);
        BOOST_TEST(verbs.size() > 1U);
        BOOST_TEST((offered(program, program + " ''") == verbs));
        for (const std::string& verb : verbs) {
            const auto help = options_in_help(run(binary, {verb, "--help"}).out);
            BOOST_TEST(help.size() > 1U);
            const Set words = offered(program, program + " " + verb + " --");
            BOOST_TEST((words == help), verb);
        }
    }
}

BOOST_AUTO_TEST_CASE(bash_completes_values) {
    BOOST_TEST((offered("reconcile-watch", "reconcile-watch sta") == Set{"status"}));
    BOOST_TEST((offered("reconcile-watch", "reconcile-watch status --color a") == Set{"auto", "always"}));
    BOOST_TEST((offered("reconcile-watch", "reconcile-watch status --color = al") == Set{"always"}));
    BOOST_TEST(
        (offered("reconcile-watch", "reconcile-watch status --color =") == Set{"auto", "always", "never"})
    );
    BOOST_TEST((offered("reconcile-watch", "reconcile-watch status --cluster c").empty()));
    BOOST_TEST((offered("reconcile-watch", "reconcile-watch --inter") == Set{"--interval"})); // of `watch`
    BOOST_TEST((offered("reconcile-watch", "reconcile-watch --vers") == Set{"--version"}));
    BOOST_TEST(
        (offered("reconcile-watch", "reconcile-watch explain ONCESWAP_RETIRED") ==
         Set{"ONCESWAP_RETIRED_MIXED"})
    );
    const Workshop workshop;
    const std::string file = workshop.file("rows", "");
    BOOST_TEST((offered("refresh-load", "refresh-load publish --from " + workshop.path("ro")) == Set{file}));
}

BOOST_AUTO_TEST_CASE(zsh_and_fish_read_theirs) {
    for (const std::string program : {"refresh-load", "reconcile-watch"}) {
        const Ended zsh = run("/usr/bin/zsh", {"-fn", share + "zsh/site-functions/_" + program});
        BOOST_TEST(zsh.code == 0, describe(zsh));
        BOOST_TEST(zsh.err == "", describe(zsh));
    }
    const Workshop home;
    const auto fish = [&home](const std::string& program, const std::string& line) {
        const Ended ended =
            run("/usr/bin/fish",
                {"--no-config",
                 "-c",
                 "source " + share + "fish/vendor_completions.d/" + program + ".fish; complete -C '" + line +
                     "'"},
                {},
                {{"HOME", home.path("home")}, {"TERM", "dumb"}});
        BOOST_TEST(ended.code == 0, describe(ended));
        return ended.out;
    };
    BOOST_TEST(contains(fish("reconcile-watch", "reconcile-watch sta"), "status\t"));
    BOOST_TEST(contains(fish("reconcile-watch", "reconcile-watch status --read"), "--read-timeout\t"));
    BOOST_TEST(!contains(fish("reconcile-watch", "reconcile-watch status --inter"), "--interval"));
    BOOST_TEST(contains(fish("reconcile-watch", "reconcile-watch watch --inter"), "--interval\t"));
    BOOST_TEST(contains(fish("refresh-load", "refresh-load publish --color al"), "always"));
}

BOOST_AUTO_TEST_CASE(manual_pages_are_clean_and_name_every_option) {
    for (const std::string& binary : {refresh_load(), reconcile_watch()}) {
        const std::string program = binary.substr(binary.rfind('/') + 1);
        const std::string page = share + "man/man1/" + program + ".1";
        const Ended lint = run("/usr/bin/mandoc", {"-T", "lint", "-W", "warning", page});
        BOOST_TEST(lint.out == "", lint.out);
        BOOST_TEST(lint.code == 0, describe(lint));
        const Ended shown = run("/usr/bin/mandoc", {"-T", "ascii", "-O", "width=200", page});
        std::string text; // bold is printed over itself
        for (std::size_t at = 0; at < shown.out.size(); ++at)
            if (at + 1 < shown.out.size() && shown.out[at + 1] == '\b')
                ++at;
            else
                text += shown.out[at];
        for (const std::string& verb : verbs_in_help(run(binary, {"--help"}).out)) {
            BOOST_TEST(contains(text, "\n       " + verb), verb << "\n" << text);
            for (const std::string& option : options_in_help(run(binary, {verb, "--help"}).out))
                if (option != "--help")
                    BOOST_TEST(contains(text, "\n       " + option), option);
        }
        for (const char* part : {"EXIT STATUS", "ONCESWAP_PASSWORD", "SIGUSR1", "EXAMPLES"})
            BOOST_TEST(contains(text, part), part);
    }
}

BOOST_AUTO_TEST_SUITE_END()
