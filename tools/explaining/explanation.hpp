#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::explaining {

/// What a word that the tools print means, without asking anybody.
struct Explanation {
    Explanation() = default;

    std::string name;             ///< as the tools print it
    std::string kind;             ///< `code`, `verdict`, `state`, `exit code`
    std::optional<int> exit_code; ///< of a tool that ended with it; absent for a state
    std::string meaning;          ///< one sentence
    std::string next_safe_action; ///< may be empty
    std::string what_not_to_do;   ///< may be empty
    std::string page;             ///< the whole page, for a code
};

/// A stable code or a verdict (with or without ONCESWAP_, any letter case), a member's state, or an exit
/// code. nullopt: none of these. A name that is a verdict and a state is explained as the verdict.
std::optional<Explanation> explanation_of(std::string_view word);

/// All of them: codes in the order of docs/errors, then the verdicts that are no codes, states, exit codes.
std::vector<Explanation> all_explanations();

/// For people: the page without its marks, or the sentences.
std::string explanation_text(const Explanation& explanation);

} // namespace onceswap::explaining
