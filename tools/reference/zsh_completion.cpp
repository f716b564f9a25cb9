#include "tools/reference/completions.hpp"
#include "tools/reference/words.hpp"

#include <algorithm>

namespace onceswap::reference {

namespace {

/// For the inside of single quotes, in a place where `marks` have a meaning.
std::string escaped(std::string_view text, std::string_view marks) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
            continue;
        }
        if (c == '\\' || marks.find(c) != std::string_view::npos)
            out += '\\';
        out += c;
    }
    return out;
}

std::string action_of(const cli::OptionRow& row) {
    const auto words = choices(row);
    if (words.empty())
        return row.value_name == "FILE" ? "_files" : "";
    std::string out = "(";
    for (const std::string_view word : words)
        out += (out.size() == 1 ? "" : " ") + std::string(word);
    return out + ")";
}

std::string spec_of(const cli::OptionRow& row) {
    std::string spec = row.kind == cli::OptionKind::list ? "'*--" : "'--";
    spec += std::string(row.name) + "[" + escaped(row.description, "[]:") + "]";
    if (row.kind != cli::OptionKind::flag)
        spec += ":" + escaped(row.value_name, ":") + ":" + action_of(row);
    return spec + "'";
}

std::string case_of(cli::Program program, cli::Verb verb) {
    std::string out = "        " + std::string(text(verb));
    if (cli::default_verb(program) == verb)
        out += "|-*";
    out += ")\n            _arguments";
    for (const cli::OptionRow* row : options_of(verb))
        out += " \\\n                " + spec_of(*row);
    if (const auto known = operands(verb); !known.empty()) {
        out += " \\\n                '1:" + escaped(cli::operand_name(verb), ":") + ":(";
        for (const std::string& word : known)
            out += (&word == &known.front() ? "" : " ") + word;
        out += ")'";
    }
    return out + " \\\n                '--help[Print help and exit]'\n            ;;\n";
}

} // namespace

std::string zsh_completion(cli::Program program) {
    const std::string name(text(program));
    std::string function = "_" + name;
    std::replace(function.begin(), function.end(), '-', '_');
    std::string out = "#compdef " + name + "\n# made from its option table\n" + function +
                      "() {\n    local -a verbs\n    verbs=(\n";
    for (const cli::Verb verb : cli::verbs_of(program))
        out += "        '" + std::string(text(verb)) + ":" + escaped(description(verb), ":") + "'\n";
    out += "    )\n"
           "    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
           "        _describe verb verbs\n"
           "        return\n"
           "    fi\n"
           "    local verb=$words[2]\n"
           "    if [[ $verb != -* ]]; then\n"
           "        shift words\n"
           "        (( CURRENT-- ))\n"
           "    fi\n"
           "    case $verb in\n";
    for (const cli::Verb verb : cli::verbs_of(program))
        out += case_of(program, verb);
    return out + "    esac\n}\ncompdef " + function + " " + name + "\n";
}

} // namespace onceswap::reference
