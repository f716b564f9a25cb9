#include "tools/cli/arguments.hpp"

#include "tools/cli/option_table.hpp"
#include "tools/cli/verb_table.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace onceswap;
using namespace onceswap::cli;

BOOST_AUTO_TEST_SUITE(arguments)

namespace {

using Texts = std::map<std::string, std::string>;

Surroundings surroundings(Texts variables = {}, Texts files = {}) {
    Surroundings result;
    result.variable = [variables](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
    };
    result.file = [files](const std::string& path) -> protocol::Result<std::string> {
        const auto found = files.find(path);
        if (found == files.end())
            return protocol::Failure(protocol::Code::config_invalid, "cannot be read");
        return found->second;
    };
    return result;
}

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : line + " ") {
        if (c != ' ')
            word += c;
        else if (!word.empty())
            words.push_back(std::exchange(word, {}));
    }
    return words;
}

Options good(Program program, const std::string& line, const Surroundings& around = surroundings()) {
    const auto options = parse_arguments(program, split(line), around);
    BOOST_REQUIRE_MESSAGE(options.has_value(), line << ": " << (options ? "" : options.error().text));
    return *options;
}

std::string bad(Program program, const std::string& line, const Surroundings& around = surroundings()) {
    const auto options = parse_arguments(program, split(line), around);
    BOOST_REQUIRE_MESSAGE(!options.has_value(), line << " was taken");
    BOOST_TEST(options.error().is_error, line);
    return options.error().text;
}

/// The verbs, as a message names them.
std::string present(Program program) {
    std::string known;
    for (const Verb verb : verbs_of(program)) {
        known += (known.empty() ? "" : ", ") + std::string(text(verb));
    }
    return known;
}

using Words = std::vector<std::string>;

Words operator+(Words left, const Words& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

/// A command line that would be taken, without one option.
Words base_words(Verb verb, const std::string& without) {
    Words words{std::string(text(verb))};
    if (verb == Verb::orphans)
        words.emplace_back("list");
    const auto add = [&](const std::string& option, const std::string& value) {
        if (option != without)
            words.push_back("--" + option + (value.empty() ? "" : "=" + value));
    };
    if (verb == Verb::explain)
        return words;
    if (without == "http-port" || without == "secure")
        add("host", "a");
    else
        add("url", "http://a");
    add("cluster", "c1");
    add("table", "db.t");
    if (verb == Verb::publish || (verb == Verb::stage && without != "adopt"))
        add("from", "x");
    if (verb == Verb::close)
        add("keep-predecessor", "");
    return words;
}

std::vector<std::pair<Program, Verb>> verbs_of_both() {
    std::vector<std::pair<Program, Verb>> verbs;
    for (const Program program : {Program::refresh_load, Program::reconcile_watch})
        for (const Verb verb : verbs_of(program))
            verbs.emplace_back(program, verb);
    return verbs;
}

/// One bad value of an option, by flag, variable and file: each is refused in one line that names the place.
/// Returns how many were tried.
std::size_t try_everywhere(Program program, Verb verb, const OptionRow& row, const std::string& value) {
    const std::string name(row.name);
    if (row.kind == OptionKind::list && value.empty())
        return 0; // none at all is another complaint
    std::size_t tried = 0;
    const auto is_refused = [&](const Surroundings& around, const Words& more, const std::string& source) {
        const auto options = parse_arguments(program, base_words(verb, name) + more, around);
        ++tried;
        BOOST_TEST_CONTEXT(text(verb) << " " << source << " `" << value << "`") {
            BOOST_TEST(!options.has_value());
            const std::string said = options ? std::string() : options.error().text;
            BOOST_TEST(said.find(source) != std::string::npos, said);
            BOOST_TEST(said.find('\n') == std::string::npos, said);
            BOOST_TEST(said.find("s3cret") == std::string::npos, said);
        }
    };
    if (row.kind != OptionKind::flag)
        is_refused(surroundings(), {"--" + name + "=" + value}, "--" + name);
    if (row.command_line_only)
        return tried;
    const std::string variable = variable_name(name);
    if (row.kind != OptionKind::list || value.find(' ') == std::string::npos) // a blank separates two
        is_refused(surroundings({{variable, value}}), {}, variable);
    const std::string json = boost::json::serialize(boost::json::object{{name, value}});
    is_refused(surroundings({}, {{"f", json}}), {"--config", "f"}, "`" + name + "`");
    return tried;
}

const std::string where = "--url http://a:8123 --url http://b:8123 --cluster c1 --table db.t ";
const std::string sixty_four = std::string(64, 'a');

} // namespace

