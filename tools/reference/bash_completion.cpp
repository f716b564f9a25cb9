#include "tools/reference/completions.hpp"
#include "tools/reference/words.hpp"

#include <algorithm>

namespace onceswap::reference {

namespace {

template <class Words>
std::string joined(const Words& words, std::string_view between) {
    std::string out;
    for (const auto& word : words)
        out += (out.empty() ? "" : std::string(between)) + std::string(word);
    return out;
}

std::string option_words(cli::Verb verb) {
    std::string out;
    for (const cli::OptionRow* row : options_of(verb))
        out += "--" + std::string(row->name) + " ";
    return out + "--help";
}

/// What stands behind an option that takes a value.
std::string value_cases(cli::Program program) {
    std::vector<std::string> files;
    std::vector<std::string> others;
    std::string out;
    for (const cli::OptionRow* row : options_of(program)) {
        const std::string flag = "--" + std::string(row->name);
        if (row->kind == cli::OptionKind::flag)
            continue;
        if (const auto words = choices(*row); !words.empty())
            out += "        " + flag + ") mapfile -t COMPREPLY < <(compgen -W \"" + joined(words, " ") +
                   "\" -- \"$word\"); return ;;\n";
        else
            (row->value_name == "FILE" ? files : others).push_back(flag);
    }
    out += "        " + joined(files, "|") +
           ")\n"
           "            compopt -o filenames 2>/dev/null || true\n"
           "            mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;\n";
    return out + "        " + joined(others, "|") + ") return ;;\n";
}

std::string verb_cases(cli::Program program) {
    std::string out;
    for (const cli::Verb verb : cli::verbs_of(program)) {
        out += "        " + std::string(text(verb));
        if (cli::default_verb(program) == verb)
            out += "|-*";
        out += ") words=\"" + option_words(verb) + "\"";
        if (const auto known = operands(verb); !known.empty())
            out += "; operands=\"" + joined(known, " ") + "\"";
        out += " ;;\n";
    }
    return out;
}

} // namespace

std::string bash_completion(cli::Program program) {
    const std::string name(text(program));
    std::string function = "_" + name;
    std::replace(function.begin(), function.end(), '-', '_');
    std::vector<std::string_view> verbs;
    for (const cli::Verb verb : cli::verbs_of(program))
        verbs.push_back(text(verb));
    return "# bash completion of " + name + ", made from its option table\n" + function +
           "() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before= words= operands=\n"
           "    COMPREPLY=()\n"
           "    ((COMP_CWORD > 1)) && before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    # `--color=al` comes as three words\n"
           "    if [[ $word == = ]]; then\n"
           "        word=\n"
           "    elif [[ $before == = ]] && ((COMP_CWORD > 2)); then\n"
           "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    fi\n"
           "    case $before in\n" +
           value_cases(program) +
           "    esac\n"
           "    if ((COMP_CWORD == 1)) && [[ $word != -* ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"" +
           joined(verbs, " ") +
           "\" -- \"$word\")\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n" +
           verb_cases(program) +
           "    esac\n"
           "    ((COMP_CWORD == 1)) && words+=\" --version\"\n"
           "    [[ $word == -* ]] || words=$operands\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "}\n"
           "complete -F " +
           function + " " + name + "\n";
}

} // namespace onceswap::reference
