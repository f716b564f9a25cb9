#include "tools/reference/words.hpp"

#include "tools/explaining/explanation.hpp"

#include <algorithm>

namespace onceswap::reference {

std::vector<const cli::OptionRow*> options_of(cli::Verb verb) {
    std::vector<const cli::OptionRow*> options;
    for (const cli::OptionRow& row : cli::option_table())
        if ((row.verbs & cli::set_of(verb)) != 0)
            options.push_back(&row);
    return options;
}

std::vector<const cli::OptionRow*> options_of(cli::Program program) {
    unsigned verbs = 0;
    for (const cli::Verb verb : cli::verbs_of(program))
        verbs |= cli::set_of(verb);
    std::vector<const cli::OptionRow*> options;
    for (const cli::OptionRow& row : cli::option_table())
        if ((row.verbs & verbs) != 0)
            options.push_back(&row);
    return options;
}

std::vector<std::string_view> choices(const cli::OptionRow& row) {
    if (row.name == "color")
        return {"auto", "always", "never"};
    return {};
}

std::vector<std::string> operands(cli::Verb verb) {
    std::vector<std::string> words;
    if (verb == cli::Verb::orphans)
        words = {"list", "drop"};
    if (verb == cli::Verb::explain)
        for (const explaining::Explanation& each : explaining::all_explanations())
            words.push_back(each.name);
    return words;
}

} // namespace onceswap::reference
