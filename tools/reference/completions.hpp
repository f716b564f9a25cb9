#pragma once

#include "tools/cli/options.hpp"

#include <string>

namespace onceswap::reference {

// Completions of verbs, options, and values that are files or a few words; made from the option table.

std::string bash_completion(cli::Program program); ///< needs nothing but bash
std::string zsh_completion(cli::Program program);
std::string fish_completion(cli::Program program);

} // namespace onceswap::reference
