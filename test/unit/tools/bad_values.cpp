// Every option with what it cannot mean, from each place where it can be said. The options come from the
// table, so that a new one cannot be forgotten: it fails here until it says of which kind its values are.
#include "tools/cli/arguments.hpp"
#include "tools/cli/option_table.hpp"
#include "tools/cli/verb_table.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace onceswap;
using namespace onceswap::cli;

BOOST_AUTO_TEST_SUITE(bad_values)

namespace {

using Words = std::vector<std::string>;

/// No message may repeat a value: it may be a secret that landed in the wrong place.
const std::string planted = "s3cret";

/// What no option takes.
Words never_taken(const std::string& option) {
    Words values{"", std::string(5000, 'x') + planted};
    if (option != "on-verdict")
        for (const char* control : {"\n", "\r", "\t", "\x1b[2J", "\x7f"})
            values.push_back("a" + std::string(control) + planted);
    return values;
}

/// What the options of a kind do not take besides.
const std::map<std::string, Words> wrong_by_kind = {
    {"flag", {planted, "2", "tru"}},
    {"url",
     {planted,
      "http://",
      "ftp://a:1/" + planted,
      "http://a:99999",
      "http://u:" + planted + "@a:8123",
      "http://a:8123/?x=" + planted}},
    {"host", {"a/" + planted, "a b", "http://a"}},
    {"number", {planted, "-1", "1.5", "0x10", "18446744073709551616", "1 "}},
    {"port", {planted, "0", "65536", "-1"}},
    {"time", {planted, "-1s", "1y", "1s " + planted, "31d", "99999999999999999999s"}},
    {"table", {planted, ".", "a.", ".b", "a.b.c." + planted}},
    {"digest", {planted, std::string(63, 'a'), std::string(64, 'A'), std::string(64, 'g')}},
    {"choice", {planted, "Always"}},
    {"keeper path", {planted, "x/" + planted}},
    {"anything", {}}, // names, files and commands: whoever uses them says what is wrong with them
};

/// The kind of each option's values.
const std::map<std::string, std::string> kind_of = {
    {"url", "url"},
    {"host", "host"},
    {"http-port", "port"},
    {"cluster", "anything"},
    {"table", "table"},
    {"database", "anything"},
    {"like", "table"},
    {"from", "anything"},
    {"adopt", "table"},
    {"invocation-id", "anything"},
    {"plan-digest", "digest"},
    {"authority-root", "keeper path"},
    {"grace", "time"},
    {"interval", "time"},
    {"on-verdict", "anything"},
    {"on-verdict-timeout", "time"},
    {"operation", "digest"},
    {"version", "number"},
    {"epoch", "number"},
    {"name", "anything"},
    {"listen", "anything"},
    {"bearer-token-file", "anything"},
    {"allow-host", "anything"},
    {"demo-fault", "anything"},
    {"user", "anything"},
    {"password-file", "anything"},
    {"ca", "anything"},
    {"cert", "anything"},
    {"key", "anything"},
    {"server-name", "anything"},
    {"timeout", "time"},
    {"connect-timeout", "time"},
    {"read-timeout", "time"},
    {"evidence", "anything"},
    {"metrics-file", "anything"},
    {"event-log", "anything"},
    {"color", "choice"},
    {"config", "anything"},
};

/// A command line that is right but for the option in question, which it leaves out.
Words right(Verb verb, const std::string& without) {
    Words words{std::string(text(verb))};
    if (verb == Verb::explain)
        return words;
    const auto say = [&](const std::string& option, const std::string& value) {
        if (option != without)
            words.insert(words.end(), {"--" + option, value});
    };
    if (verb == Verb::orphans)
        words.emplace_back("list");
    if (without != "host" && without != "http-port" && without != "secure")
        say("url", "http://a:8123");
    else
        say("host", "a");
    say("cluster", "c1");
    if (without != "database")
        say("table", "db.t");
    if ((set_of(verb) & (for_plan | for_stage | for_publish)) != 0 && without != "adopt")
        say("from", "x");
    if (verb == Verb::close)
        words.emplace_back("--keep-predecessor");
    return words;
}

std::optional<std::string> refusal(Program program, Words words, Surroundings around) {
    const auto options = parse_arguments(program, std::move(words), around);
    if (options)
        return std::nullopt;
    BOOST_TEST(options.error().is_error);
    return options.error().text;
}

Surroundings nothing_around() {
    Surroundings around;
    around.variable = [](const std::string&) { return std::optional<std::string>(); };
    around.file = [](const std::string&) -> protocol::Result<std::string> {
        return protocol::Failure(protocol::Code::config_invalid, "cannot be read");
    };
    return around;
}

/// The value in one of the three places, and what the message must name.
std::pair<std::optional<std::string>, std::string>
said(const std::string& place, Program program, Verb verb, const OptionRow& row, const std::string& value) {
    const std::string option(row.name);
    Words words = right(verb, option);
    Surroundings around = nothing_around();
    if (option == "database")
        words.emplace_back("--all");
    if (place == "command line") {
        words.push_back("--" + option + "=" + value);
        return {refusal(program, words, around), "--" + option};
    }
    if (place == "variable") {
        const std::string name = variable_name(option);
        around.variable = [name, value](const std::string& asked) {
            return asked == name ? std::optional<std::string>(value) : std::nullopt;
        };
        return {refusal(program, words, around), name};
    }
    const std::string content = boost::json::serialize(boost::json::object{{option, value}});
    around.file = [content](const std::string&) -> protocol::Result<std::string> { return content; };
    words.insert(words.end(), {"--config", "the.json"});
    return {refusal(program, words, around), "--config: the.json: `" + option + "`"};
}

void check(
    const std::string& place, Program program, Verb verb, const OptionRow& row, const std::string& value
) {
    const auto [message, name] = said(place, program, verb, row, value);
    BOOST_TEST_CONTEXT(
        text(program) << " " << text(verb) << ", " << row.name << " from " << place << ": `"
                      << value.substr(0, 40) << "`"
    ) {
        BOOST_TEST(message.has_value(), "was taken");
        if (!message)
            return;
        BOOST_TEST(message->find(name) != std::string::npos, *message);
        BOOST_TEST(message->find('\n') == std::string::npos, *message);
        BOOST_TEST(message->find(planted) == std::string::npos, *message);
        BOOST_TEST(message->size() < 300U, *message);
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(each_option_from_each_place) {
    std::size_t checked = 0;
    for (const OptionRow& row : option_table()) {
        const std::string option(row.name);
        const bool is_flag = row.kind == OptionKind::flag;
        const auto known = kind_of.find(option);
        BOOST_REQUIRE_MESSAGE(is_flag || known != kind_of.end(), option << " says not of which kind it is");
        Words values = wrong_by_kind.at(is_flag ? "flag" : known->second);
        if (!is_flag) {
            const Words never = never_taken(option);
            values.insert(values.end(), never.begin(), never.end());
        }
        for (const Program program : {Program::refresh_load, Program::reconcile_watch})
            for (const Verb verb : verbs_of(program)) {
                if ((row.verbs & set_of(verb)) == 0)
                    continue;
                for (const std::string& value : values) {
                    check("command line", program, verb, row, value);
                    ++checked;
                    if (row.command_line_only || option == "config")
                        continue;
                    check("file", program, verb, row, value);
                    // A variable with blanks is a list there.
                    const bool is_list =
                        row.kind == OptionKind::list && value.find_first_of(" \t\r\n") != value.npos;
                    if (!is_list)
                        check("variable", program, verb, row, value);
                    checked += 2;
                }
            }
    }
    BOOST_TEST(checked > 5000U);
}

BOOST_AUTO_TEST_SUITE_END()
