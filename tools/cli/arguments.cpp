#include "tools/cli/arguments.hpp"

#include "tools/cli/option_table.hpp"
#include "tools/cli/raw_options.hpp"
#include "tools/cli/verb_table.hpp"
#include "tools/cli/version.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace onceswap::cli {

namespace {

constexpr std::size_t longest_configuration = 1024 * 1024;

CommandLineEnd error(std::string text) {
    return {true, std::move(text)};
}

/// The name of a flag without its value, for a message: the value may be a secret.
std::string flag_shown(const std::string& word) {
    return word.substr(0, std::min(word.find('='), std::size_t{64}));
}

boost::system::result<Verb, CommandLineEnd> verb_of(Program program, const std::string& word) {
    std::string known;
    std::optional<Verb> found;
    for (const Verb verb : verbs_of(program)) {
        if (word == text(verb))
            found = verb;
        known += (known.empty() ? "" : ", ") + std::string(text(verb));
    }
    if (!found)
        return error("unknown verb (" + known + "); see --help");
    return *found;
}

/// The parser of one program: its verbs as subcommands, the options of each from the table.
class CommandLine {
  public:
    explicit CommandLine(Program program) : app_("", std::string(text(program))) {
        app_.description(
            program == Program::refresh_load ? "Publish a full refresh of a replicated ClickHouse table once"
                                             : "What became of a publication, on every replica. Read-only"
        );
        app_.set_help_flag("--help", "Print this help and exit");
        app_.set_version_flag("--version", version_text(program));
        app_.footer("Each verb has its own --help. Exit codes and output: docs/cli");
        app_.require_subcommand(1);
        for (const Verb verb : verbs_of(program))
            add(program, verb);
    }

    void parse(std::vector<std::string> words) {
        std::reverse(words.begin(), words.end()); // CLI11 takes them from the back
        app_.parse(std::move(words));
    }

    std::string help() { return app_.help(); }

    std::string version() { return app_.version(); }

    std::vector<std::string> unexpected() { return app_.remaining(true); }

    /// What was said for the verb that was chosen. Error: a flag with a value that is none, in one line.
    boost::system::result<RawOptions, std::string> said(Verb verb) {
        RawOptions raw;
        CLI::App* chosen = app_.get_subcommand(std::string(text(verb)));
        for (const OptionRow& row : option_table()) {
            if ((row.verbs & set_of(verb)) == 0)
                continue;
            const CLI::Option* option = chosen->get_option("--" + std::string(row.name));
            if (option->count() == 0)
                continue;
            std::vector<std::string> values = option->reduced_results();
            if (row.kind == OptionKind::flag)
                for (std::string& value : values) {
                    const auto flag = parse_flag(value);
                    if (!flag)
                        return "--" + std::string(row.name) + ": " + flag.error();
                    value = *flag ? "true" : "false";
                }
            raw.emplace(row.name, std::move(values));
        }
        return raw;
    }

  private:
    void add(Program program, Verb verb) {
        CLI::App* sub = app_.add_subcommand(std::string(text(verb)), std::string(description(verb)));
        sub->allow_extras();
        const std::string operand(operand_name(verb));
        sub->footer(
            (operand.empty() ? "" : "One word without dashes: " + operand + "\n\n") +
            "Every option is also a variable (--http-port is ONCESWAP_HTTP_PORT) and a key in --config, "
            "except those\n"
            "that must be said each time: --execute, the pins, and what gives leave.\n\n"
            "Examples:\n" +
            std::string(examples(program, verb))
        );
        for (const OptionRow& row : option_table()) {
            if ((row.verbs & set_of(verb)) == 0)
                continue;
            const std::string name = "--" + std::string(row.name);
            const std::string what(row.description);
            switch (row.kind) {
            case OptionKind::flag:
                sub->add_flag(name, what);
                break;
            case OptionKind::value:
                sub->add_option(name, what)->expected(1)->type_name(std::string(row.value_name));
                break;
            case OptionKind::list:
                sub->add_option(name, what)
                    ->expected(1)
                    ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                    ->allow_extra_args(false)
                    ->type_name(std::string(row.value_name));
                break;
            }
        }
    }

