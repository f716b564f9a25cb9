#pragma once

#include "tools/cli/options.hpp"

#include <string>

namespace onceswap::reference {

/// The manual page of a program in man(7), section 1: verbs, options, exit status, environment, signals,
/// examples; made from the same tables as the program's help.
std::string man_page(cli::Program program);

} // namespace onceswap::reference
