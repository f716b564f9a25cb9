#pragma once

#include "tools/cli/option_table.hpp"
#include "tools/cli/verb_table.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::reference {

/// The options of a verb, in the table's order.
std::vector<const cli::OptionRow*> options_of(cli::Verb verb);

/// The options of any verb of a program.
std::vector<const cli::OptionRow*> options_of(cli::Program program);

/// What the value of an option can be, where that is a few words; empty: anything.
std::vector<std::string_view> choices(const cli::OptionRow& row);

/// The words behind the verb that are known: all codes for `explain`, `list` and `drop` for `orphans`.
std::vector<std::string> operands(cli::Verb verb);

} // namespace onceswap::reference
