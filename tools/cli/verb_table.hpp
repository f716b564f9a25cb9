#pragma once

#include "tools/cli/options.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace onceswap::cli {

/// The verbs of a program, in the order in which its help shows them.
std::span<const Verb> verbs_of(Program program);

/// What is meant when the first word is an option.
std::optional<Verb> default_verb(Program program);

/// The one-line description of a verb in a program, and its examples. A verb of both programs says the same.
std::string_view description(Verb verb);
std::string_view examples(Program program, Verb verb);

/// The word that stands behind a verb: `CODE` for `explain`; empty where there is none.
std::string_view operand_name(Verb verb);

} // namespace onceswap::cli