    CLI::App app_;
};

boost::system::result<void, std::string>
add_variables(Verb verb, const Surroundings& surroundings, RawOptions& raw, Sources& sources) {
    for (const OptionRow& row : option_table()) {
        if ((row.verbs & set_of(verb)) == 0 || row.command_line_only || raw.contains(row.name))
            continue;
        const std::string name = variable_name(row.name);
        const auto value = surroundings.variable(name);
        if (!value)
            continue;
        if (value->empty())
            return name + ": is empty; to leave it out, unset it";
        std::vector<std::string> values;
        if (row.kind == OptionKind::flag) {
            const auto flag = parse_flag(*value);
            if (!flag)
                return name + ": " + flag.error();
            values.emplace_back(*flag ? "true" : "false");
        } else if (row.kind == OptionKind::list) {
            values = CLI::detail::split_up(*value); // URLs, separated by spaces
        } else {
            values.push_back(*value);
        }
        raw.emplace(row.name, std::move(values));
        sources.emplace(row.name, name);
    }
    return {};
}

boost::system::result<void, std::string>
add_elsewhere(Verb verb, const Surroundings& surroundings, RawOptions& raw, Sources& sources) {
    if (auto variables = add_variables(verb, surroundings, raw, sources); !variables)
        return variables.error();
    const auto config = raw.find("config");
    if (config == raw.end())
        return {};
    const std::string path = config->second.back();
    if (const auto problem = value_problem("config", path))
        return with_sources("--config: " + *problem, sources);
    const RawOptions before = raw;
    const auto text = surroundings.file(path);
    if (!text)
        return with_sources("--config: " + path + ": " + text.error().detail, sources);
    if (auto added = add_configuration(*text, raw); !added)
        return with_sources("--config: " + path + ": " + added.error(), sources);
    for (const auto& [name, values] : raw)
        if (!before.contains(name))
            sources.emplace(name, "--config: " + path + ": `" + name + "`");
    return {};
}

} // namespace

std::string with_sources(std::string message, const Sources& sources) {
    std::string remarks;
    for (const auto& [option, source] : sources) {
        const std::string flag = "--" + option;
        if (message.starts_with(flag + ":"))
            return source + message.substr(flag.size());
        const auto at = message.find(flag);
        const auto end = at + flag.size();
        const bool named =
            at != std::string::npos && (end == message.size() || message.find_first_of(" ,;:", end) == end);
        if (named)
            remarks += (remarks.empty() ? " (" : ", ") + flag + " is from " + source;
    }
    return message + remarks + (remarks.empty() ? "" : ")");
}

boost::system::result<Options, CommandLineEnd>
parse_arguments(Program program, std::vector<std::string> words, const Surroundings& surroundings) {
    for (const std::string& word : words) {
        if (word == "--password" || word.starts_with("--password="))
            return error("a password on the command line can be read by everybody on this machine; use "
                         "--password-file, ONCESWAP_PASSWORD or --password-prompt");
    }
    CommandLine line(program);
    std::optional<Verb> verb;
    const bool asks_program = !words.empty() && (words.front() == "--help" || words.front() == "--version");
    if (const auto meant = default_verb(program);
        meant && !words.empty() && words.front().starts_with('-') && !asks_program)
        words.insert(words.begin(), std::string(text(*meant)));
    if (!words.empty() && !words.front().starts_with('-')) {
        auto found = verb_of(program, words.front());
        if (!found)
            return found.error();
        verb = *found;
    }
    try {
        line.parse(words);
    } catch (const CLI::CallForHelp&) {
        return CommandLineEnd(false, line.help());
    } catch (const CLI::CallForVersion&) {
        return CommandLineEnd(false, line.version());
    } catch (const CLI::RequiredError&) {
        return error(
            words.empty() ? "say what to do; see --help"
                          : "unknown option " + flag_shown(words.front()) + "; see --help"
        );
    } catch (const CLI::ParseError& problem) {
        return error(problem.what());
    }
    if (!verb)
        return error("the verb comes first; see --help");
    auto words_left = line.unexpected();
    auto given = line.said(*verb);
    if (!given)
        return error(given.error());
    RawOptions raw = std::move(*given);
    if (!operand_name(*verb).empty() && !words_left.empty() && !words_left.front().starts_with('-')) {
        raw.emplace(operand_key, std::vector<std::string>{words_left.front()});
        words_left.erase(words_left.begin());
    }
    if (!words_left.empty()) {
        const std::string& first = words_left.front();
        const std::string see = "; see " + std::string(text(*verb)) + " --help";
        if (first.starts_with('-') && first.size() > 1)
            return error("unknown option " + flag_shown(first) + see);
        return error("there is a word too many behind the options" + see);
    }
    Sources sources;
    if (auto elsewhere = add_elsewhere(*verb, surroundings, raw, sources); !elsewhere)
        return error(elsewhere.error());
    auto options = interpret(*verb, raw);
    if (!options)
        return error(with_sources(options.error(), sources));
    options->sources = std::move(sources);
    return *options;
}

Surroundings real_surroundings() {
    Surroundings surroundings;
    surroundings.variable = [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
    surroundings.file = [](const std::string& path) -> protocol::Result<std::string> {
        const auto failure = [](const char* what) {
            return protocol::Failure(protocol::Code::config_invalid, what);
        };
        std::ifstream stream(path, std::ios::binary);
        if (!stream)
            return failure("cannot be read");
        std::string content(longest_configuration + 1, '\0');
        stream.read(content.data(), static_cast<std::streamsize>(content.size()));
        content.resize(static_cast<std::size_t>(stream.gcount()));
        if (stream.bad())
            return failure("cannot be read");
        if (content.size() > longest_configuration)
            return failure("longer than 1 MiB");
        return content;
    };
    return surroundings;
}

} // namespace onceswap::cli