BOOST_AUTO_TEST_CASE(everything_that_publish_takes) {
    const Options options = good(
        Program::refresh_load,
        "publish --url http://a:8123 --url https://b --cluster c1 --table db.t --like db.u --from "
        "rows.ndjson "
        "--invocation-id run-1 --plan-digest " +
            sixty_four +
            " --authority-root /x/y --accept-lost-authority --no-cleanup --grace 5m --execute --user me "
            "--password-file /p --ca ca.pem --cert c.pem --key k.pem --server-name n --timeout 1h "
            "--connect-timeout 2s --read-timeout=3s --json --evidence e.json --color never --verbose"
    );
    BOOST_TEST((options.verb == Verb::publish));
    BOOST_REQUIRE(options.endpoints.size() == 2);
    BOOST_TEST(options.endpoints[0].text() == "http://a:8123");
    BOOST_TEST(options.endpoints[1].text() == "https://b:8443");
    BOOST_TEST(options.cluster == "c1");
    BOOST_TEST(options.table.database == "db");
    BOOST_TEST(options.table.table == "t");
    BOOST_TEST(options.like.table == "u");
    BOOST_TEST(options.from == "rows.ndjson");
    BOOST_TEST(options.invocation_id == "run-1");
    BOOST_TEST(options.plan_digest == sixty_four);
    BOOST_TEST(options.authority_root == "/x/y");
    BOOST_TEST(options.accept_lost_authority);
    BOOST_TEST(!options.cleanup);
    BOOST_TEST(options.grace.count() == 300'000);
    BOOST_TEST(options.execute);
    BOOST_TEST(options.user == "me");
    BOOST_TEST(options.password_file == "/p");
    BOOST_TEST(options.ca_file == "ca.pem");
    BOOST_TEST(options.cert_file == "c.pem");
    BOOST_TEST(options.key_file == "k.pem");
    BOOST_TEST(options.server_name == "n");
    BOOST_TEST(options.timeout.count() == 3'600'000);
    BOOST_TEST(options.connect_timeout.count() == 2'000);
    BOOST_TEST(options.read_timeout.count() == 3'000);
    BOOST_TEST(options.json);
    BOOST_TEST(options.evidence_file == "e.json");
    BOOST_TEST((options.color == ColorChoice::never));
    BOOST_TEST(options.verbose);
}

BOOST_AUTO_TEST_CASE(defaults) {
    const Options publish = good(Program::refresh_load, "publish " + where + "--from -");
    BOOST_TEST(!publish.execute);
    BOOST_TEST(publish.cleanup);
    BOOST_TEST(publish.timeout.count() == 0);
    BOOST_TEST(publish.connect_timeout.count() == 5'000);
    BOOST_TEST(publish.read_timeout.count() == 10'000);
    BOOST_TEST(publish.grace.count() == 0);
    BOOST_TEST(publish.user == "default");
    BOOST_TEST(publish.authority_root == "/onceswap/authority/v1");
    BOOST_TEST(publish.invocation_id == "");
    BOOST_TEST((publish.color == ColorChoice::automatic));
    const Options status = good(Program::reconcile_watch, "status --host a --cluster c1 --table db.t");
    BOOST_TEST(status.timeout.count() == 600'000);
    BOOST_TEST(status.http_port == 8123);
    BOOST_TEST(!status.secure);
    BOOST_TEST(
        good(Program::reconcile_watch, "status --host a --secure --cluster c --table d.t").http_port == 8443
    );
    BOOST_TEST(
        good(Program::reconcile_watch, "status --host a --http-port 18123 --cluster c --table d.t")
            .http_port == 18123
    );
    const Options all = good(Program::reconcile_watch, "status --host a --cluster c1 --all --database db");
    BOOST_TEST(all.all);
    BOOST_TEST(all.table.database == "db");
    BOOST_TEST(all.table.table == "");
}

BOOST_AUTO_TEST_CASE(flag_over_variable_over_file_over_default) {
    const Texts variables = {
        {"ONCESWAP_USER", "from-variable"},
        {"ONCESWAP_CLUSTER", "from-variable"},
        {"ONCESWAP_URL", "http://v1 http://v2"},
        {"ONCESWAP_JSON", "yes"},
        {"ONCESWAP_CONFIG", "c.json"},
        {"ONCESWAP_EXECUTE", "1"},
        {"ONCESWAP_VERBOSE", "off"},
    };
    const Texts files = {
        {"c.json",
         R"({"user":"from-file","cluster":"from-file","timeout":30,"table":"db.from_file","grace":"1m",
                      "verbose":true,"url":["http://f1","http://f2"],"all":false,"readonly-user":true})"}
    };
    const Options options =
        good(Program::refresh_load, "publish --user from-flag --from rows", surroundings(variables, files));
    BOOST_TEST(options.user == "from-flag");
    BOOST_TEST(options.cluster == "from-variable");
    BOOST_REQUIRE(options.endpoints.size() == 2);
    BOOST_TEST(options.endpoints[1].host() == "v2");
    BOOST_TEST(options.table.table == "from_file");
    BOOST_TEST(options.timeout.count() == 30'000);
    BOOST_TEST(options.grace.count() == 60'000);
    BOOST_TEST(options.json);
    BOOST_TEST(!options.verbose);
    BOOST_TEST(!options.execute); // must be said each time
}

BOOST_AUTO_TEST_CASE(what_is_refused_and_in_which_words) {
    const std::string unknown_verb = "unknown verb (" + present(Program::refresh_load) + "); see --help";

    const struct {
        std::string line;
        std::string expected;
    } rows[] = {
        {"", "say what to do; see --help"},
        {"--frobnicate", "unknown option --frobnicate; see --help"},
        {"frob", unknown_verb},
        {"status", unknown_verb},
        {"publish " + where + "--from x --frob", "unknown option --frob; see publish --help"},
        {"publish " + where + "--from x --frob=s3cret", "unknown option --frob; see publish --help"},
        {"publish " + where + "--from x s3cret",
         "there is a word too many behind the options; see publish --help"},
        {"resume " + where + "--from x", "unknown option --from; see resume --help"},
        {"publish " + where + "--from x --password s3cret",
         "a password on the command line can be read by everybody on this machine; use --password-file, "
         "ONCESWAP_PASSWORD or --password-prompt"},
        {"publish " + where + "--from x --password=s3cret",
         "a password on the command line can be read by everybody on this machine; use --password-file, "
         "ONCESWAP_PASSWORD or --password-prompt"},
        {"publish " + where,
         "--from is missing: the file with the rows, or `-`; without it --invocation-id, of what `stage` has "
         "staged"},
        {"publish --cluster c --table d.t --from x",
         "say where the cluster is: --url once for each member, or --host"},
        {"publish --host a --url http://b --cluster c --table d.t --from x",
         "--url and --host exclude each other"},
        {"publish --url http://b --secure --cluster c --table d.t --from x",
         "--http-port and --secure belong to --host; a --url says both itself"},
        {"publish --host a --table d.t --from x", "--cluster is missing"},
        {"publish --host a --cluster c --from x", "--table is missing"},
        {"publish --host a --cluster c --table t --from x", "--table: expected DATABASE.TABLE"},
        {"publish --host a --cluster c --table a.b.c --from x",
         "--table: expected DATABASE.TABLE (a part with a dot goes in back-quotes)"},
        {"publish --host a --cluster c --table d.t --from x --timeout soon",
         "--timeout: not a time like 500ms, 10s, 5m or 1h30m, at most 30 days"},
        {"publish --host a --cluster c --table d.t --from x --read-timeout 0",
         "--connect-timeout and --read-timeout cannot be 0"},
        {"publish --host a --http-port 0 --cluster c --table d.t --from x",
         "--http-port: not a number in range"},
        {"publish --host a --http-port 70000 --cluster c --table d.t --from x",
         "--http-port: not a number in range"},
        {"publish " + where + "--from x --plan-digest abc", "--plan-digest: not 64 lower-case hex digits"},
        {"publish " + where + "--from x --invocation-id " + std::string(257, 'x'),
         "--invocation-id: must have 1 to 256 bytes"},
        {"publish " + where + "--from - --password-prompt",
         "--password-prompt cannot be used while the rows come from standard input"},
        {"publish " + where + "--from x --password-prompt --password-file y",
         "--password-prompt and --password-file exclude each other"},
        {"publish " + where + "--from x --cert c.pem", "--cert and --key belong together"},
        {"publish " + where + "--from x --insecure --ca x", "--insecure and --ca exclude each other"},
        {"stage " + where + "--from x --adopt d.n", "--adopt and --from exclude each other"},
        {"stage " + where + "--adopt other.n", "--adopt: must be in the target's database"},
        {"stage " + where + "--adopt db.n --like db.l", "--adopt and --like exclude each other"},
        {"publish " + where + "--from x --quiet --verbose", "--quiet and --verbose exclude each other"},
        {"publish " + where + "--from x --color maybe", "--color: not auto, always or never"},
        {"publish " + where + "--from x --authority-root x", "--authority-root: must begin with /"},
        {"abandon " + where + "--execute",
         "abandon --execute needs --operation and --version, as `reconcile-watch status` prints them"},
        {"abandon " + where + "--operation xyz",
         "--operation: not 64 lower-case hex digits; take the id that `reconcile-watch status` prints"},
        {"abandon " + where + "--version x", "--version: not a number in range"},
    };

    for (const auto& row : rows) {
        const std::string text = bad(Program::refresh_load, row.line);
        BOOST_TEST(text == row.expected, row.line << ": " << text);
        BOOST_TEST(text.find('\n') == std::string::npos, row.line);
        BOOST_TEST(text.find("s3cret") == std::string::npos, row.line);
    }
    BOOST_TEST(
        bad(Program::reconcile_watch, "status --host a --cluster c --all") == "--all needs --database"
    );
    BOOST_TEST(
        bad(Program::reconcile_watch, "status --host a --cluster c --all --database d --table d.t") ==
        "--all and --table exclude each other"
    );
    BOOST_TEST(
        bad(Program::reconcile_watch, "status --host a --cluster c --database d --table d.t") ==
        "--database belongs to --all"
    );
}

// The whole option table: a bad value of any option, by flag, variable and file, in every verb that has it.
// What is not in the list takes any text, and what is done with it fails later by name, or is a file.
BOOST_AUTO_TEST_CASE(a_bad_value_is_named_with_where_it_was_said) {
    const std::map<std::string, std::vector<std::string>, std::less<>> bad_values = {
        {"url", {"", "a b", "ftp://a", "http://", "http://a:0", "http://a:99999", "http://u:s3cret@a"}},
        {"http-port", {"", "0", "-1", "65536", "8123x", "0x10"}},
        {"table", {"", "t", "a.b.c", ".t", "db.", "`db`.`t"}},
        {"like", {"", "t", "a.b.c"}},
        {"adopt", {"", "t", "a.b.c"}},
        {"authority-root", {"", "x"}},
        {"invocation-id", {"", std::string(257, 'x')}},
        {"plan-digest", {"x", std::string(63, 'a'), std::string(64, 'A')}},
        {"operation", {"x", std::string(65, 'a')}},
        {"version", {"", "x", "-", "99999999999"}},
        {"epoch", {"", "x", "-1", "99999999999999999999999"}},
        {"timeout", {"", "x", "-1s", "1.5s", "31d", "721h", "5 s"}},
        {"connect-timeout", {"", "0s", "x"}},
        {"read-timeout", {"", "0s", "x"}},
        {"grace", {"", "x"}},
        {"on-verdict-timeout", {"", "x"}},
        {"interval", {"", "0s", "999ms", "x"}},
        {"color", {"", "red"}},
        {"listen", {""}},
        {"cluster", {""}},
    };
    const std::set<std::string_view> any_text = {
        "host",          "database",
        "from",          "on-verdict",
        "name",          "bearer-token-file",
        "demo-fault",    "user",
        "password-file", "ca",
        "cert",          "key",
        "server-name",   "evidence",
        "metrics-file",  "on-verdict-timeout",
        "allow-host",    "event-log",
        "config",
    };
    std::size_t tried = 0;
    for (const auto& [program, verb] : verbs_of_both()) {
        for (const OptionRow& row : option_table()) {
            const std::string name(row.name);
            const auto values = bad_values.find(name);
            const bool is_flag = row.kind == OptionKind::flag;
            BOOST_TEST((is_flag || values != bad_values.end() || any_text.contains(name)), name);
            if ((row.verbs & set_of(verb)) == 0 || (!is_flag && values == bad_values.end()))
                continue;
            const std::vector<std::string> not_flags = {"maybe", "", "2"};
            for (const std::string& value : is_flag ? not_flags : values->second)
                tried += try_everywhere(program, verb, row, value);
        }
    }
    BOOST_TEST(tried > 500U);
}

BOOST_AUTO_TEST_CASE(bad_urls_never_show_their_userinfo) {
    for (const char* url :
         {"http://me:s3cret@a:8123",
          "https://s3cret@a",
          "ftp://me:s3cret@a",
          "me:s3cret@a:8123",
          "http://me:s3cret@",
          "http://me:s3cret@a:99999",
          "http://me:s3cret@a/?x=1"}) {
        const std::string text =
            bad(Program::reconcile_watch, std::string("status --cluster c --table d.t --url ") + url);
        BOOST_TEST(text.starts_with("--url: "), url << ": " << text);
        BOOST_TEST(text.find("s3cret") == std::string::npos, url << ": " << text);
    }
}

BOOST_AUTO_TEST_CASE(variables_and_files_that_are_wrong) {
    const std::string line = "publish " + where + "--from x";
    BOOST_TEST(
        bad(Program::refresh_load, line, surroundings({{"ONCESWAP_JSON", "maybe"}})) ==
        "ONCESWAP_JSON: not true or false"
    );
    BOOST_TEST(
        bad(Program::refresh_load, line, surroundings({{"ONCESWAP_TIMEOUT", "x"}})) ==
        "ONCESWAP_TIMEOUT: not a time like 500ms, 10s, 5m or 1h30m, at most 30 days"
    );
    BOOST_TEST(bad(Program::refresh_load, line + " --config none") == "--config: none: cannot be read");
    BOOST_TEST(
        bad(Program::refresh_load, line, surroundings({{"ONCESWAP_CONFIG", "none"}})) ==
        "ONCESWAP_CONFIG: none: cannot be read"
    );
    BOOST_TEST(
        bad(Program::refresh_load, line, surroundings({{"ONCESWAP_HOST", "h"}})) ==
        "--url and --host exclude each other (--host is from ONCESWAP_HOST)"
    );
    BOOST_TEST(
        bad(Program::refresh_load, line + " --config f", surroundings({}, {{"f", R"({"color":"red"})"}})) ==
        "--config: f: `color`: not auto, always or never"
    );

    const struct {
        const char* content;
        const char* expected;
    } rows[] = {
        {"", "not a JSON object"},
        {"[1]", "not a JSON object"},
        {"{\"user\":", "not a JSON object"},
        {R"({"usr":"x"})", "unknown key `usr`"},
        {R"({"config":"x"})", "unknown key `config`"},
        {R"({"password":"s3cret"})",
         "`password`: put it in a file of its own and name that as `password-file`"},
        {R"({"execute":true})", "`execute` can only be said on the command line"},
        {R"({"operation":"x"})", "`operation` can only be said on the command line"},
        {R"({"user":["x"]})", "`user`: not a string, a whole number or a flag"},
        {R"({"timeout":1.5})", "`timeout`: not a string, a whole number or a flag"},
        {R"({"json":"perhaps"})", "`json`: not true or false"},
    };

    for (const auto& row : rows) {
        const std::string text =
            bad(Program::refresh_load, line + " --config f", surroundings({}, {{"f", row.content}}));
        BOOST_TEST(text == std::string("--config: f: ") + row.expected, row.content << ": " << text);
    }
}

BOOST_AUTO_TEST_CASE(help_of_every_verb_names_its_options_and_shows_examples) {
    for (const Program program : {Program::refresh_load, Program::reconcile_watch}) {
        const auto whole = parse_arguments(program, {"--help"}, surroundings());
        BOOST_REQUIRE(!whole);
        BOOST_TEST(!whole.error().is_error);
        for (const Verb verb : verbs_of(program)) {
            BOOST_TEST(whole.error().text.find(text(verb)) != std::string::npos);
            const auto help = parse_arguments(program, {std::string(text(verb)), "--help"}, surroundings());
            BOOST_REQUIRE(!help);
            BOOST_TEST(!help.error().is_error);
            BOOST_TEST(help.error().text.find("Examples:\n  ") != std::string::npos, help.error().text);
            for (const OptionRow& row : option_table()) {
                const bool there =
                    help.error().text.find("--" + std::string(row.name) + " ") != std::string::npos ||
                    help.error().text.find("--" + std::string(row.name) + "\n") != std::string::npos;
                if ((row.verbs & set_of(verb)) != 0)
                    BOOST_TEST(there, text(verb) << " --" << row.name);
            }
        }
        const auto version = parse_arguments(program, {"--version"}, surroundings());
        BOOST_REQUIRE(!version);
        BOOST_TEST(!version.error().is_error);
        const std::string& said = version.error().text;
        BOOST_TEST(said.starts_with(std::string(text(program)) + " 0.1.0\ncommit   "), said);
        BOOST_TEST(said.find("\nBoost    1.") != std::string::npos, said);
        BOOST_TEST(said.find("\nOpenSSL  3.") != std::string::npos, said);
    }
}

BOOST_AUTO_TEST_CASE(the_option_table_is_sound) {
    std::set<std::string_view> names;
    for (const OptionRow& row : option_table()) {
        BOOST_TEST(names.insert(row.name).second, row.name);
        BOOST_TEST(row.verbs != 0U);
        BOOST_TEST((row.kind == OptionKind::flag) == row.value_name.empty(), row.name);
        BOOST_TEST(!row.description.empty());
    }
    BOOST_TEST(!names.contains("password"));
    BOOST_TEST(variable_name("http-port") == "ONCESWAP_HTTP_PORT");
}

BOOST_AUTO_TEST_SUITE_END()
