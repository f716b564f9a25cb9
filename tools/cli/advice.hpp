#pragma once

#include "tools/cli/options.hpp"

#include <span>
#include <string>
#include <string_view>

namespace onceswap::cli {

/// Verbs of a program that are described and have no function in this version: they are refused by name.
std::span<const Verb> later_verbs(Program program);

/// Whether no program has a function for a verb of this name.
bool is_missing(std::string_view verb);

/// The text, and where it names such a verb in back-quotes a remark that says so: no advice sends anybody to
/// a command that is refused.
std::string with_missing_verbs(std::string_view text);

} // namespace onceswap::cli
