#include "tools/reference/completions.hpp"
#include "tools/reference/words.hpp"

namespace onceswap::reference {

namespace {

std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "'";
}

/// The verbs of a program that an option belongs to.
std::string verbs_with(cli::Program program, const cli::OptionRow& row) {
    std::string out;
    for (const cli::Verb verb : cli::verbs_of(program))
        if ((row.verbs & cli::set_of(verb)) != 0)
            out += (out.empty() ? "" : " ") + std::string(text(verb));
    return out;
}

std::string line_of(cli::Program program, const cli::OptionRow& row) {
    std::string line = "complete -c " + std::string(text(program)) + " -n " +
                       quoted("__fish_seen_subcommand_from " + verbs_with(program, row)) + " -l " +
                       std::string(row.name);
    if (const auto words = choices(row); !words.empty()) {
        std::string list;
        for (const std::string_view word : words)
            list += (list.empty() ? "" : " ") + std::string(word);
        line += " -x -a " + quoted(list);
    } else if (row.kind != cli::OptionKind::flag) {
        line += row.value_name == "FILE" ? " -r -F" : " -x";
    }
    return line + " -d " + quoted(row.description) + "\n";
}

} // namespace

std::string fish_completion(cli::Program program) {
    const std::string begin = "complete -c " + std::string(text(program));
    std::string out =
        "# made from the option table of " + std::string(text(program)) + "\n" + begin + " -f\n";
    for (const cli::Verb verb : cli::verbs_of(program)) {
        out += begin + " -n __fish_use_subcommand -a " + std::string(text(verb)) + " -d " +
               quoted(description(verb)) + "\n";
        for (const std::string& word : operands(verb))
            out += begin + " -n " + quoted("__fish_seen_subcommand_from " + std::string(text(verb))) +
                   " -a " + word + "\n";
    }
    for (const cli::OptionRow* row : options_of(program))
        out += line_of(program, *row);
    return out + begin + " -l help -d 'Print help and exit'\n" + begin +
           " -n __fish_use_subcommand -l version -d 'Print versions and exit'\n";
}

} // namespace onceswap::reference
